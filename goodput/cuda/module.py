"""A cubin loaded into a context: its kernels, their limits, and its `__constant__` variables.

`Module(device, cubin).function("name") -> Function`. The driver reads every argument that a kernel declares,
whether or not the caller passed it, so `Function.parameters` (byte sizes) is what callers compare with first.
Launches nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import cuda.bindings.driver as driver

from goodput.cuda import cubin as cubin_file
from goodput.cuda.driver import Device
from goodput.cuda.driver_status import check
from goodput.cuda.errors import LaunchError


@dataclass(frozen=True)
class Function:
    """A kernel on a device, and what the compiler and the driver allow it."""

    name: str
    handle: driver.CUfunction
    parameters: tuple[int, ...]  # bytes of each parameter
    registers: int  # per thread
    local_bytes: int  # per thread
    shared_bytes: int  # static, per block
    most_threads: int  # per block, with these registers


class Module:
    """Loaded machine code; `unload` it when no launch needs it any more."""

    def __init__(self, device: Device, cubin: bytes) -> None:
        device.use()
        self.device = device
        self._entries = cubin_file.kernels(cubin)
        self._handle = check(driver.cuModuleLoadData(cubin))
        self._functions: dict[str, Function] = {}

    def function(self, name: str) -> Function:
        """Raises `LaunchError` that lists the kernels there are."""
        if name not in self._functions:
            self._functions[name] = self._load(name)
        return self._functions[name]

    def variable(self, name: str) -> tuple[int, int]:
        """(address, bytes) of a `__constant__` or `__device__` variable."""
        status, address, nbytes = driver.cuModuleGetGlobal(self._handle, name.encode())
        if status != driver.CUresult.CUDA_SUCCESS:
            raise LaunchError(
                "unknown constant",
                f"the compiled source has no variable {name!r}: declare it outside functions, "
                f"__constant__ float {name}[n], and read it in the kernel",
            )
        return int(address), int(nbytes)

    def unload(self) -> None:
        self.device.use()
        check(driver.cuModuleUnload(self._handle))

    def _load(self, name: str) -> Function:
        if name not in self._entries:
            raise LaunchError("unknown kernel", _no_kernel(name, tuple(self._entries)))
        handle = check(driver.cuModuleGetFunction(self._handle, name.encode()))

        def attribute(key: str) -> int:
            return check(
                driver.cuFuncGetAttribute(
                    getattr(driver.CUfunction_attribute, f"CU_FUNC_ATTRIBUTE_{key}"), handle
                )
            )

        return Function(
            name=name,
            handle=handle,
            parameters=_parameters(handle),
            registers=attribute("NUM_REGS"),
            local_bytes=attribute("LOCAL_SIZE_BYTES"),
            shared_bytes=self._entries[name].shared_bytes,
            most_threads=attribute("MAX_THREADS_PER_BLOCK"),
        )


def _parameters(handle: driver.CUfunction) -> tuple[int, ...]:
    sizes = []
    while True:
        status, _, size = driver.cuFuncGetParamInfo(handle, len(sizes))
        if status != driver.CUresult.CUDA_SUCCESS:  # one past the last parameter
            return tuple(sizes)
        sizes.append(int(size))


def _no_kernel(name: str, names: tuple[str, ...]) -> str:
    if any(f"{len(name)}{name}" in mangled for mangled in names):
        return f'{name} is there under a C++ name: write extern "C" before __global__'
    there = f"the source has {', '.join(names)}" if names else "the source has no kernel"
    return f"{there}, not {name!r}: check the name given to kernel(...)"
