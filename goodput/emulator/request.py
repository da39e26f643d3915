"""The launches of one run as the 64-bit words that the program reads (runtime/main.cpp reads them in the same order).

Takes launch records, buffers and descriptors; returns bytes. What no kernel could be given - an unknown buffer, a range outside
its buffer, a cluster - raises `LaunchError` here.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence

from goodput.cuda.errors import LaunchError
from goodput.cuda.plan import Buffer, Launch, MapArg, Scalar
from goodput.emulator.build import Program

MAGIC = int.from_bytes(b"goodput1", "little")
NONE = 2**64 - 1
SCHEDULES = {"forward": 0, "backward": 1, "shuffled": 2}
_FORMATS = {  # kind of the parameter, packing
    "i32": ("i", "<i"), "u32": ("i", "<I"), "i64": ("i", "<q"), "u64": ("i", "<Q"), "f32": ("f", "<f"), "f64": ("f", "<d"),
}  # fmt: skip
MAX_BLOCKS = 1 << 24  # far above any case that a CPU can run


def pack(
    program: Program,
    launches: Sequence[Launch],
    sizes: Mapping[str, tuple[int, int | None, int | None, bool]],
    schedules: Sequence[tuple[str, int, int]],
    trace: bool,
    timeout_s: float,
) -> bytes:
    """`sizes`: name -> (bytes, offset in the input or None, offset in the output or None, writable);
    `schedules`: (name, report descriptor, base of its outputs)."""
    words = [MAGIC, max(1, int(timeout_s * 1000)), int(trace), len(schedules)]
    for name, report, base in schedules:
        words += [SCHEDULES[name], report, base]
    words.append(len(program.constants))
    for symbol in program.constants:
        words += [symbol.address, symbol.nbytes]
    words.append(len(sizes))
    for nbytes, given, wanted, writable in sizes.values():
        words += [nbytes, NONE if given is None else given, NONE if wanted is None else wanted, int(writable)]
    index = {name: i for i, name in enumerate(sizes)}
    words.append(len(launches))
    for launch in launches:
        words += _launch(program, launch, sizes, index)
    return struct.pack(f"<{len(words)}Q", *words)


def _launch(
    program: Program, launch: Launch, sizes: Mapping[str, tuple], index: Mapping[str, int]
) -> list[int]:
    facts = {"kernel": launch.kernel}
    if launch.kernel not in program.kernels:
        raise LaunchError("launch failed", f"the source has no kernel {launch.kernel}", facts)
    if launch.cluster is not None and math.prod(launch.cluster) > 1:
        raise LaunchError("not available", "clusters need a GPU of compute capability 9.0 or later", facts)
    if math.prod(launch.grid) > MAX_BLOCKS:
        raise LaunchError(
            "launch failed", f"{math.prod(launch.grid)} blocks are too many for the CPU model", facts
        )

    def place(name: str, offset: int, nbytes: int) -> list[int]:
        if name not in index:
            raise LaunchError("launch failed", f"no buffer is called {name}", facts)
        if offset + nbytes > sizes[name][0]:
            raise LaunchError(
                "out of bounds",
                f"the launch uses bytes {offset} to {offset + nbytes} of {name}, which has {sizes[name][0]}",
                facts,
            )
        return [index[name], offset]

    words = [program.kernels.index(launch.kernel), *launch.grid, *launch.block, launch.smem, len(launch.args)]
    for arg in launch.args:
        if isinstance(arg, Buffer):
            words += [0, *place(arg.name, arg.offset, 0)]
        elif isinstance(arg, Scalar):
            kind, form = _FORMATS[arg.ctype]
            raw = struct.pack(form, arg.value)
            words += [1, ord(kind), len(raw), int.from_bytes(raw, "little")]
        elif isinstance(arg, MapArg):
            columns, rows = arg.shape
            span = (rows - 1) * arg.strides_bytes[0] + columns * arg.item_bytes
            words += [
                2,
                *place(arg.buffer, arg.offset, span),
                arg.item_bytes,
                columns,
                rows,
                arg.strides_bytes[0],
                *arg.box,
                arg.swizzle,
            ]
    words.append(len(launch.constants))
    for name, constant in launch.constants.items():
        symbol = next((s for s in program.device if s.name == name), None)
        if symbol is None:
            raise LaunchError(
                "launch failed", f"the source has no __constant__ or __device__ variable {name}", facts
            )
        if constant.nbytes > symbol.nbytes:
            raise LaunchError(
                "launch failed",
                f"{name} has {symbol.nbytes} bytes, the launch fills {constant.nbytes}",
                facts,
            )
        words += [symbol.address, *place(constant.buffer, constant.offset, constant.nbytes), constant.nbytes]
    return words
