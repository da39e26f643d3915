"""Memory that the controller owns and an answer may use: inputs, poisoned outputs, guard bands.

`HostArena` lies in a memfd that is handed to a worker as a descriptor; `DeviceArena` in GPU memory handed over as an IPC
handle. Both show each call's slots as torch tensors and can say afterwards whether inputs or guards were touched. The
pristine inputs stay with the caller. Knows nothing of tasks and tolerances.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from grader.judge import POISON
from grader.layout import Layout, arrange
from grader.shared import sealed
from grader.task import Out
from grader.worker_torch import DeviceBytes, view

Values = Mapping[str, Any]  # name -> tensor or number


def lay_out(calls: Sequence[tuple[Values, Mapping[str, Out]]], lead: int = 0) -> Layout:
    """The layout of several calls, each with its inputs (strides kept) and outputs (contiguous)."""
    from grader.layout import contiguous

    described = []
    for inputs, outputs in calls:
        tensors = [(n, str(t.dtype).removeprefix("torch."), tuple(t.shape), tuple(t.stride()), False)
                   for n, t in inputs.items() if isinstance(t, torch.Tensor)]  # fmt: skip
        outs = [(n, o.dtype, o.shape, contiguous(o.shape), True) for n, o in outputs.items()]
        described.append(tensors + outs)
    return arrange(described, lead)


class Arena:
    """Common part: `flat` is a uint8 tensor over everything, `calls[k]` maps names to tensors."""

    def __init__(self, flat: torch.Tensor, layout: Layout):
        self.flat, self.layout = flat, layout
        self.calls = [{s.name: view(flat, s) for s in call} for call in layout.calls]

    def close(self) -> None:
        """Give the memory back; the tensors must not be used afterwards."""
        raise NotImplementedError

    def handle(self) -> bytes:
        """What another process needs to open GPU memory; host memory travels as a descriptor instead."""
        raise NotImplementedError

    def publish(self, call: int, inputs: Values) -> None:
        """Write fresh inputs and poison the outputs of one call."""
        for slot in self.layout.calls[call]:
            if slot.output:
                self.flat[slot.offset : slot.offset + slot.nbytes].fill_(POISON)
            else:
                self.calls[call][slot.name].copy_(inputs[slot.name])

    def poison_guards(self) -> None:
        for offset, length in self.layout.guards():
            self.flat[offset : offset + length].fill_(POISON)

    def first_broken_guard(self) -> tuple[str, int] | None:
        """Name of the slot before the first guard band that was written, and bytes past its end."""
        for offset, length in self.layout.guards():
            touched = self.flat[offset : offset + length] != POISON
            if bool(touched.any()):
                at = offset + int(touched.to(torch.uint8).argmax())
                slots = [s for call in self.layout.calls for s in call]
                before = [s for s in slots if s.offset + s.nbytes <= at]
                owner = max(before, key=lambda s: s.offset) if before else slots[0]
                return owner.name, at - (owner.offset + owner.nbytes) if before else at - owner.offset
        return None

    def changed_input(self, call: int, inputs: Values) -> str | None:
        """Name of an input whose bytes differ from the pristine one."""
        for slot in self.layout.calls[call]:
            if not slot.output:
                ours, pristine = self.calls[call][slot.name], inputs[slot.name]
                if not torch.equal(bits(ours), bits(pristine)):
                    return slot.name
        return None


def bits(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor's bytes, so that NaN equals NaN when they are the same bits."""
    return tensor.contiguous().flatten().view(torch.uint8)


class HostArena(Arena):
    def __init__(self, layout: Layout):
        self.fd = sealed("goodput-buffers", layout.nbytes)
        self.memory = mmap.mmap(self.fd, max(layout.nbytes, 1))
        super().__init__(torch.frombuffer(self.memory, dtype=torch.uint8), layout)
        self.poison_guards()

    def close(self) -> None:
        self.calls.clear()
        self.flat = torch.empty(0)
        os.close(self.fd)


class DeviceArena(Arena):
    """GPU memory taken with plain driver allocations: freed at once when closed, never kept by a caching allocator."""

    def __init__(self, layout: Layout):
        from goodput.cuda.driver import Device

        torch.empty(1, device="cuda")  # torch's primary context is the one that Device shares
        self.device = Device(torch.cuda.current_device())
        self.address = self.device.alloc_for_export(layout.nbytes)
        flat = torch.as_tensor(DeviceBytes(self.address, layout.nbytes), device="cuda")
        super().__init__(flat, layout)
        self.poison_guards()

    def handle(self) -> bytes:
        return self.device.export(self.address)

    def close(self) -> None:
        self.calls.clear()
        self.flat = torch.empty(0)
        torch.cuda.synchronize()
        self.device.free(self.address)
        self.device.close()
