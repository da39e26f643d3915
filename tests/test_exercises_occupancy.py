"""occupancy_limits: in every group of tuples the rule that names it decides, so an answer without it cannot pass."""

from __future__ import annotations

import importlib

import pytest

from goodput.occupancy import LIMITS, RESOURCES, blocks_by_resource, blocks_per_sm
from grader import course

TASKS = importlib.import_module("course.06_gpu_architecture.tasks")


def without(rule, registers, shared_bytes, threads, cc):
    """Blocks and limiter where one rule is forgotten."""
    by = blocks_by_resource(registers, shared_bytes, threads, cc)
    sm, warps = LIMITS[cc], -(-threads // 32)
    if rule == "register portions":
        by["registers"] = 65536 // (registers * threads)
    elif rule == "quarters of the registers":
        by["registers"] = 65536 // (-(-registers * 32 // 256) * 256) // warps
    elif rule == "reserved kilobyte":
        by["shared"] = sm.shared_bytes // (-(-shared_bytes // 128) * 128)
    elif rule == "most blocks":
        by["blocks"] = None
    elif rule == "whole warps":
        by["threads"] = sm.threads // threads
    blocks, _, limiter = min((by[name], i, name) for i, name in enumerate(RESOURCES) if by[name] is not None)
    return blocks, limiter


@pytest.mark.parametrize(
    "rule",
    ["register portions", "quarters of the registers", "reserved kilobyte", "most blocks", "whole warps"],
)
def test_the_rule_decides_every_tuple_of_its_group(rule):
    for one in TASKS.GROUPS[rule]:
        fit = blocks_per_sm(*one)
        assert without(rule, *one) != (fit.blocks, fit.limiter), one


def test_every_tie_is_one():
    for one in TASKS.GROUPS["ties"]:
        by = [count for count in blocks_by_resource(*one).values() if count is not None]
        assert by.count(min(by)) >= 2, one


def test_every_group_has_twelve_tuples_and_all_capabilities_occur():
    assert {len(tuples) for tuples in TASKS.GROUPS.values()} == {12}
    assert {one[3] for tuples in TASKS.GROUPS.values() for one in tuples} == set(LIMITS)


def test_the_shipped_table_is_the_workbench_s():
    source = course.solution(course.task("occupancy_limits"))
    namespace: dict = {}
    exec(source, namespace)
    table = {cc: (sm.threads, sm.blocks, sm.shared_bytes) for cc, sm in LIMITS.items()}
    assert namespace["LIMITS"] == table
