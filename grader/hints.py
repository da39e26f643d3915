"""The ladder of hints of an exercise, read from the derived files, and which step comes next in this process.

Reads no contract, so that asking for a hint does not load the libraries that grading needs. Takes a name and a language,
returns Markdown; knows nothing of answers.
"""

from __future__ import annotations

import functools
import json

from grader.course import ROOT

_shown: dict[str, int] = {}


@functools.cache
def ladders(lang: str) -> dict[str, list[str]]:
    """Exercise -> its hints, of all chapters."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "exercises" / lang).glob("*/hints.json")):
        found |= json.loads(path.read_text("utf-8"))
    return found


def following(name: str, lang: str) -> tuple[int, int, str] | None:
    """(step, steps, text) of the hint after the last one that was shown, from 1; after the last it starts again."""
    ladder = ladders(lang).get(name)
    if not ladder:
        return None
    step = _shown.get(name, 0) % len(ladder)
    _shown[name] = step + 1
    return step + 1, len(ladder), ladder[step]
