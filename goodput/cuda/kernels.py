"""What a learner writes in Python: name a kernel, launch it, describe a tensor map.

    double = kernel(SOURCE, "double_it")
    launch(double, grid=(n + 255) // 256, block=256, args=[x, out, n])

`launch` runs at once on what it is given: CUDA tensors on that GPU, in torch's current stream; CPU tensors on
the emulator. Inside `recording()` it only writes down what would run. Knows nothing of compilers, drivers or
grading.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from goodput.cuda import arguments, recorder
from goodput.cuda.limits import check_source

EMULATED_MULTIPROCESSORS = 8  # few, so that a kernel with one block per multiprocessor stays quick on a CPU
EMULATED_CAPABILITY = (9, 0)  # the emulator models bulk copies and tensor maps, which begin there
_KERNEL = re.compile(
    r"__global__\s+(?:(?:void|static|inline)\s+|__launch_bounds__\s*\([^)]*\)\s*)*(\w+)\s*\("
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True)
class Kernel:
    """One `extern "C" __global__` function of a CUDA C++ source; made by `kernel`, run by `launch`."""

    source: str
    name: str
    rdc: bool = False


def kernel(source: str, name: str, *, rdc: bool = False) -> Kernel:
    """The kernel called `name` in a CUDA C++ source. Nothing is compiled yet.

    `rdc=True` (relocatable device code) is for a source whose kernels launch other kernels with `<<< >>>`.
    Raises `ValueError` when the source has no kernel of that name.
    """
    check_source(source)
    if not isinstance(name, str):
        raise TypeError(
            f"the kernel's name must be a string, got {type(name).__name__}: kernel(SOURCE, 'name')"
        )
    code = _COMMENT.sub(" ", source)
    if not re.search(rf"\b{re.escape(name)}\b", code):
        found = kernel_names(source)
        there = f"use {' or '.join(found)}" if found else 'start one with extern "C" __global__ void'
        raise ValueError(f"the source has no kernel called {name!r}: {there}")
    return Kernel(source, name, bool(rdc))


def launch(
    kernel: Kernel,
    grid: int | Sequence[int],
    block: int | Sequence[int],
    args: Sequence[Any],
    *,
    smem: int = 0,
    cluster: int | Sequence[int] | None = None,
    cooperative: bool = False,
    pdl: bool = False,
    constants: Mapping[str, torch.Tensor] | None = None,
) -> None:
    """Run `kernel` on `grid` blocks of `block` threads; both are an int or up to three of them (x, y, z).

    args          tensors (their address), int (32-bit `int`), float (`float`), bool (`int`),
    `tensor_map(...)`, or a ctypes
                  number for other types: `ctypes.c_int64(n)` is a `long long`, `ctypes.c_double(v)` a
                  `double`
    smem          bytes of dynamic shared memory per block (`extern __shared__`)
    cluster       blocks per cluster; the grid must be a multiple of it
    cooperative   all blocks resident at once, so that `grid.sync()` works
    pdl           may start before the previous kernel ends; the kernel itself must wait for its data
    constants     `{"taps": tensor}` fills `__constant__ float taps[..]` before the launch

    Raises `TypeError` or `ValueError` for arguments that cannot be launched, `CompileError` with the lines of
    the source, `LaunchError` for what the GPU or the emulator reports.
    """
    if not isinstance(kernel, Kernel):
        raise TypeError(f"launch got {type(kernel).__name__}: make a kernel first, kernel(SOURCE, 'name')")
    device = arguments.one_device(args, constants or {})
    started = recorder.current()
    if started is None:
        from goodput.cuda import live

        started = live.call(device)
    entry = arguments.plan_launch(
        started, kernel.source, kernel.name, grid, block, args,
        smem=smem, cluster=cluster, cooperative=cooperative, pdl=pdl, constants=constants or {}, rdc=kernel.rdc,
    )  # fmt: skip
    started.add(entry)


def multiprocessors() -> int:
    """How many multiprocessors (SMs) the GPU that `launch` would use has; the emulator counts as 8."""
    started = recorder.current()
    if started is not None:
        return started.multiprocessors
    if torch.cuda.is_available():
        return torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
    return EMULATED_MULTIPROCESSORS


def compute_capability() -> tuple[int, int]:
    """(major, minor) of the GPU that `launch` would use, e.g. (9, 0), which is also what the emulator models."""
    started = recorder.current()
    if started is not None:
        return started.capability
    if torch.cuda.is_available():
        return torch.cuda.get_device_capability()
    return EMULATED_CAPABILITY


def kernel_names(source: str) -> list[str]:
    """The `__global__` functions that a source defines, in order."""
    return list(dict.fromkeys(_KERNEL.findall(_COMMENT.sub(" ", source))))
