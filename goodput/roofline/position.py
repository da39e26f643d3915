"""Bytes, FLOP, seconds and ceilings -> intensity, attained rates, fraction of the roof and what binds.

Source: Williams, Waterman and Patterson, "Roofline", CACM 2009: with I = FLOP / byte, attainable FLOP/s =
min(peak, I * bandwidth). Here the roof is measured (`goodput.machine`), and a call that mixes precisions adds
the times that its products need. Draws nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from goodput.machine.ceiling import Ceilings


@dataclass(frozen=True)
class Position:
    """One measurement under the roof. `fraction` = shortest possible time / measured time, in [0, ~1]."""

    label: str
    bytes_moved: float
    flop: float
    seconds: float
    intensity_flop_per_byte: float  # inf when no byte must move
    gb_per_s: float
    tflop_per_s: float
    fraction: float
    bound: Literal["memory", "compute"]
    ceiling: str  # name of the ceiling that binds, e.g. "copy_gb_per_s"
    ceiling_value: float  # in the unit of its name


def position(
    bytes_moved: float,
    flop: float | Mapping[str, float],
    seconds: float,
    ceilings: Ceilings,
    *,
    label: str = "",
    precision: str = "fp32",
    traffic: str = "copy",
) -> Position:
    """Place one call: the bytes that must move, its FLOP (a number in `precision`, or per precision), its
    seconds.

    traffic: which bandwidth binds: "copy", "read" for kernels that hardly write, "l2" for what stays in
    cache. Raises ValueError without bytes and FLOP or with seconds <= 0, CeilingUnknown for a ceiling this
    machine lacks.
    """
    per_precision = dict(flop) if isinstance(flop, Mapping) else {precision: flop}
    per_precision = {name: amount for name, amount in per_precision.items() if amount}
    total = float(sum(per_precision.values()))
    if seconds <= 0 or bytes_moved < 0 or total < 0 or not (bytes_moved or total):
        raise ValueError("a position needs positive seconds and some bytes or FLOP")
    memory_s = bytes_moved / ceilings.bytes_per_s(traffic) if bytes_moved else 0.0
    compute_s = sum(amount / ceilings.flop_per_s(name) for name, amount in per_precision.items())
    binds_memory = memory_s >= compute_s
    if binds_memory:
        ceiling = f"{traffic}_gb_per_s"
    else:
        heaviest = max(per_precision, key=lambda name: per_precision[name] / ceilings.flop_per_s(name))
        ceiling = next(
            n for n in ceilings.values if n.startswith(f"{heaviest}_") and n.endswith("flop_per_s")
        )
    return Position(
        label=label,
        bytes_moved=bytes_moved,
        flop=total,
        seconds=seconds,
        intensity_flop_per_byte=total / bytes_moved if bytes_moved else float("inf"),
        gb_per_s=bytes_moved / seconds / 1e9,
        tflop_per_s=total / seconds / 1e12,
        fraction=max(memory_s, compute_s) / seconds,
        bound="memory" if binds_memory else "compute",
        ceiling=ceiling,
        ceiling_value=ceilings[ceiling],
    )


def roof_flop_per_s(
    intensity_flop_per_byte: float, ceilings: Ceilings, precision: str, traffic: str = "copy"
) -> float:
    """min(peak, intensity * bandwidth): the highest FLOP/s at an intensity."""
    return min(ceilings.flop_per_s(precision), intensity_flop_per_byte * ceilings.bytes_per_s(traffic))


def ridge_flop_per_byte(ceilings: Ceilings, precision: str, traffic: str = "copy") -> float:
    """Intensity at which memory and compute take equally long."""
    return ceilings.flop_per_s(precision) / ceilings.bytes_per_s(traffic)
