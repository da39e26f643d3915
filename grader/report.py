"""Verdicts -> one report: built, written to a folder, read back, summed up in an exit code.

`build` turns verdicts and facts about the machine into a `Report` (report_schema.py); `write_all` writes report.json,
junit.xml and index.html, each by renaming a finished file into place; `load` reads report.json. The report carries its
sentences in both languages, so pages can be made from it again without the grader that judged.
"""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from grader.messages import note_sentences, sentences
from grader.numbers import Lang
from grader.printable import one_line, plain, printable
from grader.report_html import html_page
from grader.report_junit import junit_xml
from grader.report_schema import (
    SCHEMA,
    CaseRecord,
    CorrectnessRecord,
    DiagnosisRecord,
    EvidenceRecord,
    ExerciseRecord,
    MessageRecord,
    Messages,
    Part,
    PointsRecord,
    ProblemRecord,
    Report,
    RooflineRecord,
    SpeedRecord,
    Totals,
)
from grader.verdict import Diagnosis, Verdict

# Enough for any honest debugging print; a report of a whole course stays below 2 MB.
OUTPUT_LIMIT = 8_000


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
    created: datetime | None = None,
) -> Report:
    """The report of one run. `problems` are (path, reason) of inputs that could not be used at all."""
    exercises = [_exercise(verdict) for verdict in verdicts]
    sandboxed = all(verdict.isolation == "sandbox" for verdict in verdicts)
    return Report(
        created=(created or datetime.now(UTC)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        course=course,
        machine=plain(machine),
        isolation="sandbox" if sandboxed and verdicts else "process",
        device="cuda" if any(verdict.device == "cuda" for verdict in verdicts) else "cpu",
        exercises=exercises,
        problems=[ProblemRecord(path=one_line(path), reason=one_line(reason)) for path, reason in problems],
        totals=Totals(
            earned=sum(exercise.points.earned for exercise in exercises),
            possible=sum(exercise.points.possible for exercise in exercises),
            not_available=sum(exercise.points.not_available for exercise in exercises),
            held=sum(exercise.points.held for exercise in exercises),
            outcomes=dict(sorted(Counter(exercise.outcome for exercise in exercises).items())),
        ),
    )


def exit_code(report: Report) -> int:
    """0 every answered exercise passed; 1 something failed; 2 unusable input; 3 could not be graded.

    Unusable input comes first because the rest of the report is then incomplete, and a failure comes before "could not be
    graded" because running again does not change it. `too_close` is 1: the exercise lacks a pass, although no point is lost
    for it. `review` is 3: it waits for a person. `unanswered` and `not_available` alone are 0.
    """
    outcomes = set(report.totals.outcomes)
    if report.problems or not report.exercises or any(_unusable(exercise) for exercise in report.exercises):
        return 2
    if outcomes & {"incorrect", "slow", "too_close", "error"}:
        return 1
    return 3 if outcomes & {"not_graded", "review"} else 0


def write_all(report: Report, folder: Path, lang: Lang = "es") -> dict[str, Path]:
    """Write report.json, junit.xml and index.html (opening in `lang`); returns their paths by name."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {"report.json": to_json(report), "junit.xml": junit_xml(report, lang), "index.html": html_page(report, lang)}
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
        raise UnreadableReport(path, f"{where}: {first['msg']} ({error.error_count()} such faults)") from error


def _exercise(verdict: Verdict) -> ExerciseRecord:
    return ExerciseRecord(
        name=one_line(verdict.name),
        chapter=one_line(verdict.chapter),
        kind=verdict.kind,
        core=verdict.core,
        device=verdict.device,
        isolation=verdict.isolation,
        outcome=verdict.outcome,
        points=_points(verdict),
        correctness=CorrectnessRecord(
            cases=[
                CaseRecord(
                    name=one_line(case.name),
                    ok=case.ok,
                    about=case.about,
                    error=case.error if case.error is not None and math.isfinite(case.error) else None,
                    diagnosis=_diagnosis(case.diagnosis),
                )
                for case in verdict.cases
            ],
            failures=[one_line(case.name) for case in verdict.cases if not case.ok],
            diagnosis=_diagnosis(verdict.diagnosis),
        ),
        speed=SpeedRecord(**asdict(verdict.speed)) if verdict.speed else None,
        roofline=RooflineRecord(**asdict(verdict.roofline)) if verdict.roofline else None,
        evidence={
            one_line(e.name): EvidenceRecord(value=e.value, at_most=e.at_most, at_least=e.at_least, ok=e.ok)
            for e in verdict.evidence
        },
        seconds=dict(verdict.seconds),
        notes=list(verdict.notes),
        message=Messages(es=_message(verdict, "es"), en=_message(verdict, "en")),
        output=printable(verdict.output, OUTPUT_LIMIT),
        source_hash=verdict.source_hash,
    )


def _points(verdict: Verdict) -> PointsRecord:
    """Points nobody could decide leave the maximum: they are not available here, or held, never lost."""
    correct = Part(earned=verdict.points_correct, possible=verdict.possible_correct)
    fast = Part(earned=verdict.points_fast, possible=verdict.possible_fast)
    undecided = verdict.outcome in ("not_available", "not_graded", "review")
    missing_hardware = verdict.outcome == "not_available"
    return PointsRecord(
        earned=0.0 if undecided else verdict.earned,
        possible=0.0 if undecided else verdict.possible,
        correct=correct,
        fast=fast,
        not_available=verdict.unavailable_fast + (verdict.possible if missing_hardware else 0.0),
        held=verdict.possible if undecided and not missing_hardware else 0.0,
    )


def _diagnosis(diagnosis: Diagnosis | None) -> DiagnosisRecord | None:
    return DiagnosisRecord(name=diagnosis.name, facts=plain(diagnosis.facts)) if diagnosis else None


def _message(verdict: Verdict, lang: Lang) -> MessageRecord:
    return MessageRecord(**asdict(sentences(verdict, lang)), notes=list(note_sentences(verdict, lang)))


def _unusable(exercise: ExerciseRecord) -> bool:
    diagnosis = exercise.correctness.diagnosis
    return diagnosis is not None and diagnosis.name == "unusable notebook"


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
