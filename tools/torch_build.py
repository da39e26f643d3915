"""Which build of PyTorch this machine gets: CUDA's, gigabytes, only where there is a GPU or somebody asked for it.

Takes the interpreter of the environment; returns arguments for `pip install`, or raises Stop with the remedy.
Downloads no wheel: pip is asked for versions, then at most for the metadata of one. Knows nothing of other packages.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import subprocess
from pathlib import Path

from tools import pip
from tools.setup_text import Stop, text
from tools.stamp import ROOT

CPU_WHEEL_MB = 300  # CPU wheels of PyTorch 2.11-2.15 have about 200 MB, CUDA wheels 500 and more


def gpu_present() -> bool:
    """Whether a driver answers and has a device; the library alone may come with an image or a login node."""
    try:
        return ctypes.CDLL("libcuda.so.1").cuInit(0) == 0
    except OSError:
        return False


def pinned_version() -> str:
    found = re.search(r"^torch==(\S+)", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
    assert found, "constraints.txt pins no torch"
    return found[1]


def _index_options() -> list[str]:
    index = os.environ.get("TORCH_INDEX")
    return ["--extra-index-url", index] if index else []


def _versions(python: Path) -> list[str]:
    """Versions of torch that pip finds for this interpreter, local builds such as 2.13.0+cpu included."""
    command = [str(python), "-m", "pip", "index", "versions", "torch", "--json", *_index_options()]
    answer = subprocess.run(command, env=pip.clean_environment(), capture_output=True, text=True, check=False)
    return json.loads(answer.stdout)["versions"] if answer.returncode == 0 else []


def _brings_cuda(python: Path, version: str, log: Path, clock: pip.Clock, lock: int) -> bool:
    """Whether the wheel that pip would take requires CUDA's libraries; its metadata tells."""
    report = log.with_name("torch.json")
    report.unlink(missing_ok=True)
    too_large: list[str] = []

    def watch(line: str) -> bool:
        """Where an index cannot serve metadata alone pip fetches the wheel: then its size tells, before it comes."""
        announced = pip.download(line)
        if announced and announced[1] > CPU_WHEEL_MB:
            too_large.append(line)
        return bool(too_large)

    only_metadata = [
        "--dry-run",
        "--ignore-installed",
        "--no-deps",
        "--only-binary=:all:",
        "--use-feature=fast-deps",
    ]
    arguments = ["install", *only_metadata, "--report", str(report), *_index_options(), f"torch=={version}"]
    pip.run(python, arguments, log, clock, lock, watch)
    if too_large:
        return True
    requires = json.loads(report.read_text())["install"][0]["metadata"].get("requires_dist", [])
    return any(requirement.startswith(("nvidia-", "cuda-")) for requirement in requires)


def requirement(python: Path, log: Path, clock: pip.Clock, lock: int) -> list[str]:
    """Arguments that make `pip install` take the right build."""
    version = pinned_version()
    if gpu_present() or os.environ.get("ALLOW_CUDA_WHEELS") == "1":
        return [f"torch=={version},!={version}+cpu", *_index_options()]
    clock.tell("cpu build", version=version)
    found = _versions(python)
    if f"{version}+cpu" in found:
        return [f"torch=={version}+cpu", *_index_options()]
    if version not in found:
        raise Stop(text("no torch", version=version))
    clock.tell("what torch brings", version=version)
    if _brings_cuda(python, version, log, clock, lock):
        raise Stop(text("cuda build only", version=version))
    return [f"torch=={version}", *_index_options()]
