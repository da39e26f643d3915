"""Arguments lie in memory as the driver reads them: one pointer each, values at the kernel's sizes, maps aligned."""

import ctypes
import struct

from goodput.cuda.packing import pack
from goodput.cuda.plan import Buffer, MapArg, Scalar

ADDRESSES = {"x": 0x7F00_0000_0000, "out": 0x7F00_1000_0000}


def no_map(arg: MapArg, address: int) -> bytes:
    return struct.pack("<QQ", address, arg.box[0]) + bytes(112)


def test_every_argument_has_a_pointer_to_its_value():
    args = (
        Buffer("x", 8),
        Scalar("i32", -5),
        Scalar("u64", 2**64 - 1),
        Scalar("f32", 0.5),
        Scalar("f64", 0.1),
        MapArg("out", 16, "float32", (64, 8), (256,), (32, 8), 128),
        Buffer("out"),
    )
    packed = pack(args, ADDRESSES, no_map)
    assert packed.sizes == (8, 4, 8, 4, 8, 128, 8)
    pointers = (ctypes.c_uint64 * len(args)).from_address(packed.pointers)
    values = [ctypes.string_at(at, size) for at, size in zip(pointers, packed.sizes, strict=True)]
    assert struct.unpack("<Q", values[0]) == (ADDRESSES["x"] + 8,)
    assert struct.unpack("<i", values[1]) == (-5,)
    assert struct.unpack("<Q", values[2]) == (2**64 - 1,)
    assert struct.unpack("<f", values[3]) == (0.5,)
    assert struct.unpack("<d", values[4]) == (0.1,)
    assert struct.unpack_from("<QQ", values[5]) == (ADDRESSES["out"] + 16, 32)
    assert struct.unpack("<Q", values[6]) == (ADDRESSES["out"],)


def test_a_tensor_map_lies_at_a_multiple_of_64_bytes():
    one = MapArg("x", 0, "bfloat16", (64, 8), (128,), (64, 8), 128)
    packed = pack((Scalar("i32", 1), one, Scalar("i32", 2), one), ADDRESSES, no_map)
    pointers = (ctypes.c_uint64 * 4).from_address(packed.pointers)
    assert pointers[1] % 64 == pointers[3] % 64 == 0
    assert pointers[3] >= pointers[1] + 128 + 64


def test_a_kernel_without_arguments_packs():
    assert pack((), ADDRESSES, no_map).sizes == ()


def test_an_infinite_float_packs():
    packed = pack((Scalar("f32", float("-inf")),), ADDRESSES, no_map)
    (at,) = (ctypes.c_uint64 * 1).from_address(packed.pointers)
    assert struct.unpack("<f", ctypes.string_at(at, 4)) == (float("-inf"),)
