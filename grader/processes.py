"""Worker processes as the controller sees them: start, ask with a time limit, learn how they ended, keep a warm spare.

Takes a flavour ("torch", "cuda", "triton", "plain", "device") and an isolation level. Replies that say "not ok" become
`AnswerError` (the answer raised), a broken or silent process becomes `AnswerDied` or `AnswerTimeout`: facts, no sentences.
Knows nothing of tasks or points.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

from grader import cgroup, sandbox, tree
from grader.channel import Channel, ChannelError, PeerGone, PeerSilent, expect
from grader.limits import Limits

OUTPUT_LIMIT = 64 << 10  # what is kept of an answer's printing; the rest is read and dropped
SEND_LIMIT_S = 20.0  # a worker between two requests only reads; one that does not read has been taken over
START_LIMIT_S = (
    120.0  # importing torch on a busy two-core machine takes seconds, on a cold disk tens of seconds
)


def well_formed(error: dict[str, Any]) -> dict[str, Any]:
    """A worker's account of an exception, every field of the type that worker.describe_error gives it."""

    def text(value: Any, limit: int) -> str:
        return value[:limit] if isinstance(value, str) else ""

    def number(value: Any) -> int | None:
        return value if type(value) is int and 0 <= value < 1 << 31 else None

    bases, compiler = error.get("bases"), error.get("compiler")
    found = {"type": text(error.get("type"), 80), "text": text(error.get("text"), 2000), "line": number(error.get("line")),
             "source_line": text(error.get("source_line"), 200),
             "bases": [text(b, 80) for b in bases[:8]] if isinstance(bases, list) else []}  # fmt: skip
    if isinstance(compiler, dict):
        found["compiler"] = {"line": number(compiler.get("line")), "column": number(compiler.get("column")),
                             "text": text(compiler.get("text"), 500)}  # fmt: skip
    return found


class AnswerError(Exception):
    """The answer raised; `error` has type, text, line (see worker.describe_error). All of it is hostile text."""

    def __init__(self, error: dict[str, Any]):
        super().__init__(str(error.get("type")))
        self.error = error


