"""Inputs of one call, made fresh from a secret seed; shapes of large cases scaled to the machine.

Takes a task, a case, a device and a seed; returns the values by name and the outputs to expect. Every verdict draws its seeds
from the operating system, so an answer has never seen what it is given. Knows nothing of workers.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch

from grader.task import Case, Out, Task

MEMORY_SHARE = 0.25  # of the GPU's memory for all inputs and outputs of a window (design, section 5)
L2_MULTIPLE = 5  # a call smaller than this many times the L2 cache would be timed in the cache


@dataclass(frozen=True)
class Call:
    """Values for one call (tensors and numbers by name) and the outputs that the controller must own."""

    case: Case
    inputs: Mapping[str, Any]
    outputs: Mapping[str, Out]

    @property
    def nbytes(self) -> int:
        tensors = sum(
            t.numel() * t.element_size() for t in self.inputs.values() if isinstance(t, torch.Tensor)
        )
        return tensors + sum(out_bytes(o) for o in self.outputs.values())

    def without_data(self) -> Call:
        """The same call with meta tensors: shapes, dtypes, strides and numbers, no memory."""
        kept = {n: torch.empty_strided(v.shape, v.stride(), dtype=v.dtype, device="meta") if isinstance(v, torch.Tensor) else v
                for n, v in self.inputs.items()}  # fmt: skip
        return replace(self, inputs=kept)

    def positional(self, task: Task) -> list[tuple[str, Any]]:
        """(kind, value) per argument in the task's order: a tensor by its name, a number by its value."""
        order = task.arguments or (*self.inputs, *(() if task.returns else self.outputs))
        spec: list[tuple[str, Any]] = []
        for name in order:
            value = self.inputs.get(name)
            is_number = name in self.inputs and not isinstance(value, torch.Tensor)
            spec.append(("number", value) if is_number else ("tensor", name))
        return spec


def out_bytes(out: Out) -> int:
    from grader.layout import ITEM_BYTES

    size = ITEM_BYTES[out.dtype]
    for n in out.shape:
        size *= n
    return size


def fresh_seed() -> int:
    return int.from_bytes(os.urandom(6), "little")


def build(task: Task, case: Case, device: str, seed: int) -> Call:
    """One call of `case` with values from `seed`."""
    generator = torch.Generator(device=device)
    generator.manual_seed(seed)
    assert task.inputs is not None and task.outputs is not None
    return Call(case, task.inputs(case, generator), task.outputs(case))


def derived_seed(seed: int, *parts: object) -> int:
    """Independent seeds for the calls of one verdict."""
    digest = hashlib.sha256(repr((seed, parts)).encode()).digest()
    return int.from_bytes(digest[:6], "little")


def scaled(task: Task, case: Case, memory_bytes: int, l2_bytes: int, calls: int = 2) -> Case:
    """The timed case, its scalable size halved until `calls` of them fit a quarter of the memory (never below 5 x L2)."""
    key = case.sizes.get("scale")
    if key is None or task.work is None:
        return case
    while True:
        outs = task.outputs(case) if task.outputs else {}
        need = calls * (task.work(case).bytes_moved + sum(out_bytes(o) for o in outs.values()))
        smaller = replace(case, sizes={**case.sizes, key: int(case.sizes[key]) // 2})
        if need <= MEMORY_SHARE * memory_bytes or task.work(smaller).bytes_moved < L2_MULTIPLE * l2_bytes:
            return case
        case = smaller
