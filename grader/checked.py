"""What a kind's `check` returns: the correctness of an answer, before any race. Data only."""

from __future__ import annotations

from dataclasses import dataclass, field

from grader.verdict import CaseResult, Diagnosis, EvidenceResult


@dataclass
class Checked:
    """Filled while the answer is checked; `diagnosis` None means correct so far."""

    cases: list[CaseResult] = field(default_factory=list)
    evidence: tuple[EvidenceResult, ...] = ()
    diagnosis: Diagnosis | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    printed: str = ""
    share: float = 1.0  # of the correctness points, for kinds that score by degrees

    def fail(self, diagnosis: Diagnosis) -> Checked:
        if self.diagnosis is None:
            self.diagnosis = diagnosis
        return self
