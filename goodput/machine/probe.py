"""Run probes: named measurements that either give a `Ceiling` or say why there is none.

Takes probes in order, returns measured values and reasons for the absent ones. One failing probe never stops
the others. Knows nothing of what a probe measures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from goodput import stats
from goodput.machine.ceiling import Ceiling

# The name of a ceiling that was just finished, how many are done, and how many there are.
Progress = Callable[[str, int, int], None]
Probe = tuple[str, Callable[[str], Ceiling]]  # the name of the ceiling, and a function of that name


class Unavailable(Exception):
    """A ceiling that cannot be measured here; its text is the reason that people read."""


def run(probes: Sequence[Probe], progress: Progress | None) -> tuple[dict[str, Ceiling], dict[str, str]]:
    """Measure every probe; errors of the device, of memory and of files become reasons."""
    values: dict[str, Ceiling] = {}
    absent: dict[str, str] = {}
    for done, (name, measure) in enumerate(probes, start=1):
        try:
            values[name] = measure(name)
        except Unavailable as reason:
            absent[name] = str(reason)
        except (RuntimeError, OSError, MemoryError, NotImplementedError, ImportError) as problem:
            absent[name] = (
                f"{type(problem).__name__}: {str(problem).strip().splitlines()[0] if str(problem) else ''}"
            )
        if progress:
            progress(name, done, len(probes))
    return values, absent


def rate(name: str, amount: float, seconds: Sequence[float], shape: str) -> Ceiling:
    """Ceiling of `amount` (in the unit of `name`, e.g. GB for gb_per_s) per call, from the seconds of each
    call."""
    return from_values(name, [amount / s for s in seconds], shape)


def from_values(name: str, values: Sequence[float], shape: str) -> Ceiling:
    """Ceiling with the median of `values`, already in the unit of `name`."""
    found = stats.summary(values)
    if not (math.isfinite(found.median) and found.median > 0):
        raise Unavailable(f"the measurement gave {found.median}, which is no rate")
    return Ceiling(name, found.median, found.spread, found.n, shape)
