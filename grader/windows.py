"""The race's clock on real processes: the controller's monotonic clock around K calls on K distinct inputs.

Two sides (baseline and answer) run in processes of their own, pinned to one core because only one of them runs at a time. A
window: the side runs warm calls on scratch data and says it is armed; only then does the controller write fresh inputs and
poison the outputs; it says go on a shared page, the side calls K times and synchronises the device, says done; the controller
takes the time and looks at the outputs at once. An identically bracketed window of zero calls is subtracted. Knows nothing of
thresholds; what a side is (a launch plan or a Python function) is the side's business.
"""

from __future__ import annotations

import math
import mmap
import os
import random
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Protocol

import torch

from grader.buffers import Arena
from grader.failures import FAILURES
from grader.inputs import MEMORY_SHARE, Call, build, derived_seed
from grader.judge import compare
from grader.pool import Deal, Pool
from grader.processes import AnswerDied, AnswerTimeout, Process
from grader.race import Round
from grader.session import Session
from grader.shared import sealed
from grader.task import Case, Task
from grader.verdict import Diagnosis
from grader.worker_pages import PAGE_ARMED, PAGE_DONE, PAGE_GO

WINDOW_S = (
    0.010  # measured: a round spreads by 1 % at 2 ms and by 0.1 % at 22 ms; memory bounds it from above
)
MAX_CALLS = 64
MIN_CALLS = 2
WARM_CALLS = 2
ZERO_WINDOWS = 5
WINDOW_LIMIT_S = 30.0
SAMPLES = 1 << 18  # output positions looked at after every window of the answer, chosen after the fact


class Side(Protocol):
    """Baseline or answer, ready to be timed."""

    process: Process

    def pack(self, call: Call) -> Call:
        """The call in the layout that this side chose (the same call where there is nothing to choose)."""
        ...

    def attach(self, arena: Arena, calls: list[Call]) -> None: ...

    def start(self, seq: int, calls: int, warm: int) -> None: ...

    def detach(self) -> None: ...

    def close(self) -> None: ...


class SidePanel:
    """The page shared with one side: u64 words go, done, armed."""

    def __init__(self, side: Side):
        self.side = side
        self.fd = sealed("goodput-page", 4096)
        self.words = memoryview(mmap.mmap(self.fd, 4096)).cast("Q")
        side.process.ask("page", 20.0, fds=(self.fd,))
        self.zero_s = 0.0

    def wait(self, word: int, seq: int, limit_s: float) -> None:
        """Spin until the side says so; look now and then whether it is still alive and in time."""
        deadline = time.perf_counter() + limit_s
        words = self.words
        while True:
            for _ in range(4096):
                if words[word] == seq:
                    return
            if self.side.process.popen.poll() is not None:
                raise AnswerDied("ended during a timed window")
            if time.perf_counter() > deadline:
                self.side.process.close()
                raise AnswerTimeout(limit_s)

    def close(self) -> None:
        os.close(self.fd)


