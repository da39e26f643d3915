"""Shared by the emulator's tests: run one kernel on NumPy arrays and get arrays, counts and failure back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from goodput import emulator
from goodput.cuda.plan import Buffer, Launch, MapArg, Scalar
from goodput.emulator import BufferSpec, Run

CACHE = (
    Path(__file__).parent.parent / ".pytest_cache" / "emulator"
)  # by content: a second test run builds nothing
f32 = np.float32


def dim(value) -> tuple[int, int, int]:
    return (*np.atleast_1d(value).tolist(), 1, 1, 1)[:3]


def i64(value: int) -> Scalar:
    return Scalar("i64", value)


def argument(value):
    if isinstance(value, (Buffer, Scalar, MapArg)):
        return value
    if isinstance(value, str):
        return Buffer(value)
    return Scalar("f32", value) if isinstance(value, float) else Scalar("i32", int(value))


def call(source, kernel, grid, block, args, **attributes) -> Launch:
    """args: names of buffers, numbers, or records of the plan."""
    return Launch(source, kernel, dim(grid), dim(block), tuple(argument(a) for a in args), **attributes)


@dataclass(frozen=True)
class Emulated:
    run: Run
    arrays: dict[str, np.ndarray]

    @property
    def failure(self):
        return self.run.failure

    @property
    def counts(self):
        return self.run.counts

    def __getitem__(self, name: str) -> np.ndarray:
        assert self.run.failure is None, self.run.failure
        data = np.frombuffer(self.run.outputs[name], self.arrays[name].dtype)
        return data.reshape(self.arrays[name].shape)


def execute(source, kernels, launches, arrays, *, inputs=(), **options) -> Emulated:
    """Names in `inputs` must not be written."""
    program = emulator.build(source, kernels, cache=CACHE)
    buffers = {
        name: BufferSpec(np.ascontiguousarray(a).view(np.uint8).reshape(-1), name not in inputs, str(a.dtype))
        for name, a in arrays.items()
    }
    return Emulated(emulator.run(program, launches, buffers, **options), dict(arrays))


def kernel_names(source: str) -> list[str]:
    from goodput.cuda.kernels import kernel_names as names

    return list(names(source))


def one(source, kernel, grid, block, args, arrays, *, smem=0, **options) -> Emulated:
    """Build every kernel of the source once, run one."""
    return execute(
        source, kernel_names(source), [call(source, kernel, grid, block, args, smem=smem)], arrays, **options
    )


def poisoned(*shape) -> np.ndarray:
    return np.full(shape, np.nan, f32)
