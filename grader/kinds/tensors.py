"""PyTorch and Triton answers: the learner's Python runs on tensors over the controller's buffers.

Here the answer does share its process with the calls that are timed, so nothing that process says is believed: outputs are
read from poisoned buffers, inputs are compared with their originals, and the clock is the controller's (see windows.py).
"""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch

from goodput.cuda.nvrtc import architecture
from grader.buffers import Arena, HostArena, lay_out
from grader.checked import Checked
from grader.facts import Facts, Sass, settle
from grader.failures import FAILURES, Unanswered, explain
from grader.inputs import Call, build, derived_seed
from grader.intake import Answer
from grader.judge import compare, conclude
from grader.kinds import bad_input
from grader.kinds.cuda import load, references
from grader.processes import AnswerDied, Process, fields_of
from grader.session import Session
from grader.task import Case, Task
from grader.verdict import CaseResult, Diagnosis

CALLS_PER_CASE = 2


def check(task: Task, answer: Answer, session: Session) -> Checked:
    done = Checked()
    gpu = session.device == "cuda"
    began = time.perf_counter()
    with session.worker(task.kind, task.memory_mb, gpu=gpu) as worker:
        done.seconds["start"] = time.perf_counter() - began
        began = time.perf_counter()
        try:
            load(worker, task, answer)
            session.progress(task.name, "check")
            with ThreadPoolExecutor(
                1
            ) as pool:  # machine code is made in a process of its own while the cases run
                compiling = (
                    pool.submit(triton_facts, task, answer, session) if reads_machine_code(task) else None
                )
                for case in task.cases:
                    if not case.timed or gpu:
                        done.cases.append(check_case(worker, task, case, session))
                done.diagnosis = conclude(done.cases)
                facts = compiling.result() if compiling and done.diagnosis is None else None
            if done.diagnosis is None and task.evidence:
                facts = facts or graph_facts(worker, task, session)
                done.evidence, violated = settle(task.evidence, facts, session.device)
                if violated is not None:
                    done.fail(violated)
            if done.diagnosis is None:
                bad_input.check(worker, task, session, done)
        except Unanswered:
            raise
        except FAILURES as e:
            done.fail(explain(e))
        finally:
            done.printed = worker.printed()
        done.seconds["check"] = time.perf_counter() - began
    return done


def arena_for(calls: list[Call], session: Session, lead: int = 0) -> Arena:
    layout = lay_out([(c.inputs, c.outputs) for c in calls], lead)
    if session.device == "cuda":
        from grader.buffers import DeviceArena

        return DeviceArena(layout)
    return HostArena(layout)


def attach(worker: Process, key: str, arena: Arena) -> None:
    """Hand the arena's memory to a worker (descriptor on the host, IPC handle on a GPU)."""
    layout = arena.layout.to_json()
    if isinstance(arena, HostArena):
        worker.ask("attach", 20.0, fds=(arena.fd,), key=key, memory="memfd", layout=layout)
    else:
        worker.ask("attach", 20.0, body=arena.handle(), key=key, memory="ipc", layout=layout)


def returned_names(task: Task, call: Call) -> list[str] | None:
    return list(call.outputs) if task.returns else None


def check_case(worker: Process, task: Task, case: Case, session: Session) -> CaseResult:
    """Two calls with different values through the same worker; both must be right, inputs and guards untouched."""
    from grader.inputs import scaled

    if case.timed:
        case = scaled(task, case, session.memory_bytes, session.l2_bytes, CALLS_PER_CASE)
    calls = [
        build(task, case, session.device, derived_seed(session.seed, task.name, case.name, k))
        for k in range(CALLS_PER_CASE)
    ]
    arena = arena_for(calls, session)
    try:
        attach(worker, "case", arena)
        worst = 0.0
        for k, call in enumerate(calls):
            arena.publish(k, call.inputs)
            if session.device == "cuda":
                torch.cuda.synchronize()
            worker.ask(
                "run",
                task.limit_s,
                key="case",
                call=k,
                args=call.positional(task),
                returned=returned_names(task, call),
            )
            error, wrong = judge_call(arena, k, call, task)
            worst = max(worst, error or 0.0)
            if wrong is not None:
                worker.ask("detach", 10.0, key="case")
                return CaseResult(case.name, False, case.about, error, wrong)
        worker.ask("detach", 10.0, key="case")
    except FAILURES as e:
        return CaseResult(case.name, False, case.about, None, explain(e, case.name))
    finally:
        arena.close()
    return CaseResult(case.name, True, case.about, worst)


def judge_call(arena: Arena, k: int, call: Call, task: Task, original: Call | None = None
               ) -> tuple[float | None, Diagnosis | None]:  # fmt: skip
    """Outputs, guards and inputs of one finished call; `original` is the call before the answer packed its input."""
    name = call.case.name
    guard = arena.first_broken_guard()
    if guard is not None:
        return None, Diagnosis(
            "out of bounds", {"case": name, "buffer": guard[0], "bytes_past": guard[1], "access": "write"}
        )
    changed = arena.changed_input(k, call.inputs)
    if changed is not None:
        return None, Diagnosis("input modified", {"case": name, "buffer": changed})
    wanted = references(task, original or call)
    worst = 0.0
    for output in call.outputs:
        error, wrong = compare(arena.calls[k][output], wanted[output], task.allowed, name, output)
        worst = max(worst, error or 0.0)
        if wrong is not None:
            return error, wrong
    return worst, None


