"""CUDA C++ answers: plan, compile, emulate, and (on a GPU) run the plan on real hardware.

`check(task, answer, session)` decides correctness; `windows(...)` gives the race its clock. The learner's Python only makes
launch plans; what is run and timed is the learner's CUDA C++ under trusted code. The emulator judges on every machine with a
C++ compiler, because it sees races and stray accesses that a lucky run on a GPU hides; the GPU then confirms.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch

from goodput.cuda.nvrtc import architecture
from goodput.cuda.plan import Plan
from grader.checked import Checked
from grader.facts import Facts, settle
from grader.failures import FAILURES, Unanswered, explain
from grader.inputs import Call, build, derived_seed
from grader.intake import Answer
from grader.judge import compare, conclude
from grader.kinds import bad_input
from grader.kinds.emulated import Emulated, Emulation, EmulatorMissing
from grader.kinds.machine_code import compile_plan
from grader.plans import NotAPermutation, Packing, packing, plan_of
from grader.processes import Process
from grader.session import EMULATED_CAPABILITY, EMULATED_SMS, CannotGrade, Session
from grader.task import Case, Task
from grader.verdict import CaseResult, Diagnosis

CALLS_PER_CASE = 2  # in one process, with different values: an answer that keeps the last result is caught


def load(worker: Process, task: Task, answer: Answer) -> None:
    cells = [[f"helper {i + 1}", h] for i, h in enumerate(answer.helpers)] + [["answer", answer.source]]
    worker.ask("load", task.limit_s, cells=cells, function=task.name)


def check(task: Task, answer: Answer, session: Session) -> Checked:
    done = Checked()
    started = time.perf_counter()
    with session.worker("cuda", task.memory_mb) as worker:
        try:
            done.seconds["start"] = time.perf_counter() - started
            load(worker, task, answer)
            _check_loaded(worker, task, session, done)
        except Unanswered:
            raise
        except FAILURES as e:
            done.fail(explain(e))
        finally:
            done.printed = worker.printed()
    return done


def _check_loaded(worker: Process, task: Task, session: Session, done: Checked) -> None:
    emulated_cases = [c for c in task.cases if not c.timed and c.only != "cuda"]
    largest = emulated_cases[-1].name  # its counts are evidence, so it is called once; the others twice
    calls = {c.name: [build(task, c, "cpu", derived_seed(session.seed, task.name, c.name, k))
                      for k in range(1 if c.name == largest else CALLS_PER_CASE)] for c in emulated_cases}  # fmt: skip
    try:
        planned = {name: _plans(worker, task, group) for name, group in calls.items()}
    except NotAPermutation as e:
        done.fail(
            Diagnosis(
                "rule broken",
                {
                    "rule": {
                        "es": f"{e} solo puede mover palabras de 4 bytes: el resultado debe ser una permutación",
                        "en": f"{e} may only move 4-byte words: its result must be a permutation",
                    }
                },
            )
        )
        return
    session.progress(task.name, "compile")
    began = time.perf_counter()
    plan = planned[largest][0][1]
    archs = (architecture(session.capability),) if session.device == "cuda" else task.sass_archs
    with ThreadPoolExecutor(1) as pool:  # the two compilers run side by side, each in its own process
        building = pool.submit(_build, session, plan, task, done)
        sass, failure = compile_plan(session, plan, archs)
        emulated = building.result()
    if failure is not None:
        done.diagnosis = (
            failure  # nvcc's own words are what the learner will see elsewhere; g++ is only our stand-in
        )
    if done.diagnosis is not None:
        return
    done.seconds["compile"] = time.perf_counter() - began
    session.progress(task.name, "check")
    began = time.perf_counter()
    counts = None
    if emulated is not None:
        counts = _emulate(emulated, task, calls, planned, largest, done)
    if done.diagnosis is None and session.device == "cuda":
        from grader.kinds import cuda_device

        cuda_device.check(worker, task, session, done)
    done.diagnosis = done.diagnosis or conclude(done.cases)
    if done.diagnosis is None:
        done.evidence, violated = settle(task.evidence, Facts(counts=counts, sass=sass), session.device)
        if violated is not None:
            done.fail(violated)
    if done.diagnosis is None:
        bad_input.check(worker, task, session, done)
    done.seconds["check"] = time.perf_counter() - began


def _plans(worker: Process, task: Task, group: list[Call]) -> list[tuple[Call, Plan]]:
    """Each call with the packing applied and the plan the answer made for it."""
    pack = packing(worker, task, group[0], task.limit_s)
    out = []
    for call in group:
        packed = pack.apply(call) if isinstance(pack, Packing) else call
        out.append((packed, plan_of(worker, task, packed, EMULATED_SMS, EMULATED_CAPABILITY)))
    return out


def _build(session: Session, plan: Plan, task: Task, done: Checked) -> Emulated | None:
    if not task.emulate:
        return None
    try:
        return Emulated.build(session, plan)
    except EmulatorMissing as e:
        if session.device == "cpu":
            raise CannotGrade("no emulator", reason=str(e)) from e
        done.notes.append("no emulator")
        return None
    except FAILURES as e:
        done.fail(explain(e))
        return None


def _emulate(emulated: Emulated, task: Task, calls: dict[str, list[Call]], planned: dict[str, list[tuple[Call, Plan]]],
             largest: str, done: Checked) -> Any:  # fmt: skip
    """Run every case on the emulator, in one process per case; returns the counts of the largest case."""
    counts = None
    for case in (c for c in task.cases if c.name in calls):
        result = emulated.run(planned[case.name], task.limit_s)
        if case.name == largest:
            counts = result.counts
        done.cases.append(_judge_case(task, case, calls[case.name], result))
        if result.failure is not None and result.failure.name not in ("out of bounds", "race"):
            break  # a hang or a death would repeat in every case
    return counts


def _judge_case(task: Task, case: Case, originals: list[Call], result: Emulation) -> CaseResult:
    if result.failure is not None:
        facts = {"case": case.name, **result.failure.facts}
        return CaseResult(case.name, False, case.about, None, Diagnosis(result.failure.name, facts))
    worst = 0.0
    for k, original in enumerate(originals):
        wanted = references(task, original)
        for name, out in original.outputs.items():
            got = result.output(k, name, out)
            error, wrong = compare(got, wanted[name], task.allowed, case.name, name)
            worst = max(worst, error or 0.0)
            if wrong is not None:
                return CaseResult(case.name, False, case.about, error, wrong)
    return CaseResult(case.name, True, case.about, worst)


def references(task: Task, call: Call) -> dict[str, torch.Tensor]:
    """The trusted result of one call, by output name."""
    assert task.reference is not None, f"{task.name} has outputs but no reference"
    value = task.reference(**call.inputs)
    return {next(iter(call.outputs)): value} if isinstance(value, torch.Tensor) else dict(value)


def windows(*arguments: Any, **options: Any) -> Any:
    """The race's clock on a GPU (see cuda_device.windows)."""
    from grader.kinds import cuda_device

    return cuda_device.windows(*arguments, **options)
