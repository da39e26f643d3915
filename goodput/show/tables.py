"""Tables as plain HTML: numbers to the right, one row or cell marked, readable in a notebook, on GitHub and
in a report.

Takes rows (dictionaries or a pandas DataFrame), returns a `Table` that a notebook shows and `str` prints. No
style sheet: inline styles survive where notebooks are shown, and colours are left to the page except for what
is marked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from numbers import Real
from typing import Any

from goodput.language import Language, Text, pick
from goodput.roofline.layout import number

NAME_CHARACTERS = 40  # what is longer is a sentence, and would push the numbers out of a notebook


@dataclass(frozen=True)
class Table:
    """Header, rows of text, which columns hold numbers, which rows are marked."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    marked: frozenset[int]
    caption: str = ""
    note: str = ""

    def _repr_html_(self) -> str:
        def cells(tag: str, texts: Sequence[str], style: str) -> str:
            sides = ["right" if is_number else "left" for is_number in self.numeric]
            return "".join(
                f'<{tag} style="text-align:{side};padding:4px 12px;{_unbroken(tag, text)}{style}">{escape(text)}</{tag}>'
                for text, side in zip(texts, sides, strict=True)
            )

        body = []
        for i, row in enumerate(self.rows):
            style = "border-left:3px solid #d55e00;font-weight:600" if i in self.marked else ""
            body.append(f'<tr style="{style}">{cells("td", row, "")}</tr>')
        head = cells("th", self.header, "border-bottom:2px solid #8a92a3;font-weight:600")
        caption = ""
        if self.caption:
            style = "text-align:left;padding:4px 12px;caption-side:top;font-weight:600"
            caption = f'<caption style="{style}">{escape(self.caption)}</caption>'
        note = ""
        if self.note:
            note = f'<div style="font-size:85%;font-style:italic;margin:4px 12px">{escape(self.note)}</div>'
        return (
            f'<table style="border-collapse:collapse;margin:0;font-variant-numeric:tabular-nums">{caption}'
            f"<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>{note}"
        )

    def __str__(self) -> str:
        widths = [max(map(len, column)) for column in zip(self.header, *self.rows, strict=True)]

        def line(texts: Sequence[str]) -> str:
            padded = (
                text.rjust(width) if is_number else text.ljust(width)
                for text, width, is_number in zip(texts, widths, self.numeric, strict=True)
            )
            return "  ".join(padded).rstrip()

        rule = "  ".join("-" * width for width in widths)
        return "\n".join(
            [
                *filter(None, [self.caption]),
                line(self.header),
                rule,
                *map(line, self.rows),
                *filter(None, [self.note]),
            ]
        )

    __repr__ = __str__


def table(
    rows: Any,
    *,
    columns: Mapping[str, Text] | None = None,
    formats: Mapping[str, Callable[[Any], str]] | None = None,
    mark: Sequence[int] = (),
    caption: Text = "",
    note: Text = "",
    lang: Language | None = None,
) -> Table:
    """A table of `rows`: dictionaries with equal keys, or a DataFrame.

    columns: key -> header in one or both languages, also the order and choice of columns; by default all keys
    as they are. formats: key -> function that writes a value; by default three significant digits. mark:
    indices of rows to point at. note: where the numbers come from, under the table.
    """
    records: list[Mapping[str, Any]] = rows.to_dict("records") if hasattr(rows, "to_dict") else list(rows)
    if not records:
        raise ValueError("a table needs at least one row")
    headers = dict(columns) if columns else {str(key): str(key) for key in records[0]}
    missing = [key for key in headers if key not in records[0]]
    if missing:
        raise KeyError(f"no column {missing[0]!r}; the rows have {', '.join(map(str, records[0]))}")
    written = tuple(
        tuple(_write(record[key], (formats or {}).get(key)) for key in headers) for record in records
    )
    numeric = tuple(
        all(_is_number(record[key]) or record[key] is None for record in records) for key in headers
    )
    names = tuple(pick(text, lang) for text in headers.values())
    return Table(names, written, numeric, frozenset(mark), pick(caption, lang), pick(note, lang))


def _unbroken(tag: str, text: str) -> str:
    """Names stay on one line, so that rows are one line high; headers and sentences may wrap."""
    return "white-space:nowrap;" if tag == "td" and len(text) <= NAME_CHARACTERS else ""


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _write(value: Any, form: Callable[[Any], str] | None) -> str:
    if value is None:
        return "–"
    if form:
        return form(value)
    if isinstance(value, bool) or not _is_number(value):
        return str(value)
    return str(int(value)) if float(value).is_integer() else number(float(value))
