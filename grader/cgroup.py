"""A control group per worker where the machine allows one: memory and process count, and whether memory ran out.

Takes limits, returns an object with `add`, `out_of_memory`, `remove`. Where control groups cannot be written (an ordinary
user, a container) the object does nothing and rlimits alone hold. Supports version 2 and the separate hierarchies of
version 1. Knows nothing of what runs inside.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
_serial = itertools.count()


class Group:
    """Folders of one worker (several with version 1, none where unsupported)."""

    def __init__(self, folders: list[Path]):
        self.folders = folders

    def add(self, pid: int) -> None:
        for folder in self.folders:
            with contextlib.suppress(OSError):
                (folder / "cgroup.procs").write_text(str(pid))

    def out_of_memory(self) -> bool:
        for folder in self.folders:
            for name, key in (("memory.events", "oom_kill"), ("memory.oom_control", "oom_kill")):
                with contextlib.suppress(OSError, ValueError, IndexError):
                    fields = dict(line.split()[:2] for line in (folder / name).read_text().splitlines())
                    if int(fields.get(key, "0")) > 0:
                        return True
        return False

    def remove(self) -> None:
        """Folders go once their last process is reaped, which the kernel does a moment after the kill."""
        for folder in self.folders:
            for _ in range(20):
                try:
                    folder.rmdir()
                except FileNotFoundError:
                    break
                except OSError:
                    time.sleep(0.005)
                else:
                    break


def create(memory_mb: int, processes: int) -> Group:
    """A new group with these limits; empty where the machine does not let us make one."""
    name = f"goodput-{os.getpid()}-{next(_serial)}"
    settings = {"memory": {"memory.limit_in_bytes": memory_mb << 20}, "pids": {"pids.max": processes}}
    if (ROOT / "cgroup.controllers").exists():
        merged = {"memory.max": memory_mb << 20, "memory.swap.max": 0, "pids.max": processes}
        wanted = [(ROOT / name, merged)]
    else:
        wanted = [(ROOT / kind / name, values) for kind, values in settings.items() if (ROOT / kind / "tasks").exists()]
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
