"""The record of a machine's measured ceilings, and its JSON.

A ceiling is the fastest rate (or shortest latency) that plain, competent code was seen to reach here, with
its spread and the shape that reached it: a matrix product's rate is limited by power and belongs to its
shape. A ceiling that could not be measured is absent, with the reason; it is never filled in from a
datasheet. Knows nothing of how things are measured.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

SCHEMA = 1

# Units by the end of a name; GB is 1e9 bytes, MB 1e6.
_BASE_UNITS = {"gb_per_s": 1e9, "mb_per_s": 1e6, "tflop_per_s": 1e12, "gflop_per_s": 1e9}


@dataclass(frozen=True)
class Ceiling:
    """One measured ceiling: `value` is the median, in the unit that ends `name`; `spread` is (Q3 - Q1) /
    median."""

    name: str
    value: float
    spread: float
    samples: int
    shape: str  # what was measured, e.g. "torch copy, 1.00 GiB; bytes read + bytes written"


class CeilingUnknown(LookupError):
    """A ceiling that this machine does not have: `name`, `device` and the `reason`."""

    def __init__(self, name: str, device: str, reason: str) -> None:
        self.name, self.device, self.reason = name, device, reason
        super().__init__(f"no measured ceiling {name!r} for {device}: {reason}")


@dataclass(frozen=True)
class Ceilings:
    """The ceilings of one device. `values` by name; `absent` says why a name is missing."""

    device: Literal["cuda", "cpu"]
    machine: str  # fingerprint of goodput.machine.describe()
    name: str  # of the GPU or the CPU
    measured: str  # ISO 8601, UTC
    values: Mapping[str, Ceiling]
    absent: Mapping[str, str]

    def __getitem__(self, name: str) -> float:
        """The value of a ceiling, in the unit that ends its name; `CeilingUnknown` where there is none."""
        if name in self.values:
            return self.values[name].value
        raise CeilingUnknown(
            name, self.name, self.absent.get(name, "it is not one that this device is measured for")
        )

    def get(self, name: str) -> float | None:
        return self.values[name].value if name in self.values else None

    def bytes_per_s(self, traffic: str = "copy") -> float:
        """Bytes per second of `traffic`: "copy" (read + written bytes), "read", "l2", "h2d", "d2h"."""
        return self[f"{traffic}_gb_per_s"] * 1e9

    def flop_per_s(self, precision: str = "fp32") -> float:
        """FLOP per second of a large matrix product in `precision`: "fp32", "tf32", "bf16", "fp16", "fp8"."""
        for unit in ("tflop_per_s", "gflop_per_s"):
            if f"{precision}_{unit}" in self.values:
                return self[f"{precision}_{unit}"] * _BASE_UNITS[unit]
        return self[f"{precision}_tflop_per_s"]  # raises, with the reason where there is one

    @property
    def precisions(self) -> tuple[str, ...]:
        """Precisions with a measured matrix-product rate, slowest first."""
        known = [name.rsplit("_", 3)[0] for name in self.values if name.endswith("flop_per_s")]
        return tuple(sorted(known, key=self.flop_per_s))

    def __str__(self) -> str:
        """A table for a terminal: value and unit, spread, shape; then what is absent and why."""
        lines = [f"{self.name}, measured {self.measured}"]
        for name, ceiling in self.values.items():
            lines.append(f"  {name:<20} {ceiling.value:>10.4g}  +-{ceiling.spread / 2:5.1%}  {ceiling.shape}")
        lines += [f"  {name:<20} {'-':>10}          {reason}" for name, reason in self.absent.items()]
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "device": self.device,
            "machine": self.machine,
            "name": self.name,
            "measured": self.measured,
            "values": {name: asdict(ceiling) for name, ceiling in sorted(self.values.items())},
            "absent": dict(sorted(self.absent.items())),
        }

    @classmethod
    def from_json(cls, data: Any) -> Ceilings:
        """Read what `to_json` wrote; ValueError says what is wrong with anything else."""
        try:
            if data["schema"] != SCHEMA:
                raise ValueError(f"schema {data['schema']}, expected {SCHEMA}")
            values = {name: Ceiling(**fields) for name, fields in data["values"].items()}
            found = cls(
                data["device"], data["machine"], data["name"], data["measured"], values, dict(data["absent"])
            )
        except (TypeError, KeyError, AttributeError) as problem:
            raise ValueError(f"not a record of ceilings ({type(problem).__name__}: {problem})") from problem
        for name, ceiling in values.items():
            value = ceiling.value
            if (
                isinstance(value, bool)
                or not isinstance(value, (int, float))
                or not math.isfinite(value)
                or value <= 0
            ):
                raise ValueError(f"ceiling {name!r} is {value!r}, not a positive number")
        return found
