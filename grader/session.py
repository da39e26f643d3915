"""What one grading run shares: device, isolation level, warm processes, progress, and where it runs.

`open_session(device, isolation)` decides once, says why, and never falls back silently. Knows nothing of tasks.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from grader import sandbox
from grader.inputs import fresh_seed
from grader.limits import Limits, limited
from grader.processes import Process, Spares

Device = Literal["cpu", "cuda"]
EMULATED_SMS = 4  # few blocks in flight keep the emulator quick; grids larger than this show every schedule
EMULATED_CAPABILITY = (9, 0)
# per process: g++ on a kernel takes 0.2 GB, an emulated one reserves addresses for stacks and traces beside its buffers
EMULATOR_LIMITS = Limits(memory_mb=4096, virtual_mb=4096, cpu_s=120)


class CannotGrade(Exception):
    """Something the machine lacks; `key` names the sentence in messages.toml [cannot], `facts` fill it."""

    def __init__(self, key: str, **facts: Any):
        super().__init__(key)
        self.key, self.facts = key, facts


@dataclass
class Session:
    device: Device
    level: sandbox.Level
    spares: Spares
    gpu: int | None = None
    capability: tuple[int, int] = EMULATED_CAPABILITY
    multiprocessors: int = EMULATED_SMS
    memory_bytes: int = 0
    l2_bytes: int = 0
    progress: Callable[[str, str], None] = lambda exercise, phase: None
    seed: int = field(default_factory=fresh_seed)
    keep_spares: bool = True  # start the next worker while this one works; False for a single answer
    disturbance: Any = None  # grader.disturbance.Watch on a GPU

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold this session's GPU for one answer; nothing to hold on a CPU."""
        if self.gpu is None:
            yield
            return
        from grader.gpu import lock, lock_path

        with lock(lock_path(self.gpu), lambda: self.progress("", "waiting for the gpu")):
            yield

    def worker(self, flavour: str, memory_mb: int = 4096, gpu: bool = False, spare: bool = True) -> Process:
        """A warm process. On a GPU two spares wait: a race needs two more after the check."""
        env = {"TRITON_INTERPRET": "1"} if flavour == "triton" and not gpu else None
        count = 0 if not (spare and self.keep_spares) else 2 if gpu else 1
        return self.spares.take(
            flavour, gpu=self.gpu if gpu else None, memory_mb=memory_mb, extra_env=env, spares=count
        )

    def warm(self, kind: str, memory_mb: int) -> None:
        """Start the worker that a task of this kind will ask for first, in the background."""
        flavour = kind if kind in ("cuda", "torch", "triton") else "plain"
        gpu = (
            self.gpu if flavour in ("torch", "triton") else None
        )  # a plan of CUDA launches is made without a GPU
        env = {"TRITON_INTERPRET": "1"} if flavour == "triton" and gpu is None else None
        self.spares.warm(flavour, gpu=gpu, memory_mb=memory_mb, extra_env=env)

    def wrap(
        self, argv: Sequence[str], readable: Sequence[str] = (), writable: Sequence[str] = ()
    ) -> list[str]:
        """Puts a compiler or an emulated kernel into its own sandbox (the same level as the workers) and under limits."""
        if self.level == "process":
            return limited(argv, EMULATOR_LIMITS)
        search = [f"{root}/bin" for root in sandbox.compiler_roots()]
        env = {"PATH": ":".join([*search, "/usr/bin", "/bin"]), "TMPDIR": "/tmp", "LANG": "C.UTF-8"}
        return limited(sandbox.wrap(argv, readable, writable, env=env, python=False), EMULATOR_LIMITS)


def choose_level(isolation: str) -> sandbox.Level:
    """auto: the sandbox, or one's own process where it cannot be had (never under CI); otherwise what was asked."""
    if isolation == "process":
        return "process"
    try:
        sandbox.available()
        return "sandbox"
    except sandbox.SandboxUnavailable as e:
        if isolation == "sandbox" or os.environ.get("CI"):
            raise CannotGrade("no sandbox", reason=e.reason) from e
        return "process"


@contextmanager
def open_session(device: str = "auto", isolation: str = "auto", gpu: int = 0,
                 progress: Callable[[str, str], None] | None = None) -> Iterator[Session]:  # fmt: skip
    level = choose_level(isolation)
    spares = Spares(level)
    chosen: Device = "cpu"
    if device in ("auto", "cuda"):
        reason = gpu_unusable()
        if reason is None:
            chosen = "cuda"
        elif device == "cuda":
            raise CannotGrade("no gpu", reason=reason)
    session = Session(chosen, level, spares)
    if progress is not None:
        session.progress = progress
    try:
        if chosen == "cuda":
            from grader.gpu import describe_into

            describe_into(session, gpu)
        yield session
    finally:
        spares.close()
        if session.disturbance is not None:
            session.disturbance.close()


@functools.cache
def gpu_unusable() -> str | None:
    """None when CUDA works here, else why not."""
    import torch

    if torch.version.cuda is None:
        return "this PyTorch was built without CUDA"
    try:
        torch.cuda.init()
    except Exception as e:
        return str(e).splitlines()[0]
    return None if torch.cuda.device_count() else "no CUDA device is visible"
