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
from grader.verdict import Diagnosis, SpeedResult, Verdict

# Enough for any honest debugging print; a report of a whole course stays below 2 MB.
OUTPUT_LIMIT = 8_000


def exercise_record(verdict: Verdict) -> ExerciseRecord:
    return ExerciseRecord(
        name=one_line(verdict.name),
        chapter=one_line(verdict.chapter),
        kind=one_line(verdict.kind),
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
                    about=one_line(case.about),
                    error=_finite(case.error),
                    diagnosis=_diagnosis(case.diagnosis),
                )
                for case in verdict.cases
            ],
            failures=[one_line(case.name) for case in verdict.cases if not case.ok],
            diagnosis=_diagnosis(verdict.diagnosis),
        ),
        speed=_speed(verdict.speed),
        roofline=RooflineRecord(**asdict(verdict.roofline)) if verdict.roofline else None,
        evidence={
            one_line(e.name): EvidenceRecord(
                value=_finite(e.value), at_most=e.at_most, at_least=e.at_least, ok=e.ok
            )
            for e in verdict.evidence
        },
        seconds={one_line(name): seconds for name, seconds in verdict.seconds.items()},
        notes=[one_line(note) for note in verdict.notes],
        message=Messages(es=_message(verdict, "es"), en=_message(verdict, "en")),
        output=printable(verdict.output, OUTPUT_LIMIT),
        source_hash=one_line(verdict.source_hash),
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


def _speed(speed: SpeedResult | None) -> SpeedRecord | None:
    """None where a bound is not a number: that is not a measurement, and JSON could not hold it."""
    if speed is None or not all(map(math.isfinite, (speed.ratio, speed.low, speed.high, speed.threshold))):
        return None
    reasons = [one_line(reason) for reason in speed.disturbed]
    return SpeedRecord.model_validate(asdict(speed) | {"disturbed": reasons})


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _diagnosis(diagnosis: Diagnosis | None) -> DiagnosisRecord | None:
    return DiagnosisRecord(name=diagnosis.name, facts=plain(diagnosis.facts)) if diagnosis else None


def _message(verdict: Verdict, lang: Lang) -> MessageRecord:
    return MessageRecord(**asdict(sentences(verdict, lang)), notes=list(note_sentences(verdict, lang)))
