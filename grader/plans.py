"""From a CUDA answer to its launch plan: ask the worker, check what comes back.

The worker runs the learner's Python on tensors without data; what returns is hostile text until `plan_json.from_json` and the
checks here accept it. `prepared` runs the untimed layout function of an answer once, on an index payload, and turns the
result into a permutation that the controller applies itself.
"""

from __future__ import annotations

import math
import mmap
import os
from dataclasses import dataclass, replace
from typing import Any

import torch

from goodput.cuda.plan import Buffer, Launch, MapArg, Plan, PlanError
from goodput.cuda.plan_json import from_json
from goodput.cuda.recorder import recording
from grader.inputs import Call
from grader.layout import ITEM_BYTES, contiguous
from grader.processes import AnswerDied, AnswerError, Process
from grader.shared import sealed
from grader.task import Task


@dataclass(frozen=True)
class Packing:
    """A layout chosen by the answer: `packed.flatten()[i]` is 4-byte word `order[i]` of the original."""

    argument: str  # name under which the packed tensor is passed
    source: str  # name of the input it replaces
    order: torch.Tensor  # int32, a permutation
    dtype: str
    shape: tuple[int, ...]

    def apply(self, call: Call) -> Call:
        """The call with the packed tensor in place of the original (shape only where the call has no data)."""
        if call.inputs[self.source].device.type == "meta":
            packed = torch.empty(self.shape, dtype=getattr(torch, self.dtype), device="meta")
            return replace(
                call,
                inputs={self.argument: packed, **{n: v for n, v in call.inputs.items() if n != self.source}},
            )
        words = call.inputs[self.source].contiguous().flatten().view(torch.int32)
        packed = (
            words[self.order.to(words.device).long()].view(getattr(torch, self.dtype)).reshape(self.shape)
        )
        rest = {n: v for n, v in call.inputs.items() if n != self.source}
        return replace(call, inputs={self.argument: packed, **rest})


class NotAPermutation(Exception):
    """The layout function changed, dropped or invented values."""


def packing(worker: Process, task: Task, call: Call, timeout_s: float) -> Packing | None:
    """The permutation behind the answer's `prepare` function, for the shape of this call."""
    if task.prepare is None:
        return None
    argument, source, original, count = _to_pack(task, call)
    fd = sealed(
        "goodput-packing", 8 * count
    )  # index payload, then the packed result; too large for a message
    try:
        with mmap.mmap(fd, max(8 * count, 1)) as memory:
            words = torch.frombuffer(memory, dtype=torch.int32)
            words[:count] = torch.arange(count, dtype=torch.int32)
            reply, _ = worker.ask("prepare", timeout_s, fds=(fd,), name=task.prepare, words=count,
                                  dtype=str(original.dtype).removeprefix("torch."), shape=list(original.shape))  # fmt: skip
            order = words[count:].clone().to(original.device)
            del words
    finally:
        os.close(fd)
    if not _is_permutation(order):
        raise NotAPermutation(task.prepare)
    shape, dtype = reply.get("shape"), reply.get("dtype")
    if (
        not isinstance(shape, list)
        or not isinstance(dtype, str)
        or not all(type(n) is int and n >= 0 for n in shape)
    ):
        raise AnswerDied("the packed tensor has no shape")
    if math.prod(shape) * ITEM_BYTES.get(dtype, 0) != 4 * count:
        raise AnswerDied("the shape of the packed tensor does not fit its words")
    return Packing(argument, source, order, dtype, tuple(shape))


def _is_permutation(order: torch.Tensor) -> bool:
    """Every index once: cheap enough for a quarter of a billion words, where sorting is not."""
    if bool((order < 0).any()) or bool((order >= order.numel()).any()):
        return False
    seen = torch.zeros(order.numel(), dtype=torch.bool, device=order.device)
    seen[order.long()] = True
    return bool(seen.all())


