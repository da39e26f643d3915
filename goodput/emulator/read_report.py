"""The program's JSON -> `Counts` and `Failure`. The program ran learner code: every field is checked before it is used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from goodput.emulator.build import Program, Symbol
from goodput.emulator.lines import lines_of
from goodput.emulator.report import FLIGHTS, Counts, Failure

KINDS = (
    "out of bounds",
    "race",
    "deadlock",
    "not in mask",
    "timed out",
    "died",
    "launch failed",
    "input modified",
)
TEXT_LIMIT = 600
SITE_FIELDS = 13
DYNAMIC_SHARED = "dynamic shared memory"


def failure_of(program: Program, names: Sequence[str], raw: Any) -> Failure:
    raw = raw if isinstance(raw, dict) else {}
    pc, other_pc, address = _int(raw, "pc"), _int(raw, "other_pc"), _int(raw, "address")
    lines = lines_of(program.executable, [pc, other_pc])
    kernel, buffer = _int(raw, "kernel"), _int(raw, "buffer")
    name = names[buffer] if 0 <= buffer < len(names) else None
    offset = _int(raw, "offset") if name is not None else None
    if name is None and address:
        name, offset = _variable(program, address)
    access = raw.get("access")
    return Failure(
        kind=raw["kind"] if raw.get("kind") in KINDS else "died",
        text=str(raw.get("text", ""))[:TEXT_LIMIT],
        thread=_dim(raw.get("thread")),
        block=_dim(raw.get("block")),
        buffer=name,
        offset=offset,
        line=lines.get(pc),
        other_thread=_dim(raw.get("other_thread")),
        other_line=lines.get(other_pc),
        access=access if access in ("read", "write") else None,
        kernel=program.kernels[kernel] if 0 <= kernel < len(program.kernels) else None,
    )


def counts_of(program: Program, report: Any) -> Counts:
    """Totals, and the same by kernel and by line of the source."""
    kernels = report.get("kernels") if isinstance(report, dict) else None
    total, by_kernel, by_line = Counts(), {}, {}
    places: list[tuple[int, Counts]] = []
    for name, raw in zip(program.kernels, kernels if isinstance(kernels, list) else [], strict=False):
        if not isinstance(raw, dict):
            continue
        sites = [_site(site) for site in raw.get("sites", []) if _is_site(site)]
        places += sites
        kernel = Counts(
            uninitialised_shared_reads=_int(raw, "uninitialised"),
            uncounted_accesses=_int(raw, "uncounted"),
            waits_by_groups_in_flight=_histogram(raw.get("in_flight")),
            waits_by_bulk_copies_in_flight=_histogram(raw.get("bulk_in_flight")),
        )
        for _, counts in sites:
            kernel = kernel + counts
        by_kernel[name] = kernel
        total = total + kernel
    lines = lines_of(program.executable, [pc for pc, _ in places])
    for pc, counts in places:
        line = lines.get(pc)
        if line is not None:
            by_line[line] = by_line[line] + counts if line in by_line else counts
    return total + Counts(by_kernel=by_kernel, by_line=dict(sorted(by_line.items())))


def _is_site(site: Any) -> bool:
    return (
        isinstance(site, list) and len(site) == SITE_FIELDS and all(type(v) is int and v >= 0 for v in site)
    )


def _site(site: list[int]) -> tuple[int, Counts]:
    (
        pc,
        kind,
        widest,
        requests,
        lanes,
        sectors,
        ideal,
        shared,
        shared_lanes,
        waves,
        ideal_waves,
        constant,
        words,
    ) = site
    if kind == 2:
        return pc, Counts(
            atomic_requests=requests,
            atomic_operations=lanes,
            shared_atomic_requests=shared,
            shared_atomic_operations=shared_lanes,
        )
    if kind == 1:
        return pc, Counts(
            store_requests=requests,
            store_sectors=sectors,
            store_sectors_ideal=ideal,
            widest_store_bytes=widest,
            shared_store_requests=shared,
            shared_store_wavefronts=waves,
            shared_store_wavefronts_ideal=ideal_waves,
        )
    return pc, Counts(
        load_requests=requests,
        load_sectors=sectors,
        load_sectors_ideal=ideal,
        widest_load_bytes=widest,
        shared_load_requests=shared,
        shared_load_wavefronts=waves,
        shared_load_wavefronts_ideal=ideal_waves,
        constant_requests=constant,
        constant_words=words,
    )


def _variable(program: Program, address: int) -> tuple[str | None, int | None]:
    def holds(symbol: Symbol) -> bool:
        return symbol.address <= address < symbol.address + symbol.nbytes

    for symbol in (*program.shared, *program.device):
        if holds(symbol):
            return symbol.name, address - symbol.address
    return (DYNAMIC_SHARED, None)


def _int(raw: dict, key: str) -> int:
    value = raw.get(key)
    return value if type(value) is int else -1 if key in ("buffer", "kernel") else 0


def _dim(value: Any) -> tuple[int, int, int] | None:
    if isinstance(value, list) and len(value) == 3 and all(type(v) is int for v in value):
        return (value[0], value[1], value[2])
    return None


def _histogram(value: Any) -> tuple[int, ...]:
    if isinstance(value, list) and len(value) == FLIGHTS and all(type(v) is int and v >= 0 for v in value):
        return tuple(value)
    return (0,) * FLIGHTS
