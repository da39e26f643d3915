"""Do two runs of one kernel agree? Bit for bit, or as floats up to what another order of additions explains.

Takes bytes and a dtype name (torch spelling, or None: float32 is tried); returns the first differing byte, or None.
"""

from __future__ import annotations

import numpy as np

# Atomic float additions may come in any order: some ulps of sums of some thousand terms; a race is off by whole terms.
RELATIVE = {"float32": 1e-4, "float64": 1e-10, "float16": 4e-3, "bfloat16": 3e-2}


def first_difference(a: bytes, b: bytes, dtype: str | None) -> int | None:
    if a == b:
        return None
    kind = dtype or ("float32" if len(a) % 4 == 0 else "uint8")
    x, y = _floats(a, kind), _floats(b, kind)
    if x is None or y is None:
        x, y = np.frombuffer(a, np.uint8), np.frombuffer(b, np.uint8)
        return int(np.flatnonzero(x != y)[0])
    with np.errstate(invalid="ignore", over="ignore"):
        finite = np.isfinite(x) & np.isfinite(y)
        scale = float(np.sqrt(np.mean(np.square(x[finite])))) if finite.any() else 0.0
        near = np.abs(x - y) <= RELATIVE[kind] * (np.maximum(np.abs(x), np.abs(y)) + 0.1 * scale)
        same = np.where(finite, near, (x == y) | (np.isnan(x) & np.isnan(y)))
    wrong = np.flatnonzero(~same)
    return int(wrong[0]) * (len(a) // len(x)) if len(wrong) else None


def _floats(data: bytes, kind: str) -> np.ndarray | None:
    if kind == "bfloat16":
        return (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if kind in RELATIVE:
        return np.frombuffer(data, kind).astype(np.float64)
    return None
