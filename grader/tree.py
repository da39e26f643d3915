"""End a process and everything it started.

`kill(process)` takes what `sandbox.start` returned. In the sandbox the PID namespace goes with its first process; at the level
`process` the tree is found by its process group and by a mark in the environment. Knows nothing of workers.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from pathlib import Path

MARK = "GOODPUT_TREE"
ROUNDS = 50  # a process that forks while it is being ended is met again in the next round


def kill(process: subprocess.Popen[bytes]) -> int:
    """End the whole tree and reap it. Returns the exit status (negative: signal)."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    mark = getattr(process, "tree_mark", None)
    if mark is not None:
        _kill_marked(f"{MARK}={mark}".encode())
    return process.wait()


def _kill_marked(mark: bytes) -> None:
    for _ in range(ROUNDS):
        found = [
            int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit() and mark in _environment_of(p)
        ]
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if not found:
            return


def _environment_of(process: Path) -> list[bytes]:
    try:
        return (process / "environ").read_bytes().split(b"\0")
    except OSError:
        return []
