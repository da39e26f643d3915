"""Verdict -> what a check cell shows: a compact card, and its twin in plain text.

The card works where notebooks drop style sheets: every rule is inline, colours fall back to the page's own, and nothing in it
runs. The plain text says the same for terminals, `nbconvert` and screen readers. Takes a verdict and a language.
"""

from __future__ import annotations

from html import escape

from grader.messages import note_sentences, sentences, verdict_label
from grader.numbers import Lang, number
from grader.printable import one_line
from grader.report_figures import ceiling_svg, interval_svg
from grader.report_records import exercise_record
from grader.verdict import EvidenceResult, Verdict
from grader.words import GLYPH, TONE, word

_COLOUR = {
    "good": "#1f8a58",
    "bad": "#c2503c",
    "warn": "#a87400",
    "quiet": "#7a8680",
}  # legible on white and on #111
# The figures' colours, in tones that are legible on both backgrounds.
_FIGURES = ";".join(
    [
        "--good:#1f8a58",
        "--bad:#c2503c",
        "--warn:#a87400",
        "--muted:#7a8680",
        "--accent:#3f76cc",
        "--line:#9aa6a166",
    ]
)
_MUTED = "opacity:.75;font-size:.9em"


def notebook_html(verdict: Verdict, lang: Lang) -> str:
    """The card: outcome, sentence, next step, interval and ceiling, counts. Everything from the answer is escaped."""
    record = exercise_record(verdict)
    message = sentences(verdict, lang)
    colour = _COLOUR[TONE[verdict.outcome]]
    head = f"{GLYPH[verdict.outcome]} {verdict_label(verdict, lang)}"
    parts = [
        f'<div lang="{lang}" style="border-left:4px solid {colour};padding:.3em 0 .3em 1em;margin:.4em 0;max-width:44em;'
        'line-height:1.45">',
        f'<div><strong style="color:{colour}">{escape(head)}</strong> <code>{escape(one_line(verdict.name))}</code>'
        f"{_points(verdict, lang)}</div>",
        f'<div style="margin:.35em 0 0">{escape(message.headline)}</div>',
        f'<div style="{_MUTED}">{escape(message.detail)}</div>' if message.detail else "",
        f'<div style="margin:.5em 0 0"><strong>{escape(word("next", lang))}:</strong> {escape(message.next_step)}</div>',
    ]
    drawn = [interval_svg(record.speed, verdict.outcome, lang)] if record.speed else []
    drawn += [ceiling_svg(record.roofline, lang)] if record.roofline else []
    if drawn:
        cells = "".join(f'<div style="flex:1 1 280px;max-width:360px">{svg}</div>' for svg in drawn)
        parts.append(
            f'<div style="display:flex;flex-wrap:wrap;gap:.5em 2em;margin:.7em 0 0;{_FIGURES}">{cells}</div>'
        )
    details = [_count(item, lang) for item in verdict.evidence] + list(note_sentences(verdict, lang))
    if details:
        rows = "".join(f"<li>{escape(one_line(detail))}</li>" for detail in details)
        parts.append(f'<ul style="margin:.6em 0 0;padding:0;list-style:none;{_MUTED}">{rows}</ul>')
    return "".join([*parts, "</div>"])


def notebook_text(verdict: Verdict, lang: Lang) -> str:
    """The same in plain text."""
    message = sentences(verdict, lang)
    points = f" ({_point_text(verdict, lang)})" if _point_text(verdict, lang) else ""
    lines = [
        f"{GLYPH[verdict.outcome]} {verdict_label(verdict, lang)}: {one_line(verdict.name)}{points}",
        message.headline,
        message.detail,
        *(one_line(_count(item, lang)) for item in verdict.evidence),
        *note_sentences(verdict, lang),
        f"{word('next', lang)}: {message.next_step}",
    ]
    return "\n".join(filter(None, lines))


def _points(verdict: Verdict, lang: Lang) -> str:
    text = _point_text(verdict, lang)
    return f' <span style="{_MUTED}">{escape(text)}</span>' if text else ""


def _point_text(verdict: Verdict, lang: Lang) -> str:
    record = exercise_record(verdict).points
    if not record.possible:
        return ""
    earned, possible = (
        number(int(p) if float(p).is_integer() else p, lang) for p in (record.earned, record.possible)
    )
    return f"{earned} / {possible} {word('points', lang)}"


def _count(item: EvidenceResult, lang: Lang) -> str:
    """✓ load sectors per request: 4 (≤ 4,5)"""
    bounds = [
        f"{sign} {number(bound, lang)}"
        for sign, bound in (("≥", item.at_least), ("≤", item.at_most))
        if bound is not None
    ]
    mark = {True: "✓", False: "✗", None: "–"}[item.ok]
    value = word("cannot_tell", lang) if item.value is None else number(item.value, lang)
    return f"{mark} {item.name}: {value}" + (f" ({', '.join(bounds)})" if bounds else "")
