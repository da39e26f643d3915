"""The launch plan: what an answer's Python asked the GPU to do, as plain data.

Takes and returns frozen records; `to_json` and `from_json` carry them between processes. A plan may come from
a process that nobody trusts, so a record that exists has been checked: every type, range and size, in
`__post_init__`. Knows nothing of torch, devices or compilers: a buffer is a name and a byte offset.

    Plan(launches=(Launch(source, kernel, grid, block, args, ...), ...), scratch={"scratch0": nbytes})

Buffer names are the argument names of the answer ("x", "out") or those of `Plan.scratch`; an offset counts
bytes from the start of the storage of the tensor that was passed under that name.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

from goodput.cuda.limits import (
    FLOAT_TYPES,
    INTEGER_RANGES,
    MAP_ITEM_BYTES,
    MAX_ARGS,
    MAX_CONSTANT_BYTES,
    MAX_LAUNCHES,
    MAX_OFFSET,
    MAX_SCRATCH_BYTES,
    MAX_SHARED_BYTES,
    MAX_SOURCES,
    PlanError,
    check_source,
    cluster_in_grid,
    grid_and_block,
    identifier,
    integer,
    integers,
    need,
)

Dim3 = tuple[int, int, int]


@dataclass(frozen=True)
class Buffer:
    """Address of a tensor: `offset` bytes after the start of the storage called `name`."""

    name: str
    offset: int = 0  # bytes

    def __post_init__(self) -> None:
        identifier(self.name, "buffer name")
        integer(self.offset, "buffer offset", 0, MAX_OFFSET)


@dataclass(frozen=True)
class Scalar:
    """A number passed by value; `ctype` is one of i32, u32, i64, u64, f32, f64."""

    ctype: str
    value: int | float

    def __post_init__(self) -> None:
        if type(self.ctype) is str and self.ctype in INTEGER_RANGES:
            integer(self.value, f"{self.ctype} argument", *INTEGER_RANGES[self.ctype])
            return
        need(type(self.ctype) is str and self.ctype in FLOAT_TYPES, f"unknown number type {self.ctype!r}")
        need(type(self.value) is float, f"a {self.ctype} argument must be a float, got {self.value!r}")
        if self.ctype == "f32" and math.isfinite(self.value):
            try:
                struct.pack("<f", self.value)
            except OverflowError:
                raise PlanError(
                    f"{self.value!r} is too large for a float: pass ctypes.c_double(value)"
                ) from None


@dataclass(frozen=True)
class MapArg:
    """A tensor map of a 2-D row-major tensor, innermost dimension first as the driver wants it.

    `shape` = (columns, rows) in elements, `strides_bytes` = (bytes from one row to the next,), `box` =
    (inner, outer) in elements, `swizzle` = 0, 32, 64 or 128 bytes.
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
        need(type(self.dtype) is str and self.dtype in MAP_ITEM_BYTES,
              f"a tensor map cannot hold {self.dtype!r}: use one of {', '.join(MAP_ITEM_BYTES)}")  # fmt: skip
        integers(self.shape, 2, "tensor map shape", 1, 2**32)
        integers(self.strides_bytes, 1, "bytes between rows of a tensor map", 1, 2**40 - 1)
        integers(self.box, 2, "tensor map box", 1, 256)
        need(type(self.swizzle) is int and self.swizzle in (0, 32, 64, 128),
              f"swizzle {self.swizzle!r} does not exist: use 128, 64, 32 or 0 (none)")  # fmt: skip
        inner_bytes = self.box[0] * self.item_bytes
        need(self.offset % 16 == 0,
              f"a tensor map must start at a multiple of 16 bytes, this tensor starts at byte {self.offset}: "
              "start the view at an aligned element")  # fmt: skip
        need(self.strides_bytes[0] % 16 == 0,
              f"rows of a tensor map must lie a multiple of 16 bytes apart, here {self.strides_bytes[0]}: "
              "pad the rows, or use plain loads for this shape")  # fmt: skip
        need(inner_bytes % 16 == 0,
              f"the inner side of a box must be a multiple of 16 bytes, here {inner_bytes}: widen the box")  # fmt: skip
        need(not self.swizzle or inner_bytes <= self.swizzle,
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
        integer(self.nbytes, "bytes of a constant", 1, MAX_CONSTANT_BYTES)


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
        identifier(self.kernel, "kernel name")
        grid_and_block(self.grid, self.block)
        need(type(self.args) is tuple and all(type(a) in (Buffer, Scalar, MapArg) for a in self.args),
              "args must be a tuple of Buffer, Scalar and MapArg")  # fmt: skip
        need(
            len(self.args) <= MAX_ARGS,
            f"{len(self.args)} arguments, at most {MAX_ARGS}: pass a struct in a tensor",
        )
        integer(self.smem, "dynamic shared memory (bytes)", 0, MAX_SHARED_BYTES)
        for name in ("cooperative", "pdl", "rdc"):
            need(
                type(getattr(self, name)) is bool,
                f"{name} must be True or False, got {getattr(self, name)!r}",
            )
        if self.cluster is not None:
            cluster_in_grid(self.cluster, self.grid)
        need(isinstance(self.constants, Mapping), "constants must map names to Constant")
        need(len(self.constants) <= 16, f"{len(self.constants)} constants, at most 16: put them in one array")
        for name, constant in self.constants.items():
            identifier(name, "constant name")
            need(type(constant) is Constant, f"constant {name} must be a Constant")

    def buffers(self) -> set[str]:
        named = {
            a.name if isinstance(a, Buffer) else a.buffer for a in self.args if not isinstance(a, Scalar)
        }
        return named | {c.buffer for c in self.constants.values()}


@dataclass(frozen=True)
class Plan:
    """The launches of one call, in order, and the scratch tensors (name -> bytes) that they need."""

    launches: tuple[Launch, ...]
    scratch: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        need(type(self.launches) is tuple and all(type(entry) is Launch for entry in self.launches),
              "launches must be a tuple of Launch")  # fmt: skip
        need(len(self.launches) <= MAX_LAUNCHES,
              f"{len(self.launches)} launches in one call, at most {MAX_LAUNCHES}: do more work per kernel")  # fmt: skip
        need(len({entry.source for entry in self.launches}) <= MAX_SOURCES,
              f"more than {MAX_SOURCES} different sources in one call: put the kernels into one source")  # fmt: skip
        need(isinstance(self.scratch, Mapping), "scratch must map names to bytes")
        need(
            len(self.scratch) <= MAX_LAUNCHES,
            f"{len(self.scratch)} scratch tensors, at most {MAX_LAUNCHES}: reuse them",
        )
        for name, nbytes in self.scratch.items():
            identifier(name, "scratch name")
            integer(nbytes, f"bytes of {name}", 0, MAX_SCRATCH_BYTES)

    def buffers(self) -> set[str]:
        """Every buffer name that a launch uses, scratch included."""
        return {name for entry in self.launches for name in entry.buffers()}
