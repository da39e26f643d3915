"""What the kernel counts about a process tree: calls, bytes, CPU seconds and the most memory. Read by the controller.

Takes a process id; returns records. The counters stand in /proc, where the processes themselves cannot change them; those
of a process that has ended are gone with it. Knows nothing of answers.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Io:
    """Counters of /proc/<pid>/io and stat, summed over the tree: what was asked for and what the disk moved."""

    read_calls: int
    write_calls: int
    bytes_read: int  # through read(2) and friends; a memory map reads without them
    bytes_written: int
    disk_bytes_read: int
    cpu_s: float
    major_faults: int  # pages of a memory map that had to be fetched: reads without a call

    def __sub__(self, other: Io) -> Io:
        return Io(*(getattr(self, f) - getattr(other, f) for f in self.__dataclass_fields__))


def descendants(pid: int) -> list[int]:
    """The process and everything below it."""
    found, queue = [], [pid]
    while queue:
        current = queue.pop()
        found.append(current)
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{current}/task"):
                queue += [int(c) for c in Path(f"/proc/{current}/task/{task}/children").read_text().split()]
    return found


def io_of(pid: int) -> Io:
    totals = dict.fromkeys(("syscr", "syscw", "rchar", "wchar", "read_bytes"), 0)
    cpu, major_faults = 0.0, 0
    tick = os.sysconf("SC_CLK_TCK")
    for one in descendants(pid):
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{one}/io").read_text().splitlines():
                key, _, value = line.partition(":")
                if key in totals:
                    totals[key] += int(value)
            fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
            cpu += sum(int(fields[i]) for i in (11, 12, 13, 14)) / tick
            major_faults += int(fields[9]) + int(
                fields[10]
            )  # its own, and those of children that it waited for
    return Io(
        totals["syscr"],
        totals["syscw"],
        totals["rchar"],
        totals["wchar"],
        totals["read_bytes"],
        cpu,
        major_faults,
    )


def peak_memory_mb(pid: int) -> float:
    """The most memory (VmHWM, resident) that each process of the tree has used since `forget_peak`, added up."""
    total_kb = 0
    for one in descendants(pid):
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{one}/status").read_text().splitlines():
                if line.startswith("VmHWM:"):
                    total_kb += int(line.split()[1])
    return total_kb / 1024


def forget_peak(pid: int) -> None:
    """Let the peak start again from what is used now; where the kernel refuses, it stays that of the start-up."""
    for one in descendants(pid):
        with contextlib.suppress(OSError):
            Path(f"/proc/{one}/clear_refs").write_text("5")
