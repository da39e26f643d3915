"""A control group per worker where the machine allows one: memory and process count, and whether memory ran out.

Takes limits, returns an object with `join` (called in the child before it becomes the program), `out_of_memory`, `kill`,
`remove`. Where control groups cannot be written (an ordinary user, a container) the object does nothing and rlimits alone hold.
Supports version 2 and the separate hierarchies of version 1. Knows nothing of what runs inside.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
PREFIX = "goodput-"
EMPTY_LIMIT_S = (
    30.0  # a killed fork bomb of a hundred processes took more than five on a machine with a load of ten
)
_serial = itertools.count()


class Group:
    """Folders of one worker (several with version 1, none where unsupported)."""

    def __init__(self, folders: list[Path]):
        self.folders = folders

    def join(self) -> None:
        """Move the calling process into the group. Done before exec: a child that is forked earlier would stay outside."""
        for folder in self.folders:
            with contextlib.suppress(OSError):
                (folder / "cgroup.procs").write_text("0")

    def members(self) -> set[int]:
        found: set[int] = set()
        for folder in self.folders:
            with contextlib.suppress(OSError, ValueError):
                found |= {int(line) for line in (folder / "cgroup.procs").read_text().split()}
        return found

    def out_of_memory(self) -> bool:
        for folder in self.folders:
            for name, key in (("memory.events", "oom_kill"), ("memory.oom_control", "oom_kill")):
                with contextlib.suppress(OSError, ValueError, IndexError):
                    fields = dict(line.split()[:2] for line in (folder / name).read_text().splitlines())
                    if int(fields.get(key, "0")) > 0:
                        return True
        return False

    def kill(self) -> None:
        """End whatever is still inside, also what left the process group or was adopted by another parent."""
        for pid in self.members() - {0, os.getpid()}:  # 0: a process of another PID namespace
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)

    def remove(self) -> None:
        """Folders go once their last process is reaped, which the kernel does a moment after the kill."""
        deadline = time.monotonic() + EMPTY_LIMIT_S
        for folder in self.folders:
            while not _removed(folder) and time.monotonic() < deadline:
                self.kill()
                time.sleep(0.01)


def create(memory_mb: int, processes: int) -> Group:
    """A new group with these limits; empty where the machine does not let us make one."""
    _sweep()
    name = f"{PREFIX}{os.getpid()}-{next(_serial)}"
    settings = {"memory": {"memory.limit_in_bytes": memory_mb << 20}, "pids": {"pids.max": processes}}
    if (ROOT / "cgroup.controllers").exists():
        merged = {"memory.max": memory_mb << 20, "memory.swap.max": 0, "pids.max": processes}
        wanted = [(ROOT / name, merged)]
    else:
        wanted = [
            (ROOT / kind / name, values)
            for kind, values in settings.items()
            if (ROOT / kind / "tasks").exists()
        ]
    made = []
    for folder, values in wanted:
        try:
            folder.mkdir()
        except OSError:
            continue
        made.append(folder)
        for file, value in values.items():
            with contextlib.suppress(OSError):
                (folder / file).write_text(str(value))
    return Group(made)


@functools.cache
def _sweep() -> None:
    """Remove groups whose grader is gone: one that was killed could not tidy up."""
    for folder in _ours():
        pid = folder.name.removeprefix(PREFIX).partition("-")[0]
        if pid.isdigit() and (int(pid) == os.getpid() or not Path("/proc", pid).exists()):
            _removed(folder)  # refused while something lives in it, a grader of another PID namespace for one


def _ours() -> Iterator[Path]:
    for parent in (ROOT, ROOT / "memory", ROOT / "pids"):
        with contextlib.suppress(OSError):
            yield from parent.glob(f"{PREFIX}*-*")


def _removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
