"""CUDA C++ with what each line does to memory in the margin: sectors per request and wavefronts, as a profiler shows them.

    listing(source, count(transpose, x=x, out=out), lines=range(10, 14))

Takes a source and the counts of the emulator, returns a `Listing` that a notebook shows as HTML and `str`
prints. Knows nothing of how the counts were made.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from goodput.emulator import Counts
from goodput.language import Language, Text, pick

_HEADS: tuple[Text, ...] = (
    {"es": "sectores por lectura", "en": "sectors per load"},
    {"es": "sectores por escritura", "en": "sectors per store"},
    {"es": "wavefronts por lectura compartida", "en": "wavefronts per shared load"},
)
_LINE: Text = {"es": "línea", "en": "line"}
_MARKER = ("BEGIN SOLUTION", "END SOLUTION")


@dataclass(frozen=True)
class Listing:
    """`rows`: line number, one text per counted column, the code; `marked`: rows whose accesses cost more than they must."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    marked: frozenset[int]
    note: str = ""

    def _repr_html_(self) -> str:
        head = "".join(
            f'<th style="text-align:{"left" if i == len(self.heads) - 1 else "right"};padding:2px 10px;'
            f'border-bottom:2px solid #8a92a3;font-weight:600;white-space:normal;max-width:7em">{escape(text)}</th>'
            for i, text in enumerate(self.heads)
        )
        body = []
        for i, row in enumerate(self.rows):
            edge = "border-left:3px solid #d55e00;font-weight:600" if i in self.marked else ""
            numbers = "".join(
                f'<td style="text-align:right;padding:1px 10px">{escape(t)}</td>' for t in row[:-1]
            )
            style = "white-space:pre-wrap;background:none;font-size:90%;font-weight:400"
            code = f'<td style="text-align:left;padding:1px 10px"><code style="{style}">{escape(row[-1])}</code></td>'
            body.append(f'<tr style="{edge}">{numbers}{code}</tr>')
        note = (
            f'<div style="font-size:85%;font-style:italic;margin-top:4px">{escape(self.note)}</div>'
            if self.note
            else ""
        )
        return (
            '<table style="border-collapse:collapse;margin:0;font-variant-numeric:tabular-nums">'
            f"<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>{note}"
        )

    def __str__(self) -> str:
        widths = [max(map(len, column)) for column in zip(self.heads, *self.rows, strict=True)]

        def line(texts: tuple[str, ...]) -> str:
            cells = [text.rjust(width) for text, width in zip(texts[:-1], widths, strict=False)]
            return "  ".join([*cells, texts[-1]]).rstrip()

        return "\n".join([line(self.heads), *map(line, self.rows), *filter(None, [self.note])])

    __repr__ = __str__


def listing(
    source: str,
    counts: Counts,
    *,
    lines: Iterable[int] | None = None,
    note: Text = "",
    lang: Language | None = None,
) -> Listing:
    """Lines of `source` (by default all, numbered from 1) with the counts of `counts.by_line` beside them.

    Columns without any access are left out. Markers of exercises are not shown.
    """
    texts = source.splitlines()
    wanted = [
        number
        for number in (lines if lines is not None else range(1, len(texts) + 1))
        if not any(marker in texts[number - 1] for marker in _MARKER)
    ]
    columns = [_of_line(counts.by_line.get(number)) for number in wanted]
    kept = [i for i in range(len(_HEADS)) if any(row[i] is not None for row in columns)]
    rows = tuple(
        (str(number), *("" if row[i] is None else f"{row[i]:.3g}" for i in kept), texts[number - 1])
        for number, row in zip(wanted, columns, strict=True)
    )
    marked = frozenset(i for i, number in enumerate(wanted) if _wasteful(counts.by_line.get(number)))
    heads = (pick(_LINE, lang), *(pick(_HEADS[i], lang) for i in kept), "CUDA C++")
    return Listing(heads, rows, marked, pick(note, lang))


def _of_line(counts: Counts | None) -> tuple[float | None, ...]:
    if counts is None:
        return (None,) * len(_HEADS)
    return (
        counts.load_sectors_per_request,
        counts.store_sectors_per_request,
        counts.shared_load_wavefronts_per_request,
    )


def _wasteful(counts: Counts | None) -> bool:
    """More than twice the sectors or wavefronts that the bytes asked for need."""
    return counts is not None and (
        counts.load_sectors > 2 * counts.load_sectors_ideal
        or counts.store_sectors > 2 * counts.store_sectors_ideal
        or counts.shared_load_wavefronts > 2 * counts.shared_load_wavefronts_ideal
    )
