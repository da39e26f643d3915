"""What a launch may ask for: the limits, and the checks that the records of `plan` make on themselves.

Each check returns nothing or raises `PlanError`, whose sentence ends with what to do. Values may have any type, since a plan
may come from a process that nobody trusts. Limits of one particular GPU are the driver's business.
"""

from __future__ import annotations

import math
import re

MAX_LAUNCHES = 64  # one call of an answer; a forward pass of a block needs about 15
MAX_SOURCES = 8  # different source strings in one plan; an answer has one, seldom two
MAX_SOURCE_BYTES = 256 * 1024  # the longest kernel of the course has 9 KiB
MAX_ARGS = 64
MAX_SHARED_BYTES = 256 * 1024  # above what any GPU offers (227 KiB on 9.0); the driver knows the exact limit
MAX_CLUSTER_BLOCKS = 16  # 8 is portable; 16 is the most that 9.0 allows
MAX_GRID = (2**31 - 1, 65535, 65535)
MAX_BLOCK = (1024, 1024, 64)
MAX_BLOCK_THREADS = 1024
MAX_OFFSET = 2**48  # virtual addresses of a GPU have 47 to 49 bits
MAX_SCRATCH_BYTES = 2**40
MAX_CONSTANT_BYTES = 64 * 1024  # size of the constant bank

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}", re.ASCII)
INTEGER_RANGES = {
    "i32": (-(2**31), 2**31 - 1),
    "u32": (0, 2**32 - 1),
    "i64": (-(2**63), 2**63 - 1),
    "u64": (0, 2**64 - 1),
}
FLOAT_TYPES = ("f32", "f64")
MAP_ITEM_BYTES = {
    "uint8": 1, "uint16": 2, "uint32": 4, "int32": 4, "uint64": 8, "int64": 8,
    "float16": 2, "bfloat16": 2, "float32": 4, "float64": 8,
}  # fmt: skip


class PlanError(ValueError):
    """A launch that no GPU could run, or a plan that is malformed; the sentence ends with what to do."""


def check_source(source: str) -> None:
    need(type(source) is str, f"the source must be a string, got {type(source).__name__}")
    try:
        size = len(source.encode())
    except UnicodeEncodeError:
        raise PlanError("the source holds characters that are not valid UTF-8: retype that line") from None
    need(
        0 < size <= MAX_SOURCE_BYTES,
        f"the source has {size} bytes; 1 to {MAX_SOURCE_BYTES} are accepted: shorten it",
    )
    need("\0" not in source, "the source holds a NUL character: remove it")


def need(holds: bool, sentence: str) -> None:
    if not holds:
        raise PlanError(sentence)


def identifier(name: str, what: str) -> None:
    need(type(name) is str and IDENTIFIER.fullmatch(name) is not None,
          f"{what} {name!r:.80} is not an identifier: use letters, digits and _ (at most 128)")  # fmt: skip


def integer(value: int | float, what: str, low: int, high: int) -> None:
    need(type(value) is int, f"{what} must be an integer, got {value!r:.80}")
    need(low <= value <= high, f"{what} is {value!r:.80}; {low} to {high} are possible")


def integers(values: tuple, length: int, what: str, low: int, high: int) -> None:
    need(
        type(values) is tuple and len(values) == length,
        f"{what} must be {length} integers, got {values!r:.80}",
    )
    for value in values:
        integer(value, what, low, high)


def grid_and_block(grid: tuple, block: tuple) -> None:
    for what, values, limits in (("grid", grid, MAX_GRID), ("block", block, MAX_BLOCK)):
        need(type(values) is tuple and len(values) == 3, f"{what} must be 3 integers, got {values!r:.80}")
        for axis, value, limit in zip("xyz", values, limits, strict=True):
            need(type(value) is int, f"{what}.{axis} must be an integer, got {value!r:.80}")
            need(
                value != 0,
                f"{what} {values} has no blocks or threads in {axis}: return before the launch when there is no work",
            )
            need(
                1 <= value <= limit,
                f"{what}.{axis} is {value}; 1 to {limit} are possible: use another axis or a loop",
            )
    threads = math.prod(block)
    need(threads <= MAX_BLOCK_THREADS,
          f"block {block} has {threads} threads; a block holds at most {MAX_BLOCK_THREADS}: use a smaller block and more "
          "blocks")  # fmt: skip


def cluster_in_grid(cluster: tuple, grid: tuple) -> None:
    integers(cluster, 3, "cluster", 1, MAX_CLUSTER_BLOCKS)
    blocks = math.prod(cluster)
    need(blocks <= MAX_CLUSTER_BLOCKS,
          f"a cluster of {blocks} blocks; at most {MAX_CLUSTER_BLOCKS} (8 everywhere): use a smaller cluster")  # fmt: skip
    need(all(g % c == 0 for g, c in zip(grid, cluster, strict=True)),
          f"grid {grid} is not a multiple of cluster {cluster}: round the grid up and test bounds in the kernel")  # fmt: skip
