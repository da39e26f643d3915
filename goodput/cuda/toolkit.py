"""Where the parts of the CUDA toolkit lie: header folders, nvdisasm, libcudadevrt.

Looks into the wheels first (site-packages/nvidia/*), because they match the NVRTC that Python loads, then
into a toolkit (CUDA_HOME, the folder of nvcc, /usr/local/cuda). Returns paths; starts nothing.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

OWN_HEADERS = Path(__file__).parent / "include"
# One header of every part that a source may include, and the wheel that brings it.
_PARTS = {
    "cuda_bf16.h": "nvidia-cuda-runtime",
    "crt/host_defines.h": "nvidia-cuda-crt",
    "cuda/barrier": "nvidia-cuda-cccl",
}


def header_folders() -> tuple[Path, ...]:
    """Folders for `-I`: ours first, then the fewest that hold the CUDA headers, crt/ and libcu++ (where installed)."""
    return (OWN_HEADERS, *(folder for folder, _ in _found_parts()))


def header_fingerprint() -> str:
    """Changes when a header could have changed: our headers by content, the toolkit's by path and modification time."""
    own = [p.read_text() for p in sorted(OWN_HEADERS.rglob("*.cuh"))]
    theirs = [f"{folder} {(folder / part).stat().st_mtime_ns}" for folder, part in _found_parts()]
    return "\n".join(own + theirs)


def tool(name: str) -> Path:
    """Path of a toolkit program such as nvdisasm; raises `FileNotFoundError` that names the wheel to install."""
    for folder in _roots():
        path = folder / "bin" / name
        if os.access(path, os.X_OK):
            return path
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError(
            f"{name} not found: pip install nvidia-cuda-{name}, or put the CUDA toolkit on PATH"
        )
    return Path(found)


def device_runtime() -> Path:
    """libcudadevrt.a, which kernels that launch kernels are linked with."""
    for folder in _roots():
        for lib in ("lib", "lib64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"):
            path = folder / lib / "libcudadevrt.a"
            if path.is_file():
                return path
    raise FileNotFoundError(
        "libcudadevrt.a not found: pip install nvidia-cuda-runtime, or install the CUDA toolkit"
    )


@functools.cache
def _found_parts() -> tuple[tuple[Path, str], ...]:
    """(folder, the part it was chosen for), each folder once."""
    found: dict[Path, str] = {}
    for part in _PARTS:
        if any((folder / part).is_file() for folder in found):
            continue
        for folder in _include_candidates():
            if (folder / part).is_file():
                found[folder] = part
                break
    return tuple(found.items())


def _include_candidates() -> Iterator[Path]:
    for root in _roots():
        for include in ("include", "targets/x86_64-linux/include", "targets/sbsa-linux/include"):
            yield root / include
            yield root / include / "cccl"


@functools.cache
def _roots() -> tuple[Path, ...]:
    spec = importlib.util.find_spec("nvidia")
    wheels = [Path(p) for p in (spec.submodule_search_locations or ())] if spec else []
    roots = [
        child for folder in wheels if folder.is_dir() for child in sorted(folder.iterdir(), reverse=True)
    ]
    nvcc = shutil.which("nvcc")
    toolkits = [
        os.environ.get("CUDA_HOME"),
        nvcc and os.path.dirname(os.path.dirname(os.path.realpath(nvcc))),
    ]
    roots += [Path(p) for p in (*toolkits, "/usr/local/cuda") if p]
    return tuple(root for root in roots if root.is_dir())
