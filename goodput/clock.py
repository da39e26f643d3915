"""Callable -> samples: the clock of the lessons.

`sample` times one callable in windows of several calls; `paired` times two of them side by side, A B B A. On
a GPU each window is read on two clocks: CUDA events (what the device spent) and the host's (what a caller
waits). The grader has a clock of its own in another process; this one trusts what it times.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from goodput import stats

Device = Literal["cpu", "cuda"]

WINDOW_MS = 10.0  # shorter windows spread more: 1 % at 2 ms against 0.1 % at 22 ms on an H200 virtual machine
AGREE = 0.02  # warm-up ends when two windows in a row agree to 2 %
WARMUP_S = (
    2.0  # or after two seconds, and then `settled` is False: clocks that still move are worth knowing about
)
MOST_CALLS = 20_000  # per window: an empty function would otherwise take a million


@dataclass(frozen=True)
class Samples:
    """One time per window, per call, in microseconds: `times_us` on the device's clock, `host_us` on the
    host's."""

    device: Device
    times_us: tuple[float, ...]
    host_us: tuple[float, ...]
    calls_per_window: int
    settled: bool

    @property
    def summary(self) -> stats.Summary:
        """Median and quartiles of `times_us`."""
        return stats.summary(self.times_us)

    @property
    def median_us(self) -> float:
        return self.summary.median

    def gb_per_s(self, bytes_moved: float) -> float:
        """Rate of the median call that moves so many bytes (GB = 1e9)."""
        return bytes_moved / self.median_us / 1e3

    def tflop_per_s(self, flop: float) -> float:
        return flop / self.median_us / 1e6


@dataclass(frozen=True)
class Paired:
    """Two callables timed side by side; `speedup` is the time of `before` over the time of `after`, with its
    interval."""

    before: Samples
    after: Samples
    speedup: stats.Ratio


def pick_device(device: str = "auto") -> Device:
    """ "cuda" or "cpu"; "auto" is the GPU where torch sees one."""
    if device == "auto":
        import torch

        return "cuda" if torch.cuda.is_available() else "cpu"
    if device not in ("cpu", "cuda"):
        raise ValueError(f"device must be 'auto', 'cpu' or 'cuda', not {device!r}")
    return device  # type: ignore[return-value]


def sample(
    fn: Callable[..., Any],
    *,
    windows: int = 20,
    calls_per_window: int | None = None,
    inputs: Sequence[Sequence[Any]] = ((),),
    device: str = "auto",
) -> Samples:
    """Time `fn` over `windows` windows after a warm-up.

    inputs: argument lists; call i gets `inputs[i % len(inputs)]`. Give as many distinct ones as fit: a call
    that finds its input in a cache is another experiment. calls_per_window: by default as many as fill 10 ms.
    """
    if windows < 1 or not inputs:
        raise ValueError("sample needs at least one window and one argument list")
    timer = _Timer(fn, inputs, pick_device(device), calls_per_window)
    times = [timer.window() for _ in range(windows)]
    return timer.samples(times)


def paired(
    before: Callable[..., Any],
    after: Callable[..., Any],
    *,
    rounds: int = 8,
    calls_per_window: int | None = None,
    inputs: Sequence[Sequence[Any]] = ((),),
    device: str = "auto",
    confidence: float = 0.95,
) -> Paired:
    """Time two callables in rounds A B B A, so that a drift of the machine weighs on both alike.

    A round's time is the geometric mean of its two windows; the speedup is computed inside rounds
    (`stats.paired_ratio`).
    """
    if rounds < 2:
        raise ValueError(f"an interval needs at least two rounds, got {rounds}")
    where = pick_device(device)
    a, b = (_Timer(fn, inputs, where, calls_per_window) for fn in (before, after))
    times_a: list[tuple[float, float]] = []
    times_b: list[tuple[float, float]] = []
    for _ in range(rounds):
        first, second, third, fourth = a.window(), b.window(), b.window(), a.window()
        times_a.append(_between(first, fourth))
        times_b.append(_between(second, third))
    speedup = stats.paired_ratio([t for t, _ in times_a], [t for t, _ in times_b], confidence=confidence)
    return Paired(a.samples(times_a), b.samples(times_b), speedup)


def _between(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    return math.sqrt(one[0] * other[0]), math.sqrt(one[1] * other[1])


class _Timer:
    """One callable, warmed up, with its window size; `window()` returns (device, host) microseconds per
    call."""

    def __init__(
        self, fn: Callable[..., Any], inputs: Sequence[Sequence[Any]], device: Device, calls: int | None
    ) -> None:
        self.fn, self.inputs = fn, inputs
        self.device: Device = device
        self.next_input = 0
        self.run = self._gpu_window if device == "cuda" else self._cpu_window
        self.calls = calls or self._calls_that_fill_a_window()
        self.settled = self._warm_up()

    def window(self) -> tuple[float, float]:
        collecting = gc.isenabled()
        gc.disable()  # a collection in one window of twenty is the learner's notebook, not the code under the clock
        try:
            device_us, host_us = self.run(self.calls)
        finally:
            if collecting:
                gc.enable()
        return device_us / self.calls, host_us / self.calls

    def samples(self, times: Sequence[tuple[float, float]]) -> Samples:
        return Samples(
            self.device, tuple(t for t, _ in times), tuple(h for _, h in times), self.calls, self.settled
        )

    def _call(self, count: int) -> None:
        fn, inputs, first = self.fn, self.inputs, self.next_input
        for i in range(first, first + count):
            fn(*inputs[i % len(inputs)])
        self.next_input = (first + count) % len(inputs)

    def _cpu_window(self, count: int) -> tuple[float, float]:
        start = time.perf_counter_ns()
        self._call(count)
        elapsed_us = (time.perf_counter_ns() - start) / 1e3
        return elapsed_us, elapsed_us

    def _gpu_window(self, count: int) -> tuple[float, float]:
        import torch

        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()
        start = time.perf_counter_ns()
        begin.record()
        self._call(count)
        end.record()
        torch.cuda.synchronize()
        host_us = (time.perf_counter_ns() - start) / 1e3
        return begin.elapsed_time(end) * 1e3, host_us

    def _calls_that_fill_a_window(self) -> int:
        self.run(1)  # compiles, allocates, loads: never part of an estimate
        calls = 1
        while True:
            host_us = max(self.run(calls)[1], 1e-3)
            if (
                host_us >= WINDOW_MS * 500 or calls >= MOST_CALLS
            ):  # half a window is enough to extrapolate from
                return min(MOST_CALLS, max(1, math.ceil(calls * WINDOW_MS * 1e3 / host_us)))
            calls = min(MOST_CALLS, calls * 4)

    def _warm_up(self) -> bool:
        deadline = time.perf_counter() + WARMUP_S
        previous = self.window()[0]
        while time.perf_counter() < deadline:
            current = self.window()[0]
            if abs(current - previous) <= AGREE * max(current, previous):
                return True
            previous = current
        return False
