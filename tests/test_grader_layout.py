"""Memory that answers get: where it lies, what guards it, and what a worker can do to it."""

from __future__ import annotations

import json
import mmap
import os
from dataclasses import replace

import pytest
import torch

from goodput.cuda.plan import Buffer, Launch, Plan, PlanError
from goodput.cuda.plan_json import to_json
from grader import plans
from grader.buffers import HostArena, lay_out
from grader.inputs import Call
from grader.judge import POISON
from grader.layout import ALIGN, GUARD, Layout, arrange, contiguous, span_bytes
from grader.processes import AnswerDied, AnswerError
from grader.shared import sealed
from grader.task import Case, Out, Points, Task

CASE = Case("n = 5", {"n": 5})
TASK = Task(
    name="copy",
    chapter="07",
    kind="cuda",
    points=Points(1),
    core=True,
    minutes=1,
    cases=(CASE,),
    memory_mb=64,
)


def values() -> dict:
    strided = torch.randn(4, 6)[:, ::2]
    return {
        "x": torch.randn(5, 3),
        "strided": strided,
        "none": torch.empty(0, 4),
        "flags": torch.tensor([True, False]),
    }


OUTS = {"y": Out((3, 5), "bfloat16"), "count": Out((), "int64")}


def test_every_slot_has_a_guard_on_both_sides_and_none_overlap() -> None:
    layout = lay_out([(values(), OUTS), (values(), OUTS)])
    slots = [s for call in layout.calls for s in call]
    assert (
        layout.guards()[0][0] == 0
        and sum(n for _, n in layout.guards()) + sum(s.nbytes for s in slots) == layout.nbytes
    )
    for slot in slots:
        assert slot.offset % ALIGN == 0
        assert not slot.nbytes or any(o + n == slot.offset and n >= GUARD for o, n in layout.guards())
    assert layout.guards()[-1][1] >= GUARD


def test_a_layout_survives_json_and_a_lead_moves_all_of_it() -> None:
    layout = lay_out([(values(), OUTS)], lead=3 * ALIGN + 5)
    assert Layout.from_json(json.loads(json.dumps(layout.to_json()))) == layout
    plain = lay_out([(values(), OUTS)])
    assert {a.offset - b.offset for a, b in zip(layout.calls[0], plain.calls[0], strict=True)} == {3 * ALIGN}


def test_spans_count_from_the_first_to_the_last_element() -> None:
    assert span_bytes((4, 3), (6, 2), "float32") == 4 * (3 * 6 + 2 * 2 + 1)
    assert (span_bytes((), (), "int64"), span_bytes((0, 9), (9, 1), "int8")) == (8, 0)
    assert contiguous((2, 0, 3)) == (3, 3, 1)
    assert arrange([]).nbytes == GUARD


@pytest.fixture
def arena():
    made = HostArena(lay_out([(values(), OUTS)]))
    yield made
    made.close()


def test_inputs_are_published_with_their_strides_and_outputs_poisoned(arena) -> None:
    inputs = values()
    arena.publish(0, inputs)
    for name, value in inputs.items():
        mine = arena.calls[0][name]
        assert torch.equal(mine, value) and (value.numel() == 0 or mine.stride() == value.stride())
    assert torch.isnan(arena.calls[0]["y"]).all() and int(arena.calls[0]["count"]) == -1
    assert arena.first_broken_guard() is None and arena.changed_input(0, inputs) is None


@pytest.mark.parametrize("name, past", [("x", 0), ("strided", 7), ("y", GUARD - 1), ("count", 100)])
def test_one_byte_past_a_slot_is_found_and_named(arena, name: str, past: int) -> None:
    arena.publish(0, values())
    slot = next(s for s in arena.layout.calls[0] if s.name == name)
    arena.flat[slot.offset + slot.nbytes + past] = POISON ^ 1
    assert arena.first_broken_guard() == (name, past)


def test_one_byte_before_the_first_slot_is_found(arena) -> None:
    arena.flat[arena.layout.calls[0][0].offset - 1] = 0
    assert arena.first_broken_guard() == ("x", -1)


def test_a_changed_input_is_found_by_its_bits_and_nan_is_no_wildcard(arena) -> None:
    inputs = values()
    inputs["x"][0, 0] = float("nan")
    arena.publish(0, inputs)
    assert arena.changed_input(0, inputs) is None
    arena.calls[0]["strided"][1, 1] += 1
    assert arena.changed_input(0, inputs) == "strided"
    arena.publish(0, inputs)
    arena.calls[0]["x"].view(torch.int32)[0, 0] ^= 1
    assert arena.changed_input(0, inputs) == "x"


