"""Runs launches on the CPU model and reads back outputs, counts and the first failure.

`run(program, launches, buffers) -> Run`. One process executes all launches in order, once per schedule, so that __device__
variables persist between launches and not between schedules; memory travels by memfd. What the process writes is read as
data and never trusted: sizes are capped, types checked.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from goodput.cuda.errors import LaunchError
from goodput.cuda.plan import Launch
from goodput.emulator.agree import first_difference
from goodput.emulator.build import Program, Wrap
from goodput.emulator.read_report import counts_of, failure_of
from goodput.emulator.report import Counts, Failure, Run
from goodput.emulator.request import pack

ALL_SCHEDULES = ("forward", "backward", "shuffled")
GRACE_S = 5.0  # the program ends itself at the limit; this is for one that no longer can
REPORT_BYTES = 4 << 20  # some thousand places in the code at 100 bytes each
PRINTED_BYTES = 64 << 10
ALIGNMENT = 64  # of a buffer in the shared memory file


@dataclass(frozen=True)
class BufferSpec:
    """Contents of one buffer before the first launch.

    `writable` False makes a write a failure ("input modified"). `dtype` (torch spelling) is how schedules are compared: floats
    up to the order of additions, everything else bit for bit; None tries float32.
    """

    data: Any  # bytes or anything with the buffer protocol, e.g. a NumPy array
    writable: bool = True
    dtype: str | None = None


def run(
    program: Program,
    launches: Sequence[Launch],
    buffers: Mapping[str, BufferSpec],
    *,
    schedules: Sequence[str] = ALL_SCHEDULES,
    trace: bool = True,
    timeout_s: float = 20.0,
    wrap: Wrap | None = None,
) -> Run:
    """Execute `launches`; the first schedule is traced (counts, race detection), all of them must agree."""
    contents = {name: memoryview(spec.data).cast("B") for name, spec in buffers.items()}
    sizes, given, wanted = {}, 0, 0
    for name, spec in buffers.items():
        nbytes = contents[name].nbytes
        sizes[name] = (nbytes, given, wanted if spec.writable else None, spec.writable)
        given += -(-nbytes // ALIGNMENT) * ALIGNMENT
        wanted += nbytes if spec.writable else 0
    files = [_memory(f"goodput-{i}") for i in range(4 + len(schedules))]
    try:
        request, inputs, outputs, printed, *reports = files
        for name, (_, offset, _, _) in sizes.items():
            _write_all(inputs, contents[name], offset)
        os.ftruncate(inputs, given)
        os.ftruncate(outputs, wanted * len(schedules))
        parts = [(name, fd, wanted * i) for i, (name, fd) in enumerate(zip(schedules, reports, strict=True))]
        try:
            _write_all(request, memoryview(pack(program, launches, sizes, parts, trace, timeout_s)), 0)
        except LaunchError as e:
            return Run({}, Counts(), Failure(e.name, e.meaning, kernel=e.facts.get("kernel")))
        ended = _execute(program, [request, inputs, outputs], printed, reports, timeout_s, wrap)
        text = os.pread(printed, PRINTED_BYTES, 0).decode(errors="replace")
        objects = [_report(fd) for fd in reports]
        failure = ended or _first_failure(program, launches, list(sizes), schedules, objects)
        counts = counts_of(program, objects[0]) if trace and not ended else Counts()
        if failure is not None:
            return Run({}, counts, failure, printed=text)
        per_schedule = {
            name: {
                buffer: os.pread(outputs, nbytes, base + at)
                for buffer, (nbytes, _, at, writable) in sizes.items()
                if writable
            }
            for name, _, base in parts
        }
    finally:
        for fd in files:
            os.close(fd)
    first = schedules[0]
    failure = _disagreement(buffers, per_schedule, first)
    return Run(per_schedule[first] if failure is None else {}, counts, failure, per_schedule, text)


def _memory(name: str) -> int:
    return os.memfd_create(name, 0)


def _write_all(fd: int, data: memoryview, offset: int) -> None:
    done = 0
    while done < data.nbytes:
        done += os.pwrite(fd, data[done:], offset + done)


def _execute(
    program: Program,
    files: Sequence[int],
    printed: int,
    reports: Sequence[int],
    timeout_s: float,
    wrap: Wrap | None,
) -> Failure | None:
    argv = [str(program.executable), *map(str, files)]
    if wrap is not None:
        argv = wrap(argv, [str(program.path)], [])
    with tempfile.TemporaryFile() as complaints:
        # a session of its own, so that a stop reaches every schedule
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=complaints,
            pass_fds=[*files, *reports],
            env={},
            start_new_session=True,
        )
        try:
            status = process.wait(timeout_s + GRACE_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()
            return Failure("timed out", f"still running after {timeout_s + GRACE_S:.0f} s")
        if status:
            complaints.seek(0)
            said = complaints.read(2000).decode(errors="replace").strip()
            return Failure("died", f"the program ended with status {status}" + (f": {said}" if said else ""))
    return None


def _report(fd: int) -> dict:
    text = os.pread(fd, REPORT_BYTES, 0).decode(errors="replace")
    found: dict = {}
    for line in text.splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            found = {**entry, **found}  # what came first is what happened first
    return found


def _first_failure(
    program: Program,
    launches: Sequence[Launch],
    names: list[str],
    schedules: Sequence[str],
    objects: Sequence[dict],
) -> Failure | None:
    for schedule, report in zip(schedules, objects, strict=True):
        if "failure" in report:
            return replace(failure_of(program, names, report["failure"]), schedule=schedule)
        if "kernels" not in report:
            return Failure(
                "died", f"the process ended without a result ({report.get('ended', 'no status')})", schedule
            )
    return None


def _disagreement(
    buffers: Mapping[str, BufferSpec], per_schedule: Mapping[str, Mapping[str, bytes]], first: str
) -> Failure | None:
    for schedule, outputs in per_schedule.items():
        for name, data in outputs.items():
            at = first_difference(per_schedule[first][name], data, buffers[name].dtype)
            if at is not None:
                return Failure(
                    "race",
                    f"the result depends on the order in which threads run: {name} differs at byte {at}",
                    schedule,
                    buffer=name,
                    offset=at,
                )
    return None
