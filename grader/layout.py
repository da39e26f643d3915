"""Where the tensors of one or more calls lie inside a single allocation.

The controller decides the layout, allocates once (memfd on the host, device memory on a GPU) and tells the worker. Between
and around the slots lie guard bands that nobody may write. Pure arithmetic and JSON; knows neither torch nor CUDA.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

ITEM_BYTES = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "int64": 8, "int32": 4, "int16": 2, "int8": 1,
              "uint8": 1, "bool": 1, "float8_e4m3fn": 1, "float8_e5m2": 1}  # fmt: skip
ALIGN = 512  # cudaMalloc aligns to 256; tensor maps and 128-byte swizzles like more
GUARD = 4096  # bytes between slots; a stray write of a neighbouring thread or row lands here


@dataclass(frozen=True)
class Slot:
    """One tensor: byte offset of element 0, strides in elements, and the bytes from the first to the last element."""

    name: str
    offset: int
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    nbytes: int
    output: bool


@dataclass(frozen=True)
class Layout:
    """`calls[k]` are the slots of call k; `nbytes` is the size of the whole allocation."""

    calls: tuple[tuple[Slot, ...], ...]
    nbytes: int

    def to_json(self) -> dict[str, Any]:
        return {"nbytes": self.nbytes, "calls": [[asdict(s) for s in call] for call in self.calls]}

    @staticmethod
    def from_json(data: dict[str, Any]) -> Layout:
        calls = tuple(
            tuple(Slot(**{**s, "shape": tuple(s["shape"]), "strides": tuple(s["strides"])}) for s in call)
            for call in data["calls"]
        )
        return Layout(calls, data["nbytes"])

    def guards(self) -> list[tuple[int, int]]:
        """(offset, length) of every band between slots."""
        ends, bands = 0, []
        for slot in sorted((s for call in self.calls for s in call), key=lambda s: s.offset):
            bands.append((ends, slot.offset - ends))
            ends = slot.offset + slot.nbytes
        bands.append((ends, self.nbytes - ends))
        return [(o, n) for o, n in bands if n > 0]


def contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def span_bytes(shape: tuple[int, ...], strides: tuple[int, ...], dtype: str) -> int:
    """Bytes from element 0 to the end of the last element (0 for an empty tensor)."""
    if any(s == 0 for s in shape):
        return 0
    return (1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))) * ITEM_BYTES[dtype]


def arrange(
    calls: Iterable[Iterable[tuple[str, str, tuple[int, ...], tuple[int, ...], bool]]], lead: int = 0
) -> Layout:
    """Lay out calls of (name, dtype, shape, strides, output); `lead` shifts everything (varies physical placement)."""
    at, laid = GUARD + lead // ALIGN * ALIGN, []
    for call in calls:
        slots = []
        for name, dtype, shape, strides, output in call:
            at = -(-at // ALIGN) * ALIGN
            nbytes = span_bytes(shape, strides, dtype)
            slots.append(Slot(name, at, dtype, tuple(shape), tuple(strides), nbytes, output))
            at += nbytes + GUARD
        laid.append(tuple(slots))
    return Layout(tuple(laid), at)
