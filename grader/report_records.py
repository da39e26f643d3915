"""One verdict -> its record in the report, sentences in both languages included.

This is where text from an answer is made printable and numbers that JSON cannot hold are dropped. Takes a `Verdict`, returns
an `ExerciseRecord`; knows nothing of files and pages.
"""

from __future__ import annotations

import math
from dataclasses import asdict

from grader.messages import note_sentences, sentences
from grader.numbers import Lang
from grader.printable import one_line, plain, printable
from grader.report_schema import (
    CaseRecord,
    CorrectnessRecord,
    DiagnosisRecord,
    EvidenceRecord,
    ExerciseRecord,
    MessageRecord,
    Messages,
    Part,
    PointsRecord,
    RooflineRecord,
    SpeedRecord,
)
from grader.verdict import Diagnosis, Verdict

# Enough for any honest debugging print; a report of a whole course stays below 2 MB.
OUTPUT_LIMIT = 8_000


def exercise_record(verdict: Verdict) -> ExerciseRecord:
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
