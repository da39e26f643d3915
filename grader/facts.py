"""What evidence may read: counts of the emulator, machine code of the launched kernels, numbers a kind adds.

`Evidence.read(facts)` gets a `Facts`; an attribute that this machine cannot fill is None, and `settle` then reports "cannot
tell" instead of pass or fail. Pure data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grader.task import Evidence
from grader.verdict import Diagnosis, EvidenceResult


@dataclass(frozen=True)
class Sass:
    """Machine code by architecture; each text holds the kernels that the answer launched."""

    texts: Mapping[str, str]
    resources: Mapping[str, Sequence[Mapping[str, int]]] = field(default_factory=dict)

    def matches(self, pattern: str) -> int:
        """Occurrences of a regular expression: the smallest count over the architectures (for what must be there)."""
        return min((len(re.findall(pattern, t)) for t in self.texts.values()), default=0)

    def most(self, pattern: str) -> int:
        """The largest count over the architectures (for what must not be there)."""
        return max((len(re.findall(pattern, t)) for t in self.texts.values()), default=0)

    def largest(self, resource: str) -> int:
        """Largest registers, stack_bytes, local_bytes, shared_bytes or spill_bytes over kernels and architectures."""
        return max((r[resource] for rs in self.resources.values() for r in rs), default=0)


@dataclass(frozen=True)
class Facts:
    counts: Any = None  # goodput.emulator Counts, merged over the kernels of the counted case
    sass: Sass | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


def settle(
    evidence: Sequence[Evidence], facts: Facts, device: str
) -> tuple[tuple[EvidenceResult, ...], Diagnosis | None]:
    """Every count beside its bound, and the diagnosis of the first that is violated."""
    results, violated = [], None
    for one in evidence:
        if device not in one.devices:
            continue
        try:
            value = one.read(facts)
        except (AttributeError, TypeError, ZeroDivisionError, KeyError):
            value = None  # a count that this machine or this answer does not have
        if value is not None and not isinstance(value, (int, float)):
            raise TypeError(f"evidence {one.name}: {type(value).__name__} is not a count")
        ok = None if value is None else ((one.at_most is None or value <= one.at_most)
                                         and (one.at_least is None or value >= one.at_least))  # fmt: skip
        results.append(EvidenceResult(one.name, value, one.at_most, one.at_least, ok))
        if ok is False and violated is None:
            below = value is not None and one.at_least is not None and value < one.at_least
            crossed = {"at_least": one.at_least} if below else {"at_most": one.at_most}
            facts_of = {
                "name": one.name,
                "value": value,
                **crossed,
                "hint": {"es": one.hint.es, "en": one.hint.en},
            }
            violated = Diagnosis(one.diagnosis, facts_of)
    return tuple(results), violated
