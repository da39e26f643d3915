"""The outcome of one exercise as data. No sentences here: `messages.py` turns a verdict into Spanish and English.

Takes what the judge, the race and the evidence found; returns one `Verdict`. Knows nothing of processes or files.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Outcome = Literal[
    "passed", "incorrect", "slow", "too_close", "unanswered", "error", "not_available", "not_graded", "review"
]

DIAGNOSES = (
    "not written",  # number: elements never written; where: index of the first
    "wrong only at the tail",
    "wrong for strided inputs",
    "mismatch",  # number: worst error; where: first wrong index, got, expected
    "race",  # differs between schedules or runs; threads named where known
    "out of bounds",
    "precision",  # error as large as a lower precision would give
    "input modified",
    "launch failed",
    "compile failed",  # line, column and text in the learner's own cell
    "timed out",
    "out of memory",
    "works but is slower",
    "technique not used",  # the count, its bound
    "bad input accepted",
    "correct on the CPU model only",
    "rule broken",
    "no progress",
    "score too low",
    "leak",
    "raised",  # an exception of the answer: type, text, line
    "died",  # the process ended by itself: exit code or signal
    "forbidden",  # reached for something a check does not offer
    "too fast",  # beyond the physical limit: held for a person
    "unusable notebook",
)


@dataclass(frozen=True)
class Diagnosis:
    """What went wrong, with the facts a sentence needs (`facts` keys depend on `name`, see messages.toml)."""

    name: str
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class CaseResult:
    name: str
    ok: bool
    about: str = ""
    error: float | None = None  # relative L2 error against the reference
    diagnosis: Diagnosis | None = None


@dataclass(frozen=True)
class EvidenceResult:
    """`value` None: this machine cannot tell (then the bound neither passes nor fails)."""

    name: str
    value: float | None
    at_most: float | None
    at_least: float | None
    ok: bool | None


@dataclass(frozen=True)
class SpeedResult:
    """Ratio = seconds of the baseline / seconds of the answer, with its confidence bounds; threshold = par ** position."""

    ratio: float
    low: float
    high: float
    threshold: float
    par: float | None
    blocks: int
    answer_ms: float
    baseline_ms: float
    event_ms: float | None = None  # the same call on the GPU's own clock
    disturbed: tuple[str, ...] = ()


@dataclass(frozen=True)
class RooflineResult:
    bytes_moved: int
    flop: float
    seconds: float
    gb_per_s: float
    fraction: float  # of `ceiling`
    ceiling: str  # which measured ceiling, e.g. "copy"
    ceiling_value: float  # in GB/s or TFLOP/s


@dataclass(frozen=True)
class Verdict:
    name: str
    chapter: str
    kind: str
    core: bool
    outcome: Outcome
    device: Literal["cpu", "cuda"]
    isolation: Literal["sandbox", "process"]
    points_correct: float = 0.0
    points_fast: float = 0.0
    possible_correct: float = 0.0
    possible_fast: float = 0.0  # 0 when speed is not available here
    unavailable_fast: float = 0.0  # points that need a GPU and were left out of the maximum
    diagnosis: Diagnosis | None = None
    cases: tuple[CaseResult, ...] = ()
    evidence: tuple[EvidenceResult, ...] = ()
    speed: SpeedResult | None = None
    roofline: RooflineResult | None = None
    seconds: dict[str, float] = field(default_factory=dict)  # start, compile, check, race
    notes: tuple[str, ...] = ()  # keys of messages.toml [note], e.g. "speed needs a gpu", "tampered cell"
    output: str = ""  # what the answer printed, capped; never parsed
    source_hash: str = ""

    @property
    def earned(self) -> float:
        return self.points_correct + self.points_fast

    @property
    def possible(self) -> float:
        return self.possible_correct + self.possible_fast
