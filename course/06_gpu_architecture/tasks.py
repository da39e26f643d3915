"""The tasks of chapter 06 in the order of its notebook.

occupancy_limits: fixed tuples, twelve for each rule that an answer can miss, and some that nobody has seen. The reference
is goodput.occupancy, which a test compares with NVIDIA's own calculator.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from goodput.occupancy import LIMITS, blocks_per_sm
from grader.task import Case, Points, Task

Tuple = tuple[int, int, int, tuple[int, int]]  # registers, shared bytes, threads, compute capability

# In each group the rule that names it decides at least one tuple; a test asserts it for every tuple of the first five.
GROUPS: dict[str, Sequence[Tuple]] = {
    "register portions": (
        (202, 0, 320, (7, 5)), (43, 0, 160, (8, 0)), (81, 0, 192, (8, 6)), (225, 0, 96, (8, 6)),
        (227, 0, 288, (8, 9)), (90, 0, 64, (8, 9)), (74, 0, 96, (8, 9)), (50, 0, 416, (8, 9)),
        (85, 0, 128, (9, 0)), (33, 0, 448, (9, 0)), (85, 0, 384, (10, 0)), (51, 0, 96, (12, 0)),
    ),
    "quarters of the registers": (
        (182, 0, 288, (7, 5)), (188, 0, 288, (7, 5)), (169, 0, 320, (8, 0)), (147, 0, 416, (8, 0)),
        (102, 0, 96, (8, 6)), (179, 0, 96, (8, 9)), (80, 0, 160, (9, 0)), (197, 0, 64, (9, 0)),
        (210, 0, 288, (9, 0)), (131, 0, 64, (10, 0)), (135, 0, 416, (10, 0)), (110, 0, 64, (12, 0)),
    ),
    "reserved kilobyte": (
        (40, 15833, 64, (8, 0)), (32, 11264, 128, (8, 0)), (32, 16129, 64, (8, 0)), (24, 20251, 64, (8, 0)),
        (24, 7324, 64, (8, 6)), (40, 10233, 64, (8, 6)), (32, 33792, 64, (8, 9)), (24, 10240, 64, (9, 0)),
        (40, 10454, 64, (9, 0)), (32, 13102, 64, (9, 0)), (32, 38447, 64, (10, 0)), (40, 13610, 64, (12, 0)),
    ),
    "most blocks": (
        (16, 0, 32, (7, 5)), (24, 2048, 17, (7, 5)), (32, 0, 32, (8, 0)), (40, 0, 1, (8, 0)),
        (20, 0, 64, (8, 6)), (32, 1024, 48, (8, 6)), (40, 0, 33, (8, 6)), (64, 0, 32, (8, 6)),
        (48, 0, 32, (8, 9)), (24, 512, 32, (9, 0)), (63, 0, 31, (10, 0)), (56, 0, 32, (12, 0)),
    ),
    "whole warps": (
        (16, 0, 65, (7, 5)), (32, 0, 97, (7, 5)), (24, 0, 129, (8, 0)), (32, 0, 193, (8, 0)),
        (40, 0, 130, (8, 6)), (24, 0, 200, (8, 9)), (32, 0, 65, (9, 0)), (20, 0, 682, (9, 0)),
        (30, 2048, 193, (9, 0)), (16, 0, 321, (10, 0)), (32, 0, 289, (12, 0)), (36, 1024, 161, (12, 0)),
    ),
    "one warp per block": (
        (255, 0, 32, (7, 5)), (32, 9000, 32, (7, 5)), (128, 0, 32, (8, 0)), (64, 4100, 1, (8, 0)),
        (255, 0, 17, (8, 6)), (32, 6200, 32, (8, 6)), (168, 0, 32, (8, 9)), (32, 3500, 32, (8, 9)),
        (80, 0, 32, (9, 0)), (48, 9001, 31, (9, 0)), (0, 0, 32, (10, 0)), (255, 700, 32, (12, 0)),
    ),
    "ties": (
        (32, 0, 64, (9, 0)), (64, 0, 32, (9, 0)), (32, 6272, 64, (9, 0)), (64, 13568, 64, (9, 0)),
        (32, 0, 1024, (8, 0)), (64, 0, 256, (7, 5)), (128, 16384, 128, (7, 5)), (40, 0, 96, (8, 6)),
        (80, 0, 32, (8, 9)), (40, 0, 128, (8, 9)), (48, 4096, 64, (12, 0)), (128, 28160, 64, (10, 0)),
    ),
    "much shared memory": (
        (64, 65536, 256, (7, 5)), (64, 65537, 256, (7, 5)), (32, 32768, 128, (7, 5)), (64, 166912, 512, (8, 0)),
        (64, 166913, 512, (8, 0)), (32, 50176, 128, (8, 6)), (32, 101376, 1024, (8, 9)), (168, 232448, 384, (9, 0)),
        (168, 232449, 384, (9, 0)), (128, 115712, 256, (9, 0)), (32, 76800, 128, (10, 0)), (40, 50177, 256, (12, 0)),
    ),
}  # fmt: skip
DRAWN = 20
BAD: dict[str, tuple[Any, ...]] = {
    "0 threads": (32, 0, 0, (9, 0)),
    "1025 threads": (32, 0, 1025, (9, 0)),
    "256 registers": (256, 0, 32, (9, 0)),
    "-1 registers": (-1, 0, 32, (9, 0)),
    "-1 bytes": (32, -1, 32, (9, 0)),
    "cc (3, 5)": (32, 0, 32, (3, 5)),
}


def drawn(seed: int) -> list[Tuple]:
    """Tuples of a kind that compilers produce; half of the blocks use shared memory."""
    rng = random.Random(seed)
    return [
        (
            rng.randint(16, 255),
            rng.choice((0, rng.randint(1, 60_000))),
            rng.randint(1, 1024),
            rng.choice(list(LIMITS)),
        )
        for _ in range(DRAWN)
    ]


def judge_occupancy(conversation: Any) -> None:
    for group, tuples in {**GROUPS, "drawn from a seed": drawn(conversation.seed)}.items():
        for one in tuples:
            fit = blocks_per_sm(*one)
            got = conversation.call(*one)
            if got != (fit.blocks, fit.limiter):
                conversation.case(
                    group, False, call=described(one), got=str(got)[:80], want=str((fit.blocks, fit.limiter))
                )
                break
        else:
            conversation.case(group, True)
    for name, arguments in BAD.items():
        conversation.refuses(name, *arguments)


def described(one: Tuple) -> str:
    """The call as a learner would type it."""
    registers, shared_bytes, threads, cc = one
    return f"occupancy_limits(registers={registers}, shared_bytes={shared_bytes}, threads={threads}, cc={cc})"


OCCUPANCY_LIMITS = Task(
    name="occupancy_limits",
    chapter="06",
    kind="analysis",
    points=Points(correct=8),
    core=True,
    minutes=25,
    cases=tuple(Case(group, {"tuples": len(tuples)}) for group, tuples in GROUPS.items()),
    judge=judge_occupancy,
    limit_s=5.0,  # a tuple takes microseconds
    memory_mb=1024,
)

TASKS: tuple[Task, ...] = (OCCUPANCY_LIMITS,)
