"""Does the answer refuse unusable input before it does anything?

Takes a loaded worker; each `BadInput` of the task must raise one of its exceptions. Trusted values, hostile function.
"""

from __future__ import annotations

import torch

from grader.buffers import HostArena, lay_out
from grader.checked import Checked
from grader.processes import AnswerError, Process
from grader.session import Session
from grader.task import Task
from grader.verdict import CaseResult, Diagnosis


def check(worker: Process, task: Task, session: Session, done: Checked) -> None:
    for one in task.bad_inputs:
        values = dict(one.arguments())
        arena = HostArena(lay_out([(values, {})]))
        try:
            arena.publish(0, values)
            worker.ask("attach", 10.0, fds=(arena.fd,), key="bad", memory="memfd", layout=arena.layout.to_json())
            order = task.arguments or tuple(values)
            spec = [("tensor", n) if isinstance(values[n], torch.Tensor) else ("number", values[n]) for n in order]
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
