"""Measure what the course claims: baselines, solutions and variants on this GPU, and the noise of the race itself.

`run(...)` times every answer against its baseline with the race's own clock and writes one table (the source of the numbers in
README and lessons). `run_noise(...)` repeats verdicts of the baseline against itself and of the solution against the baseline
and writes every block, from which `evidence.noise_of` derives s0 and g. Commands, not tests: nothing here passes or fails.
"""

from __future__ import annotations

import json
import math
import statistics
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from goodput import machine
from grader import course, noise
from grader.controller import KINDS
from grader.inputs import build
from grader.intake import Answer
from grader.kinds.probes import copied_bytes
from grader.race import LOOKS, race
from grader.session import CannotGrade, Session, open_session
from grader.speed import par, place, threshold_of, timed_case
from grader.task import Task

FIRST_LOOK = LOOKS[:1]


def timed_tasks(chapter: str | None, exercise: str | None) -> list[Task]:
    chapters = [course.find_chapter(chapter)] if chapter else course.chapters()
    wanted = [t for c in chapters for t in course.tasks(c) if exercise in (None, t.name)]
    return [t for t in wanted if t.baseline and t.work and any(c.timed for c in t.cases)]


def answers(task: Task) -> Iterator[tuple[str, str]]:
    yield "solution", course.solution(task)
    for name, source in course.variants(task).items():
        yield f"variant {name}", source


def measure(task: Task, label: str, source: str, session: Session) -> dict[str, Any]:
    """One row: the answer against the baseline over one look's blocks."""
    case = timed_case(task, session)
    kind = KINDS[task.kind]
    with kind.windows(
        task, Answer(task.name, source), course.baseline(task), session, case, trusted=True
    ) as clock:
        result = race(clock, math.inf, noise.for_device("cuda"), looks=FIRST_LOOK)
        calls, failure, event_ms = clock.calls["answer"], clock.failure, clock.event_ms
    assert task.work is not None
    seconds = result.answer_s
    roofline = place(task.work(case), seconds, session)
    row: dict[str, Any] = {"exercise": task.name, "answer": label, "case": case.name, "sizes": dict(case.sizes),
           "ms": seconds * 1e3, "baseline_ms": result.baseline_s * 1e3, "event_ms": event_ms, "ratio": result.ratio,
           "calls": calls, "wrong": failure.name if failure else None}  # fmt: skip
    if roofline is not None:
        row |= {"gb_per_s": roofline.gb_per_s, "ceiling": roofline.ceiling, "fraction": roofline.fraction}
    if label == "solution" and task.target is not None and task.target.position is not None:
        row["threshold"] = result.ratio**task.target.position
    return row


def copies(task: Task, session: Session) -> bool:
    """Is a plain copy of this exercise's buffers the same kind of traffic? Not where next to nothing is written."""
    assert task.work is not None
    return task.kind == "cuda" and task.work(timed_case(task, session)).traffic == "copy"


def probe_gb_per_s(task: Task, session: Session) -> float:
    """A plain copy on this exercise's buffers by the same clock: the ceiling that an answer of these windows can be held to."""
    case = timed_case(task, session)
    solution = Answer(task.name, course.solution(task))
    with KINDS[task.kind].windows(task, solution, None, session, case, trusted=True) as clock:
        result = race(clock, math.inf, noise.for_device("cuda"), looks=FIRST_LOOK)
        seconds = result.baseline_s
    return copied_bytes(build(task, case, "cuda", 0)) / seconds / 1e9


def header(session: Session) -> dict[str, Any]:
    ceilings = machine.ceilings("cuda")
    return {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "machine": asdict(machine.describe()),
            "ceilings": ceilings.to_json() if ceilings else None, "isolation": session.level}  # fmt: skip


def run(chapter: str | None, exercise: str | None, gpu: int, out: Path) -> int:
    """The benchmark table; returns 0, or 3 when there is no GPU."""
    try:
        with open_session("cuda", "auto", gpu) as session:
            machine.ensure("cuda")
            table = header(session) | {"rows": []}
            for task in timed_tasks(chapter, exercise):
                with session.exclusive():
                    probe = probe_gb_per_s(task, session) if copies(task, session) else None
                for label, source in answers(task):
                    try:
                        with session.exclusive():
                            row = measure(task, label, source, session)
                        if probe and "gb_per_s" in row:
                            row |= {"probe_gb_per_s": probe, "fraction_of_probe": row["gb_per_s"] / probe}
                    except (
                        Exception
                    ) as e:  # a variant that fails is a row that says so, not the end of the table
                        row = {
                            "exercise": task.name,
                            "answer": label,
                            "error": f"{type(e).__name__}: {e}"[:300],
                        }
                    table["rows"].append(row)
                    print(format_row(row), flush=True)
                    write(out, table)
    except CannotGrade as e:
        print(e.key, e.facts)
        return 3
    return 0


