"""Grade many answers: find submissions in paths, grade each exercise once, write the report.

`collect(paths, ...)` turns files, folders and the words work, exercises, solutions into submissions; `grade_all(...)` grades
them in the given sessions and returns a `Report`. A broken file is a problem in the report, never an abort.
"""

from __future__ import annotations

import errno
import logging
import os
import queue
import stat
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from goodput import machine
from grader import course, latch
from grader.controller import grade, not_graded
from grader.intake import MAX_BYTES, Answer, Submission, take
from grader.report import build
from grader.report_schema import Report
from grader.session import CannotGrade, Session
from grader.task import Task
from grader.verdict import Diagnosis, Verdict

NAMED = ("work", "exercises", "solutions")
LOG = logging.getLogger(__name__)


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


def collect(
    origins: Sequence[str], lang: str, chapter: str | None = None, exercise: str | None = None
) -> Collected:
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
                raw = read_file(path, follow_links=origin in NAMED or not Path(origin).is_dir())
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


def read_file(path: Path, follow_links: bool) -> bytes:
    """The bytes of an ordinary file, one more than intake accepts at most.

    A file in somebody's upload may be a link to the solutions, a pipe that never ends or a device.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | (0 if follow_links else os.O_NOFOLLOW)
    with open(os.open(path, flags), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not an ordinary file")
        return file.read(MAX_BYTES + 1)


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
            verdicts[index] = grade_one(job, session)
            finished(verdicts[index])

    with ThreadPoolExecutor(len(sessions)) as pool:
        for done in [pool.submit(work, session) for session in sessions]:
            done.result()
    ordered = [verdicts[index] for index in sorted(verdicts)]
    return build(ordered, machine=asdict(machine.describe()), course=course_version(),
                 problems=collected.problems, ceilings=machine.ceilings(sessions[0].device))  # fmt: skip


def grade_one(job: Job, session: Session) -> Verdict:
    """The verdict on one job; a fault of the grader costs this job its verdict and the others nothing."""
    try:
        return latch.apply(grade(job.answer, job.task, session), session)
    except (CannotGrade, course.CourseError):
        raise
    except Exception as e:
        LOG.exception("%s: %s", job.path, job.task.name)
        return not_graded(job.answer, job.task, session, f"grader fault: {type(e).__name__}")


def course_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"goodput {version('goodput')}"
    except PackageNotFoundError:
        return "goodput"


__all__ = ["Collected", "Diagnosis", "Job", "collect", "grade_all"]
