"""The roofline of a machine with labelled measurements, for notebooks (`goodput.roofline.plot`).

Takes positions and ceilings, returns a `Chart`. The geometry is `goodput.roofline.layout`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from goodput.language import Language, Text, pick
from goodput.machine.ceiling import Ceilings
from goodput.roofline.layout import (
    TEXTS,
    Layout,
    layout,
    leader_end,
    number,
    place_labels,
    slope_labels,
    spread_apart,
)
from goodput.roofline.position import Position
from goodput.show.style import BLUE, INK, ORANGE, SOFT, Chart, chart, style

HEIGHT_IN = 4.6
_ROOF = "#8a92a3"
_LINE_PX = 16  # a line of 10 pt text at 100 pixels per inch
_LIMITS = {
    "es": "Azul: limita la memoria. Naranja: limita el cómputo. Porcentaje: fracción del techo medido.",
    "en": "Blue: bound by memory. Orange: bound by compute. Percentage: share of the measured roof.",
}


def draw(
    points: Sequence[Position], ceilings: Ceilings, lang: Language | None = None, *, note: Text = ""
) -> Chart:
    """Log-log roofline; a point without FLOP stands at the left edge, at the height of its bandwidth."""
    drawn = layout(points, ceilings)
    title = pick(TEXTS["title"], lang).format(name=ceilings.name)
    with style():
        figure, (axes,) = chart(title, pick(_LIMITS, lang), note, plot_height_in=HEIGHT_IN, lang=lang)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(drawn.x_range)
        axes.set_ylim(drawn.y_range)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(LogLocator(base=10, numticks=20))
            axis.set_minor_locator(NullLocator())
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.grid(True)
        axes.set_xlabel(pick(TEXTS["x"], lang))
        axes.set_ylabel(pick(TEXTS["y"], lang).format(unit=drawn.unit))
        _roof_names(axes, drawn)
        figure.draw_without_rendering()  # the layout decides the size of the axes, and with it angles and labels
        slopes = _roofs(axes, drawn, ceilings, lang)
        _dots(axes, drawn, slopes, lang)
    return figure


def _halo(width: float = 3) -> list[withStroke]:
    return [withStroke(linewidth=width, foreground="white")]


def _roofs(axes, drawn: Layout, ceilings: Ceilings, lang: Language | None) -> list[Annotation]:
    """Draws the roofs; returns the labels written along the slopes, which dots' labels must not cover."""
    written = []
    for traffic, slope in drawn.slopes:
        start = max(drawn.x_range[0], drawn.y_range[0] / slope)
        main = traffic == "copy"
        axes.plot([start, drawn.highest / slope], [start * slope, drawn.highest], color=_ROOF, lw=2.2 if main else 1.1,
                  ls="-" if main else (0, (4, 3)), solid_capstyle="round")  # fmt: skip
    for label in slope_labels(drawn):
        start, ridge = max(drawn.x_range[0], drawn.y_range[0] / label.slope), drawn.highest / label.slope
        (x0, y0), (x1, y1) = axes.transData.transform([(start, start * label.slope), (ridge, drawn.highest)])
        rates = [
            f"{pick(TEXTS[name], lang)} {number(ceilings.bytes_per_s(name) / 1e9)}" for name in label.names
        ]
        at = start * (ridge / start) ** label.at
        along = axes.annotate(
            f"{', '.join(rates)} GB/s", (at, at * label.slope), xytext=(-6, 6) if label.above else (7, -7),
            textcoords="offset points", size=9.5, rotation=math.degrees(math.atan2(y1 - y0, x1 - x0)),
            rotation_mode="anchor", color=SOFT, ha="center", va="bottom" if label.above else "top", path_effects=_halo(),
        )  # fmt: skip
        written.append(along)
    copy = dict(drawn.slopes)["copy"]
    for _, value in drawn.roofs:
        main = value == drawn.highest
        axes.plot([value / copy, drawn.x_range[1]], [value, value], color=_ROOF, lw=2.2 if main else 1.1,
                  ls="-" if main else (0, (4, 3)))  # fmt: skip
    return written


def _roof_names(axes, drawn: Layout) -> None:
    """Names and rates of the roofs in the right margin, moved apart where roofs are close."""
    heights = [axes.transData.transform((1, value))[1] for _, value in drawn.roofs]
    for (precision, value), height, placed in zip(
        drawn.roofs, heights, spread_apart(heights, 19), strict=True
    ):
        axes.annotate(
            f"{precision} {number(value)}", (drawn.x_range[1], value), xytext=(6, (placed - height) * 0.72),
            textcoords="offset points", ha="left", va="center", size=9.5, color=SOFT, annotation_clip=False,
        )  # fmt: skip


def _dots(axes, drawn: Layout, slopes: Sequence[Annotation], lang: Language | None) -> None:
    if not drawn.dots:
        return
    names = []
    for dot in drawn.dots:
        aside = f" ({pick(TEXTS[dot.aside], lang)})" if dot.aside else ""
        name = f"{dot.label}  {dot.fraction:.0%}{aside}".strip()
        names.append(axes.text(dot.x, dot.y, name, size=10, color=INK, path_effects=_halo(), zorder=6))
        colour = BLUE if dot.bound == "memory" else ORANGE
        axes.plot(dot.x, dot.y, "o", ms=9, color=colour, mec="white", mew=1.5, zorder=5, clip_on=False)
    at = [tuple(axes.transData.transform((dot.x, dot.y))) for dot in drawn.dots]
    box = axes.get_window_extent()
    roofs = [axes.transData.transform((1, value))[1] for _, value in drawn.roofs]
    taken = [(box.x0, y - 2, box.x1, y + 2) for y in roofs]
    taken += [label.get_window_extent().extents for label in slopes]
    widths = [name.get_window_extent().width for name in names]
    corners = place_labels(at, widths, _LINE_PX, (box.x0, box.y0, box.x1, box.y1), 8, taken)
    back = axes.transData.inverted()
    for name, (x, y), dot, width in zip(names, corners, at, widths, strict=True):
        name.set_position(back.transform((x, y + 3)))
        if end := leader_end(dot, (x, y), width, _LINE_PX):
            xs, ys = zip(*back.transform([dot, end]), strict=True)
            axes.plot(xs, ys, color=SOFT, lw=0.8, zorder=4)