class TrustedPlanner:
    """Plans of a shipped answer (baseline, solution), made in this process: the course's own text is trusted."""

    def __init__(self, source: str, task: Task, sms: int, capability: tuple[int, int]):
        self.task, self.sms, self.capability = task, sms, capability
        self.namespace: dict[str, Any] = {"__name__": "shipped"}
        exec(compile(source, f"<shipped {task.name}>", "exec"), self.namespace)

    def __call__(self, call: Call) -> Plan:
        tensors = call.without_data().inputs
        outs = {
            n: torch.empty(o.shape, dtype=getattr(torch, o.dtype), device="meta")
            for n, o in call.outputs.items()
        }
        named = {n: outs[n] if n in outs else tensors[n] for n in self.task.arguments or (*tensors, *outs)}
        with recording(named, multiprocessors=self.sms, capability=self.capability) as started:
            self.namespace[self.task.name](*named.values())
        return started.plan()

    def packing(self, call: Call) -> Packing | None:
        if self.task.prepare is None:
            return None
        argument, source, original, count = _to_pack(self.task, call)
        payload = torch.arange(count, dtype=torch.int32).view(original.dtype).reshape(original.shape)
        packed = self.namespace[self.task.prepare](payload).contiguous()
        order = packed.flatten().view(torch.int32).to(original.device)
        return Packing(argument, source, order, str(packed.dtype).removeprefix("torch."), tuple(packed.shape))

    def close(self) -> None:
        self.namespace.clear()


class WorkerPlanner:
    """Plans of an answer that nobody trusts, made in its sandboxed worker."""

    def __init__(self, worker: Process, task: Task, sms: int, capability: tuple[int, int]):
        self.worker, self.task, self.sms, self.capability = worker, task, sms, capability

    def __call__(self, call: Call) -> Plan:
        return plan_of(self.worker, self.task, call, self.sms, self.capability)

    def packing(self, call: Call) -> Packing | None:
        return packing(self.worker, self.task, call, 120.0)

    def close(self) -> None:
        self.worker.close()


Planner = TrustedPlanner | WorkerPlanner


def _to_pack(task: Task, call: Call) -> tuple[str, str, torch.Tensor, int]:
    """(argument that receives the packed tensor, input it replaces, that input, its 4-byte words)."""
    (argument,) = [a for a in task.arguments if a not in call.inputs and a not in call.outputs]
    source = next(n for n, v in call.inputs.items() if isinstance(v, torch.Tensor))
    original = call.inputs[source]
    return argument, source, original, original.numel() * original.element_size() // 4


def plan_of(worker: Process, task: Task, call: Call, multiprocessors: int, capability: tuple[int, int],
            timeout_s: float = 30.0) -> Plan:  # fmt: skip
    """The launches that the answer asks for on this call. Raises AnswerError for what the answer raised."""
    arguments: dict[str, Any] = {}
    for name in task.arguments or (*call.inputs, *call.outputs):
        if name in call.outputs:
            out = call.outputs[name]
            arguments[name] = (
                "tensor",
                {"dtype": out.dtype, "shape": out.shape, "strides": contiguous(out.shape)},
            )
        elif isinstance(value := call.inputs[name], torch.Tensor):
            dtype = str(value.dtype).removeprefix("torch.")
            arguments[name] = (
                "tensor",
                {"dtype": dtype, "shape": tuple(value.shape), "strides": tuple(value.stride())},
            )
        else:
            arguments[name] = ("number", value)
    reply, _ = worker.ask(
        "plan", timeout_s, arguments=arguments, multiprocessors=multiprocessors, capability=capability
    )
    try:
        plan = from_json(reply.get("plan"))  # type: ignore[arg-type]  # it checks the type itself
        unknown = plan.buffers() - set(arguments) - set(plan.scratch)
        if unknown:
            raise PlanError(f"the plan names unknown buffers {sorted(unknown)[:3]}")
        if taken := set(arguments) & set(plan.scratch):
            raise PlanError(f"scratch has the names of arguments {sorted(taken)[:3]}")
        if (wanted_mb := sum(plan.scratch.values()) >> 20) > task.memory_mb:
            raise PlanError(
                f"out of memory: the plan needs {wanted_mb} MB of scratch, {task.memory_mb} are there"
            )
    except PlanError as e:
        raise AnswerError({"type": "PlanError", "text": str(e), "bases": ["PlanError", "ValueError"]}) from e
    return plan


def renamed(launch: Launch, suffix: str) -> Launch:
    """The same launch on buffers whose names carry a suffix, so that two calls can share one process."""
    args = tuple(
        replace(a, name=a.name + suffix) if isinstance(a, Buffer) else
        replace(a, buffer=a.buffer + suffix) if isinstance(a, MapArg) else a
        for a in launch.args
    )  # fmt: skip
    constants = {k: replace(c, buffer=c.buffer + suffix) for k, c in launch.constants.items()}
    return replace(launch, args=args, constants=constants)
