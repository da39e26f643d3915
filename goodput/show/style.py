"""The look that every figure of the course shares: size, type, colours, and a figure that shows itself once
in a notebook.

`chart(title, ...)` returns a `Chart` (a matplotlib Figure) and its axes. Colours are those of Okabe and Ito,
told apart by people with any colour vision; meaning never hangs on colour alone.
"""

from __future__ import annotations

import io
import textwrap
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from goodput.language import Language, Text, pick

INK, SOFT, GRID, PALE = "#1f2430", "#5b6270", "#e3e6ec", "#eef0f4"
BLUE, ORANGE, GREEN, PINK, SKY, AMBER = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"
SERIES = (BLUE, ORANGE, GREEN, PINK, SKY, AMBER)

WIDTH_IN = 8.0  # a JupyterLab cell is about 900 CSS pixels wide
DPI = 100  # CSS pixels per inch; pictures are rendered at twice that for dense screens

_RC: dict[str, Any] = {
    "font.family": "DejaVu Sans",  # ships with matplotlib: the same letters on every machine
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": SOFT,
    "axes.edgecolor": "#b9bfca",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "grid.color": GRID,
    "grid.linewidth": 0.9,
    "hatch.linewidth": 0.5,
}


class Chart(Figure):
    """A figure that a notebook shows when it is a cell's last value; `save(path)` writes it."""

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        width, height = (round(inches * DPI) for inches in self.get_size_inches())
        picture = {"image/png": self.png(), "text/plain": self.described}
        return picture, {"image/png": {"width": width, "height": height}}

    @property
    def described(self) -> str:
        """One line for readers who do not see the picture: its title, its subtitle and where its numbers come from."""
        return " — ".join(
            text.get_text().replace("\n", " ") for text in self.texts if text.get_gid() in ("heading", "note")
        )

    def png(self) -> bytes:
        """The picture at twice its size in CSS pixels."""
        buffer = io.BytesIO()
        FigureCanvasAgg(self).print_figure(buffer, format="png", dpi=2 * DPI, facecolor="white")
        return buffer.getvalue()

    def save(self, path: Any) -> None:
        """Write a PNG, SVG or PDF, by the file's suffix."""
        self.savefig(path, dpi=2 * DPI, facecolor="white", metadata=None)


def style() -> Any:
    """Context manager under which figures of the course are drawn; nothing global changes."""
    return matplotlib.rc_context(_RC)  # pyright: ignore[reportArgumentType]


def chart(
    title: Text,
    subtitle: Text = "",
    note: Text = "",
    *,
    plot_height_in: float,
    width_in: float = WIDTH_IN,
    lang: Language | None = None,
    rows: int = 1,
    columns: int = 1,
    heights: tuple[float, ...] | None = None,
) -> tuple[Chart, list[Axes]]:
    """A figure with a heading above and a source note below its axes; heights in inches. Use inside
    `style()`."""
    per_line = int(width_in * 11.5)  # characters of the 13 pt bold title that fit
    title_text = textwrap.fill(pick(title, lang), per_line)
    subtitle_text = textwrap.fill(pick(subtitle, lang), int(width_in * 12.4))
    note_text = textwrap.fill(pick(note, lang), int(width_in * 15))
    title_in, subtitle_in, note_in = (
        (text.count("\n") + 1) * line if text else 0.0
        for text, line in ((title_text, 0.25), (subtitle_text, 0.2), (note_text, 0.18))
    )
    top_in = 0.12 + title_in + subtitle_in + (0.08 if subtitle_text else 0)
    height_in = top_in + plot_height_in + note_in + (0.1 if note_text else 0)
    below_in = note_in + 0.05
    rect = (0, below_in / height_in, 1, 1 - (top_in + below_in + 0.05) / height_in)
    figure = Chart(
        figsize=(width_in, height_in), layout=ConstrainedLayoutEngine(rect=rect, w_pad=0.08, h_pad=0.06)
    )
    FigureCanvasAgg(figure)
    left = 0.1 / width_in
    heading = figure.text(
        left, 1 - 0.1 / height_in, title_text, va="top", size=13, weight="bold", linespacing=1.25
    )
    heading.set_gid("heading")
    if subtitle_text:
        below = 1 - (0.14 + title_in) / height_in
        under = figure.text(left, below, subtitle_text, va="top", size=10.5, color=SOFT, linespacing=1.25)
        under.set_gid("heading")
    if note_text:
        under = figure.text(
            left, 0.06 / height_in, note_text, va="bottom", size=8.5, color=SOFT, style="italic"
        )
        under.set_gid("note")
    axes = figure.subplots(
        rows, columns, squeeze=False, gridspec_kw={"height_ratios": heights} if heights else None
    )
    return figure, list(axes.ravel())
