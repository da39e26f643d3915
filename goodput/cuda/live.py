"""Run one launch at once: on the GPU that holds the tensors, or on the emulator when they lie in CPU memory.

`call(device)` returns the place that `launch` puts a launch into: `buffer(tensor)` names its tensors,
`add(launch)` runs it. Compiled programs are kept for the life of the process, cubins also in the user's cache
folder. On a GPU `add` returns before the kernel is done, in torch's current stream; on the emulator it
returns when the tensors are written.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import torch

from goodput.cuda.plan import Buffer, Launch
from goodput.cuda.storages import Storages

if TYPE_CHECKING:
    from goodput.cuda.driver import Device
    from goodput.cuda.module import Module
    from goodput.emulator import Failure, Program


def call(device: torch.device) -> GpuCall | EmulatedCall:
    if device.type == "cuda":
        return GpuCall(device)
    if device.type == "cpu":
        return EmulatedCall()
    raise ValueError(f"launch cannot run on {device}: use CUDA tensors, CPU tensors, or record the call")


class GpuCall:
    """A launch on the GPU of its tensors, in torch's context and current stream."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._storages = Storages({})

    def buffer(self, tensor: torch.Tensor) -> Buffer:
        return self._storages.buffer(tensor, f"tensor{len(self._storages.tensors)}")

    def add(self, entry: Launch) -> None:
        from goodput.cuda.prepared import Prepared

        with torch.cuda.device(self._device):  # the driver calls below change the current device
            device, module = _device(self._device.index), _module(entry.source, entry.rdc, self._device.index)
            addresses = {name: t.untyped_storage().data_ptr() for name, t in self._storages.tensors.items()}
            stream = torch.cuda.current_stream().cuda_stream
            Prepared(device, [entry], {entry.source: module}, addresses, stream).run()


class EmulatedCall:
    """A launch on the emulator, which tries several orders of threads and raises `LaunchError` for what it finds."""

    def __init__(self) -> None:
        self._storages = Storages({})

    def buffer(self, tensor: torch.Tensor) -> Buffer:
        return self._storages.buffer(tensor, f"tensor{len(self._storages.tensors)}")

    def add(self, entry: Launch) -> None:
        from goodput import emulator
        from goodput.cuda.errors import LaunchError

        memory = {name: _bytes_of(tensor) for name, tensor in self._storages.tensors.items()}
        buffers = {
            name: emulator.BufferSpec(memory[name].numpy(), dtype=str(tensor.dtype).removeprefix("torch."))
            for name, tensor in self._storages.tensors.items()
        }
        done = emulator.run(_program(entry.source, entry.kernel), [entry], buffers)
        if done.printed:
            print(done.printed, end="")
        if done.failure is not None:
            raise LaunchError(
                done.failure.kind, done.failure.text, _facts(done.failure) | {"kernel": entry.kernel}
            )
        for name, data in done.outputs.items():
            if data:
                memory[name].copy_(torch.frombuffer(bytearray(data), dtype=torch.uint8))


def _facts(failure: Failure) -> dict[str, object]:
    """What is known about where it happened; "tensor0" is the first tensor among the arguments."""
    names = ("line", "block", "thread", "other_line", "other_thread", "buffer", "offset", "schedule")
    return {name: value for name in names if (value := getattr(failure, name)) not in (None, "")}


def _bytes_of(tensor: torch.Tensor) -> torch.Tensor:
    """The whole storage behind a tensor, as bytes."""
    return torch.empty(0, dtype=torch.uint8).set_(tensor.untyped_storage())


@functools.cache
def _device(ordinal: int) -> Device:
    from goodput.cuda.driver import Device

    return Device(ordinal)


@functools.cache
def _module(source: str, rdc: bool, ordinal: int) -> Module:
    from goodput.cuda import cubin_cache, nvrtc
    from goodput.cuda.module import Module

    device = _device(ordinal)
    arch = nvrtc.architecture(device.capability)
    return Module(device, nvrtc.compile_cubin(source, arch, rdc=rdc, cache=cubin_cache.user_folder()).cubin)


@functools.cache
def _program(source: str, kernel: str) -> Program:
    from goodput import emulator
    from goodput.cuda.kernels import kernel_names

    return emulator.build(source, sorted({kernel, *kernel_names(source)}))
