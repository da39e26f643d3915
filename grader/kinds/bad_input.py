"""Does the answer refuse unusable input before it does anything?

Takes a loaded worker; each `BadInput` of the task must raise one of its exceptions. Trusted values, hostile function.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from grader.buffers import HostArena
from grader.checked import Checked
from grader.layout import ALIGN, GUARD, Layout, Slot, span_bytes
from grader.processes import AnswerError, Process
from grader.session import Session
from grader.task import Task
from grader.verdict import CaseResult, Diagnosis


def as_given(values: Mapping[str, Any]) -> Layout:
    """A layout that keeps what the values share: tensors of one storage overlap, and stay as (mis)aligned as they are."""
    at, starts, slots = GUARD, {}, []
    for name, value in values.items():
        if not isinstance(value, torch.Tensor):
            continue
        storage = value.untyped_storage()
        if storage._cdata not in starts:
            starts[storage._cdata] = at = -(-at // ALIGN) * ALIGN
            at += storage.nbytes() + GUARD
        dtype = str(value.dtype).removeprefix("torch.")
        shape, strides = tuple(value.shape), tuple(value.stride())
        offset = starts[storage._cdata] + value.storage_offset() * value.element_size()
        slots.append(Slot(name, offset, dtype, shape, strides, span_bytes(shape, strides, dtype), False))
    return Layout((tuple(slots),), at)


def check(worker: Process, task: Task, session: Session, done: Checked) -> None:
    for one in task.bad_inputs:
        values = dict(one.arguments())
        arena = HostArena(as_given(values))
        try:
            arena.publish(0, values)
            worker.ask(
                "attach", 10.0, fds=(arena.fd,), key="bad", memory="memfd", layout=arena.layout.to_json()
            )
            order = task.arguments or tuple(values)
            spec = [
                ("tensor", n) if isinstance(values[n], torch.Tensor) else ("number", values[n]) for n in order
            ]
            raised = None
            try:
                worker.ask("bad_input" if task.kind == "cuda" else "run", task.limit_s, key="bad", args=spec, call=0,
                           returned=[] if task.returns else None)  # fmt: skip
            except AnswerError as e:
                raised = e.error
            worker.ask("detach", 10.0, key="bad")
        finally:
            arena.close()
        bases = raised.get("bases", []) if raised else []
        ok = any(name in bases for name in one.raises)
        wrong = None
        if not ok:
            got = str(raised.get("type")) if raised else "nothing"
            facts = {"case": one.name, "got": got, "want": " or ".join(one.raises)}
            wrong = Diagnosis("bad input accepted", facts)
        done.cases.append(CaseResult(f"bad input: {one.name}", ok, "", None, wrong))
        if wrong is not None:
            done.fail(wrong)
            return
