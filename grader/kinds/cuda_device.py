"""CUDA plans on a real GPU: correctness of every case, and the two sides of the race.

The device worker (trusted code plus the learner's kernels) runs plans on buffers that the controller allocated; the controller
looks at outputs, guards and inputs itself.
"""

from __future__ import annotations

from typing import Any

import torch

from goodput.cuda.nvrtc import architecture
from goodput.cuda.plan_json import to_json
from grader.buffers import Arena, DeviceArena, lay_out
from grader.checked import Checked
from grader.failures import FAILURES, explain
from grader.inputs import Call, build, derived_seed, scaled
from grader.intake import Answer
from grader.kinds import probes
from grader.plans import Packing, Planner, TrustedPlanner, WorkerPlanner, packing, plan_of
from grader.processes import AnswerError, Process
from grader.session import Session
from grader.task import Case, Task
from grader.verdict import CaseResult, Diagnosis
from grader.windows import PairedWindows

CALLS_PER_CASE = 2
RUN_LIMIT_S = 20.0  # the slowest kernel of the course takes 2 ms; an endless one must not hold the GPU


class PlanSide:
    """One side of the race: a planner and a device worker that runs its plans."""

    def __init__(self, planner: Planner, process: Process, session: Session, packed: Packing | None):
        self.planner, self.process, self.session, self.packed = planner, process, session, packed

    def pack(self, call: Call) -> Call:
        return self.packed.apply(call) if self.packed is not None else call

    def attach(self, arena: Arena, calls: list[Call]) -> None:
        assert isinstance(arena, DeviceArena)
        self.process.ask("attach", 30.0, body=arena.handle(), layout=arena.layout.to_json())
        made: dict[tuple[tuple[str, Any], ...], str] = {}  # calls of a block differ in their numbers at most
        plans = []
        for call in calls:
            numbers = tuple((n, v) for n, v in call.inputs.items() if not isinstance(v, torch.Tensor))
            if numbers not in made:
                made[numbers] = to_json(self.planner(call))
            plans.append(made[numbers])
        self.process.ask("plans", 60.0, plans=plans, arch=architecture(self.session.capability), timed=True)

    def start(self, seq: int, calls: int, warm: int) -> None:
        self.process.send("window", seq=seq, calls=calls, warm=warm)

    def detach(self) -> None:
        self.process.ask("detach", 30.0)

    def close(self) -> None:
        self.process.close()
        self.planner.close()


def check(planner: Process, task: Task, session: Session, done: Checked) -> None:
    """Run every case, the timed one included, on the GPU; append the results to `done.cases`."""
    agreed = bool(done.cases) and all(c.ok for c in done.cases)
    runner = session.worker("device", gpu=True)
    try:
        for case in task.cases:
            if case.only == "cpu":
                continue
            if case.timed:
                case = scaled(task, case, session.memory_bytes, session.l2_bytes, CALLS_PER_CASE)
            result = _check_case(planner, runner, task, case, session)
            if not result.ok and agreed and result.diagnosis and result.diagnosis.name == "mismatch":
                facts = result.diagnosis.facts | {"first": result.diagnosis.name}
                result = CaseResult(result.name, False, result.about, result.error,
                                    Diagnosis("correct on the CPU model only", facts))  # fmt: skip
            done.cases.append(result)
            if (not result.ok and runner.popen.poll() is not None) or _context_lost(result):
                runner.close()
                return
    finally:
        runner.close()


def _context_lost(result: CaseResult) -> bool:
    """After a sticky CUDA error every later call of this process fails too."""
    return result.diagnosis is not None and result.diagnosis.name in (
        "launch failed",
        "out of bounds",
        "timed out",
        "died",
    )


def _check_case(planner: Process, runner: Process, task: Task, case: Case, session: Session) -> CaseResult:
    from grader.kinds.tensors import judge_call

    calls = [
        build(task, case, "cuda", derived_seed(session.seed, task.name, case.name, "gpu", k))
        for k in range(CALLS_PER_CASE)
    ]
    try:
        pack = packing(planner, task, calls[0], task.limit_s)
        packed = [pack.apply(c) if pack is not None else c for c in calls]
        arena = DeviceArena(lay_out([(c.inputs, c.outputs) for c in packed]))
        try:
            runner.ask("attach", 30.0, body=arena.handle(), layout=arena.layout.to_json())
            plans = [
                to_json(plan_of(planner, task, c, session.multiprocessors, session.capability))
                for c in packed
            ]
            runner.ask("plans", 60.0, plans=plans, arch=architecture(session.capability), timed=False)
            worst = 0.0
            for k in range(CALLS_PER_CASE):
                arena.publish(k, packed[k].inputs)
                torch.cuda.synchronize()
                runner.ask("run", RUN_LIMIT_S, call=k)
                error, wrong = judge_call(arena, k, packed[k], task, original=calls[k])
                worst = max(worst, error or 0.0)
                if wrong is not None:
                    return CaseResult(case.name, False, case.about, error, wrong)
            runner.ask("detach", 30.0)
        finally:
            arena.close()
    except AnswerError as e:
        return CaseResult(case.name, False, case.about, None, _device_error(e, case.name))
    except FAILURES as e:
        return CaseResult(case.name, False, case.about, None, explain(e, case.name))
    return CaseResult(case.name, True, case.about, worst)


def _device_error(error: AnswerError, case: str) -> Diagnosis:
    text = str(error.error.get("text", ""))
    if "ILLEGAL_ADDRESS" in text or "illegal memory access" in text:
        return Diagnosis("out of bounds", {"case": case, "text": text[:300]})
    return explain(error, case)


def windows(task: Task, answer: Answer, opponent: str | None, session: Session, case: Case, trusted: bool = False
            ) -> PairedWindows:  # fmt: skip
    """The race's clock: `opponent` is the baseline's answer text, None for the copy probe of the task's bytes.

    `trusted` says that the answer is the course's own, which needs no worker to make its plans.
    """
    from grader.kinds.cuda import load

    sms, capability = session.multiprocessors, session.capability

    def side(planner: Planner) -> PlanSide:
        packed = planner.packing(build(task, case, "cuda", 0)) if planner.task.prepare else None
        return PlanSide(planner, session.worker("device", gpu=True), session, packed)

    rival = task if opponent is not None else probes.copy_task(task)
    baseline = side(TrustedPlanner(opponent or probes.COPY, rival, sms, capability))
    if trusted:
        contestant = side(TrustedPlanner(answer.source or "", task, sms, capability))
    else:
        worker = session.worker("cuda", task.memory_mb)
        load(worker, task, answer)
        contestant = side(WorkerPlanner(worker, task, sms, capability))
    return PairedWindows(task, case, session, baseline, contestant,
                         lambda calls, lead: DeviceArena(lay_out([(c.inputs, c.outputs) for c in calls], lead)))  # fmt: skip
