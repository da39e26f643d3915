"""What a run on the CPU model found: `Run`, `Failure`, `Counts`. Frozen records; knows nothing of processes.

Counts use the profiler's quantities per warp-level request: a sector is 32 bytes, a wavefront one pass over the 32 banks. A
ratio whose request never happened is None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

FLIGHTS = 17  # waits that left 0, 1, ... 15, 16 or more groups in flight


@dataclass(frozen=True)
class Failure:
    """The first thing that went wrong; `schedule` says in which order of threads it showed.

    `kind`: "out of bounds", "race", "deadlock", "not in mask", "timed out", "died", "launch failed", "input modified" or
    "not available" (a launch that needs a GPU).
    `thread` and `block` are (x, y, z); `offset` counts bytes in `buffer`; `line` is a line of the source.
    """

    kind: str
    text: str
    schedule: str = ""
    thread: tuple[int, int, int] | None = None
    block: tuple[int, int, int] | None = None
    buffer: str | None = None
    offset: int | None = None
    line: int | None = None
    other_thread: tuple[int, int, int] | None = None
    other_line: int | None = None
    access: str | None = None  # "read" or "write", where it is known
    kernel: str | None = None


@dataclass(frozen=True)
class Counts:
    """Sums over warp-level requests; addition merges kernels, lines or runs."""

    load_requests: int = 0
    load_sectors: int = 0
    load_sectors_ideal: int = 0  # the least for the bytes asked for
    store_requests: int = 0
    store_sectors: int = 0
    store_sectors_ideal: int = 0
    atomic_requests: int = 0  # global memory
    atomic_operations: int = 0  # one per lane
    shared_load_requests: int = 0
    shared_load_wavefronts: int = 0
    shared_load_wavefronts_ideal: int = 0  # 16-byte accesses need 4, 8-byte ones 2
    shared_store_requests: int = 0
    shared_store_wavefronts: int = 0
    shared_store_wavefronts_ideal: int = 0
    shared_atomic_requests: int = 0
    shared_atomic_operations: int = 0
    constant_requests: int = 0
    constant_words: int = 0  # different words per request are served one after another
    widest_load_bytes: int = 0  # by one thread, global memory
    widest_store_bytes: int = 0
    uninitialised_shared_reads: int = 0
    uncounted_accesses: int = 0  # beyond 65536 executions of one instruction between two barriers
    waits_by_groups_in_flight: tuple[int, ...] = (
        0,
    ) * FLIGHTS  # cp.async: index = groups left in flight by a wait
    waits_by_bulk_copies_in_flight: tuple[int, ...] = (0,) * FLIGHTS
    by_kernel: Mapping[str, Counts] = field(default_factory=dict, repr=False)
    by_line: Mapping[int, Counts] = field(default_factory=dict, repr=False)

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            **{f.name: _merge(f.name, getattr(self, f.name), getattr(other, f.name)) for f in fields(self)}
        )

    @property
    def global_load_requests(self) -> int:
        return self.load_requests

    @property
    def global_store_requests(self) -> int:
        return self.store_requests

    @property
    def load_sectors_per_request(self) -> float | None:
        return _ratio(self.load_sectors, self.load_requests)

    @property
    def load_sectors_ideal_per_request(self) -> float | None:
        return _ratio(self.load_sectors_ideal, self.load_requests)

    @property
    def store_sectors_per_request(self) -> float | None:
        return _ratio(self.store_sectors, self.store_requests)

    @property
    def store_sectors_ideal_per_request(self) -> float | None:
        return _ratio(self.store_sectors_ideal, self.store_requests)

    @property
    def shared_load_wavefronts_per_request(self) -> float | None:
        """1.0 when there are no bank conflicts, whatever the width of the access."""
        extra = self.shared_load_wavefronts - self.shared_load_wavefronts_ideal
        return _ratio(self.shared_load_requests + extra, self.shared_load_requests)

    @property
    def shared_store_wavefronts_per_request(self) -> float | None:
        extra = self.shared_store_wavefronts - self.shared_store_wavefronts_ideal
        return _ratio(self.shared_store_requests + extra, self.shared_store_requests)

    @property
    def constant_words_per_request(self) -> float | None:
        return _ratio(self.constant_words, self.constant_requests)

    @property
    def widest_access_bytes(self) -> int:
        return max(self.widest_load_bytes, self.widest_store_bytes)

    @property
    def min_groups_in_flight(self) -> int | None:
        """Fewest cp.async groups that any wait left in flight; None when nothing waited."""
        return next((n for n, waits in enumerate(self.waits_by_groups_in_flight) if waits), None)

    @property
    def typical_groups_in_flight(self) -> int | None:
        """The median over all waits: a last wait for everything does not change it."""
        return _median(self.waits_by_groups_in_flight)

    @property
    def typical_bulk_copies_in_flight(self) -> int | None:
        return _median(self.waits_by_bulk_copies_in_flight)


@dataclass(frozen=True)
class Run:
    """Bytes of every writable buffer after the launches, what was counted, and what went wrong (outputs are empty then)."""

    outputs: Mapping[str, bytes]
    counts: Counts
    failure: Failure | None
    by_schedule: Mapping[str, Mapping[str, bytes]] = field(default_factory=dict)
    printed: str = ""  # what the kernels printed in the first schedule, capped


def _ratio(total: int, requests: int) -> float | None:
    return total / requests if requests else None


def _median(histogram: tuple[int, ...]) -> int | None:
    total = sum(histogram)
    seen = 0
    for n, waits in enumerate(histogram):
        seen += waits
        if total and 2 * seen >= total:
            return n
    return None


def _merge(name: str, a: Any, b: Any) -> Any:
    if name.startswith("widest"):
        return max(a, b)
    if isinstance(a, tuple):
        return tuple(x + y for x, y in zip(a, b, strict=True))
    if isinstance(a, Mapping):
        return {key: a[key] + b[key] if key in a and key in b else a.get(key) or b[key] for key in {**a, **b}}
    return a + b