def reads_machine_code(task: Task) -> bool:
    return task.kind == "triton" and bool(task.evidence)


def evidence_call(task: Task, device: str, session: Session) -> Call:
    """The call that evidence is read from: the largest untimed case."""
    case = [c for c in task.cases if not c.timed][-1]
    return build(task, case, device, derived_seed(session.seed, task.name, "evidence"))


def graph_facts(worker: Process, task: Task, session: Session) -> Facts:
    """Graphs, operations and breaks that Dynamo makes of the answer."""
    call = evidence_call(task, session.device, session)
    arena = arena_for([call], session)
    try:
        arena.publish(0, call.inputs)
        attach(worker, "evidence", arena)
        reply, _ = worker.ask("graphs", 120.0, key="evidence", call=0, args=call.positional(task))
        worker.ask("detach", 10.0, key="evidence")
    finally:
        arena.close()
    facts = fields_of(reply, graphs=int, operations=list, breaks=list, capture_scalar_outputs=bool)
    if not all(type(n) is int for n in facts["operations"]):
        raise AnswerDied("field operations is not int")
    return Facts(extra=facts)


def triton_facts(task: Task, answer: Answer, session: Session) -> Facts:
    """Compile the answer's Triton kernels for named architectures without running them, in a worker of its own."""
    call = evidence_call(task, "cpu", session)
    arena = HostArena(lay_out([(call.inputs, call.outputs)]))
    with session.worker("triton_offline", task.memory_mb) as worker:
        try:
            load(worker, task, answer)
            arena.publish(0, call.inputs)
            worker.ask(
                "attach", 20.0, fds=(arena.fd,), key="evidence", memory="memfd", layout=arena.layout.to_json()
            )
            archs = [architecture(session.capability)] if session.device == "cuda" else list(task.sass_archs)
            reply, body = worker.ask(
                "triton_compile",
                120.0,
                max_body=64 << 20,
                key="evidence",
                args=call.positional(task),
                archs=archs,
            )
        finally:
            arena.close()
    facts = fields_of(reply, launches=int, torch_operations=list, resources=dict)
    return Facts(sass=_sass(body, facts.pop("resources"), archs), extra=facts)


def _sass(body: bytes, resources: dict[str, Any], archs: list[str]) -> Sass:
    """Machine code and resources as the worker says they are, for exactly the architectures that were asked for."""
    try:
        texts = json.loads(body)
        used = {a: [{str(k): int(v) for k, v in kernel.items()} for kernel in resources[a]] for a in archs}
        return Sass({a: "".join(texts[a]) for a in archs}, used)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as e:
        raise AnswerDied("malformed machine code") from e


class PythonSide:
    """One side of the race whose Python runs in its own worker, next to the calls that are timed."""

    def __init__(self, process: Process, task: Task, session: Session):
        self.process, self.task, self.session = process, task, session
        self.specs: list[list[tuple[str, Any]]] = []
        self.returned: list[str] | None = None

    def pack(self, call: Call) -> Call:
        return call

    def attach(self, arena: Arena, calls: list[Call]) -> None:
        attach(self.process, "race", arena)
        self.specs = [c.positional(self.task) for c in calls]
        self.returned = returned_names(self.task, calls[0])

    def start(self, seq: int, calls: int, warm: int) -> None:
        self.process.send(
            "window", key="race", seq=seq, calls=calls, warm=warm, args=self.specs, returned=self.returned
        )

    def detach(self) -> None:
        self.process.ask("detach", 30.0, key="race")

    def close(self) -> None:
        self.process.close()


FIRST_CALL_LIMIT_S = 180.0  # torch.compile and autotuning happen in the first call, outside every window


def windows(
    task: Task, answer: Answer, opponent: str | None, session: Session, case: Case, trusted: bool = False
) -> Any:
    """The race's clock for Python answers. `trusted` changes nothing: both sides need a process of their own to be timed."""
    from grader.windows import PairedWindows

    assert opponent is not None, f"{task.name}: a Python answer races against a baseline"

    def side(one: Answer) -> PythonSide:
        worker = session.worker(task.kind, task.memory_mb, gpu=session.device == "cuda")
        load(worker, task, one)
        if task.compiled:
            worker.ask("compile", task.limit_s)
        call = build(task, case, session.device, derived_seed(session.seed, "first call"))
        arena = arena_for([call], session)
        try:
            attach(worker, "first", arena)
            arena.publish(0, call.inputs)
            if session.device == "cuda":
                torch.cuda.synchronize()
            worker.ask(
                "run",
                FIRST_CALL_LIMIT_S,
                key="first",
                call=0,
                args=call.positional(task),
                returned=returned_names(task, call),
            )
            worker.ask("detach", 30.0, key="first")
        finally:
            arena.close()
        return PythonSide(worker, task, session)

    baseline, contestant = side(Answer(task.name, opponent)), side(answer)
    return PairedWindows(
        task, case, session, baseline, contestant, lambda calls, lead: arena_for(calls, session, lead)
    )
