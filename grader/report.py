"""Verdicts -> one report: built, written to a folder, read back.

`build` turns verdicts and facts about the machine into a `Report` (report_schema.py); `write_all` writes report.json,
junit.xml and index.html, each by renaming a finished file into place; `load` reads report.json. The report carries its
sentences in both languages, so pages can be made from it again without the grader that judged.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

from pydantic import ValidationError

from goodput.machine.ceiling import Ceilings
from grader.numbers import Lang
from grader.printable import one_line, plain
from grader.report_html import html_page
from grader.report_junit import junit_xml
from grader.report_records import exercise_record
from grader.report_schema import SCHEMA, ExerciseRecord, ProblemRecord, Report, Totals
from grader.verdict import Outcome, Verdict


class UnreadableReport(Exception):
    """`path` is not a report that this version can read; `reason` says why."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


def build(
    verdicts: Sequence[Verdict],
    *,
    machine: Mapping[str, Any],
    course: str,
    problems: Sequence[tuple[str, str]] = (),
    ceilings: Ceilings | None = None,
    created: datetime | None = None,
) -> Report:
    """The report of one run. `problems` are (path, reason) of inputs that could not be used at all.

    `ceilings`, as `goodput.machine.ceilings` gives them, let the page draw the roofline of the whole run.
    """
    exercises = [exercise_record(verdict) for verdict in verdicts]
    sandboxed = all(verdict.isolation == "sandbox" for verdict in verdicts)
    return Report(
        created=(created or datetime.now(UTC)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        course=course,
        machine=plain(machine),
        ceilings=ceilings.to_json() if ceilings else None,
        isolation="sandbox" if sandboxed and verdicts else "process",
        device="cuda" if any(verdict.device == "cuda" for verdict in verdicts) else "cpu",
        exercises=exercises,
        problems=[ProblemRecord(path=one_line(path), reason=one_line(reason)) for path, reason in problems],
        totals=Totals(
            earned=sum(exercise.points.earned for exercise in exercises),
            possible=sum(exercise.points.possible for exercise in exercises),
            not_available=sum(exercise.points.not_available for exercise in exercises),
            held=sum(exercise.points.held for exercise in exercises),
            outcomes=_count(exercises),
        ),
    )


def write_all(report: Report, folder: Path, lang: Lang = "es") -> dict[str, Path]:
    """Write report.json, junit.xml and index.html (opening in `lang`); returns their paths by name."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        "report.json": to_json(report),
        "junit.xml": junit_xml(report, lang),
        "index.html": html_page(report, lang),
    }
    for name, text in texts.items():
        _replace(folder / name, text)
    return {name: folder / name for name in texts}


def to_json(report: Report) -> str:
    return report.model_dump_json(by_alias=True, indent=2) + "\n"


def load(path: Path) -> Report:
    """Read a report.json; raises UnreadableReport for anything that is not a report of this version."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UnreadableReport(path, f"not a JSON file ({one_line(str(error))})") from error
    version = data.get("schema") if isinstance(data, dict) else None
    if version != SCHEMA:
        found = f"its schema is {one_line(str(version), 60)!r}" if version else "it names no schema"
        raise UnreadableReport(path, f"{found}; this version reads {SCHEMA!r}")
    try:
        return Report.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"])
        raise UnreadableReport(
            path, f"{where}: {first['msg']} ({error.error_count()} such faults)"
        ) from error


def _count(exercises: Sequence[ExerciseRecord]) -> dict[Outcome, int]:
    """In the order of the type, so that equal runs give equal files."""
    found = Counter(exercise.outcome for exercise in exercises)
    return {outcome: found[outcome] for outcome in get_args(Outcome) if outcome in found}


def _replace(path: Path, text: str) -> None:
    """A reader sees the old file or the new one, never half of it."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(temporary, 0o644)  # mkstemp makes it private; a report is for whoever can read the folder
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
