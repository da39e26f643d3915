"""What one process tree may use, and how the limits are put on it.

`restrict` is called in a new process before it becomes the program; `limited` puts the same limits on a command line that
somebody else starts; `bound_processes` is called inside the sandbox. Knows nothing of namespaces and control groups.
"""

from __future__ import annotations

import os
import platform
import resource
from collections.abc import Callable, Sequence
from dataclasses import dataclass

# sizes in KiB, 512-byte blocks and seconds
_ULIMIT = 'ulimit -c 0; ulimit -v "$1"; ulimit -f "$2"; ulimit -t "$3"; shift 3; exec "$@"'


@dataclass(frozen=True)
class Limits:
    """`processes` counts inside the sandbox only."""

    memory_mb: int = 4096
    virtual_mb: int = 0  # address space on top, that libraries map and never touch
    cpu_s: int = 300
    file_mb: int = 512
    open_files: int = 256
    processes: int = 128
    bound_address_space: bool = True  # False for CUDA: the driver reserves far more addresses than it uses

    @property
    def address_space_mb(self) -> int:
        return self.memory_mb + self.virtual_mb


def _both(value: int) -> tuple[int, int]:
    """The same soft and hard limit."""
    return value, value


def restrict(limits: Limits, cpus: set[int] | None, enter: Callable[[], None]) -> None:
    enter()
    if limits.bound_address_space:
        resource.setrlimit(resource.RLIMIT_AS, _both(limits.address_space_mb << 20))
    resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_s, limits.cpu_s + 2))
    resource.setrlimit(resource.RLIMIT_FSIZE, _both(limits.file_mb << 20))
    resource.setrlimit(resource.RLIMIT_NOFILE, _both(limits.open_files))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if cpus:
        os.sched_setaffinity(0, cpus)


def limited(argv: Sequence[str], limits: Limits) -> list[str]:
    """`argv` under the address space, file size and processor time of `limits`."""
    sizes = (limits.address_space_mb << 10, limits.file_mb << 11, limits.cpu_s)
    return ["/bin/sh", "-c", _ULIMIT, "sh", *map(str, sizes), *argv]


def bound_processes(count: int) -> None:
    """Allow this many processes and threads in the user namespace we live in.

    Before Linux 5.14 the kernel counts every process of the user outside as well, so the limit would hit the innocent.
    """
    version = tuple(int(part) for part in platform.release().split("-")[0].split(".")[:2])
    if version >= (5, 14):
        resource.setrlimit(resource.RLIMIT_NPROC, (count, count))
