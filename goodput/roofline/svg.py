"""A roofline as one SVG string for HTML reports: no scripts, no fonts, no files; follows the page's light or
dark colours.

Takes positions and ceilings, returns text that can be put into a page as it is. Drawn for the width of a
phone and scaled up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from goodput.language import Language, pick
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

WIDTH, HEIGHT = 440, 330  # a phone is 360-430 CSS pixels wide: text stays close to its nominal size there
LEFT, RIGHT, TOP, BOTTOM = 46, 62, 30, 40
CHARACTER, LINE = 6.2, 12  # estimated width and height of 10.5 px text, for placing labels

# Colours of goodput.show, and lighter ones of the same hues on a dark page; 4.5:1 against the background for
# text.
STYLE = """
.gp-roof{width:100%;max-width:680px;height:auto;font:10.5px system-ui,-apple-system,'Segoe UI',sans-serif;
 --ink:#1f2430;--soft:#5b6270;--grid:#e3e6ec;--roof:#8a92a3;--memory:#0072b2;--compute:#b34a00;--paper:#fff}
@media (prefers-color-scheme:dark){.gp-roof{--ink:#e8eaf0;--soft:#a5adbd;--grid:#343a47;--roof:#7f8899;
 --memory:#5ab4e8;--compute:#f09a4a;--paper:#1b1f27}}
.gp-roof text{fill:var(--ink)}.gp-roof .soft{fill:var(--soft)}.gp-roof .grid{stroke:var(--grid)}
.gp-roof .roof{stroke:var(--roof);stroke-width:2;fill:none}.gp-roof .thin{stroke-width:1;stroke-dasharray:4 3}
.gp-roof .memory{fill:var(--memory)}.gp-roof .compute{fill:var(--compute)}
.gp-roof .leader{stroke:var(--soft);stroke-width:.8}.gp-roof .dot{stroke:var(--paper);stroke-width:1.5}
.gp-roof .halo{paint-order:stroke;stroke:var(--paper);stroke-width:3px;stroke-linejoin:round}
"""


def svg(points: Sequence[Position], ceilings: Ceilings, lang: Language | None = None) -> str:
    """Self-contained SVG of the roofline with labelled points, in Spanish or English."""
    drawn = layout(points, ceilings)
    title = pick(TEXTS["title"], lang).format(name=ceilings.name)
    body = [*_grid(drawn, lang), *_roofs(drawn, ceilings, lang), *_dots(drawn, lang)]
    described = "; ".join(
        f"{d.label}: {d.fraction:.0%} {pick(TEXTS['of the roof'], lang)}" for d in drawn.dots
    )
    return (
        f'<svg class="gp-roof" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(title)}. {escape(described)}"><style>{STYLE.strip()}</style>'
        f'<text x="{LEFT}" y="16" font-size="13" font-weight="600">{escape(title)}</text>{"".join(body)}</svg>'
    )


def _x(drawn: Layout, value: float) -> float:
    low, high = map(math.log10, drawn.x_range)
    return LEFT + (math.log10(value) - low) / (high - low) * (WIDTH - LEFT - RIGHT)


def _y(drawn: Layout, value: float) -> float:
    low, high = map(math.log10, drawn.y_range)
    return HEIGHT - BOTTOM - (math.log10(value) - low) / (high - low) * (HEIGHT - TOP - BOTTOM)


def _grid(drawn: Layout, lang: Language | None) -> list[str]:
    parts = []
    for value in _decades(drawn.x_range):
        x = _x(drawn, value)
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>')
        middle = (
            f'<text class="soft" x="{x:.1f}" y="{HEIGHT - BOTTOM + 14}" text-anchor="middle">{value:g}</text>'
        )
        parts.append(middle)
    for value in _decades(drawn.y_range):
        y = _y(drawn, value)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(
            f'<text class="soft" x="{LEFT - 5}" y="{y + 3.5:.1f}" text-anchor="end">{value:g}</text>'
        )
    centre_x, centre_y = (LEFT + WIDTH - RIGHT) / 2, (TOP + HEIGHT - BOTTOM) / 2
    x_label, y_label = pick(TEXTS["x"], lang), pick(TEXTS["y"], lang).format(unit=drawn.unit)
    parts.append(f'<text class="soft" x="{centre_x}" y="{HEIGHT - 8}" text-anchor="middle">{x_label}</text>')
    parts.append(
        f'<text class="soft" transform="translate(11 {centre_y}) rotate(-90)" text-anchor="middle">{y_label}</text>'
    )
    return parts


def _roofs(drawn: Layout, ceilings: Ceilings, lang: Language | None) -> list[str]:
    parts = []
    right = WIDTH - RIGHT
    for traffic, slope in drawn.slopes:
        x0, y0, x1, y1 = _slope_ends(drawn, slope)
        thin = "" if traffic == "copy" else " thin"
        parts.append(f'<line class="roof{thin}" x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}"/>')
    for label in slope_labels(drawn):
        x0, y0, x1, y1 = _slope_ends(drawn, label.slope)
        rates = [
            f"{pick(TEXTS[name], lang)} {number(ceilings.bytes_per_s(name) / 1e9)}" for name in label.names
        ]
        place = f"translate({x0 + (x1 - x0) * label.at:.1f} {y0 + (y1 - y0) * label.at:.1f})"
        angle = math.degrees(math.atan2(y1 - y0, x1 - x0))
        parts.append(
            f'<text class="soft halo" transform="{place} rotate({angle:.1f})" y="{-6 if label.above else 14}" '
            f'text-anchor="middle">{", ".join(rates)} GB/s</text>'
        )
    copy = dict(drawn.slopes)["copy"]
    heights = [-_y(drawn, value) for _, value in drawn.roofs]
    for (precision, value), placed in zip(drawn.roofs, spread_apart(heights, LINE + 1), strict=True):
        x, y, thin = _x(drawn, value / copy), _y(drawn, value), "" if value == drawn.highest else " thin"
        parts.append(f'<line class="roof{thin}" x1="{x:.1f}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}"/>')
        parts.append(
            f'<text class="soft" x="{right + 4}" y="{-placed + 3.5:.1f}">{precision} {number(value)}</text>'
        )
    return parts


def _slope_ends(drawn: Layout, slope: float) -> tuple[float, float, float, float]:
    start = max(drawn.x_range[0], drawn.y_range[0] / slope)
    return (
        _x(drawn, start),
        _y(drawn, start * slope),
        _x(drawn, drawn.highest / slope),
        _y(drawn, drawn.highest),
    )


def _dots(drawn: Layout, lang: Language | None) -> list[str]:
    at = [(_x(drawn, dot.x), -_y(drawn, dot.y)) for dot in drawn.dots]  # y upwards for place_labels
    texts = []
    for dot in drawn.dots:
        aside = f", {pick(TEXTS[dot.aside], lang)}" if dot.aside else ""
        texts.append(f"{dot.label} {dot.fraction:.0%}{aside}".strip())
    bounds = (LEFT, -(HEIGHT - BOTTOM), WIDTH - RIGHT, -TOP)
    taken = [(LEFT, y - 1.5, WIDTH - RIGHT, y + 1.5) for _, v in drawn.roofs for y in [-_y(drawn, v)]]
    corners = place_labels(at, [len(text) * CHARACTER for text in texts], LINE, bounds, 5, taken)
    parts = []
    for dot, (x, y), (left, bottom), text in zip(drawn.dots, at, corners, texts, strict=True):
        if end := leader_end((x, y), (left, bottom), len(text) * CHARACTER, LINE):
            parts.append(
                f'<line class="leader" x1="{x:.1f}" y1="{-y:.1f}" x2="{end[0]:.1f}" y2="{-end[1]:.1f}"/>'
            )
        label = f'<text class="halo" x="{left:.1f}" y="{-bottom - 2.5:.1f}">{escape(text)}</text>'
        parts.append(f'<circle class="dot {dot.bound}" cx="{x:.1f}" cy="{-y:.1f}" r="5"/>{label}')
    return parts


def _decades(limits: tuple[float, float]) -> list[float]:
    low, high = math.ceil(math.log10(limits[0])), math.floor(math.log10(limits[1]))
    return [10.0**power for power in range(low, high + 1)]