def format_row(row: dict[str, Any]) -> str:
    if "error" in row:
        return f"{row['exercise']:22} {row['answer']:28} {row['error']}"
    parts = [
        f"{row['exercise']:22} {row['answer']:28} {row['ms']:8.4f} ms  baseline {row['baseline_ms']:8.4f} ms",
        f"{row['ratio']:6.3f}x  {row.get('gb_per_s', math.nan):6.0f} GB/s",
        f"{row.get('fraction', math.nan):5.3f} of {row.get('ceiling', '-')}",
        f"{row.get('fraction_of_probe', math.nan):5.3f} of the copy probe",
    ]
    return "  ".join(parts + ([f"WRONG {row['wrong']}"] if row["wrong"] else []))


def write(out: Path, data: Any) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    temporary = out.with_suffix(".tmp")
    temporary.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n")
    temporary.replace(out)


def run_noise(exercise: str | None, count: int, gpu: int, out: Path) -> int:
    """`count` verdicts of each class for the named exercises (comma-separated); every verdict has its own processes.

    The classes take turns, so that a run that is cut short has about as many of each; the file is kept up to date.
    """
    names = exercise.split(",") if exercise else [t.name for t in timed_tasks(None, None)]
    with open_session("cuda", "auto", gpu) as session, session.exclusive():
        table = header(session) | {"verdicts": []}
        classes = [c for name in names for c in noise_classes(course.task(name), session)]
        for _ in range(count):
            for task, label, source, expected, threshold in classes:
                table["verdicts"].append(
                    noise_verdict(task, source, threshold, session)
                    | {"answer": label, "expected": expected, "threshold": threshold}
                )
            write(out, table)
        for task, label, *_ in classes:
            print(summary(table["verdicts"], task.name, label), flush=True)
    return 0


def noise_classes(task: Task, session: Session) -> Iterator[tuple[Task, str, str, float, float]]:
    """(task, label, answer text, true ratio, threshold) of the baseline and the solution of one exercise."""
    threshold, _ = threshold_of(task, session, KINDS[task.kind])
    yield task, "baseline", course.baseline(task), 1.0, threshold
    yield task, "solution", course.solution(task), par(task, session, KINDS[task.kind]), threshold


def noise_verdict(task: Task, source: str, threshold: float, session: Session) -> dict[str, Any]:
    """One verdict of the race, with all that it saw."""
    began = time.perf_counter()
    kind, case = KINDS[task.kind], timed_case(task, session)
    answer = Answer(task.name, source)
    with kind.windows(task, answer, course.baseline(task), session, case, trusted=True) as clock:
        result = race(clock, threshold, noise.for_device("cuda"))
    return {
        "exercise": task.name,
        "decision": result.decision,
        "blocks": [round(b, 6) for b in result.blocks],
        "disturbed": list(result.disturbed),
        "seconds": round(time.perf_counter() - began, 2),
        "spent": {k: round(v, 2) for k, v in clock.spent.items()},
    }


def summary(verdicts: list[dict[str, Any]], exercise: str, label: str) -> str:
    chosen = [v for v in verdicts if v["exercise"] == exercise and v["answer"] == label]
    means = [statistics.fmean(v["blocks"]) for v in chosen]
    within = [statistics.stdev(v["blocks"]) for v in chosen if len(v["blocks"]) > 1]
    decisions = {d: sum(v["decision"] == d for v in chosen) for d in sorted({v["decision"] for v in chosen})}
    spread = statistics.stdev(means) if len(means) > 1 else math.nan
    centre = statistics.median(means)
    return (f"{exercise:22} {label:9} n={len(chosen)} {decisions} ratio {math.exp(centre):.4f} session sd {spread:.5f} "
            f"worst {max(abs(m - centre) for m in means):.5f} block sd {statistics.fmean(within):.5f} "
            f"{statistics.fmean(v['seconds'] for v in chosen):.1f} s")  # fmt: skip
