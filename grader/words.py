"""Labels of reports in both languages, and how an outcome looks (glyph and tone), for the page, the card and the terminal.

Takes keys of `templates/words.toml`; returns text. Sentences about a verdict are in messages.py.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from grader.messages import outcome_label, term, without_unit
from grader.numbers import Lang

if (
    TYPE_CHECKING
):  # not at run time: the learner's kernel takes labels from here and has no use for the schema
    from grader.report_schema import ExerciseRecord

Tone = Literal["good", "bad", "warn", "quiet"]

# A glyph beside the colour, so that nobody has to tell red from green.
GLYPH = {
    "passed": "✓",
    "incorrect": "✗",
    "slow": "↓",
    "too_close": "≈",
    "unanswered": "○",
    "error": "✗",
    "not_available": "–",
    "not_graded": "?",
    "review": "◆",
}
TONE: dict[str, Tone] = {
    "passed": "good",
    "incorrect": "bad",
    "error": "bad",
    "slow": "warn",
    "too_close": "warn",
    "review": "warn",
    "unanswered": "quiet",
    "not_available": "quiet",
    "not_graded": "quiet",
}


@cache
def _words() -> dict[str, dict[str, str]]:
    return tomllib.loads((Path(__file__).parent / "templates" / "words.toml").read_text(encoding="utf-8"))


def word(key: str, lang: Lang) -> str:
    """A label; raises KeyError for a key that words.toml lacks."""
    return _words()[key][lang]


def phase(name: str, lang: Lang) -> str:
    """What a check is doing now; a phase that words.toml does not know is shown as it is."""
    return _words().get(f"{name}_phase", _words().get(name, {})).get(lang, name)


def label_of(exercise: ExerciseRecord, lang: Lang) -> str:
    """The word for its outcome in a table."""
    diagnosis = exercise.correctness.diagnosis
    return outcome_label(exercise.outcome, lang, diagnosis.name if diagnosis else None)


def about_name(about: str, lang: Lang) -> str:
    """What a group of cases has in common ("tail", "stride")."""
    return _words().get(about, {}).get(lang, about)


def time_name(name: str, lang: Lang) -> str:
    return _words().get(f"time_{name}", {}).get(lang, name)


def ceiling_name(ceiling: str, lang: Lang) -> str:
    """copy_gb_per_s -> memory copy: the name of a measured ceiling without its unit."""
    return term(without_unit(ceiling), lang)
