"""One exercise, from source to verdict: `grade(answer, task, session) -> Verdict`.

The same function serves the check cell, `make grade`, nbgrader and CI. It owns the order of events: unanswered? correct?
evidence? fast enough? The kinds know how to run an answer, the race knows how to decide; nothing here looks at a clock.
"""

from __future__ import annotations

import hashlib
import time
from types import ModuleType
from typing import Any

from grader import course
from grader.checked import Checked
from grader.failures import Unanswered
from grader.intake import Answer
from grader.kinds import analysis, cuda, simulation, system, tensors
from grader.processes import WorkerFailed
from grader.session import CannotGrade, Session
from grader.task import Task
from grader.verdict import Diagnosis, Outcome, RooflineResult, SpeedResult, Verdict

KINDS: dict[str, ModuleType] = {"cuda": cuda, "torch": tensors, "triton": tensors, "simulation": simulation,
                                "system": system, "analysis": analysis}  # fmt: skip
CAPABILITY_NEEDS = {"sm80": (8, 0), "sm90": (9, 0)}
ERROR_DIAGNOSES = ("raised", "died", "compile failed", "unusable notebook", "forbidden")


def source_hash(answer: Answer) -> str:
    text = "\0".join([*answer.helpers, answer.source or ""])
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def is_starter(answer: Answer, task: Task) -> bool:
    """The hole was never touched: the cell equals the starter but for white space."""
    return answer.source is None or answer.source.split() == course.starter(task).split()


def missing_need(task: Task, session: Session) -> str | None:
    """A hardware need that even correctness cannot do without here."""
    for need in task.needs:
        if session.device == "cuda":
            if need in CAPABILITY_NEEDS and session.capability < CAPABILITY_NEEDS[need]:
                return need
            if need == "hopper" and session.capability[0] != 9:
                return need
    return None


def grade(answer: Answer, task: Task, session: Session, *, skip_unanswered_test: bool = False) -> Verdict:
    """The verdict on one answer. Raises only for faults of the course or the machine (CannotGrade, CourseError)."""
    started = time.perf_counter()
    notes = list(answer.notes)
    if "cell magic" in notes:
        return _verdict(
            task, session, answer, "error", Diagnosis("unusable notebook", {"reason": "cell magic"}), notes
        )
    if not skip_unanswered_test and is_starter(answer, task):
        return _verdict(task, session, answer, "unanswered", None, notes)
    need = missing_need(task, session)
    if need is not None:
        return _verdict(task, session, answer, "not_available", None, [f"needs {need}", *notes])
    session.progress(task.name, "start")
    with session.exclusive():
        verdict = _run(task, answer, session, notes)
    verdict.seconds["total"] = time.perf_counter() - started
    return verdict


def _run(task: Task, answer: Answer, session: Session, notes: list[str]) -> Verdict:
    """Check, then race, an answer that is there to be run."""
    kind = KINDS[task.kind]
    try:
        done: Checked = kind.check(task, answer, session)
    except Unanswered:
        return _verdict(task, session, answer, "unanswered", None, notes)
    except WorkerFailed as e:
        return not_graded(answer, task, session, f"worker failed: {str(e)[-300:]}")
    notes += done.notes
    if done.diagnosis is not None:
        outcome: Outcome = "error" if done.diagnosis.name in ERROR_DIAGNOSES else "incorrect"
        if done.diagnosis.name == "works but is slower":
            outcome = "slow"
        return _verdict(task, session, answer, outcome, done.diagnosis, notes, done)
    return _after_correct(task, answer, session, kind, done, notes)


def not_graded(answer: Answer, task: Task, session: Session, note: str) -> Verdict:
    """The verdict where the grader or the machine failed: never a zero, with the reason as a note."""
    return _verdict(task, session, answer, "not_graded", None, [*answer.notes, note])


def _after_correct(
    task: Task, answer: Answer, session: Session, kind: ModuleType, done: Checked, notes: list[str]
) -> Verdict:
    if task.target is None or not task.points.fast:
        return _verdict(task, session, answer, "passed", None, notes, done, correct=done.share)
    if session.device != "cuda" and task.kind in ("cuda", "torch", "triton"):
        return _verdict(
            task, session, answer, "passed", None, [*notes, "speed needs a gpu"], done, correct=done.share
        )
    from grader import speed

    session.progress(task.name, "race")
    began = time.perf_counter()
    try:
        raced = speed.race_answer(task, answer, session, kind, done)
    finally:
        done.seconds["race"] = time.perf_counter() - began
    outcome, diagnosis = raced.outcome, raced.diagnosis
    fast = 1.0 if outcome == "passed" else 0.0
    return _verdict(task, session, answer, outcome, diagnosis, [*notes, *raced.notes], done, correct=done.share, fast=fast,
                    speed=raced.speed, roofline=raced.roofline)  # fmt: skip


def _verdict(task: Task, session: Session, answer: Answer, outcome: Outcome, diagnosis: Diagnosis | None, notes: list[str],
             done: Checked | None = None, correct: float = 0.0, fast: float = 0.0, speed: SpeedResult | None = None,
             roofline: RooflineResult | None = None) -> Verdict:  # fmt: skip
    needs_gpu = task.kind in ("cuda", "torch", "triton") and task.target is not None
    fast_here = task.points.fast if session.device == "cuda" or not needs_gpu else 0.0
    offered = outcome != "not_available"
    extra: dict[str, Any] = {}
    if done is not None:
        extra = {
            "cases": tuple(done.cases),
            "evidence": done.evidence,
            "seconds": done.seconds,
            "output": done.printed,
        }
    return Verdict(
        name=task.name, chapter=task.chapter, kind=task.kind, core=task.core, outcome=outcome, device=session.device,
        isolation=session.level, points_correct=round(correct * task.points.correct, 4),
        points_fast=round(fast * task.points.fast, 4), possible_correct=task.points.correct if offered else 0.0,
        possible_fast=fast_here if offered else 0.0,
        unavailable_fast=task.points.fast - fast_here if offered else task.points.total,
        diagnosis=diagnosis, notes=tuple(dict.fromkeys(notes)), speed=speed, roofline=roofline,
        source_hash=source_hash(answer), **extra)  # fmt: skip


__all__ = ["CannotGrade", "grade", "is_starter", "not_graded", "source_hash"]
