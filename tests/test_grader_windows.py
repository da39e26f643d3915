"""The paired clock on real processes, with host tensors: distinct inputs, honest ratios, and answers that lie are seen."""

import pytest
import torch

from grader.intake import Answer
from grader.kinds import tensors
from grader.processes import AnswerDied
from grader.race import ROUNDS
from grader.session import open_session
from grader.task import Case, Out, Points, Task, Tolerance

ONE = "def triple(x, out):\n    import torch\n    torch.mul(x, 3.0, out=out)\n"
FOUR = "def triple(x, out):\n    import torch\n    for _ in range(4):\n        torch.mul(x, 3.0, out=out)\n"
REPLAY = (
    "kept = []\ndef triple(x, out):\n    if not kept:\n        kept.append(x * 3.0)\n    out.copy_(kept[0])\n"
)
EARLY = "import os\ndef triple(x, out):\n    os._exit(0)\n"
TASK = Task(
    name="triple", chapter="07", kind="torch", points=Points(1, 1), core=False, minutes=1, arguments=("x", "out"),
    cases=(Case("small", {"n": 1000}), Case("large", {"n": 1 << 20}, timed=True)),
    inputs=lambda case, rng: {"x": torch.randn(case.sizes["n"], generator=rng, device=rng.device)},
    outputs=lambda case: {"out": Out((case.sizes["n"],), "float32")},
    reference=lambda x: x * 3.0, tolerance=Tolerance(1e-6, why="one product"), memory_mb=2048,
)  # fmt: skip


@pytest.fixture(scope="module")
def session():
    with open_session("cpu", "auto") as opened:
        opened.memory_bytes, opened.l2_bytes = 1 << 30, 1 << 20
        yield opened


def race_of(source, session, rounds=ROUNDS):
    with tensors.windows(TASK, Answer("triple", source), FOUR, session, TASK.cases[1]) as clock:
        clock.new_block(0)
        found = [clock.round(baseline_first=k % 2 == 0) for k in range(rounds)]
    return clock, found


def test_four_times_the_work_takes_longer_and_every_window_is_checked(session):
    clock, rounds = race_of(ONE, session)
    assert clock.failure is None and min(clock.calls.values()) >= 2
    assert (
        sum(r.log_ratio for r in rounds) > 0
    )  # the order of magnitude, not a number: this machine is shared


def test_a_result_of_an_earlier_call_is_noticed_during_the_race(session):
    clock, _ = race_of(REPLAY, session)
    assert clock.failure is not None and clock.failure.name == "mismatch"


def test_a_side_that_ends_by_itself_ends_the_race_with_the_reason(session):
    with pytest.raises(AnswerDied):
        race_of(EARLY, session, rounds=1)


def test_no_slot_holds_the_same_bytes_in_two_windows(session):
    with tensors.windows(TASK, Answer("triple", ONE), FOUR, session, TASK.cases[1]) as clock:
        clock.new_block(0)
        seen = []
        for _ in range(6):
            clock._window("answer", clock.calls["answer"])
            seen.append(clock.arenas["answer"].calls[0]["x"].clone())
    assert all(not torch.equal(a, b) for i, a in enumerate(seen) for b in seen[:i])


def test_what_a_slot_holds_can_be_rebuilt_from_its_deal(session):
    with tensors.windows(TASK, Answer("triple", ONE), FOUR, session, TASK.cases[1]) as clock:
        clock.new_block(0)
        deals = clock.pool.deal()[: len(clock.arenas["answer"].calls)]
        clock.pool.publish("answer", clock.arenas["answer"], deals)
        for k, deal in enumerate(deals):
            assert torch.equal(clock.pool.rebuild(k, deal).inputs["x"], clock.arenas["answer"].calls[k]["x"])
