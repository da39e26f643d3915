"""Is an output correct, and if not, what kind of mistake does it look like?

Takes what came back, the reference and the tolerance, as tensors on one device; returns an error figure and a named
diagnosis. Knows nothing of processes, time or points. The error is scale-aware: relative L2 norm against the reference, with
a bound on single elements beside it because a norm hides one wrong element among millions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from grader.task import Tolerance
from grader.verdict import CaseResult, Diagnosis

POISON = 0xFF  # NaN in every float format, -1 in signed integers
# relative L2 errors that rounding to a lower precision gives: half the spacing of its mantissa, as seen on random data
LOOKS_LIKE = ((1e-7, "fp32"), (1.2e-3, "fp16 or TF32"), (6e-3, "bf16"), (8e-2, "fp8"))


FEWEST_FOR_PRECISION = 32  # among a handful of values a wrong sum can look like rounding by chance


def unwritten(got: torch.Tensor, want: torch.Tensor) -> torch.Tensor:
    """Mask of elements that still hold the poison although the reference does not."""
    # flat first: a (n, 1) transpose counts as contiguous with a last stride that no byte view accepts
    got_bytes = got.contiguous().flatten().view(torch.uint8).reshape(*got.shape, got.element_size())
    want_bytes = want.contiguous().flatten().view(torch.uint8).reshape(*want.shape, want.element_size())
    return (got_bytes == POISON).all(-1) & ~(want_bytes == POISON).all(-1)


def first(mask: torch.Tensor) -> tuple[int, ...]:
    """Index of the first set element in row-major order."""
    flat = int(mask.flatten().to(torch.uint8).argmax())
    return tuple(int(i) for i in torch.unravel_index(torch.tensor(flat), mask.shape)) if mask.dim() else ()


def plain(value: torch.Tensor) -> float | int | bool:
    return value.item()


def compare(got: torch.Tensor, want: torch.Tensor, tolerance: Tolerance, case: str, output: str = "out"
            ) -> tuple[float | None, Diagnosis | None]:  # fmt: skip
    """Error and diagnosis (None when correct). `want` may be wider (float64) than `got`."""
    if got.shape != want.shape:
        raise ValueError(
            f"{case}: the reference has shape {tuple(want.shape)}, {output} has {tuple(got.shape)}"
        )
    if got.numel() == 0:
        return 0.0, None
    exact_type = want.to(got.dtype)
    if (
        got.dtype == torch.bool
    ):  # any byte but 0 reads as True: only the bytes 0 and 1 are what an answer may write
        got, want, exact_type = (
            got.contiguous().view(torch.uint8),
            exact_type.to(torch.uint8),
            exact_type.to(torch.uint8),
        )
    missing = unwritten(got, exact_type)
    if bool(missing.any()):
        facts = {
            "case": case,
            "output": output,
            "missing": int(missing.sum()),
            "total": got.numel(),
            "first": first(missing),
        }
        return None, Diagnosis("not written", facts)
    wrong, error = differences(got, want, exact_type, tolerance)
    if wrong is None:
        return error, None
    index = first(wrong)
    facts = {"case": case, "output": output, "index": index, "got": plain(got[index]), "want": plain(want[index]),
             "error": error, "allowed": tolerance.rel, "wrong": int(wrong.sum()), "total": got.numel()}  # fmt: skip
    looks = rounding(got, want, error)
    return error, Diagnosis("precision", facts | {"looks_like": looks}) if looks else Diagnosis(
        "mismatch", facts
    )


def differences(got: torch.Tensor, want: torch.Tensor, exact_type: torch.Tensor, tolerance: Tolerance
                ) -> tuple[torch.Tensor | None, float]:  # fmt: skip
    """Mask of wrong elements (None when all is well) and the relative L2 error over the finite ones."""
    if not got.is_floating_point():
        wrong = got != exact_type
        return (wrong, float(wrong.double().mean())) if bool(wrong.any()) else (None, 0.0)
    g, w, rounded = got.double(), want.double(), exact_type.double()  # 8-bit floats know neither == nor isnan
    same_special = (torch.isnan(g) & torch.isnan(w)) | ((g == rounded) & torch.isinf(rounded))
    finite = torch.isfinite(g) & torch.isfinite(w)
    special_wrong = ~(finite | same_special)
    exact_wrong = finite & (g != rounded)
    g, w = g.where(finite, 0), w.where(finite, 0)
    scale = float(w.norm())
    difference = (g - w).abs()
    error = float(difference.norm()) / scale if scale else float(difference.norm())
    if tolerance.rel == 0:
        wrong = special_wrong | exact_wrong
    else:
        rms = scale / math.sqrt(max(1, int(finite.sum())))
        wrong = special_wrong | (difference > tolerance.per_element * (w.abs() + rms))
        if error > tolerance.rel and not bool(wrong.any()):
            wrong = special_wrong | (difference > tolerance.rel * (w.abs() + rms) / 4)
            if not bool(wrong.any()):
                wrong = difference == difference.max()
    if bool(special_wrong.any()):
        error = math.inf
    return (wrong, error) if bool(wrong.any()) else (None, error)


def rounding(got: torch.Tensor, want: torch.Tensor, error: float) -> str | None:
    """The precision whose rounding explains the error evenly over all elements, if one does."""
    if not got.is_floating_point() or not math.isfinite(error) or error == 0:
        return None
    g, w = got.double(), want.double()
    finite = torch.isfinite(g) & torch.isfinite(w)
    g, w = g[finite], w[finite]
    rms = w.norm() / math.sqrt(max(1, w.numel()))
    relative = (g - w).abs() / (w.abs() + rms)
    # rounding touches most elements a little and none a lot; a logic error touches some a lot
    if (
        w.numel() < FEWEST_FOR_PRECISION
        or float(relative.max()) > 12 * error
        or float((relative > error / 50).double().mean()) < 0.3
    ):
        return None
    for bound, name in LOOKS_LIKE[1:]:
        if LOOKS_LIKE[0][0] < error <= bound:
            return name
    return None


def conclude(cases: Sequence[CaseResult]) -> Diagnosis | None:
    """The diagnosis of the whole answer: that of the first failing case, unless all failures share one kind of shape."""
    failed = [c for c in cases if not c.ok]
    if not failed:
        return None
    worst = next((c.diagnosis for c in failed if c.diagnosis), None)
    passed = [c for c in cases if c.ok]
    soft = {"mismatch", "not written", "precision"}
    groups = {c.about for c in failed}
    if passed and len(groups) == 1 and all(c.diagnosis and c.diagnosis.name in soft for c in failed):
        facts = dict(worst.facts) if worst else {}
        facts["cases"] = [c.name for c in failed]
        if groups == {"tail"}:
            return Diagnosis("wrong only at the tail", facts)
        if groups == {"stride"}:
            return Diagnosis("wrong for strided inputs", facts)
    return worst
