"""Speed interval and ceiling fraction -> small inline SVG, for the report page and the notebook card.

Takes the records of report_schema.py and a language; returns SVG text that inherits its colours from the page (CSS
variables with fallbacks) and holds its own description. 360 units wide, so that it is legible on a phone at 1:1.
"""

from __future__ import annotations

import math
from html import escape

from grader.numbers import Lang, fixed, percent
from grader.report_schema import RooflineRecord, SpeedRecord
from grader.words import TONE, ceiling_name, word

WIDTH = 360
MARGIN = 10
# Advance of a digit in a wide bold 12-unit font; decides which labels are flush with an edge and which would touch.
CHARACTER = 7.4

_COLOUR = {
    "good": "var(--good,#1a7a4c)",
    "bad": "var(--bad,#b3402e)",
    "warn": "var(--warn,#9a6700)",
    "quiet": "var(--muted,#5a6662)",
}


def interval_svg(speed: SpeedRecord, outcome: str, lang: Lang) -> str:
    """Confidence interval of the speedup on a logarithmic axis, with the threshold and what lies around it."""
    marks = [1.0, speed.ratio, speed.low, speed.high, speed.threshold, *([speed.par] if speed.par else [])]
    marks = [mark for mark in marks if math.isfinite(mark) and mark > 0]
    left, right = math.log(min(marks)), math.log(max(marks))
    room = max(0.04, 0.06 * (right - left))

    def x(ratio: float) -> float:
        share = (math.log(max(ratio, 1e-9)) - left + room) / (right - left + 2 * room)
        return MARGIN + min(1.0, max(0.0, share)) * (WIDTH - 2 * MARGIN)

    colour = _COLOUR[TONE[outcome]]
    at, bar_left, bar_right, needed = x(speed.ratio), x(speed.low), x(speed.high), x(speed.threshold)
    bar_width = max(6.0, bar_right - bar_left)
    bar_left = min(bar_left, at - 3) if bar_width == 6.0 else bar_left
    interval = f"{fixed(speed.low, 2, lang)}–{fixed(speed.high, 2, lang)}"
    mine = f"{fixed(speed.ratio, 2, lang)}× ({interval})"
    threshold = f"{word('needed', lang)} {fixed(speed.threshold, 2, lang)}×"
    description = f"{word('your_answer', lang)} {mine}, {threshold}"
    parts = [
        _open(110, description),
        f'<rect x="{needed:.1f}" y="30" width="{WIDTH - MARGIN - needed:.1f}" height="36" '
        f'style="fill:{_COLOUR["good"]};opacity:.12"/>',
        _line(MARGIN, 48, WIDTH - MARGIN, 48, "var(--line,#c9d0cc)"),
        _line(needed, 24, needed, 72, _COLOUR["good"], "stroke-dasharray:4 3;stroke-width:1.5"),
        f'<rect x="{bar_left:.1f}" y="42" width="{bar_width:.1f}" height="12" rx="4" style="fill:{colour};opacity:.35"/>',
        f'<circle cx="{at:.1f}" cy="48" r="5" style="fill:{colour}"/>',
        _text(at, 17, mine, colour, weight=600),
        _text(needed, 86, threshold, "var(--ink,currentColor)"),
    ]
    return "".join([*parts, *_landmarks(speed, x, lang), "</svg>"])


def _landmarks(speed: SpeedRecord, x, lang: Lang) -> list[str]:
    """Baseline (or copy probe) and course solution on the last row; the former's name gives way where they would touch."""
    marks = [(1.0, f"{word('baseline' if speed.par else 'a_copy', lang)} 1×")]
    if speed.par:
        marks.append((speed.par, f"{word('par', lang)} {fixed(speed.par, 2, lang)}×"))
    out = [_line(x(ratio), 43, x(ratio), 53, "var(--muted,#5a6662)") for ratio, _ in marks]
    spans = [_span(x(ratio), label) for ratio, label in marks]
    if len(marks) == 2 and spans[0][1] > spans[1][0] - CHARACTER and spans[1][1] > spans[0][0] - CHARACTER:
        marks = marks[1:]
    return out + [_text(x(ratio), 103, label, "var(--muted,#5a6662)") for ratio, label in marks]


def ceiling_svg(roofline: RooflineRecord, lang: Lang) -> str:
    """Attained rate as a bar under the measured ceiling."""
    compute = roofline.ceiling.endswith("flop_per_s")
    unit, per_unit = ("GFLOP/s", 1e9) if roofline.ceiling.endswith("gflop_per_s") else ("TFLOP/s", 1e12)
    unit = unit if compute else "GB/s"
    rate = roofline.flop / roofline.seconds / per_unit if compute else roofline.gb_per_s
    decimals = 0 if roofline.ceiling_value >= 100 else 1
    full = WIDTH - 2 * MARGIN
    scale = full / max(1.0, roofline.fraction)
    end = MARGIN + max(0.0, roofline.fraction) * scale
    name = f"{ceiling_name(roofline.ceiling, lang)} {fixed(roofline.ceiling_value, decimals, lang)} {unit}"
    mine = f"{fixed(rate, decimals, lang)} {unit} · {percent(roofline.fraction, lang)}"
    top = MARGIN + scale
    return "".join(
        [
            _open(76, f"{mine}, {name}"),
            f'<rect x="{MARGIN}" y="26" width="{full}" height="14" rx="4" style="fill:var(--line,#dfe4e0)"/>',
            f'<rect x="{MARGIN}" y="26" width="{end - MARGIN:.1f}" height="14" rx="4" '
            'style="fill:var(--accent,#2a5db0)"/>',
            _line(top, 20, top, 46, "var(--ink,currentColor)", "stroke-width:2"),
            _text(end, 16, mine, "var(--accent,#2a5db0)", weight=600),
            _text(top, 62, name, "var(--muted,#5a6662)"),
            "</svg>",
        ]
    )


def _open(height: int, description: str) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(description)}" '
        'style="width:100%;max-width:480px;height:auto;display:block;font:12px system-ui,sans-serif">'
        f"<title>{escape(description)}</title>"
    )


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, style: str = "") -> str:
    return f'<line x1="{x1:.1f}" y1="{y1}" x2="{x2:.1f}" y2="{y2}" style="stroke:{colour};{style}"/>'


def _text(x: float, y: int, text: str, colour: str, weight: int = 400) -> str:
    """A label centred on x, or flush with the edge it would cross, whatever font the reader has."""
    left, right = _span(x, text)
    edge = MARGIN / 2
    anchor, at = (
        ("start", edge) if left <= edge else ("end", WIDTH - edge) if right >= WIDTH - edge else ("middle", x)
    )
    style = f"fill:{colour};font-weight:{weight}"
    return f'<text x="{at:.1f}" y="{y}" text-anchor="{anchor}" style="{style}">{escape(text)}</text>'


def _span(x: float, text: str) -> tuple[float, float]:
    """Where a label centred on x lies, about, once it is pushed back inside the figure."""
    width = CHARACTER * len(text)
    left = min(max(MARGIN / 2, x - width / 2), max(MARGIN / 2, WIDTH - MARGIN / 2 - width))
    return left, left + width
