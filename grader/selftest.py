"""The invariants of a healthy course, checked by grading: starters, solutions, wrong answers, trivial answers.

1. every starter is unanswered, and when it is run all the same it fails only at its hole
2. every solution passes
3. every answer in wrong/ is rejected with the diagnosis its file promises
4. zeros, the input passed through, a replayed result and a lower precision are rejected
Returns 0 when all hold; prints one line per broken promise and writes the whole matrix as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from grader import course
from grader.controller import grade
from grader.intake import Answer
from grader.session import Session, open_session
from grader.task import Task
from grader.trivial import trivial_answers
from grader.verdict import Verdict

AT_THE_HOLE = (
    "not written",
    "mismatch",
    "score too low",
    "technique not used",
)  # what an unsolved starter may look like
REJECTED = ("incorrect", "slow", "error", "review")


@dataclass(frozen=True)
class Line:
    """One graded answer and whether it kept its promise."""

    exercise: str
    answer: str
    promise: str
    outcome: str
    diagnosis: str | None
    ok: bool
    seconds: float
    ratio: float | None = None
    text: str = ""


def attempts(task: Task, device: str) -> Iterator[tuple[str, str, str, bool]]:
    """(label, source, promise, skip the unanswered test)."""
    yield "starter", course.starter(task), "unanswered", False
    yield "starter, run", course.starter(task), "fails only at its hole", True
    yield "solution", course.solution(task), "passed", False
    for wrong in course.wrong_answers(task):
        yield f"wrong: {wrong.mistake}", wrong.source, wrong.diagnosis[device], True
    for name, source in trivial_answers(task).items():
        yield f"trivial: {name}", source, "rejected", True


def kept(promise: str, verdict: Verdict) -> bool:
    found = verdict.diagnosis.name if verdict.diagnosis else None
    if promise == "unanswered":
        return verdict.outcome == "unanswered"
    if promise == "fails only at its hole":
        return verdict.outcome == "unanswered" or (verdict.outcome == "incorrect" and found in AT_THE_HOLE)
    if promise == "passed":
        return verdict.outcome == "passed"
    if promise == "rejected":
        return verdict.outcome in REJECTED and verdict.earned == 0
    return verdict.outcome in REJECTED and found == promise


def examine(task: Task, session: Session) -> Iterator[Line]:
    for label, source, promise, skip in attempts(task, session.device):
        verdict = grade(Answer(task.name, source), task, session, skip_unanswered_test=skip)
        if verdict.outcome == "not_available":
            promise = "not available here"
        ok = verdict.outcome == "not_available" or kept(promise, verdict)
        found = verdict.diagnosis
        yield Line(task.name, label, promise, verdict.outcome, found.name if found else None, ok,
                   round(verdict.seconds.get("total", 0.0), 3), verdict.speed.ratio if verdict.speed else None,
                   "" if ok else repr(found.facts if found else verdict.notes)[:600])  # fmt: skip


def run(chapter: str | None, exercise: str | None, device: str, isolation: str, out: Path | None) -> int:
    chapters = [course.find_chapter(chapter)] if chapter else course.chapters()
    wanted = [t for c in chapters for t in course.tasks(c) if exercise in (None, t.name)]
    lines: list[Line] = []
    with open_session(device, isolation) as session:
        for task in wanted:
            for line in examine(task, session):
                lines.append(line)
                mark = "ok " if line.ok else "BAD"
                ratio = f" {line.ratio:.3f}x" if line.ratio else ""
                print(f"{mark} {line.exercise:22} {line.answer:34} {line.outcome}: {line.diagnosis or '-'}{ratio} "
                      f"[{line.promise}] {line.seconds:.1f} s {line.text}", flush=True)  # fmt: skip
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps([asdict(line) for line in lines], indent=1, ensure_ascii=False) + "\n")
    broken = sum(not line.ok for line in lines)
    print(f"{len(lines) - broken} kept, {broken} broken")
    return 1 if broken or not lines else 0
