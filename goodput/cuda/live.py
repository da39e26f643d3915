"""Run one launch at once: on the GPU that holds the tensors, or on the emulator when they lie in CPU memory.

`call(device)` returns the place that `launch` puts a launch into: `buffer(tensor)` names its tensors,
`add(launch)` runs it. Compiled programs are kept for the life of the process, cubins also in the user's cache
folder. On a GPU `add` returns before the kernel is done, in torch's current stream; on the emulator it
returns when the tensors are written.
"""

from __future__ import annotations

import functools

import torch

from goodput.cuda.plan import Buffer, Launch
from goodput.cuda.storages import Storages


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
            name: emulator.BufferSpec(data=data.numpy(), writable=True) for name, data in memory.items()
        }
        done = emulator.run(_program(entry.source, entry.kernel), [entry], buffers, trace=False)
        if done.failure is not None:
            raise LaunchError(
                done.failure.kind, done.failure.text, {"kernel": entry.kernel, "line": done.failure.line}
            )
        for name, data in done.outputs.items():
            memory[name].copy_(torch.frombuffer(bytearray(data), dtype=torch.uint8))


def _bytes_of(tensor: torch.Tensor) -> torch.Tensor:
    """The whole storage behind a tensor, as bytes."""
    return torch.empty(0, dtype=torch.uint8).set_(tensor.untyped_storage())


@functools.cache
def _device(ordinal: int):
    from goodput.cuda.driver import Device

    return Device(ordinal)


@functools.cache
def _module(source: str, rdc: bool, ordinal: int):
    from goodput.cuda import cubin_cache, nvrtc
    from goodput.cuda.module import Module

    device = _device(ordinal)
    arch = nvrtc.architecture(device.capability)
    return Module(device, nvrtc.compile_cubin(source, arch, rdc=rdc, cache=cubin_cache.user_folder()).cubin)


@functools.cache
def _program(source: str, kernel: str):
    from goodput import emulator

    return emulator.build(source, [kernel])
