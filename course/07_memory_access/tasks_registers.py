"""Contracts of warp_row_reduce and const_taps_fir: what registers and read-only paths save; and two counts of machine code.

Sizes of timed cases are for a GPU with 141 GB; the grader halves the size that `sizes["scale"]` names until a case fits the
machine. References are float64 or exact torch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from grader.task import BadInput, Case, Evidence, Out, Points, Target, Task, Text, Tolerance, Work

# ------------------------------------------------------------------ counts that several exercises read


def present(pattern: str) -> Callable[[Any], float | None]:
    """How often an instruction that must be there occurs, in the architecture that has the fewest."""
    return lambda facts: None if facts.sass is None else facts.sass.matches(pattern)


def absent(pattern: str) -> Callable[[Any], float | None]:
    """How often an instruction that must not be there occurs, in the architecture that has the most."""
    return lambda facts: None if facts.sass is None else facts.sass.most(pattern)


# ------------------------------------------------------------------ warp_row_reduce


def reduce_inputs(case: Case, rng: torch.Generator) -> dict[str, Any]:
    shape = (case.sizes["rows"], case.sizes["columns"])
    rows = case.sizes.get("of", "noise")
    if rows == "ties":  # five values, so every row holds its maximum many times
        return {"x": torch.randint(-2, 3, shape, generator=rng, device=rng.device).float()}
    x = torch.randn(shape, generator=rng, device=rng.device)
    if rows == "-inf":
        x[::2] = float("-inf")
        x[1::2, 1:] = float("-inf")  # a finite maximum at column 0 ...
        x[1::4] = x[1::4].flip(1)  # ... or in the last column
    if rows == "NaN":
        at = torch.randint(0, shape[1], (shape[0], 3), generator=rng, device=rng.device)
        x.scatter_(1, at, float("nan"))  # up to three in a row: the lowest column counts
        x[0] = float("inf")
        x[0, -1] = float("nan")  # larger than infinity too
    return {"x": x}


def reduce_reference(x: torch.Tensor) -> dict[str, torch.Tensor]:
    # argmax takes the first NaN of a row, else the lowest index of its maximum
    return {"total": x.sum(1, dtype=torch.float64), "best": x.argmax(1)}


def reduce_outputs(case: Case) -> dict[str, Out]:
    return {"total": Out((case.sizes["rows"],), "float32"), "best": Out((case.sizes["rows"],), "int32")}


def reduce_work(case: Case) -> Work:
    elements = case.sizes["rows"] * case.sizes["columns"]
    return Work(bytes_moved=4 * elements + 8 * case.sizes["rows"], flop={"float32": elements}, traffic="read")


def reduce_case(rows: int, columns: int, **more: Any) -> Case:
    about = "tail" if columns % 128 else ""  # 32 lanes times 4 floats is one round of 16-byte loads
    name = f"{more['of']} ({rows}, {columns})" if "of" in more else f"({rows}, {columns})"
    return Case(name, {"rows": rows, "columns": columns, **more}, about=about)


def reduce_bad(**changed: torch.Tensor) -> dict[str, Any]:
    return {
        "x": torch.zeros(3, 4),
        "total": torch.zeros(3),
        "best": torch.zeros(3, dtype=torch.int32),
    } | changed


NO_SHARED = Text(
    es="Los valores ya están en registros del warp: léelos con __shfl_xor_sync en lugar de pasar por memoria compartida.",
    en="The values are in registers of the warp already: read them with __shfl_xor_sync instead of through shared memory.",
)

WARP_ROW_REDUCE = Task(
    name="warp_row_reduce",
    chapter="07",
    kind="cuda",
    points=Points(correct=5, fast=4),
    core=True,
    minutes=30,
    arguments=("x", "total", "best"),
    cases=(
        reduce_case(1, 1),
        reduce_case(3, 31),
        reduce_case(7, 33),
        reduce_case(5, 1000),
        reduce_case(9, 257),  # one row in four starts on a multiple of 16 bytes
        reduce_case(6, 256, of="ties"),
        reduce_case(8, 128, of="-inf"),
        reduce_case(5, 128, of="NaN"),
        reduce_case(64, 1024),
        Case("(524288, 1024)", {"rows": 524288, "columns": 1024, "scale": "rows"}, timed=True),
    ),
    inputs=reduce_inputs,
    outputs=reduce_outputs,
    reference=reduce_reference,
    tolerance=Tolerance(rel=1e-5, why="fp32 sums of at most 1024 terms; TF32 or fp16 would give 5e-4"),
    baseline="baselines/warp_row_reduce.py",
    target=Target(position=0.65),  # H200 (2026-11), sum alone: par 1.52, threshold 1.31
    work=reduce_work,
    evidence=(
        Evidence("SHFL or REDUX in the machine code", present(r"\b(?:SHFL|REDUX)\b"), NO_SHARED, at_least=1),
        Evidence("LDS and STS in the machine code", absent(r"\b(?:LDS|STS)\b"), NO_SHARED, at_most=0),
        Evidence(
            "BAR.SYNC in the machine code",
            absent(r"BAR\.SYNC"),
            Text(
                es="Los hilos de un warp no necesitan la barrera del bloque: el shuffle sincroniza a los de su máscara.",
                en="The threads of a warp do not need the barrier of the block: a shuffle synchronises those in its mask.",
            ),
            at_most=0,
        ),
    ),
    bad_inputs=(
        BadInput("C = 0", lambda: reduce_bad(x=torch.zeros(3, 0))),
        BadInput("float64 x", lambda: reduce_bad(x=torch.zeros(3, 4).double())),
        BadInput("int64 best", lambda: reduce_bad(best=torch.zeros(3, dtype=torch.int64))),
        BadInput("total too short", lambda: reduce_bad(total=torch.zeros(2))),
    ),
    needs=("gpu",),
)

# ------------------------------------------------------------------ const_taps_fir

FIR_TAPS = 17


def fir_inputs(case: Case, rng: torch.Generator) -> dict[str, Any]:
    return {
        "x": torch.randn(case.sizes["n"], generator=rng, device=rng.device),
        "taps": torch.randn(FIR_TAPS, generator=rng, device=rng.device),
    }


def fir_reference(x: torch.Tensor, taps: torch.Tensor) -> torch.Tensor:
    outputs = x.numel() - FIR_TAPS + 1
    out = torch.zeros(outputs, dtype=torch.float64, device=x.device)
    for k in range(FIR_TAPS):  # one float64 temporary at a time: the timed case has 2^27 elements
        out += taps[k].double() * x[k : k + outputs].double()
    return out


def fir_work(case: Case) -> Work:
    outputs = case.sizes["n"] - FIR_TAPS + 1
    return Work(
        bytes_moved=4 * (case.sizes["n"] + FIR_TAPS + outputs), flop={"float32": 2 * FIR_TAPS * outputs}
    )


def fir_bad(n: int = 20, taps: int = FIR_TAPS, outputs: int = 4) -> dict[str, Any]:
    return {"x": torch.zeros(n), "taps": torch.zeros(taps), "out": torch.zeros(outputs)}


def loads_per_output(facts: Any) -> float | None:
    """Load instructions that a warp executes, global and shared, per 32 stored results.

    The least sectors for the bytes that were stored say how many results there were: 4 sectors hold 32 of them.
    """
    counts = facts.counts
    if counts is None or not counts.store_sectors_ideal:
        return None
    return (counts.global_load_requests + counts.shared_load_requests) / (counts.store_sectors_ideal / 4)


CONST_TAPS_FIR = Task(
    name="const_taps_fir",
    chapter="07",
    kind="cuda",
    points=Points(correct=6),  # all of them for the result and its counts: no time is required
    core=False,
    minutes=25,
    arguments=("x", "taps", "out"),
    cases=(
        Case("n = 17", {"n": 17}),
        Case("n = 18", {"n": 18}),
        Case("n = 48", {"n": 48}),
        Case("n = 1040", {"n": 1040}),
        Case("n = 65551", {"n": 65551}),
        Case("n = 2^27", {"n": 2**27, "scale": "n"}, timed=True),
    ),
    inputs=fir_inputs,
    outputs=lambda case: {"out": Out((case.sizes["n"] - FIR_TAPS + 1,), "float32")},
    reference=fir_reference,
    tolerance=Tolerance(rel=2e-6, why="17 fp32 products and sums"),
    baseline="baselines/const_taps_fir.py",
    target=None,  # the time is shown only: par against this baseline has not been measured
    work=fir_work,
    evidence=(
        Evidence(
            "loads per result",
            loads_per_output,
            Text(
                es="De x hacen falta como mucho 17 lecturas por resultado; los coeficientes no deberían costar ninguna más.",
                en="Of x at most 17 loads per result are needed; the coefficients should cost no more.",
            ),
            at_most=17,
        ),
        Evidence(
            # an index that all lanes share compiles to an immediate or a uniform register: FFMA c[0x3][0x4], ULDC, LDCU
            "reads of constant memory with an index per thread in the machine code",
            absent(r"\bLDC\S*\s+R\d+, c\[0x3\]\[R\d"),
            Text(
                es="La memoria constante contesta a un índice cada vez: los 32 hilos tienen que pedir el mismo coeficiente.",
                en="Constant memory answers one index at a time: the 32 threads must ask for the same coefficient.",
            ),
            at_most=0,
        ),
        Evidence(
            "reads of constant memory or of the read-only path in the machine code",
            present(r"c\[0x3\]|LDG\.E\S*CONSTANT"),
            Text(
                es="Declara los coeficientes __constant__, o promete con const y __restrict__ que nadie escribe lo que lees.",
                en="Declare the coefficients __constant__, or promise with const and __restrict__ that nobody writes what you read.",
            ),
            at_least=1,
        ),
    ),
    bad_inputs=(
        BadInput("16 taps", lambda: fir_bad(taps=16)),
        BadInput("n = 16", lambda: fir_bad(n=16, outputs=0)),
        BadInput("out too long", lambda: fir_bad(outputs=5)),
    ),
    needs=("gpu",),
)
