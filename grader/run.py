"""Grade many answers: find submissions in paths, grade each exercise once, write the report.

`collect(paths, ...)` turns files, folders and the words work, exercises, solutions into submissions; `grade_all(...)` grades
them in the given sessions and returns a `Report`. A broken file is a problem in the report, never an abort.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from goodput import machine
from grader import course, latch
from grader.controller import grade
from grader.intake import Answer, Submission, take
from grader.report import build
from grader.report_schema import Report
from grader.session import Session
from grader.task import Task
from grader.verdict import Diagnosis, Verdict

NAMED = ("work", "exercises", "solutions")


@dataclass(frozen=True)
class Job:
    """One exercise of one submission."""

    path: str
    task: Task
    answer: Answer


@dataclass(frozen=True)
class Collected:
    jobs: tuple[Job, ...]
    problems: tuple[tuple[str, str], ...]  # (path, reason)
    notes: tuple[str, ...] = ()


def notebooks_of(origin: str, lang: str, chapters: Sequence[str]) -> list[tuple[Path, str | None]]:
    """(file, chapter) of every notebook that `origin` names."""
    if origin in NAMED:
        found = [(course.ROOT / origin / lang / c / "exercises.ipynb", c) for c in chapters]
        return [(p, c) for p, c in found if p.exists()]
    path = Path(origin)
    if path.is_dir():
        return [(p, None) for p in sorted(path.rglob("*.ipynb")) if ".ipynb_checkpoints" not in p.parts]
    return [(path, None)]


def collect(origins: Sequence[str], lang: str, chapter: str | None = None, exercise: str | None = None) -> Collected:
    chapters = [course.find_chapter(chapter)] if chapter else course.chapters()
    if exercise:
        chapters = [course.chapter_of(course.task(exercise))]
    jobs: list[Job] = []
    problems: list[tuple[str, str]] = []
    notes: list[str] = []
    for origin in origins:
        found = notebooks_of(origin, lang, chapters)
        if not found:
            problems.append((origin, "no notebook"))
        for path, known in found:
            try:
                raw = path.read_bytes()
            except OSError as e:
                problems.append((str(path), e.strerror or str(e)))
                continue
            submission = take(raw, known)
            if submission.problem is not None:
                problems.append((str(path), submission.problem))
                if not submission.chapter:
                    continue
            notes += submission.notes
            jobs += _jobs(path, submission, exercise)
    return Collected(tuple(jobs), tuple(problems), tuple(dict.fromkeys(notes)))


def _jobs(path: Path, submission: Submission, exercise: str | None) -> list[Job]:
    wanted = [t for t in course.tasks(submission.chapter) if exercise in (None, t.name)]
    return [Job(str(path), t, submission.answers[t.name]) for t in wanted if t.name in submission.answers]


def grade_all(collected: Collected, sessions: Sequence[Session], finished: Callable[[Verdict], Any] = lambda verdict: None
              ) -> Report:  # fmt: skip
    """Grade every job, one thread per session (several only on a CPU: a GPU times one thing at a time)."""
    verdicts: dict[int, Verdict] = {}
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    for index in range(len(collected.jobs)):
        waiting.put(index)

    def work(session: Session) -> None:
        while True:
            try:
                index = waiting.get_nowait()
            except queue.Empty:
                return
            job = collected.jobs[index]
            verdicts[index] = latch.apply(grade(job.answer, job.task, session), session)
            finished(verdicts[index])

    with ThreadPoolExecutor(len(sessions)) as pool:
        for done in [pool.submit(work, session) for session in sessions]:
            done.result()
    ordered = [verdicts[index] for index in sorted(verdicts)]
    return build(ordered, machine=asdict(machine.describe()), course=course_version(),
                 problems=collected.problems, ceilings=machine.ceilings(sessions[0].device))  # fmt: skip


def course_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"goodput {version('goodput')}"
    except PackageNotFoundError:
        return "goodput"


__all__ = ["Collected", "Diagnosis", "Job", "collect", "grade_all"]
