"""CUDA C++ text to machine code (cubin) with NVRTC; no driver and no GPU needed.

`compile_cubin(source, "sm_90a") -> Compiled`, or `CompileError` with the lines of `source`. The code goes
straight to cubin, never PTX, so what is inspected is what runs. A compiler reads whatever file an `#include`
names and may be made to run for long: give untrusted sources to it in a sandbox with a time limit. Knows
nothing of launching.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cuda.bindings.nvrtc as nvrtc

from goodput.cuda import compile_log, cubin_cache, linking, toolkit
from goodput.cuda.errors import CompileError, Message
from goodput.cuda.limits import check_source

# -v prints spills and registers; line information costs nothing in the code and leads ptxas errors back to
# the source.
_ALWAYS = ("--std=c++17", "--ptxas-options=-v", "--generate-line-info")


@dataclass(frozen=True)
class Compiled:
    """A cubin for one architecture, what the compiler printed, and its warnings."""

    cubin: bytes
    log: str
    arch: str
    warnings: tuple[Message, ...] = ()


def architecture(capability: tuple[int, int]) -> str:
    """The name to compile for: (8, 6) -> "sm_86", (9, 0) -> "sm_90a" (with the instructions of exactly that GPU)."""
    major, minor = capability
    return f"sm_{major}{minor}" + ("a" if major >= 9 else "")


def version() -> tuple[int, int]:
    _, major, minor = nvrtc.nvrtcVersion()
    return major, minor


def compile_cubin(
    source: str, arch: str, options: Sequence[str] = (), *, rdc: bool = False, cache: Path | None = None
) -> Compiled:
    """Compile `source` for `arch`, e.g. "sm_80" or "sm_90a".

    `#include <goodput/primitives.cuh>`, the CUDA headers and libcu++ are found. `rdc=True` compiles
    relocatable device code and links it with the device runtime, for kernels that launch kernels. `cache` is
    a folder for finished cubins (see `cubin_cache`), None for no cache; whoever can write into it decides
    what runs.
    """
    check_source(source)
    flags = [f"--gpu-architecture={arch}", *_ALWAYS, *options]
    if rdc:
        flags.append("--relocatable-device-code=true")
    key = cubin_cache.key(source, *flags, str(version()), toolkit.header_fingerprint())
    kept = cubin_cache.read(cache, key) if cache else None
    if kept is None:
        cubin, log = _build(source, flags)
        kept = (linking.link_device_runtime(cubin, arch) if rdc else cubin), log
        if cache:
            cubin_cache.write(cache, key, *kept)
    return Compiled(*kept, arch, tuple(compile_log.messages(kept[1], source)))


def _build(source: str, flags: list[str]) -> tuple[bytes, str]:
    includes = [f"-I{folder}" for folder in toolkit.header_folders()]
    failed, program, log = _compile(source, flags + includes)
    try:
        if not failed:
            return _fetch(nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN, program), log
    finally:
        nvrtc.nvrtcDestroyProgram(program)
    ptx = _ptx(source, flags + includes) if "ptxas" in log else ""
    found = compile_log.messages(log, source, ptx)
    raise CompileError(
        found or [Message(line=None, column=None, severity="error", text=log.strip()[-2000:] or failed)]
    )


def _compile(source: str, flags: list[str]) -> tuple[str, nvrtc.nvrtcProgram, str]:
    """(name of the NVRTC error or "", program, log)"""
    status, program = nvrtc.nvrtcCreateProgram(source.encode(), compile_log.FILE.encode(), 0, [], [])
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise RuntimeError(f"NVRTC could not start: {status.name}; reinstall nvidia-cuda-nvrtc")
    (status,) = nvrtc.nvrtcCompileProgram(program, len(flags), [flag.encode() for flag in flags])
    log = (
        _fetch(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog, program)
        .decode(errors="replace")
        .rstrip("\0 \n")
    )
    return ("" if status == nvrtc.nvrtcResult.NVRTC_SUCCESS else status.name), program, log


def _ptx(source: str, flags: list[str]) -> str:
    """The PTX of a source that ptxas refused, to find the source line of a PTX line; "" when there is none."""
    virtual = [flag.replace("=sm_", "=compute_") for flag in flags if not flag.startswith("--ptxas-options")]
    failed, program, _ = _compile(source, virtual)
    ptx = "" if failed else _fetch(nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX, program).decode(errors="replace")
    nvrtc.nvrtcDestroyProgram(program)
    return ptx


def _fetch(size_of, read, program) -> bytes:
    _, size = size_of(program)
    # The binding writes into this object. Python keeps one object per single byte and shares it with everybody, so a buffer of
    # one byte (an empty log) must not be such an object: what is written there would appear wherever that byte is used.
    data = b" " * max(size, 2)
    read(program, data)
    return data[:size]
