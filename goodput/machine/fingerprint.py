"""Which machine this is: CPU, memory, GPU and the versions that influence speed, and a short hash of them.

Takes nothing, returns a frozen `Machine`. GPU facts come from a child process (`gpu_facts.py`), so that a
process that will fork workers never touches the driver; torch is not imported either. Knows nothing of rates:
see `calibration.py`.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import re
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Gpu:
    """The first visible GPU."""

    name: str
    capability: tuple[int, int]
    multiprocessors: int
    l2_bytes: int
    memory_bytes: int
    driver: str  # of the NVIDIA kernel module where it can be read, else the CUDA version the driver supports
    power_limit_watts: int | None = None  # None where the management library cannot be asked


@dataclass(frozen=True)
class Machine:
    """What is here. `cores` and `memory_bytes` are what this process may use (affinity, cgroup), not what is
    built in."""

    cpu: str
    cores: int
    memory_bytes: int
    last_level_cache_bytes: int | None
    gpu: Gpu | None
    python: str
    torch: str | None
    cuda: str | None  # that torch was built for
    triton: str | None

    @property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits that change when something changes that influences speed."""
        facts = asdict(self)
        # The usable memory of one machine varies by some MB between kernels; a patch release of Python
        # changes no rate.
        facts["memory_bytes"] = round(self.memory_bytes / 2**30)
        facts["python"] = ".".join(self.python.split(".")[:2])
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:12]

    @property
    def versions(self) -> dict[str, str]:
        """The software that a recorded number must name."""
        found = {"python": self.python, "torch": self.torch, "cuda": self.cuda, "triton": self.triton}
        if self.gpu:
            found["driver"] = self.gpu.driver
        return {name: version for name, version in found.items() if version}


@functools.lru_cache(maxsize=1)
def describe() -> Machine:
    """Describe this machine (asked once per process)."""
    return Machine(
        cpu=_cpu_name(),
        cores=_usable_cores(),
        memory_bytes=_usable_memory_bytes(),
        last_level_cache_bytes=_last_level_cache_bytes(),
        gpu=_gpu(),
        python=platform.python_version(),
        torch=_version("torch"),
        cuda=_torch_cuda_version(),
        triton=_version("triton"),
    )


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""


def _cpu_name() -> str:
    named = re.search(r"^model name\s*:\s*(.+)$", _read("/proc/cpuinfo"), re.MULTILINE)
    return named.group(1).strip() if named else platform.processor() or platform.machine()


def _usable_cores() -> int:
    allowed = len(os.sched_getaffinity(0))
    limit = _read("/sys/fs/cgroup/cpu.max").split()  # "200000 100000" is two cores; "max 100000" is no limit
    if len(limit) == 2 and limit[0].isdigit():
        allowed = min(allowed, max(1, int(limit[0]) // int(limit[1])))
    return allowed


def _usable_memory_bytes() -> int:
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limit = _read("/sys/fs/cgroup/memory.max").strip()
    return min(total, int(limit)) if limit.isdigit() else total


def _last_level_cache_bytes() -> int | None:
    """Size of the largest cache level that core 0 sees, all slices of a level being one."""
    levels: dict[int, int] = {}
    for folder in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"):
        size = re.fullmatch(r"(\d+)([KM])", _read(f"{folder}/size").strip())
        level = _read(f"{folder}/level").strip()
        if size and level.isdigit():
            levels[int(level)] = int(size.group(1)) * {"K": 2**10, "M": 2**20}[size.group(2)]
    return levels[max(levels)] if levels else None


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _torch_cuda_version() -> str | None:
    """CUDA version in torch/version.py, read as text because importing torch costs a second."""
    found = importlib.util.find_spec("torch")
    if found is None or found.origin is None:
        return None
    text = _read(str(Path(found.origin).with_name("version.py")))
    named = re.search(r"^cuda\b[^=]*=\s*'([^']+)'", text, re.MULTILINE)
    return named.group(1) if named else None


def _gpu() -> Gpu | None:
    try:
        ctypes.CDLL("libcuda.so.1")  # loading it initialises nothing; without it there is no GPU to ask about
    except OSError:
        return None
    command = [sys.executable, "-m", "goodput.machine.gpu_facts"]
    root = str(Path(__file__).parents[2])
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    }
    try:  # 60 s: a first driver start without a persistence daemon takes up to 20 s on a machine with many GPUs
        answer = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
        return gpu_from_json(json.loads(answer.stdout)) if answer.returncode == 0 else None
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        return None


def gpu_from_json(facts: dict[str, Any]) -> Gpu:
    """The `Gpu` that `gpu_facts.py` printed."""
    major, minor = facts.pop("capability")
    return Gpu(capability=(major, minor), **facts)
