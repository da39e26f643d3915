"""The judge: what counts as written, correct, and what a wrong output is called."""

from __future__ import annotations

import math

import pytest
import torch

from grader.judge import POISON, compare, conclude
from grader.task import Tolerance
from grader.verdict import CaseResult, Diagnosis

EXACT = Tolerance(0, "moves words")
CLOSE = Tolerance(1e-5, "fp32 sums")


def poisoned(shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    size = torch.empty(0, dtype=dtype).element_size() * math.prod(shape)
    return torch.full((size,), POISON, dtype=torch.uint8).view(dtype).reshape(shape)


def name(got: torch.Tensor, want: torch.Tensor, tolerance: Tolerance = CLOSE) -> str | None:
    diagnosis = compare(got, want, tolerance, "case")[1]
    return diagnosis.name if diagnosis else None


def test_a_correct_output_has_no_diagnosis() -> None:
    want = torch.randn(7, 5, dtype=torch.float64)
    error, diagnosis = compare(want.float(), want, CLOSE, "case")
    assert diagnosis is None and error is not None and 0 < error < 1e-6
    assert compare(want.float(), want, EXACT, "case") == (compare(want.float(), want, EXACT, "case")[0], None)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e5m2,
                                   torch.float8_e4m3fn, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8,
                                   torch.bool])  # fmt: skip
def test_what_was_never_written_is_counted_for_every_dtype(dtype: torch.dtype) -> None:
    want = torch.ones(4, 6).to(dtype)
    got = poisoned((4, 6), dtype)
    got[:3] = want[:3]
    error, diagnosis = compare(got, want, EXACT, "case", "y")
    assert error is None and diagnosis == Diagnosis(
        "not written", {"case": "case", "output": "y", "missing": 6, "total": 24, "first": (3, 0)})  # fmt: skip
    assert compare(want.clone(), want, EXACT, "case")[1] is None


def test_a_written_minus_one_is_not_taken_for_poison_where_it_is_right() -> None:
    want = torch.tensor([-1, 5, -1], dtype=torch.int32)
    assert name(want.clone(), want, EXACT) is None
    assert name(torch.tensor([-1, -1, -1], dtype=torch.int32), want, EXACT) == "not written"


def test_the_first_wrong_element_is_named_with_both_values() -> None:
    want = torch.arange(12.0).reshape(3, 4)
    got = want.clone()
    got[1, 2] += 1
    got[2, 0] = 0
    facts = compare(got, want, EXACT, "case")[1].facts
    assert (facts["index"], facts["got"], facts["want"], facts["wrong"], facts["total"]) == (
        (1, 2),
        7.0,
        6.0,
        2,
        12,
    )


def test_one_wrong_element_among_millions_is_seen() -> None:
    want = torch.randn(2_000_000, dtype=torch.float64)
    got = want.float()
    got[1_234_567] += 0.01
    error, diagnosis = compare(got, want, CLOSE, "case")
    assert error < CLOSE.rel and diagnosis.name == "mismatch" and diagnosis.facts["index"] == (1_234_567,)


def test_a_small_error_everywhere_is_seen() -> None:
    want = torch.randn(4096, dtype=torch.float64)
    assert name((want * (1 + 3e-5)).float(), want) is not None


@pytest.mark.parametrize(
    "low, looks", [(torch.bfloat16, "bf16"), (torch.float16, "fp16 or TF32"), ("tf32", "fp16 or TF32")]
)
def test_rounding_to_a_lower_precision_is_called_precision(low, looks: str) -> None:
    want = torch.randn(64, 65, dtype=torch.float64)
    exact = want.float()
    got = (
        ((exact.view(torch.int32) + 0x1000) & ~0x1FFF).view(torch.float32)
        if low == "tf32"
        else exact.to(low).float()
    )
    diagnosis = compare(got, want, CLOSE, "case")[1]
    assert (diagnosis.name, diagnosis.facts.get("looks_like")) == ("precision", looks)


@pytest.mark.parametrize("low, looks", [(torch.bfloat16, "bf16"), (torch.float16, "fp16 or TF32")])
def test_products_of_rounded_inputs_are_called_precision(low: torch.dtype, looks: str) -> None:
    torch.manual_seed(7)
    a, b = torch.randn(48, 96), torch.randn(96, 40)
    diagnosis = compare(a.to(low).float() @ b.to(low).float(), a.double() @ b.double(), CLOSE, "case")[1]
    assert (diagnosis.name, diagnosis.facts.get("looks_like")) == ("precision", looks)


