"""no_graph_breaks: no case hangs on how a sum was rounded, except the one whose sum is exact."""

from __future__ import annotations

import importlib

import pytest
import torch

TASKS = importlib.import_module("course.14_compilers_triton.tasks_graphs")
CASES = {case.name: case for case in TASKS.NO_GRAPH_BREAKS.cases}


def sums(case, seed):
    """The sum before each round, in float64."""
    rng = torch.Generator()
    rng.manual_seed(seed)
    x = TASKS.inputs(case, rng)["x"].double()
    found = []
    for _ in range(TASKS.ROUNDS):
        found.append(float(x.sum()))
        x = x + 1 if found[-1] > TASKS.LIMIT else x
        x = torch.sin(x) * 2.5 + 0.25
        x = torch.cos(x) + x
    return found


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("seed", range(5))
def test_no_sum_is_near_the_limit_unless_it_is_exactly_there(name, seed):
    found = sums(CASES[name], seed)
    if CASES[name].sizes.get("exact"):
        assert found.pop(0) == TASKS.LIMIT
    assert all(abs(one / TASKS.LIMIT - 1) > 0.05 for one in found if one == one)


def test_both_ways_are_taken_within_one_call_and_a_nan_takes_neither():
    found = sums(CASES["below at first, then above"], 0)
    assert min(found) < TASKS.LIMIT < max(found)
    assert all(one != one for one in sums(CASES["one NaN"], 0))