class PairedWindows:
    """Implements race.Windows. `failure` is set when an answer broke or lied during the race."""

    def __init__(self, task: Task, case: Case, session: Session, baseline: Side, answer: Side,
                 make_arena: Callable[[list[Call], int], Arena]):  # fmt: skip
        self.task, self.case, self.session, self.make_arena = task, case, session, make_arena
        self.sides: dict[str, Side] = {"baseline": baseline, "answer": answer}
        self.panels = {name: SidePanel(side) for name, side in self.sides.items()}
        self.arenas: dict[str, Arena] = {}
        self.pool: Pool | None = None
        self.calls: dict[str, int] = {}
        self.seq = 0
        self.failure: Diagnosis | None = None
        self.events: list[float] = []
        self.spent: defaultdict[str, float] = defaultdict(float)
        self.random = random.Random(derived_seed(session.seed, "windows"))

    @property
    def event_ms(self) -> float | None:
        """One call of the answer on the GPU's own clock."""
        return statistics.median(self.events) if self.events else None

    def new_block(self, index: int) -> None:
        with self._timed("block"):
            self._release()
            if not self.calls:
                self.calls = self._calls_per_window()
            self._allocate(
                max(self.calls.values()), index, lead=self.random.randrange(64) << 16
            )  # another physical placement each time
        for name in self.sides:
            zeros = [self._window(name, 0) for _ in range(ZERO_WINDOWS)]
            self.panels[name].zero_s = statistics.median(zeros)
            self._window(name, self.calls[name])

    def _allocate(self, count: int, block: object, lead: int) -> None:
        """Draw a block's inputs; one allocation for both sides, unless each packs its input in its own way."""

        def draw(k: int) -> Call:
            return build(
                self.task,
                self.case,
                self.session.device,
                derived_seed(self.session.seed, self.task.name, block, k),
            )

        shared = self.task.prepare is None
        packs = {n: (_as_it_is if shared else side.pack) for n, side in self.sides.items()}
        self.pool = Pool(count, draw, packs, self.task.iid and shared, self.random.randrange(2**31))
        if shared:
            arena = self.make_arena(self.pool.shapes["answer"], lead)
            self.arenas = {"baseline": arena, "answer": arena}
        else:
            self.arenas = {name: self.make_arena(self.pool.shapes[name], lead) for name in self.sides}
        for name, side in self.sides.items():
            side.attach(self.arenas[name], self.pool.shapes[name])

    def _calls_per_window(self) -> dict[str, int]:
        """Calls that fill a window of each side, bounded by the memory that distinct inputs may take."""
        self._allocate(MIN_CALLS, "trial", 0)
        assert self.pool is not None
        seconds = {}
        for name in self.sides:
            zero = min(self._window(name, 0) for _ in range(3))
            seconds[name] = min(self._window(name, MIN_CALLS) for _ in range(3)) - zero
        kept = sum(t.numel() * t.element_size() for t in self.pool.samples["answer"][0].values())
        sides = 1 if self.task.prepare is None else 2
        per_call = sides * (self.pool.shapes["answer"][0].nbytes + kept)
        self._release()
        by_memory = int(MEMORY_SHARE * self.session.memory_bytes / max(per_call, 1))
        by_time = {name: math.ceil(WINDOW_S / max(s / MIN_CALLS, 1e-7)) for name, s in seconds.items()}
        return {name: max(MIN_CALLS, min(MAX_CALLS, by_memory, count)) for name, count in by_time.items()}

    def round(self, baseline_first: bool) -> Round:
        order = (
            ("baseline", "answer", "answer", "baseline")
            if baseline_first
            else ("answer", "baseline", "baseline", "answer")
        )
        times: dict[str, list[float]] = {"baseline": [], "answer": []}
        looked_at = self.random.randrange(
            2
        )  # one of the two windows of the answer is compared with the reference
        for name in order:
            look = name == "answer" and len(times[name]) == looked_at
            seconds = self._window(name, self.calls[name], counted=True, look=look)
            times[name].append(max(seconds - self.panels[name].zero_s, 1e-7) / self.calls[name])
        return Round((times["baseline"][0], times["baseline"][1]), (times["answer"][0], times["answer"][1]))

    def _window(self, name: str, calls: int, counted: bool = False, look: bool = False) -> float:
        """Seconds between go and done; fresh inputs are published after the side is armed."""
        panel, side, arena = self.panels[name], self.sides[name], self.arenas[name]
        assert self.pool is not None
        self.seq += 1
        seq = self.seq
        with self._timed("arm"):
            side.start(seq, calls, WARM_CALLS)
            panel.wait(PAGE_ARMED, seq, WINDOW_LIMIT_S)
        deals = self.pool.deal()[:calls]
        with self._timed("publish"):
            self.pool.publish(name, arena, deals)
            if self.session.device == "cuda":
                torch.cuda.synchronize()
        began = time.perf_counter_ns()
        panel.words[PAGE_GO] = seq
        panel.wait(PAGE_DONE, seq, WINDOW_LIMIT_S)
        seconds = (time.perf_counter_ns() - began) / 1e9
        self.spent["run"] += seconds
        if look and self.failure is None:
            with self._timed("look"):
                self._inspect(arena, deals)
        reply, _ = side.process.reply(WINDOW_LIMIT_S)
        if name == "answer" and counted and isinstance(reply.get("event_ms"), float):
            self.events.append(reply["event_ms"] / calls)
        return seconds

    def _inspect(self, arena: Arena, deals: list[Deal]) -> None:
        """Compare one call of the window, chosen now, with the reference at positions chosen now."""
        from grader.kinds.cuda import references

        assert self.pool is not None
        k = self.random.randrange(len(deals))
        call = self.pool.rebuild(k, deals[k])
        wanted = references(self.task, call)
        for name in call.outputs:
            got, want = arena.calls[k][name].flatten(), wanted[name].flatten()
            if got.numel() > 2 * SAMPLES:
                generator = torch.Generator(device=got.device).manual_seed(self.random.randrange(2**31))
                where = torch.randint(got.numel(), (SAMPLES,), generator=generator, device=got.device)
                where[: SAMPLES // 8] = torch.arange(
                    got.numel() - SAMPLES // 8, got.numel(), device=got.device
                )
                got, want = got[where], want[where]
            _, wrong = compare(got, want, self.task.allowed, f"{self.case.name} (timed)", name)
            if wrong is not None:
                self.failure = wrong

    @contextmanager
    def _timed(self, what: str) -> Iterator[None]:
        """Where a race's own time goes, for the report."""
        began = time.perf_counter()
        yield
        self.spent[what] += time.perf_counter() - began

    def disturbed(self) -> tuple[str, ...]:
        watch = self.session.disturbance
        return tuple(watch.reasons()) if watch is not None else ()

    def _release(self) -> None:
        for side in self.sides.values():
            side.detach()
        for arena in {id(a): a for a in self.arenas.values()}.values():
            arena.close()
        self.arenas, self.pool = {}, None
        if self.session.device == "cuda":
            torch.cuda.empty_cache()  # what torch cached is missing to the plain allocations of the next arena

    def __enter__(self) -> PairedWindows:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, _: Any) -> bool:
        """End both sides, also after one of them broke."""
        with suppress(*FAILURES, OSError):
            self._release()
        for panel in self.panels.values():
            panel.close()
        for side in self.sides.values():
            side.close()
        return False


def _as_it_is(call: Call) -> Call:
    return call
