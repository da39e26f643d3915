"""What the compiler made of a kernel: registers, spills, and the instructions themselves (SASS).

`resources(cubin, log)`, `sass(cubin, kernel)` and `count(text, pattern)` work on any cubin, also one from
Triton, on a machine without a GPU. `sass` starts nvdisasm. Patterns for `count` are regular expressions over
instruction text, e.g. r"LDG\\.E\\S*128" for a 16-byte load; which instruction stands for which technique is
the caller's business.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from dataclasses import dataclass

from goodput.cuda import cubin as cubin_file
from goodput.cuda import toolkit

_SPILLS = re.compile(
    r"Function properties for (\S+)\s+(?:ptxas\s+\.\s+)?\d+ bytes stack frame, "
    r"(\d+) bytes spill stores, (\d+) bytes spill loads"
)
_DISASSEMBLY_LIMIT_S = (
    60  # the largest kernel of the course takes 2 s; a cubin from elsewhere must not hang a verdict
)


@dataclass(frozen=True)
class Resources:
    """What one kernel takes: per thread, except shared memory, which is per block."""

    registers: int
    stack_bytes: int  # arrays indexed at run time and spills: local memory
    shared_bytes: int  # static; dynamic shared memory is chosen at launch
    spill_bytes: int | None  # spill stores + loads in the code; None without the compiler's log


def resources(cubin: bytes, log: str = "") -> dict[str, Resources]:
    """Kernel name -> Resources. `log` is `Compiled.log`; spills are read there, since the cubin does not tell them."""
    spilled = {name: int(stores) + int(loads) for name, stores, loads in _SPILLS.findall(log)}
    return {
        name: Resources(entry.registers, entry.stack_bytes, entry.shared_bytes, spilled.get(name))
        for name, entry in cubin_file.kernels(cubin).items()
    }


def sass(cubin: bytes, kernel: str) -> str:
    """The machine code of one kernel, one instruction a line, with the code of the functions it calls.

    Raises `KeyError` that lists the kernels of the cubin, `FileNotFoundError` when nvdisasm is not installed.
    """
    entries = cubin_file.kernels(cubin)
    if kernel not in entries:
        raise KeyError(f"no kernel {kernel!r} in the cubin; it has {', '.join(entries) or 'none'}")
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        command = [
            toolkit.tool("nvdisasm"),
            "--print-code",
            "--cuda-function-index",
            str(entries[kernel].symbol),
            file.name,
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_DISASSEMBLY_LIMIT_S)
    if done.returncode != 0:
        raise RuntimeError(
            f"nvdisasm failed: {done.stderr.strip()[:500]}; check that it is as new as the compiler"
        )
    return done.stdout


def count(text: str, pattern: str) -> int:
    """How often a regular expression occurs in machine code."""
    return len(re.findall(pattern, text))
