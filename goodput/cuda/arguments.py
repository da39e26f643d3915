"""From what a person passes to `launch` to a checked `plan.Launch`.

`plan_launch(place, ...)` turns tensors into buffers (asking `place.buffer(tensor)` for their names), numbers
into scalars and `tensor_map(...)` into map arguments; `one_device(...)` says where everything lies. Every
refusal names the argument and says what to pass instead. Runs nothing.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch

from goodput.cuda.limits import PlanError
from goodput.cuda.plan import Arg, Buffer, Constant, Dim3, Launch, MapArg, Scalar

_CTYPES = {
    ctypes.c_int32: "i32", ctypes.c_uint32: "u32", ctypes.c_int64: "i64", ctypes.c_uint64: "u64",
    ctypes.c_float: "f32", ctypes.c_double: "f64",
}  # fmt: skip


class Place(Protocol):
    """Where the launch happens: gives tensors their buffer names."""

    def buffer(self, tensor: torch.Tensor) -> Buffer: ...


@dataclass(frozen=True)
class TensorMap:
    """A tensor and the box that the copy engine fetches from it; made by `tensor_map`, passed to `launch`."""

    tensor: torch.Tensor
    layout: Mapping[str, Any]  # dtype, shape, strides_bytes, box, swizzle of `plan.MapArg`


def tensor_map(x: torch.Tensor, box: tuple[int, int], swizzle: int = 128) -> TensorMap:
    """Describe the 2-D row-major tensor `x` to the copy engine (TMA), which fetches `box = (inner, outer)`
    elements at once.

    `inner` counts along a row, `outer` counts rows. With `swizzle=128` the 16-byte chunk c of row r of the
    box lands at chunk `c ^ (r & 7)` of that row (rows of 128 bytes); 64, 32 and 0 (none) exist too. What lies
    outside the tensor arrives as zeros. In the kernel the parameter is `const __grid_constant__ TensorMap
    map`. Raises `ValueError` when rows are not a multiple of 16 bytes apart, or when the box or the address
    does not fit.
    """
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"tensor_map got {type(x).__name__}: pass a tensor")
    if x.dim() != 2 or x.numel() == 0:
        raise ValueError(
            f"tensor_map needs a 2-D tensor with elements, got shape {tuple(x.shape)}: use x.view(rows, columns)"
        )
    if x.stride(1) != 1:
        raise ValueError(
            f"tensor_map needs elements of a row side by side, got strides {x.stride()}: pass a row-major tensor"
        )
    row_elements = (
        x.stride(0) if x.shape[0] > 1 else x.shape[1]
    )  # the stride of a single row is arbitrary in torch
    layout = {
        "dtype": str(x.dtype).removeprefix("torch."),
        "shape": (x.shape[1], x.shape[0]),
        "strides_bytes": (row_elements * x.element_size(),),
        "box": tuple(box) if isinstance(box, Sequence) else box,
        "swizzle": swizzle,
    }
    MapArg(
        "x", x.data_ptr() % 16, **layout
    )  # the address of a meta tensor is its byte offset; refuses what does not fit
    return TensorMap(x, layout)


def one_device(args: Sequence[Any], constants: Mapping[str, Any]) -> torch.device:
    """The device that holds every tensor of a launch; refuses mixtures and launches without any tensor."""
    if not isinstance(args, Sequence) or isinstance(args, (str, bytes)):
        raise TypeError(f"args must be a list, got {type(args).__name__}: write [x, out, n]")
    tensors = [a.tensor if isinstance(a, TensorMap) else a for a in (*args, *constants.values())]
    devices = {t.device for t in tensors if isinstance(t, torch.Tensor)}
    if not devices:
        raise ValueError(
            "no tensor among the arguments, so the kernel could not return anything: pass the output tensor"
        )
    if len(devices) > 1:
        found = ", ".join(sorted(map(str, devices)))
        raise ValueError(
            f"the tensors of one launch lie on {found}: allocate them with device=x.device, or move them"
        )
    return devices.pop()


def plan_launch(
    place: Place,
    source: str,
    name: str,
    grid: int | Sequence[int],
    block: int | Sequence[int],
    args: Sequence[Any],
    *,
    smem: int,
    cluster: int | Sequence[int] | None,
    cooperative: bool,
    pdl: bool,
    constants: Mapping[str, Any],
    rdc: bool,
) -> Launch:
    return Launch(
        source=source,
        kernel=name,
        grid=_three(grid, "grid"),
        block=_three(block, "block"),
        args=tuple(_arg(place, a, f"argument {i} of {name}") for i, a in enumerate(args)),
        smem=smem,
        cluster=None if cluster is None else _three(cluster, "cluster"),
        cooperative=cooperative,
        pdl=pdl,
        constants={key: _constant(place, value, key) for key, value in constants.items()},
        rdc=rdc,
    )


def _arg(place: Place, value: Any, what: str) -> Arg:
    if isinstance(value, torch.Tensor):
        return place.buffer(value)
    if isinstance(value, TensorMap):
        start = place.buffer(value.tensor)
        return MapArg(start.name, start.offset, **value.layout)
    if isinstance(value, int):  # bool too
        if not -(2**31) <= value < 2**31:
            raise PlanError(
                f"{what} is {value}, too large for a 32-bit int: pass ctypes.c_int64(value) for a long long"
            )
        return Scalar("i32", int(value))
    if isinstance(value, float):
        return Scalar("f32", float(value))
    if type(value) in _CTYPES:
        return Scalar(_CTYPES[type(value)], value.value)
    if value is None:
        raise TypeError(f"{what} is None: pass a tensor, or ctypes.c_int64(0) for a null pointer")
    raise TypeError(
        f"{what} is a {type(value).__name__}: pass a tensor, an int, a float, tensor_map(...) or a ctypes number such as "
        "ctypes.c_int64(n)"
    )


def _constant(place: Place, value: Any, name: str) -> Constant:
    if not isinstance(value, torch.Tensor):
        raise TypeError(f"constant {name} is a {type(value).__name__}: pass a tensor")
    if not value.is_contiguous():
        raise ValueError(f"constant {name} has strides {value.stride()}: pass a contiguous tensor")
    start = place.buffer(value)
    return Constant(start.name, start.offset, value.numel() * value.element_size())


def _three(size: int | Sequence[int], what: str) -> Dim3:
    sizes = tuple(size) if isinstance(size, Sequence) else (size,)
    if not 1 <= len(sizes) <= 3:
        raise PlanError(f"{what} {sizes} has {len(sizes)} numbers: give one to three (x, y, z)")
    for value in sizes:
        if not isinstance(value, int):
            raise TypeError(
                f"{what} holds {value!r}, a {type(value).__name__}: use whole numbers, // instead of /"
            )
    x, y, z = (*map(int, sizes), 1, 1)[:3]
    return x, y, z