class AnswerDied(Exception):
    """The process ended by itself: `reason` is "exit 0", "signal SIGKILL" or a protocol breach."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


class AnswerTimeout(Exception):
    def __init__(self, limit_s: float):
        super().__init__(f"{limit_s:g} s")
        self.limit_s = limit_s


class Process:
    """One sandboxed process with its channel. Use as a context manager; leaving it kills the whole tree."""

    def __init__(self, flavour: str, level: sandbox.Level, *, gpu: int | None = None, limits: Limits | None = None,
                 extra_env: dict[str, str] | None = None, cpus: set[int] | None = None,
                 writable: Sequence[str] = ()):  # fmt: skip
        self.flavour, self.level, self.gpu = flavour, level, gpu
        limits = limits or Limits(bound_address_space=gpu is None)
        self.channel, theirs = Channel.pair()
        module = "grader.device_worker" if flavour == "device" else "grader.worker"
        processes = (
            limits.processes if level == "sandbox" else 0
        )  # outside it the user's other programs would count
        argv = [sys.executable, "-m", module, str(theirs.fileno()), flavour, str(processes)]
        read_end, write_end = os.pipe()
        self.group = cgroup.create(limits.memory_mb, limits.processes)
        try:
            self.popen: subprocess.Popen[bytes] = sandbox.start(
                argv, level=level, limits=limits, fds=(theirs.fileno(),), gpu=gpu, stdout=write_end, extra_env=extra_env,
                cpus=cpus, writable=writable, enter=self.group.join)  # fmt: skip
        except BaseException as e:
            self.group.remove()
            self.channel.close()
            os.close(read_end)
            if isinstance(e, OSError):  # no more processes or memory on this machine
                raise WorkerFailed(str(e)) from e
            raise
        finally:
            theirs.close()
            os.close(write_end)
        self._printed = bytearray()
        self._dropped = 0
        self._reader = threading.Thread(target=self._drain, args=(read_end,), daemon=True)
        self._reader.start()
        self._ready = False
        self.closed = False

    def _drain(self, fd: int) -> None:
        with os.fdopen(fd, "rb", buffering=0) as stream:
            while chunk := stream.read(1 << 16):
                room = OUTPUT_LIMIT - len(self._printed)
                self._printed += chunk[:room]
                self._dropped += max(0, len(chunk) - room)

    def printed(self) -> str:
        """What the answer printed so far, capped; only ever shown, never parsed."""
        text = bytes(self._printed).decode("utf-8", "replace")  # a copy: the reader may be appending
        return text + (f"\n[{self._dropped} more bytes]" if self._dropped else "")

    def wait_ready(self) -> None:
        if self._ready:
            return
        try:
            message, _, _ = self.channel.receive(time.monotonic() + START_LIMIT_S, max_body=0)
            expect(message, ready=bool)
        except (ChannelError, OSError) as e:
            self.close()
            raise WorkerFailed(f"{e}: {self.printed()[-500:]}") from e
        self._ready = True

    def ask(self, op: str, timeout_s: float, body: bytes | memoryview = b"", fds: tuple[int, ...] = (),
            max_body: int = 0, **fields: Any) -> tuple[dict[str, Any], bytes]:  # fmt: skip
        """Send one request and wait for its reply."""
        self.wait_ready()
        self.send(op, body, fds, **fields)
        return self.reply(timeout_s, max_body)

    def send(self, op: str, body: bytes | memoryview = b"", fds: tuple[int, ...] = (), **fields: Any) -> None:
        try:
            self.channel.send({"op": op, **fields}, body, fds, deadline=time.monotonic() + SEND_LIMIT_S)
        except PeerSilent as e:
            self.close()
            raise AnswerTimeout(SEND_LIMIT_S) from e
        except (PeerGone, OSError) as e:
            raise AnswerDied(self._how_it_ended()) from e

    def reply(self, timeout_s: float, max_body: int = 0) -> tuple[dict[str, Any], bytes]:
        try:
            message, body, _ = self.channel.receive(time.monotonic() + timeout_s, max_body)
        except PeerSilent as e:
            self.close()
            raise AnswerTimeout(timeout_s) from e
        except PeerGone as e:
            raise AnswerDied(self._how_it_ended()) from e
        except ChannelError as e:
            self.close()
            raise AnswerDied(e.reason) from e
        try:
            if not expect(message, ok=bool)["ok"]:
                raise AnswerError(well_formed(expect(message, error=dict)["error"]))
        except ChannelError as e:
            self.close()
            raise AnswerDied(e.reason) from e
        return message, body

    def _how_it_ended(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            status = self.popen.wait(timeout=2)
            return "out of memory" if self.group.out_of_memory() else end_of(status)
        return "closed its channel"

    def close(self) -> None:
        if self.closed:
            return
        self.closed = True
        tree.kill(self.popen)
        self.group.remove()
        self.channel.close()
        self._reader.join(timeout=2)

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def fields_of(reply: dict[str, Any], **kinds: type) -> dict[str, Any]:
    """The named fields of a reply, each of its type; anything else is a breach of the protocol, which ends the answer."""
    try:
        return expect(reply, **kinds)
    except ChannelError as e:
        raise AnswerDied(e.reason) from e


def end_of(status: int) -> str:
    """An exit status in words; bubblewrap reports a killed child as 128 + signal."""
    number = -status if status < 0 else status - 128
    if number in {s.value for s in signal.Signals}:
        return f"signal {signal.Signals(number).name}"
    return f"exit {status}" if status >= 0 else f"signal {number}"


class WorkerFailed(Exception):
    """A worker did not come up: our fault or the machine's, never the learner's."""


class Spares:
    """Keeps processes of a flavour starting in the background, so that a verdict does not pay for an import."""

    def __init__(self, level: sandbox.Level):
        self.level: sandbox.Level = level
        self._waiting: dict[tuple[Any, ...], list[Process]] = {}
        self._lock = threading.Lock()  # a check may take two kinds of worker from two threads

    def take(self, flavour: str, *, gpu: int | None = None, memory_mb: int = 4096, extra_env: dict[str, str] | None = None,
             spares: int = 1) -> Process:  # fmt: skip
        """A ready process; `spares` more are kept starting for the next calls."""
        key = (flavour, gpu, memory_mb, tuple(sorted((extra_env or {}).items())))
        with self._lock:
            waiting = self._waiting.setdefault(key, [])
            process = waiting.pop(0) if waiting else self._start(*key)
        if process.popen.poll() is not None:
            process.close()
            process = self._start(*key)
        process.wait_ready()
        with self._lock:
            while len(waiting) < spares:
                waiting.append(self._start(*key))
        return process

    def warm(self, flavour: str, *, gpu: int | None = None, memory_mb: int = 4096,
             extra_env: dict[str, str] | None = None) -> None:  # fmt: skip
        """Have one starting before anybody asks (the check cells' server, while the learner reads)."""
        key = (flavour, gpu, memory_mb, tuple(sorted((extra_env or {}).items())))
        waiting = self._waiting.setdefault(key, [])
        if not waiting:
            waiting.append(self._start(*key))

    def _start(
        self, flavour: str, gpu: int | None, memory_mb: int, env: tuple[tuple[str, str], ...]
    ) -> Process:
        memory_mb += CUDA_HOST_MB if gpu is not None else 0
        limits = Limits(memory_mb=memory_mb, virtual_mb=VIRTUAL_MB, bound_address_space=gpu is None)
        return Process(flavour, self.level, gpu=gpu, limits=limits, extra_env=dict(env))

    def close(self) -> None:
        for process in (p for waiting in self._waiting.values() for p in waiting):
            process.close()
        self._waiting.clear()


VIRTUAL_MB = 4096  # address space that torch's libraries map without using it
CUDA_HOST_MB = (
    4096  # host memory of a CUDA context, its pinned buffers and libraries, beside what an answer itself uses
)
