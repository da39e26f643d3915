"""What the second half of chapter 07 promises beyond a verdict: better variants and baselines are right, call after call,
and the counts that its prose quotes hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
import torch
from emulating import CACHE

from goodput import emulator
from goodput.cuda.recorder import record
from goodput.emulator import BufferSpec, Counts
from grader import course
from grader.judge import compare
from grader.plans import renamed
from grader.task import Case, Task

SLUGS = ("warp_row_reduce", "async_row_ring", "const_taps_fir", "tma_transpose")
# one shape with every kind of remainder, small enough for a second on the emulator
SIZES = {
    "warp_row_reduce": {"rows": 9, "columns": 1057},
    "async_row_ring": {"rows": 31},
    "const_taps_fir": {"n": 2091},
    "tma_transpose": {"M": 1153, "N": 36},
}
MULTIPROCESSORS = 4
CALLS = 2  # in one process: what a kernel leaves in a __device__ variable meets the next call


def texts(slug: str) -> dict[str, str]:
    task = course.task(slug)
    return {"baseline": course.baseline(task), "solution": course.solution(task)} | course.variants(task)


ANSWERS = [(slug, name) for slug in SLUGS for name in texts(slug)]


@dataclass(frozen=True)
class Called:
    counts: Counts
    errors: list[Any]  # diagnoses of the outputs of every call; empty when all are right


def call(slug: str, name: str, sizes: dict[str, int] | None = None) -> Called:
    """Run a shipped answer on the emulator, several calls with different values in one process."""
    task, case = course.task(slug), Case("", sizes or SIZES[slug])
    space: dict[str, Any] = {}
    exec(compile(texts(slug)[name], f"{slug}, {name}", "exec"), space)
    inputs = [task.inputs(case, torch.Generator().manual_seed(seed)) for seed in range(CALLS)]
    launches, buffers = [], {}
    for k, values in enumerate(inputs):
        plan = record(
            lambda **named: space[slug](*named.values()),
            meta(task, case, values),
            multiprocessors=MULTIPROCESSORS,
        )
        launches += [renamed(one, f"_{k}") for one in plan.launches]
        for argument, value in values.items():
            if isinstance(value, torch.Tensor):
                buffers[f"{argument}_{k}"] = BufferSpec(value.view(torch.uint8).numpy(), writable=False)
        for argument, out in task.outputs(case).items():
            empty = torch.full(out.shape, -1).to(getattr(torch, out.dtype)).view(torch.uint8)
            buffers[f"{argument}_{k}"] = BufferSpec(empty.numpy(), dtype=out.dtype)
    program = emulator.build(launches[0].source, [launches[0].kernel], cache=CACHE)
    run = emulator.run(program, launches, buffers)
    assert run.failure is None, run.failure
    errors = [error for k, values in enumerate(inputs) for error in wrong(task, case, values, run.outputs, k)]
    return Called(run.counts, errors)


def meta(task: Task, case: Case, values: dict[str, Any]) -> dict[str, Any]:
    outs = {n: torch.empty(o.shape, dtype=getattr(torch, o.dtype)) for n, o in task.outputs(case).items()}
    named = {n: (values | outs)[n] for n in task.arguments}
    return {n: v.to("meta") if isinstance(v, torch.Tensor) else v for n, v in named.items()}


def wrong(task: Task, case: Case, values: dict[str, Any], outputs: dict[str, bytes], k: int) -> list[Any]:
    wanted = task.reference(**values)
    if isinstance(wanted, torch.Tensor):
        wanted = {"out": wanted}
    found = []
    for name, out in task.outputs(case).items():
        got = torch.frombuffer(bytearray(outputs[f"{name}_{k}"]), dtype=getattr(torch, out.dtype)).reshape(
            out.shape
        )
        found.append(compare(got, wanted[name], task.tolerance, f"call {k}", name)[1])
    return [diagnosis for diagnosis in found if diagnosis is not None]


@pytest.mark.parametrize(("slug", "name"), ANSWERS)
def test_every_shipped_answer_is_right_call_after_call(slug: str, name: str) -> None:
    assert call(slug, name).errors == []


def test_a_row_without_a_multiple_of_four_columns_is_still_loaded_16_bytes_at_a_time() -> None:
    counts = call("warp_row_reduce", "solution").counts
    rows = CALLS * SIZES["warp_row_reduce"]["rows"]
    # 1057 floats are 9 rounds of 128 at most, and a request for each end
    assert counts.widest_load_bytes == 16 and counts.load_requests <= rows * (9 + 2)
    assert counts.shared_load_requests == counts.shared_store_requests == 0


@pytest.mark.parametrize(("name", "loads"), [("baseline", 34), ("solution", 17), ("register_window", 1.25)])
def test_the_filter_costs_the_loads_per_result_that_its_text_names(name: str, loads: float) -> None:
    outputs = 4096
    counts = call("const_taps_fir", name, {"n": outputs + 16}).counts
    assert counts.load_requests == CALLS * loads * outputs / 32
    assert counts.shared_load_requests == 0 and counts.constant_words_per_request in (None, 1)


def test_the_ring_leaves_three_rows_in_flight_and_the_baseline_none() -> None:
    assert call("async_row_ring", "solution").counts.min_groups_in_flight == 3
    assert call("async_row_ring", "baseline").counts.min_groups_in_flight is None


@pytest.mark.parametrize("name", ["wide_stores", "square_waves"])
def test_wide_stores_fill_their_sectors_and_read_without_conflicts(name: str) -> None:
    counts = call("tma_transpose", name, {"M": 256, "N": 64}).counts
    assert counts.widest_store_bytes == 16 and counts.load_requests == 0
    assert counts.store_sectors == counts.store_sectors_ideal
    assert counts.shared_load_wavefronts_per_request == 1
