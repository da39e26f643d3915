"""Hostile text -> text that is safe to write to a terminal, a file or a sentence.

Takes anything an answer printed, raised or named; returns text without control characters, escape sequences, lone
surrogates and direction overrides, no longer than `limit`. It does not escape for HTML, XML or rich markup: each writer
does that for its own syntax.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

# CSI and OSC sequences first, so that "\x1b[31mred" becomes "red" and not "[31mred".
_ESCAPE_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_DIRECTION = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029\ufeff"
)
_KEPT = frozenset("\n\t")


def printable(text: str, limit: int = 20_000) -> str:
    """Text with only visible characters, newlines and tabs; the middle is cut where it is longer than `limit`."""
    # Cutting before the expensive part bounds the work for megabytes of output; escape sequences only shrink text.
    if len(text) > 4 * limit:
        text = text[: 2 * limit] + text[-2 * limit :]
    text = _ESCAPE_SEQUENCE.sub("", text.replace("\r\n", "\n"))
    text = "".join(
        c for c in text if c in _KEPT or (unicodedata.category(c) not in _UNSEEN and c not in _DIRECTION)
    )
    if len(text) > limit:
        text = text[: limit // 2] + "\n[…]\n" + text[-limit // 2 :]
    return text


# Control, surrogate, unassigned and noncharacter code points: invisible at best, invalid in XML 1.0 or UTF-8 at worst.
_UNSEEN = frozenset({"Cc", "Cs", "Cn"})


def one_line(text: str, limit: int = 240) -> str:
    """Printable text on one line, cut at `limit`, for use inside a sentence."""
    line = " ".join(printable(text, 10 * limit).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def plain(value: Any, depth: int = 4) -> Any:
    """A value made of what JSON can hold: numbers that are not finite become "nan" or "inf", unknown objects their text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if abs(value) < 2**63 else str(value)[:80]
    if isinstance(value, float):
        return float(value) if value == value and abs(value) != float("inf") else str(float(value))
    if isinstance(value, str):
        return printable(value, 2_000)
    if depth and isinstance(value, Mapping):
        return {one_line(str(key), 80): plain(item, depth - 1) for key, item in list(value.items())[:100]}
    if depth and isinstance(value, list | tuple | set | frozenset):
        return [plain(item, depth - 1) for item in list(value)[:100]]
    if hasattr(value, "es") and hasattr(value, "en"):
        return {"es": plain(value.es), "en": plain(value.en)}
    if hasattr(value, "item") and getattr(value, "size", None) == 1:  # a numpy scalar
        return plain(value.item(), depth - 1) if depth else str(value)
    return one_line(str(value))
