"""The launch plan: what an answer's Python asked the GPU to do, as plain data.

Takes and returns frozen records; `to_json` and `from_json` carry them between processes. A plan may come from a process
that nobody trusts, so a record that exists has been checked: every type, range and size, in `__post_init__`. Knows nothing
of torch, devices or compilers: a buffer is a name and a byte offset.

    Plan(launches=(Launch(source, kernel, grid, block, args, ...), ...), scratch={"scratch0": nbytes})

Buffer names are the argument names of the answer ("x", "out") or those of `Plan.scratch`; an offset counts bytes from the
start of the storage of the tensor that was passed under that name.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

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

Dim3 = tuple[int, int, int]
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


@dataclass(frozen=True)
class Buffer:
    """Address of a tensor: `offset` bytes after the start of the storage called `name`."""

    name: str
    offset: int = 0  # bytes

    def __post_init__(self) -> None:
        _identifier(self.name, "buffer name")
        _integer(self.offset, "buffer offset", 0, MAX_OFFSET)


@dataclass(frozen=True)
class Scalar:
    """A number passed by value; `ctype` is one of i32, u32, i64, u64, f32, f64."""

    ctype: str
    value: int | float

    def __post_init__(self) -> None:
        if type(self.ctype) is str and self.ctype in INTEGER_RANGES:
            _integer(self.value, f"{self.ctype} argument", *INTEGER_RANGES[self.ctype])
            return
        _need(type(self.ctype) is str and self.ctype in FLOAT_TYPES, f"unknown number type {self.ctype!r}")
        _need(type(self.value) is float, f"a {self.ctype} argument must be a float, got {self.value!r}")
        if self.ctype == "f32" and math.isfinite(self.value):
            try:
                struct.pack("<f", self.value)
            except OverflowError:
                raise PlanError(f"{self.value!r} is too large for a float: pass ctypes.c_double(value)") from None


@dataclass(frozen=True)
class MapArg:
    """A tensor map of a 2-D row-major tensor, innermost dimension first as the driver wants it.

    `shape` = (columns, rows) in elements, `strides_bytes` = (bytes from one row to the next,), `box` = (inner, outer) in
    elements, `swizzle` = 0, 32, 64 or 128 bytes.
    """

    buffer: str
    offset: int  # bytes, a multiple of 16
    dtype: str  # torch spelling, e.g. "float32"
    shape: tuple[int, int]
    strides_bytes: tuple[int]
    box: tuple[int, int]
    swizzle: int = 128

    def __post_init__(self) -> None:
        Buffer(self.buffer, self.offset)
        _need(type(self.dtype) is str and self.dtype in MAP_ITEM_BYTES,
              f"a tensor map cannot hold {self.dtype!r}: use one of {', '.join(MAP_ITEM_BYTES)}")  # fmt: skip
        _tuple(self.shape, 2, "tensor map shape", 1, 2**32)
        _tuple(self.strides_bytes, 1, "tensor map stride", 16, 2**40 - 16)
        _tuple(self.box, 2, "tensor map box", 1, 256)
        _need(type(self.swizzle) is int and self.swizzle in (0, 32, 64, 128),
              f"swizzle {self.swizzle!r} does not exist: use 128, 64, 32 or 0 (none)")  # fmt: skip
        inner_bytes = self.box[0] * self.item_bytes
        _need(self.offset % 16 == 0,
              f"a tensor map must start at a multiple of 16 bytes, this tensor starts at byte {self.offset}: "
              "start the view at an aligned element")  # fmt: skip
        _need(self.strides_bytes[0] % 16 == 0,
              f"rows of a tensor map must lie a multiple of 16 bytes apart, here {self.strides_bytes[0]}: "
              "pad the rows, or use plain loads for this shape")  # fmt: skip
        _need(inner_bytes % 16 == 0,
              f"the inner side of a box must be a multiple of 16 bytes, here {inner_bytes}: widen the box")  # fmt: skip
        _need(not self.swizzle or inner_bytes <= self.swizzle,
              f"with a {self.swizzle}-byte swizzle the inner side of a box holds at most {self.swizzle} bytes, here "
              f"{inner_bytes}: use at most {self.swizzle // self.item_bytes} elements, or swizzle=0")  # fmt: skip

    @property
    def item_bytes(self) -> int:
        return MAP_ITEM_BYTES[self.dtype]


Arg = Buffer | Scalar | MapArg


@dataclass(frozen=True)
class Constant:
    """Bytes that fill a `__constant__` (or `__device__`) variable before the launch, in stream order."""

    buffer: str
    offset: int  # bytes
    nbytes: int

    def __post_init__(self) -> None:
        Buffer(self.buffer, self.offset)
        _integer(self.nbytes, "bytes of a constant", 1, MAX_CONSTANT_BYTES)


@dataclass(frozen=True)
class Launch:
    """One kernel launch: which kernel of which source, over which grid, with which arguments and attributes."""

    source: str
    kernel: str
    grid: Dim3
    block: Dim3
    args: tuple[Arg, ...] = ()
    smem: int = 0  # dynamic shared memory, bytes per block
    cluster: Dim3 | None = None
    cooperative: bool = False
    pdl: bool = False  # may start before its predecessor in the stream ends (programmatic dependent launch)
    constants: Mapping[str, Constant] = field(default_factory=dict)
    rdc: bool = False  # relocatable device code: the source launches kernels from the GPU

    def __post_init__(self) -> None:
        check_source(self.source)
        _identifier(self.kernel, "kernel name")
        _grid(self.grid, self.block)
        _need(type(self.args) is tuple and all(type(a) in (Buffer, Scalar, MapArg) for a in self.args),
              "args must be a tuple of Buffer, Scalar and MapArg")  # fmt: skip
        _need(len(self.args) <= MAX_ARGS, f"{len(self.args)} arguments, at most {MAX_ARGS}: pass a struct in a tensor")
        _integer(self.smem, "dynamic shared memory (bytes)", 0, MAX_SHARED_BYTES)
        for name in ("cooperative", "pdl", "rdc"):
            _need(type(getattr(self, name)) is bool, f"{name} must be True or False, got {getattr(self, name)!r}")
        if self.cluster is not None:
            _cluster(self.cluster, self.grid)
        _need(isinstance(self.constants, Mapping), "constants must map names to Constant")
        _need(len(self.constants) <= 16, f"{len(self.constants)} constants, at most 16: put them in one array")
        for name, constant in self.constants.items():
            _identifier(name, "constant name")
            _need(type(constant) is Constant, f"constant {name} must be a Constant")

    def buffers(self) -> set[str]:
        named = {a.name if isinstance(a, Buffer) else a.buffer for a in self.args if not isinstance(a, Scalar)}
        return named | {c.buffer for c in self.constants.values()}


@dataclass(frozen=True)
class Plan:
    """The launches of one call, in order, and the scratch tensors (name -> bytes) that they need."""

    launches: tuple[Launch, ...]
    scratch: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _need(type(self.launches) is tuple and all(type(entry) is Launch for entry in self.launches),
              "launches must be a tuple of Launch")  # fmt: skip
        _need(len(self.launches) <= MAX_LAUNCHES,
              f"{len(self.launches)} launches in one call, at most {MAX_LAUNCHES}: do more work per kernel")  # fmt: skip
        _need(len({entry.source for entry in self.launches}) <= MAX_SOURCES,
              f"more than {MAX_SOURCES} different sources in one call: put the kernels into one source")  # fmt: skip
        _need(isinstance(self.scratch, Mapping), "scratch must map names to bytes")
        _need(len(self.scratch) <= MAX_LAUNCHES, f"{len(self.scratch)} scratch tensors, at most {MAX_LAUNCHES}: reuse them")
        for name, nbytes in self.scratch.items():
            _identifier(name, "scratch name")
            _integer(nbytes, f"bytes of {name}", 0, MAX_SCRATCH_BYTES)

    def buffers(self) -> set[str]:
        """Every buffer name that a launch uses, scratch included."""
        return {name for entry in self.launches for name in entry.buffers()}


def check_source(source: str) -> None:
    _need(type(source) is str, f"the source must be a string, got {type(source).__name__}")
    try:
        size = len(source.encode())
    except UnicodeEncodeError:
        raise PlanError("the source holds characters that are not valid UTF-8: retype that line") from None
    _need(0 < size <= MAX_SOURCE_BYTES, f"the source has {size} bytes; 1 to {MAX_SOURCE_BYTES} are accepted: shorten it")
    _need("\0" not in source, "the source holds a NUL character: remove it")


def _need(holds: bool, sentence: str) -> None:
    if not holds:
        raise PlanError(sentence)


def _identifier(name: str, what: str) -> None:
    _need(type(name) is str and IDENTIFIER.fullmatch(name) is not None,
          f"{what} {name!r:.80} is not an identifier: use letters, digits and _ (at most 128)")  # fmt: skip


def _integer(value: int | float, what: str, low: int, high: int) -> None:
    _need(type(value) is int, f"{what} must be an integer, got {value!r:.80}")
    _need(low <= value <= high, f"{what} is {value!r:.80}; {low} to {high} are possible")


def _tuple(values: tuple, length: int, what: str, low: int, high: int) -> None:
    _need(type(values) is tuple and len(values) == length, f"{what} must be {length} integers, got {values!r:.80}")
    for value in values:
        _integer(value, what, low, high)


def _grid(grid: Dim3, block: Dim3) -> None:
    for what, values, limits in (("grid", grid, MAX_GRID), ("block", block, MAX_BLOCK)):
        _need(type(values) is tuple and len(values) == 3, f"{what} must be 3 integers, got {values!r:.80}")
        for axis, value, limit in zip("xyz", values, limits, strict=True):
            _need(type(value) is int, f"{what}.{axis} must be an integer, got {value!r:.80}")
            _need(value != 0, f"{what} {values} has no blocks or threads in {axis}: return before the launch when there is no work")
            _need(1 <= value <= limit, f"{what}.{axis} is {value}; 1 to {limit} are possible: use another axis or a loop")
    threads = math.prod(block)
    _need(threads <= MAX_BLOCK_THREADS,
          f"block {block} has {threads} threads; a block holds at most {MAX_BLOCK_THREADS}: use a smaller block and more "
          "blocks")  # fmt: skip


def _cluster(cluster: Dim3, grid: Dim3) -> None:
    _tuple(cluster, 3, "cluster", 1, MAX_CLUSTER_BLOCKS)
    blocks = math.prod(cluster)
    _need(blocks <= MAX_CLUSTER_BLOCKS,
          f"a cluster of {blocks} blocks; at most {MAX_CLUSTER_BLOCKS} (8 everywhere): use a smaller cluster")  # fmt: skip
    _need(all(g % c == 0 for g, c in zip(grid, cluster, strict=True)),
          f"grid {grid} is not a multiple of cluster {cluster}: round the grid up and test bounds in the kernel")  # fmt: skip
