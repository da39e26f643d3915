"""Nsight Compute: run a command under `ncu`, read its counters back as a table.

Takes a command (or Python source) and a regular expression of kernel names, returns a pandas table with one
row per launch. Clocks are left alone (`--clock-control none`): fixing them needs rights that a shared machine
does not give, and counts do not depend on them. ncu replays each kernel several times, so times come from
`goodput.clock`, not from here.
"""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pandas

from goodput.profile.metrics import ACCESS_METRICS, Metric, derive

TIMEOUT_S = 180.0  # a launch is replayed about once per four metrics, and the program starts torch first


class NcuMissing(RuntimeError):
    """There is no `ncu` on this machine."""

    def __init__(self) -> None:
        super().__init__(
            "Nsight Compute (ncu) was not found: install it with the CUDA toolkit and put it on PATH, "
            "or use the emulator's counts, which need no hardware counters"
        )


class CountersRefused(PermissionError):
    """The driver does not let this user read hardware counters."""

    def __init__(self, said: str) -> None:
        self.said = said
        super().__init__(
            f"hardware counters cannot be read here ({said}). An administrator can allow them with the kernel module option "
            "NVreg_RestrictProfilingToAdminUsers=0, or run ncu as root; in a virtual machine the host decides"
        )


class NcuFailed(RuntimeError):
    """ncu ended with an error, ran too long, or profiled nothing; `output` holds what it and the program
    printed."""

    def __init__(self, problem: str, output: str) -> None:
        self.problem, self.output = problem, output
        super().__init__(f"Nsight Compute: {problem}" + (f"\n{output[-2000:]}" if output else ""))


def ncu(
    command: Sequence[str],
    kernel_regex: str,
    metrics: Sequence[Metric] = ACCESS_METRICS,
    *,
    launches: int = 3,
    skip: int = 0,
    timeout_s: float = TIMEOUT_S,
) -> pandas.DataFrame:
    """Profile the first `launches` launches (after `skip`) of kernels whose name matches, started by
    `command`.

    Returns columns `kernel`, `grid`, `block`, one per metric that this GPU has, and the ratios of
    `metrics.derive`; counts are in base units (bytes, ns). Raises NcuMissing, CountersRefused or NcuFailed.
    """
    tool = shutil.which("ncu") or _in_toolkit()
    if tool is None:
        raise NcuMissing()
    with tempfile.TemporaryDirectory(prefix="goodput-ncu-") as folder:
        log = Path(folder) / "counters.csv"
        asked = [
            tool, "--clock-control", "none", "--target-processes", "all", "--kernel-name", f"regex:{kernel_regex}",
            "--launch-skip", str(skip), "--launch-count", str(launches), "--metrics", ",".join(m.name for m in metrics),
            "--csv", "--page", "raw", "--print-units", "base", "--log-file", str(log), *command,
        ]  # fmt: skip
        try:
            done = subprocess.run(
                asked,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=timeout_s,
                check=False,
            )
        except subprocess.TimeoutExpired as late:
            output = (
                late.stdout.decode(errors="replace") if isinstance(late.stdout, bytes) else late.stdout or ""
            )
            raise NcuFailed(f"no answer within {timeout_s:.0f} s", output) from None
        report = log.read_text() if log.exists() else ""
    return read_report(report, done.stdout, done.returncode, metrics)


def ncu_python(
    source: str, kernel_regex: str, metrics: Sequence[Metric] = ACCESS_METRICS, **options
) -> pandas.DataFrame:
    """`ncu` for a piece of Python source, run by this interpreter with this repository importable."""
    with tempfile.TemporaryDirectory(prefix="goodput-ncu-") as folder:
        script = Path(folder) / "profiled.py"
        root = str(Path(__file__).parents[2])
        script.write_text(f"import sys; sys.path.insert(0, {root!r})\n{source}")
        return ncu([sys.executable, str(script)], kernel_regex, metrics, **options)


def read_report(
    report: str, printed: str, status: int, metrics: Sequence[Metric] = ACCESS_METRICS
) -> pandas.DataFrame:
    """The table in the text of a raw CSV page; `printed` and `status` are what the run said, for errors."""
    said = report + printed
    if refused := re.search(r"ERR_NVGPUCTRPERM|LibraryNotLoaded|insufficient privileges", said):
        raise CountersRefused(refused.group(0))
    lines = report.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if status != 0:
        raise NcuFailed(f"ended with exit code {status}", said)
    if start is None:
        raise NcuFailed("no kernel with such a name was launched", said)
    rows = list(csv.DictReader(line for line in lines[start:] if not line.startswith("==")))
    launches = [row for row in rows if row["ID"]]  # the line after the header holds the units
    table = []
    for row in launches:
        counts = {m.column: value for m in metrics if (value := _number(row.get(m.name))) is not None}
        shape = {"kernel": row["Kernel Name"], "grid": row.get("Grid Size"), "block": row.get("Block Size")}
        table.append(shape | counts | derive(counts))
    return pandas.DataFrame(table)


def _number(text: str | None) -> float | None:
    try:
        return float(text.replace(",", "")) if text else None
    except ValueError:  # "n/a": this GPU has no such counter
        return None


def _in_toolkit() -> str | None:
    for base in filter(None, (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda")):
        if (found := Path(base) / "bin" / "ncu").is_file():
            return str(found)
    return None
