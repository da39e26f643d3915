"""Kernel arguments as the driver wants them: values in memory, and an array of pointers to them.

`pack(args, addresses, encode) -> Packed`; `addresses` maps buffer names to device addresses, `encode` turns a
tensor map into its 128 bytes. `encode_map` does that with the driver. Pure memory work otherwise: needs no
GPU.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Mapping, Sequence

import cuda.bindings.driver as driver

from goodput.cuda.driver_status import check
from goodput.cuda.plan import Arg, Buffer, MapArg, Scalar

MAP_BYTES = 128
_SLOT = 64  # alignment of a tensor map, used for every argument
_FORMATS = {"i32": "<i", "u32": "<I", "i64": "<q", "u64": "<Q", "f32": "<f", "f64": "<d"}
_MAP_TYPES = {
    "uint8": "UINT8", "uint16": "UINT16", "uint32": "UINT32", "int32": "INT32", "uint64": "UINT64", "int64": "INT64",
    "float16": "FLOAT16", "bfloat16": "BFLOAT16", "float32": "FLOAT32", "float64": "FLOAT64",
}  # fmt: skip
_SWIZZLES = {0: "NONE", 32: "32B", 64: "64B", 128: "128B"}


class Packed:
    """Argument values in one block of memory; `pointers` is the address of the array that cuLaunchKernelEx reads."""

    def __init__(self, values: Sequence[bytes]) -> None:
        self.sizes = tuple(map(len, values))
        starts, end = [], 0
        for value in values:
            starts.append(end)
            end += -(-len(value) // _SLOT) * _SLOT
        self._memory = ctypes.create_string_buffer(end + _SLOT)
        base = -(-ctypes.addressof(self._memory) // _SLOT) * _SLOT
        self._pointers = (ctypes.c_void_p * max(1, len(values)))(*(base + start for start in starts))
        for start, value in zip(starts, values, strict=True):
            ctypes.memmove(base + start, value, len(value))
        self.pointers = ctypes.addressof(self._pointers)


def pack(args: Sequence[Arg], addresses: Mapping[str, int], encode: Callable[[MapArg, int], bytes]) -> Packed:
    values = []
    for arg in args:
        if isinstance(arg, Scalar):
            values.append(struct.pack(_FORMATS[arg.ctype], arg.value))
        elif isinstance(arg, Buffer):
            values.append(struct.pack("<Q", addresses[arg.name] + arg.offset))
        else:
            values.append(encode(arg, addresses[arg.buffer] + arg.offset))
    return Packed(values)


def encode_map(arg: MapArg, address: int) -> bytes:
    """The 128 opaque bytes of a tensor map whose first element lies at `address`."""

    def enum(kind: type, name: str) -> object:
        return getattr(kind, name)

    encoded = check(
        driver.cuTensorMapEncodeTiled(
            enum(driver.CUtensorMapDataType, f"CU_TENSOR_MAP_DATA_TYPE_{_MAP_TYPES[arg.dtype]}"),
            2,
            address,
            [driver.cuuint64_t(size) for size in arg.shape],
            [driver.cuuint64_t(stride) for stride in arg.strides_bytes],
            [driver.cuuint32_t(size) for size in arg.box],
            [driver.cuuint32_t(1)] * 2,
            driver.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,
            enum(driver.CUtensorMapSwizzle, f"CU_TENSOR_MAP_SWIZZLE_{_SWIZZLES[arg.swizzle]}"),
            driver.CUtensorMapL2promotion.CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
            driver.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
        )
    )
    return ctypes.string_at(encoded.getPtr(), MAP_BYTES)
