"""How many blocks of a kernel fit on one multiprocessor (SM) at a time, and which resource stops the next one.

`blocks_per_sm(registers, shared_bytes, threads, capability) -> Fit`, from the resources that the compiler reports and the
block size of the launch. `LIMITS` holds what an SM of each compute capability has: table "Technical Specifications per
Compute Capability" of the CUDA C++ Programming Guide; the portions in which it is handed out are those of NVIDIA's
occupancy calculator, `cuda_occupancy.h` of the CUDA toolkit, against which a test compares every number. It does not know
the shared memory that a program has set aside as L1 cache (the carve-out), clusters, nor what an occupancy is worth.
"""

from __future__ import annotations

from dataclasses import dataclass

WARP = 32  # threads
MAX_BLOCK_THREADS = 1024
MAX_THREAD_REGISTERS = 255
REGISTER_PORTION = 256  # registers of a warp are rounded up to this
PARTITIONS = 4  # an SM is four partitions with a quarter of the registers each; a warp lives in one of them
RESOURCES = ("threads", "blocks", "registers", "shared")  # the order in which ties are named


@dataclass(frozen=True)
class Limits:
    """What one SM has, and how it hands out shared memory."""

    threads: int
    blocks: int
    shared_bytes: int
    registers: int = 65536
    shared_portion_bytes: int = 128  # the shared memory of a block is rounded up to this
    shared_reserved_bytes: int = 1024  # taken by the system for every block, from 8.0 on


LIMITS = {
    (7, 5): Limits(1024, 16, 65536, shared_portion_bytes=256, shared_reserved_bytes=0),
    (8, 0): Limits(2048, 32, 167936),
    (8, 6): Limits(1536, 16, 102400),
    (8, 9): Limits(1536, 24, 102400),
    (9, 0): Limits(2048, 32, 233472),
    (10, 0): Limits(2048, 32, 233472),
    (12, 0): Limits(1536, 24, 102400),
}


@dataclass(frozen=True)
class Fit:
    """Blocks on one SM, the resource that stops the next one, and what the blocks amount to."""

    blocks: int
    limiter: str  # one of RESOURCES
    warps: int  # of all resident blocks
    occupancy: float  # resident warps / warps that an SM can hold


def blocks_by_resource(
    registers: int, shared_bytes: int, threads: int, capability: tuple[int, int]
) -> dict[str, int | None]:
    """Blocks that each resource alone would allow, by name; None where the block uses none of it.

    registers: of one thread, 0 to 255; shared_bytes: static and dynamic, of one block; threads: of one block, 1 to 1024.
    ValueError for anything else and for a compute capability that is not in LIMITS.
    """
    if capability not in LIMITS:
        known = ", ".join(f"{major}.{minor}" for major, minor in LIMITS)
        raise ValueError(f"no limits for compute capability {capability}; there are {known}")
    if not 1 <= threads <= MAX_BLOCK_THREADS:
        raise ValueError(f"{threads} threads; a block has 1 to {MAX_BLOCK_THREADS}")
    if not 0 <= registers <= MAX_THREAD_REGISTERS:
        raise ValueError(f"{registers} registers; a thread has 0 to {MAX_THREAD_REGISTERS}")
    if shared_bytes < 0:
        raise ValueError(f"{shared_bytes} bytes of shared memory")
    sm = LIMITS[capability]
    warps = -(-threads // WARP)
    by: dict[str, int | None] = {"threads": sm.threads // WARP // warps, "blocks": sm.blocks}
    by["registers"] = None
    if registers:
        of_warp = _round_up(registers * WARP, REGISTER_PORTION)
        by["registers"] = PARTITIONS * (sm.registers // PARTITIONS // of_warp) // warps
    of_block = _round_up(shared_bytes + sm.shared_reserved_bytes, sm.shared_portion_bytes)
    by["shared"] = sm.shared_bytes // of_block if of_block else None
    return by


def blocks_per_sm(registers: int, shared_bytes: int, threads: int, capability: tuple[int, int]) -> Fit:
    """The smallest of the four limits and its name; arguments and errors as in `blocks_by_resource`."""
    by = blocks_by_resource(registers, shared_bytes, threads, capability)
    blocks, _, limiter = min(
        (count, place, name) for place, name in enumerate(RESOURCES) if (count := by[name]) is not None
    )
    warps = blocks * -(-threads // WARP)
    return Fit(blocks, limiter, warps, warps / (LIMITS[capability].threads // WARP))


def _round_up(value: int, portion: int) -> int:
    return -(-value // portion) * portion
