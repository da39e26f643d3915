"""Promises of goodput.clock: what is called how often, with which input, in which order. Nothing here asserts a duration."""

import gc

import pytest
import torch

from goodput import clock


@pytest.fixture(autouse=True)
def short_warm_up(monkeypatch):
    monkeypatch.setattr(clock, "WARMUP_S", 0.02)  # these tests look at what is called, not at how steadily


def test_inputs_are_taken_in_turn_and_never_skipped():
    seen = []
    clock.sample(seen.append, windows=5, calls_per_window=4, inputs=[(0,), (1,), (2,)], device="cpu")
    assert len(seen) % 4 == 0
    assert seen == [i % 3 for i in range(len(seen))]


def test_a_sample_has_one_positive_time_per_window():
    found = clock.sample(lambda: sum(range(200)), windows=7, calls_per_window=10, device="cpu")
    assert len(found.times_us) == 7
    assert min(found.times_us) > 0
    assert found.times_us == found.host_us, "a CPU has one clock"
    assert found.summary.n == 7


def test_rates_use_gb_of_1e9():
    found = clock.Samples("cpu", (10.0,), (10.0,), 1, True)
    assert found.gb_per_s(1e9) == pytest.approx(1e5)
    assert found.tflop_per_s(1e12) == pytest.approx(1e5)


def test_pairs_alternate_a_b_b_a():
    order = []
    clock.paired(
        lambda: order.append("A"), lambda: order.append("B"), rounds=3, calls_per_window=1, device="cpu"
    )
    assert "".join(order[-12:]) == "ABBA" * 3


def test_garbage_collection_is_off_inside_windows_and_back_on_after():
    states = []
    clock.sample(lambda: states.append(gc.isenabled()), windows=2, calls_per_window=1, device="cpu")
    assert not any(states)
    assert gc.isenabled()


@pytest.mark.parametrize("bad", [{"windows": 0}, {"inputs": ()}, {"device": "tpu"}])
def test_impossible_requests_are_refused(bad):
    with pytest.raises(ValueError):
        clock.sample(lambda: None, **({"device": "cpu", "calls_per_window": 1} | bad))


def test_gpu_windows_bracket_the_calls_with_events_and_synchronise(monkeypatch):
    """The order of operations, on a stand-in for torch.cuda; what a real event reads is the GPU test's business."""
    log = []

    class Event:
        def __init__(self, enable_timing):
            assert enable_timing

        def record(self):
            log.append("event")

        def elapsed_time(self, end):
            return 6.0  # milliseconds

    monkeypatch.setattr(torch.cuda, "Event", Event)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: log.append("sync"))
    found = clock.sample(lambda: log.append("call"), windows=1, calls_per_window=3, device="cuda")
    assert log[-7:] == ["sync", "event", "call", "call", "call", "event", "sync"]
    assert found.times_us == (2000.0,)


@pytest.mark.gpu
def test_event_time_of_a_gpu_copy_is_not_above_host_time():
    x = torch.randn(2**24, device="cuda")
    y = torch.empty_like(x)
    found = clock.sample(lambda: y.copy_(x), windows=5)
    assert found.device == "cuda"
    assert all(0 < event <= host * 1.01 for event, host in zip(found.times_us, found.host_us, strict=True))
