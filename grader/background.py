"""The grading server of one kernel, as the kernel sees it: start it, ask it, end it.

`ask(request, on_progress) -> reply` starts a server where none runs. A server that ended by itself becomes `ServerEnded`, an
interrupted check `Interrupted`; after either the next question starts a new one. Knows nothing of what is asked.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from typing import IO, Any

import psutil

from grader.course import ROOT

GRACE_S = 5.0  # a server that was asked to end kills its workers and goes; on a busy machine that takes a second or two


class ServerEnded(Exception):
    """The server ended before it answered: `reason` is a signal or an exit code, with the last line it wrote; `heard`
    whether it had begun with this question."""

    def __init__(self, reason: str, heard: bool):
        super().__init__(reason)
        self.reason, self.heard = reason, heard


class Interrupted(KeyboardInterrupt):
    """The person stopped the check; the server was ended with everything it had started."""

    sentence = ""

    def _render_traceback_(
        self,
    ) -> list[str]:  # IPython shows this instead of frames that mean nothing to a learner
        return [self.sentence]


class Background:
    def __init__(self, arguments: Sequence[str] = ()):
        self.arguments = arguments
        self.process: subprocess.Popen[str] | None = None
        self._log: IO[bytes] | None = None
        self._one_at_a_time = threading.Lock()
        self._owner = os.getpid()
        atexit.register(self.stop)

    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def start(self) -> None:
        """Start a server unless one runs; returns at once, the server gets ready by itself."""
        if self.running():
            return
        self.stop()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 (stop closes it)
        # Its own session: the interrupt of a kernel goes to the kernel's whole process group.
        self.process = subprocess.Popen(
            [sys.executable, "-m", "grader.serve", *self.arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self._log, text=True, encoding="utf-8", cwd=ROOT, start_new_session=True)  # fmt: skip

    def ask(self, request: dict[str, Any], on_progress: Callable[[str], None]) -> dict[str, Any]:
        """The reply to one request. Raises ServerEnded or Interrupted."""
        with self._one_at_a_time:
            try:
                ran_before = self.running()
                self.start()
                try:
                    return self._exchange(request, on_progress)
                except ServerEnded as e:
                    if e.heard or not ran_before:
                        raise
                self.stop()  # it ended while nobody asked, and that is no news for the learner
                self.start()
                return self._exchange(request, on_progress)
            except KeyboardInterrupt as e:
                self.stop()
                raise Interrupted from e
            except BaseException:  # a half-read answer must not become the answer to the next question
                self.stop()
                raise

    def _exchange(self, request: dict[str, Any], on_progress: Callable[[str], None]) -> dict[str, Any]:
        process = self.process
        assert process is not None and process.stdin is not None and process.stdout is not None
        with contextlib.suppress(BrokenPipeError):  # reading says how it ended
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
        heard = False
        for line in process.stdout:
            heard = True
            reply = json.loads(line)
            if "progress" not in reply:
                return reply
            on_progress(reply["progress"])
        raise ServerEnded(self._how_it_ended(), heard)

    def _how_it_ended(self) -> str:
        assert self.process is not None and self._log is not None
        try:
            status = self.process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            return "closed its output"
        ended = f"exit {status}" if status >= 0 else signal.Signals(-status).name
        self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, self._log.tell() - 2000))
        said = self._log.read().decode("utf-8", "replace").strip().splitlines()
        return f"{ended}, {said[-1][:200]}" if said else ended

    def stop(self) -> None:
        """End the server and everything it started. Harmless where none runs, and in a fork of the kernel."""
        if os.getpid() != self._owner:
            return
        # Forgotten first: a second interrupt while this waits must not leave a half-read answer for the next question.
        process, self.process = self.process, None
        log, self._log = self._log, None
        if process is None:
            return
        tree = []
        with contextlib.suppress(psutil.Error):
            tree = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
        process.terminate()
        try:
            process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for orphan in tree:  # what a server that had to be killed left behind; psutil compares start times
            with contextlib.suppress(psutil.Error):
                orphan.kill()
        for stream in (process.stdin, process.stdout, log):
            with contextlib.suppress(OSError):
                stream.close()  # type: ignore[union-attr]
