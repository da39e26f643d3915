"""Launches with everything that can be done once done once: `Prepared(device, launches, modules,
addresses).run()`.

`launches` come from a `Plan`, `modules` maps each source to its loaded `Module`, `addresses` maps each buffer
name to a device address. Construction checks the launches against the kernels (a wrong argument count would
make the driver read stray memory) and packs arguments, tensor maps and attributes; `run` makes one foreign
call per launch, about 3 us, and returns before the GPU is done. Knows nothing of torch, and does not own the
memory.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import cuda.bindings.driver as driver

from goodput.cuda.driver import Device
from goodput.cuda.driver_status import check, failure
from goodput.cuda.errors import LaunchError
from goodput.cuda.module import Function, Module
from goodput.cuda.packing import Packed, encode_map, pack
from goodput.cuda.plan import Launch

_PLAIN_SHARED_BYTES = 48 * 1024  # above this a kernel must opt in
_PORTABLE_CLUSTER = 8  # blocks; above this a kernel must opt in


class Prepared:
    """Some launches, ready to run as often as wanted on the same memory."""

    def __init__(
        self,
        device: Device,
        launches: Sequence[Launch],
        modules: Mapping[str, Module],
        addresses: Mapping[str, int],
        stream: int = 0,
    ) -> None:
        device.use()
        self._device = device
        self._kept: list[Any] = []  # memory that the prepared calls point into
        self._steps: list[tuple[Any, tuple[Any, ...], Launch]] = []
        for launch in launches:
            module = modules[launch.source]
            for name, constant in launch.constants.items():
                self._steps.append(
                    _fill_constant(launch, name, addresses[constant.buffer] + constant.offset, module, stream)
                )
            function = module.function(launch.kernel)
            packed = pack(launch.args, addresses, encode_map)
            _check_arguments(function, packed, launch)
            _check_size(device, function, launch)
            config = _config(launch, stream)
            self._kept += [packed, config]
            self._steps.append((_native().cuLaunchKernelEx, _launch_call(config, function, packed), launch))

    def run(self) -> None:
        """Start all launches, in order, in the stream. The device's context must be current in this thread."""
        for call, arguments, launch in self._steps:
            status = call(*arguments)
            if status:
                raise failure(status, _facts(launch))


@cache
def _native() -> ctypes.CDLL:
    """The driver library that cuda-bindings loaded. A call through ctypes costs a fifth of one through the bindings."""
    check(driver.cuInit(0))
    return ctypes.CDLL("libcuda.so.1")


def _launch_call(config: driver.CUlaunchConfig, function: Function, packed: Packed) -> tuple[Any, ...]:
    void = ctypes.c_void_p
    return void(int(config.getPtr())), void(int(function.handle)), void(packed.pointers), void(None)


def _fill_constant(
    launch: Launch, name: str, source: int, module: Module, stream: int
) -> tuple[Any, tuple[Any, ...], Launch]:
    address, room = module.variable(name)
    nbytes = launch.constants[name].nbytes
    if nbytes > room:
        raise LaunchError(
            "wrong constant size", f"constant {name} holds {room} bytes, the tensor has {nbytes}: make it fit"
        )
    arguments = (
        ctypes.c_uint64(address),
        ctypes.c_uint64(source),
        ctypes.c_size_t(nbytes),
        ctypes.c_void_p(stream),
    )
    return _native().cuMemcpyDtoDAsync_v2, arguments, launch


def _check_arguments(function: Function, packed: Packed, launch: Launch) -> None:
    want, got = function.parameters, packed.sizes
    if len(want) != len(got):
        raise LaunchError(
            "wrong arguments",
            f"{launch.kernel} takes {len(want)} arguments, launch passes {len(got)}: list them in the kernel's order",
        )
    for index, (wanted, size) in enumerate(zip(want, got, strict=True)):
        if wanted != size:
            raise LaunchError(
                "wrong arguments",
                f"argument {index} of {launch.kernel} has {wanted} bytes in the kernel and {size} in launch: an int is 4 bytes "
                "(use ctypes.c_int64 for long long), a float 4 (ctypes.c_double for double), a tensor 8",
            )


def _check_size(device: Device, function: Function, launch: Launch) -> None:
    threads, blocks = math.prod(launch.block), math.prod(launch.grid)
    if threads > function.most_threads:
        raise LaunchError(
            "block too large",
            f"{launch.kernel} uses {function.registers} registers per thread (or has __launch_bounds__), so a block holds at "
            f"most {function.most_threads} threads, not {threads}: use a smaller block",
        )
    shared = launch.smem + function.shared_bytes
    if shared > device.shared_bytes_per_block:
        raise LaunchError(
            "too much shared memory",
            f"a block asks for {shared} bytes of shared memory, this GPU gives at most {device.shared_bytes_per_block}: use a "
            "smaller tile or fewer stages",
        )
    if launch.smem > _PLAIN_SHARED_BYTES:
        # As much as there is, since another launch of the same function may need more; each launch still
        # takes its own.
        _allow(
            function, "MAX_DYNAMIC_SHARED_SIZE_BYTES", device.shared_bytes_per_block - function.shared_bytes
        )
    if launch.cluster and math.prod(launch.cluster) > _PORTABLE_CLUSTER:
        _allow(function, "NON_PORTABLE_CLUSTER_SIZE_ALLOWED", 1)
    if launch.cooperative:
        each = check(
            driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(function.handle, threads, launch.smem)
        )
        if blocks > each * device.multiprocessors:
            raise LaunchError(
                "cooperative launch too large",
                f"a cooperative grid must fit at once: {each} blocks on each of {device.multiprocessors} multiprocessors, not "
                f"{blocks} in all; launch fewer and loop",
            )


def _allow(function: Function, name: str, value: int) -> None:
    attribute = getattr(driver.CUfunction_attribute, f"CU_FUNC_ATTRIBUTE_{name}")
    check(driver.cuFuncSetAttribute(function.handle, attribute, value))


def _config(launch: Launch, stream: int) -> driver.CUlaunchConfig:
    attributes = []

    def add(name: str) -> driver.CUlaunchAttributeValue:
        attribute = driver.CUlaunchAttribute()
        attribute.id = getattr(driver.CUlaunchAttributeID, f"CU_LAUNCH_ATTRIBUTE_{name}")
        attributes.append(attribute)
        return attribute.value

    if launch.cluster:
        dims = add("CLUSTER_DIMENSION").clusterDim
        dims.x, dims.y, dims.z = launch.cluster
    if launch.cooperative:
        add("COOPERATIVE").cooperative = 1
    if launch.pdl:
        add("PROGRAMMATIC_STREAM_SERIALIZATION").programmaticStreamSerializationAllowed = 1
    config = driver.CUlaunchConfig()
    config.gridDimX, config.gridDimY, config.gridDimZ = launch.grid
    config.blockDimX, config.blockDimY, config.blockDimZ = launch.block
    config.sharedMemBytes = launch.smem
    config.hStream = driver.CUstream(stream)
    config.attrs = attributes
    config.numAttrs = len(attributes)
    return config


def _facts(launch: Launch) -> dict[str, Any]:
    facts = {"kernel": launch.kernel, "grid": launch.grid, "block": launch.block, "smem": launch.smem}
    return facts | ({"cluster": launch.cluster} if launch.cluster else {})