def test_shared_memory_can_be_written_and_neither_shortened_nor_grown() -> None:
    fd = sealed("test", 4096)
    with mmap.mmap(fd, 4096) as memory:
        memory[:3] = b"abc"
        for size in (0, 100, 8192):
            with pytest.raises(PermissionError):
                os.ftruncate(fd, size)
        assert memory[:3] == b"abc"
    os.close(fd)


def test_the_arena_of_a_worker_is_sealed(arena) -> None:
    with pytest.raises(PermissionError):
        os.ftruncate(arena.fd, 0)


class Says:
    """Stands for a worker that replies with what a test says."""

    def __init__(self, reply: dict, order: list[int] | None = None):
        self.answer, self.order = reply, order

    def ask(self, op: str, timeout_s: float, fds: tuple[int, ...] = (), **fields):
        if self.order is not None:
            os.pwrite(
                fds[0], torch.tensor(self.order, dtype=torch.int32).numpy().tobytes(), 4 * fields["words"]
            )
        return self.answer, b""


def call(n: int = 4) -> Call:
    return Call(CASE, {"x": torch.randn(n)}, {"out": Out((n,), "float32")})


def plan(scratch: dict[str, int] | None = None, buffer: str = "x") -> str:
    source = 'extern "C" __global__ void copy(const float* x) {}'
    return to_json(Plan((Launch(source, "copy", (1, 1, 1), (1, 1, 1), (Buffer(buffer),)),), scratch or {}))


@pytest.mark.parametrize("reply, text", [
    ({}, "JSON text"), ({"plan": 7}, "JSON text"), ({"plan": "{}"}, "exactly the keys"),
    ({"plan": plan(buffer="secret")}, "unknown"),
    ({"plan": plan({"x": 16})}, "names of arguments"), ({"plan": plan({"out": 16})}, "names of arguments"),
    ({"plan": plan({"scratch0": 1 << 39})}, "out of memory"),
    ({"plan": plan({f"s{i}": 4 << 20 for i in range(17)})}, "out of memory"),
])  # fmt: skip
def test_a_plan_that_the_controller_cannot_afford_or_trust_is_the_answers_error(
    reply: dict, text: str
) -> None:
    with pytest.raises(AnswerError) as caught:
        plans.plan_of(Says(reply), TASK, call(), 4, (9, 0))
    assert text in caught.value.error["text"]


def test_an_honest_plan_is_taken() -> None:
    assert plans.plan_of(Says({"plan": plan({"scratch0": 64})}), TASK, call(), 4, (9, 0)).scratch == {
        "scratch0": 64
    }


PACKING = replace(TASK, prepare="pack", arguments=("packed", "out"))


def test_a_packing_is_applied_by_the_controller_itself() -> None:
    made = plans.packing(Says({"shape": [2, 2], "dtype": "float32"}, [3, 2, 1, 0]), PACKING, call(), 1.0)
    one = call()
    assert torch.equal(made.apply(one).inputs["packed"], one.inputs["x"].flip(0).reshape(2, 2))
    assert made.apply(one.without_data()).inputs["packed"].shape == (2, 2)


@pytest.mark.parametrize("order", [[0, 1, 2, 2], [0, 1, 2, 4], [-1, 0, 1, 2], [0, 0, 0, 0]])
def test_values_that_were_changed_dropped_or_invented_are_no_permutation(order: list[int]) -> None:
    with pytest.raises(plans.NotAPermutation):
        plans.packing(Says({"shape": [4], "dtype": "float32"}, order), PACKING, call(), 1.0)


@pytest.mark.parametrize("reply", [
    {}, {"shape": [4]}, {"shape": "4", "dtype": "float32"}, {"shape": [5], "dtype": "float32"},
    {"shape": [-4], "dtype": "float32"}, {"shape": [4], "dtype": []},
    {"shape": [4.0], "dtype": "float32"}, {"shape": [4], "dtype": "Tensor"}, {"shape": [True] * 4, "dtype": []},
    {"shape": [-2, -2], "dtype": "float32"}, {"shape": [4], "dtype": "float64"},
])  # fmt: skip
def test_a_packing_of_another_shape_or_type_is_a_breach(reply: dict) -> None:
    with pytest.raises(AnswerDied):
        plans.packing(Says(reply, [0, 1, 2, 3]), PACKING, call(), 1.0)


def test_a_plan_error_is_what_a_malformed_plan_raises() -> None:
    with pytest.raises(PlanError):
        Plan((), {"x": -1})