@pytest.mark.parametrize("wrong", ["zeros", "mean", "shifted", "first rows", "scaled"])
def test_a_plausible_but_wrong_output_is_a_mismatch(wrong: str) -> None:
    want = torch.randn(64, 64, dtype=torch.float64)
    got = want.float()
    if wrong == "zeros":
        got = torch.zeros(64, 64)
    elif wrong == "mean":
        got = torch.full((64, 64), float(want.mean()))
    elif wrong == "shifted":
        got = got.roll(1, 1)
    elif wrong == "first rows":
        got[32:] = 0
    else:
        got = got * 1.5
    assert name(got, want) == "mismatch"


def test_nan_and_inf_are_right_only_where_the_reference_has_them() -> None:
    want = torch.tensor([1.0, math.nan, math.inf, -math.inf, 2.0])
    assert name(want.clone(), want) is None
    assert name(want.clone(), want, EXACT) is None
    for index, value in (
        (0, math.nan),
        (0, math.inf),
        (1, 0.0),
        (1, math.inf),
        (2, math.nan),
        (2, -math.inf),
        (3, 1e38),
    ):
        got = want.clone()
        got[index] = value
        error, diagnosis = compare(got, want, CLOSE, "case")
        assert diagnosis.name == "mismatch" and diagnosis.facts["index"] == (index,) and error == math.inf


def test_an_overflow_of_the_output_type_is_what_the_reference_rounds_to() -> None:
    want = torch.tensor([1.0, 1e6], dtype=torch.float64)
    assert name(torch.tensor([1.0, math.inf], dtype=torch.float16), want) is None
    assert name(torch.tensor([1.0, 65504.0], dtype=torch.float16), want) == "mismatch"


def test_a_reference_of_zeros_admits_nothing_else() -> None:
    assert name(torch.full((9,), 1e-30), torch.zeros(9)) == "mismatch"
    assert name(torch.zeros(9), torch.zeros(9)) is None


@pytest.mark.parametrize("byte", [2, 3, 0x80, 0xFE])
def test_a_bool_holds_zero_or_one_and_no_wildcard(byte: int) -> None:
    want = torch.tensor([True, False, True, True])
    got = want.clone()
    got.view(torch.uint8)[2] = byte
    assert name(got, want, EXACT) == "mismatch"
    assert name(~want, want, EXACT) == "mismatch"


def test_integers_are_compared_exactly_beyond_the_precision_of_floats() -> None:
    want = torch.tensor([2**62 + 1, -5])
    assert name(want.clone(), want, CLOSE) is None
    assert name(want + torch.tensor([1, 0]), want, CLOSE) == "mismatch"


def test_empty_outputs_and_scalars_are_judged() -> None:
    assert compare(torch.empty(0, 3), torch.empty(0, 3), CLOSE, "case") == (0.0, None)
    assert name(torch.tensor(2.0), torch.tensor(2.0)) is None
    diagnosis = compare(torch.tensor(3.0), torch.tensor(2.0), CLOSE, "case")[1]
    assert diagnosis.facts["index"] == () and diagnosis.facts["got"] == 3.0


def test_strided_and_transposed_outputs_are_judged_by_index() -> None:
    want = torch.arange(6.0).reshape(3, 2).t()
    assert name(want.contiguous(), want, EXACT) is None
    assert name(torch.empty(4, 1).t().copy_(torch.ones(1, 4)), torch.ones(1, 4), EXACT) is None


def test_a_reference_of_another_shape_is_a_fault_of_the_course() -> None:
    with pytest.raises(ValueError, match="shape"):
        compare(torch.zeros(4), torch.zeros(4, 1), CLOSE, "case")


def result(case: str, about: str = "", diagnosis: str | None = None) -> CaseResult:
    return CaseResult(
        case, diagnosis is None, about, None, Diagnosis(diagnosis, {"case": case}) if diagnosis else None
    )


@pytest.mark.parametrize(
    "about, called", [("tail", "wrong only at the tail"), ("stride", "wrong for strided inputs")]
)
def test_failures_of_one_kind_of_shape_are_named_after_it(about: str, called: str) -> None:
    cases = [
        result("a"),
        result("b", about, "mismatch"),
        result("c", about, "not written"),
        result("d", about),
    ]
    found = conclude(cases)
    assert found.name == called and found.facts == {"case": "b", "cases": ["b", "c"]}


@pytest.mark.parametrize("cases, called", [
    ([result("a", "tail", "mismatch")], "mismatch"),  # nothing passed: no pattern
    ([result("a"), result("b", "tail", "race")], "race"),
    ([result("a"), result("b", "tail", "mismatch"), result("c", "", "mismatch")], "mismatch"),
    ([result("a"), result("b", "tail", "mismatch"), result("c", "stride", "mismatch")], "mismatch"),
])  # fmt: skip
def test_failures_of_several_kinds_keep_the_first_diagnosis(cases: list[CaseResult], called: str) -> None:
    assert conclude(cases).name == called


def test_no_failure_is_no_diagnosis() -> None:
    assert conclude([result("a"), result("b", "tail")]) is None
