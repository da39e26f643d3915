"""Count what a function's launches do to memory, on CPU tensors: `counts = count(transpose, x=x, out=out)`.

The function is recorded on tensors that hold no data, as `goodput.cuda.record` does, and its launches run on
the CPU model; its results are written to the tensors, so that they can be checked. Takes a function and its
arguments, returns `Counts`; raises `CompileError` or `LaunchError`. Times nothing and needs no GPU.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any

from goodput.cuda.errors import LaunchError
from goodput.emulator.build import Program, build
from goodput.emulator.report import Counts
from goodput.emulator.run import BufferSpec, run

if TYPE_CHECKING:
    import torch

FORWARD = (
    "forward",
)  # one order of threads: counts do not depend on it, and races are the grader's business


def count(function: Callable[..., Any], /, *, multiprocessors: int | None = None, **arguments: Any) -> Counts:
    """What all launches of `function(**arguments)` did together; tensors lie in CPU memory, other values pass.

    multiprocessors: what `goodput.cuda.multiprocessors()` answers in the function, by default the emulator's 8; with
    fewer, a kernel of one block per multiprocessor takes more turns on as much data.
    """
    import torch

    from goodput.cuda import record
    from goodput.cuda.kernels import EMULATED_CAPABILITY, EMULATED_MULTIPROCESSORS

    tensors = {name: value for name, value in arguments.items() if isinstance(value, torch.Tensor)}
    without_data = {name: value.to("meta") if name in tensors else value for name, value in arguments.items()}
    plan = record(
        function,
        without_data,
        multiprocessors=multiprocessors or EMULATED_MULTIPROCESSORS,
        capability=EMULATED_CAPABILITY,
    )
    memory = {name: _bytes_of(tensor) for name, tensor in tensors.items()}
    memory |= {name: torch.empty(nbytes, dtype=torch.uint8) for name, nbytes in plan.scratch.items()}
    counts = Counts()
    for source, group in groupby(plan.launches, key=lambda launch: launch.source):
        launches = list(group)
        used = {name for launch in launches for name in launch.buffers()}
        buffers = {name: BufferSpec(memory[name].numpy()) for name in used}
        done = run(_program(source), launches, buffers, schedules=FORWARD)
        if done.failure is not None:
            raise LaunchError(done.failure.kind, done.failure.text, {"kernel": launches[0].kernel})
        for name, data in done.outputs.items():
            if data:
                memory[name].copy_(torch.frombuffer(bytearray(data), dtype=torch.uint8))
        counts += done.counts
    return counts


def _bytes_of(tensor: torch.Tensor) -> torch.Tensor:
    """The bytes of a contiguous tensor that begins where its memory begins; a record of it sees the same offsets."""
    import torch

    if not tensor.is_contiguous() or tensor.storage_offset():
        raise ValueError(
            "count needs contiguous tensors that are not views: call .contiguous() or .clone() first"
        )
    return tensor.view(-1).view(torch.uint8)


@cache
def _program(source: str) -> Program:
    from goodput.cuda.kernels import kernel_names

    return build(source, kernel_names(source))
