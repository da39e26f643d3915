"""From a correct answer to a speed verdict: threshold from par, the race, physical limits, a disturbed machine.

`race_answer(...) -> Raced`. The threshold is par ** position with par (shipped solution against baseline) measured on this
machine and cached; the race decides; a result beyond the measured ceiling is held for review; a disturbed machine turns a
refusal, never a pass, into "not graded". Knows nothing of how a window is timed.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from goodput import machine
from grader import course, noise
from grader.checked import Checked
from grader.failures import FAILURES, explain
from grader.inputs import scaled
from grader.intake import Answer
from grader.race import LOOKS, Result, race
from grader.session import Session
from grader.task import Case, Task, Work
from grader.verdict import Diagnosis, Outcome, RooflineResult, SpeedResult

FAST_ENOUGH_MARGIN = 1.10  # authors' rule: par must clear its own threshold by this much
TOO_FAST = 1.05  # share of the measured ceiling of the same traffic above which a person should look
RETRIES = 1  # a disturbed race is run once more before it is given up


@dataclass(frozen=True)
class Raced:
    outcome: Outcome
    diagnosis: Diagnosis | None
    speed: SpeedResult | None
    roofline: RooflineResult | None
    notes: tuple[str, ...] = ()


def timed_case(task: Task, session: Session) -> Case:
    case = next(c for c in task.cases if c.timed)
    return scaled(task, case, session.memory_bytes, session.l2_bytes)


def par_key(task: Task) -> str:
    import hashlib

    text = "\0".join(
        [course.solution(task), course.baseline(task), repr(task.target), repr(timed_sizes(task))]
    )
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def timed_sizes(task: Task) -> list[Any]:
    return [sorted(c.sizes.items()) for c in task.cases if c.timed]


def par_cache(session: Session) -> Path:
    return machine.cache_folder() / f"par-{machine.describe().fingerprint}.json"


def par(task: Task, session: Session, kind: ModuleType) -> float:
    """Speedup of the shipped solution over the baseline on this machine; measured once, then remembered."""
    path = par_cache(session)
    known = json.loads(path.read_text()) if path.exists() else {}
    key = f"{task.name}-{par_key(task)}"
    if key not in known:
        session.progress(task.name, "par")
        answer = Answer(task.name, course.solution(task))
        with kind.windows(
            task, answer, course.baseline(task), session, timed_case(task, session), trusted=True
        ) as clock:
            result = race(clock, math.inf, noise.for_device(session.device), looks=LOOKS[:1])
        known = json.loads(path.read_text()) if path.exists() else {}
        known[key] = result.ratio
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(".tmp")
        temporary.write_text(json.dumps(known, indent=1))
        temporary.replace(path)
    return float(known[key])


def threshold_of(task: Task, session: Session, kind: ModuleType) -> tuple[float, float | None]:
    """(needed ratio, par). With a ceiling target the opponent is the copy probe and the ratio is the fraction itself."""
    assert task.target is not None
    if task.target.ceiling_fraction is not None:
        return task.target.ceiling_fraction, None
    assert task.target.position is not None
    best = par(task, session, kind)
    return best**task.target.position, best


def race_answer(task: Task, answer: Answer, session: Session, kind: ModuleType, done: Checked) -> Raced:
    case = timed_case(task, session)
    threshold, best = threshold_of(task, session, kind)
    opponent = course.baseline(task) if task.target and task.target.position is not None else None
    for attempt in range(RETRIES + 1):
        try:
            with kind.windows(task, answer, opponent, session, case) as clock:
                result = race(clock, threshold, noise.for_device(session.device))
        except FAILURES as e:  # it was correct when nobody was timing it
            return Raced("incorrect", explain(e, f"{case.name} (timed)"), None, None)
        failure, event_ms = clock.failure, clock.event_ms
        done.seconds |= {f"race {what}": seconds for what, seconds in clock.spent.items()}
        if failure is not None:
            return Raced("incorrect", failure, None, None)
        if result.decision == "passed" or not result.disturbed or attempt == RETRIES:
            break
    return judge_race(task, case, session, result, threshold, best, event_ms)


def judge_race(task: Task, case: Case, session: Session, result: Result, threshold: float, best: float | None,
               event_ms: float | None) -> Raced:  # fmt: skip
    speed = SpeedResult(result.ratio, result.low, result.high, threshold, best, len(result.blocks), result.answer_s * 1e3,
                        result.baseline_s * 1e3, event_ms, result.disturbed)  # fmt: skip
    roofline = place(task.work(case), result.answer_s, session) if task.work else None
    outcome: Outcome = result.decision
    diagnosis = None
    if roofline is not None and roofline.fraction > TOO_FAST:
        outcome, diagnosis = (
            "review",
            Diagnosis("too fast", {"fraction": roofline.fraction, "ceiling": roofline.ceiling}),
        )
    elif outcome != "passed" and result.disturbed:
        outcome = "not_graded"  # the reasons stand in speed.disturbed
    elif outcome == "slow":
        diagnosis = Diagnosis(
            "works but is slower", {"ratio": result.ratio, "threshold": threshold, "high": result.high}
        )
    return Raced(outcome, diagnosis, speed, roofline)


def place(work: Work, seconds: float, session: Session) -> RooflineResult | None:
    """Where the answer stands against the measured ceiling of its kind of traffic (or of its FLOPs, if they bind)."""
    ceilings = machine.ceilings(session.device)
    if ceilings is None:
        return None
    name = f"{work.traffic}_gb_per_s"
    value = ceilings.get(name)
    if value is None:
        return None
    gb_per_s = work.bytes_moved / seconds / 1e9
    return RooflineResult(
        work.bytes_moved, sum(work.flop.values()), seconds, gb_per_s, gb_per_s / value, name, value
    )
