"""Contracts of the exercises about asynchronous copies, async_row_ring and tma_transpose; with those of tasks_registers.py.

`TASKS` holds the second half of the chapter, one `Task` each, in the order of the notebook. Sizes of timed cases are for a
GPU with 141 GB; the grader halves the size that `sizes["scale"]` names until a case fits the machine.
"""

from __future__ import annotations

from typing import Any

import torch

from grader.task import BadInput, Case, Evidence, Out, Points, Target, Task, Text, Tolerance, Work

from .tasks_registers import CONST_TAPS_FIR, WARP_ROW_REDUCE, absent, present

# ------------------------------------------------------------------ async_row_ring

RING_COLUMNS = 8192
RING_EPS = 1e-5


def ring_inputs(case: Case, rng: torch.Generator) -> dict[str, Any]:
    shape = (case.sizes["rows"], RING_COLUMNS)
    x = torch.randn(shape, generator=rng, device=rng.device).mul_(case.sizes.get("size", 1.0))
    w = torch.randn(RING_COLUMNS, generator=rng, device=rng.device)
    return {"x": x.bfloat16(), "w": w.bfloat16(), "eps": RING_EPS}


def ring_reference(x: torch.Tensor, w: torch.Tensor, eps: float) -> torch.Tensor:
    y = x.double()
    y *= torch.rsqrt(y.square().mean(1, keepdim=True) + eps)
    return y.mul_(w.double())


def ring_work(case: Case) -> Work:
    elements = case.sizes["rows"] * RING_COLUMNS
    return Work(bytes_moved=4 * elements + 2 * RING_COLUMNS, flop={"float32": 4 * elements})


def ring_case(rows: int, name: str = "", **more: Any) -> Case:
    # with the emulator's 4 multiprocessors, from row 5 on a block has a second row and the ring goes on past the last one
    only = (
        "cuda" if rows > 100 else ""
    )  # rows for the multiprocessors of a large GPU: the emulator would only wait
    return Case(name or f"R = {rows}", {"rows": rows, **more}, about="tail" if rows > 4 else "", only=only)


def ring_bad(**changed: Any) -> dict[str, Any]:
    row = torch.zeros(2, RING_COLUMNS, dtype=torch.bfloat16)
    return {"x": row, "w": row[0].clone(), "out": row.clone(), "eps": RING_EPS} | changed


def ring_bad_columns() -> dict[str, Any]:
    row = torch.zeros(2, 4096, dtype=torch.bfloat16)
    return ring_bad(x=row, w=row[0].clone(), out=row.clone())


ASYNC_ROW_RING = Task(
    name="async_row_ring",
    chapter="07",
    kind="cuda",
    points=Points(correct=5, fast=5),
    core=True,
    minutes=45,
    arguments=("x", "w", "out", "eps"),
    cases=(
        ring_case(1),
        ring_case(2),
        ring_case(3),
        ring_case(3, "rows of zeros", size=0.0),
        ring_case(2, "rows of 1e4", size=1e4),  # their squares overflow fp16, not fp32
        ring_case(5),
        ring_case(19),
        # one less and one more than the 132 multiprocessors of an H200, and four rounds and three rows
        ring_case(131),
        ring_case(133),
        ring_case(531),
        Case("R = 32768", {"rows": 32768, "scale": "rows"}, timed=True),
    ),
    inputs=ring_inputs,
    outputs=lambda case: {"out": Out((case.sizes["rows"], RING_COLUMNS), "bfloat16")},
    reference=ring_reference,
    tolerance=Tolerance(
        rel=4e-3, why="bf16 output rounds by 1.7e-3; fp32 accumulation over 8192 terms adds nothing to it"
    ),
    baseline="baselines/async_row_ring.py",
    target=Target(position=0.65),  # H200 (2026-11): par 1.99, threshold 1.56
    work=ring_work,
    evidence=(
        Evidence(
            "LDGSTS in the machine code",
            present(r"\bLDGSTS\b"),
            Text(
                es="Copia con cp_async16 de memoria global a compartida, sin pasar por registros.",
                en="Copy with cp_async16 from global to shared memory, without passing through registers.",
            ),
            at_least=1,
        ),
        Evidence(
            "groups in flight after a wait",  # the median of all waits: draining the ring at the end is no fault
            lambda facts: None if facts.counts is None else facts.counts.typical_groups_in_flight,
            Text(
                es="Si la espera vacía el anillo, nada está en camino mientras calculas: espera solo a la fila de esta vuelta.",
                en="If the wait empties the ring, nothing is under way while you compute: wait only for the row of this round.",
            ),
            at_least=2,  # the solution leaves 3; a ring of three stages would leave 2
        ),
    ),
    bad_inputs=(
        BadInput("4096 columns", ring_bad_columns),
        BadInput("w of another length", lambda: ring_bad(w=torch.zeros(4096, dtype=torch.bfloat16))),
        BadInput("float16 x", lambda: ring_bad(x=torch.zeros(2, RING_COLUMNS, dtype=torch.float16))),
    ),
    needs=("gpu", "sm80"),
)

# ------------------------------------------------------------------ tma_transpose


def turn_inputs(case: Case, rng: torch.Generator) -> dict[str, Any]:
    return {"x": torch.randn((case.sizes["M"], case.sizes["N"]), generator=rng, device=rng.device)}


def turn_bad(
    M: int = 8, N: int = 8, shape: tuple[int, int] = (8, 8), dtype: torch.dtype = torch.float32
) -> dict[str, Any]:
    return {"x": torch.zeros(M, N, dtype=dtype), "out": torch.zeros(shape)}


COPY_ENGINE = Text(
    es="Pide la caja con tma_load_2d y espera sus bytes en el mbarrier; ningún hilo necesita leer x por su cuenta.",
    en="Ask for the box with tma_load_2d and wait for its bytes on the mbarrier; no thread needs to load x by itself.",
)

TMA_TRANSPOSE = Task(
    name="tma_transpose",
    chapter="07",
    kind="cuda",
    points=Points(correct=6, fast=2),
    core=False,
    minutes=50,
    arguments=("x", "out"),
    cases=(
        Case("(1, 4)", {"M": 1, "N": 4}),
        Case("(128, 32)", {"M": 128, "N": 32}),
        Case("(129, 36)", {"M": 129, "N": 36}, about="tail"),
        Case("(1000, 1036)", {"M": 1000, "N": 1036}, about="tail"),
        Case("(8192, 16384)", {"M": 8192, "N": 16384, "scale": "M"}, timed=True),
    ),
    inputs=turn_inputs,
    outputs=lambda case: {"out": Out((case.sizes["N"], case.sizes["M"]), "float32")},
    reference=lambda x: x.t().contiguous(),
    tolerance=Tolerance(rel=0, why="a transpose only moves numbers"),
    baseline="baselines/tma_transpose.py",
    # H200 (2026-11): the solution reaches 0.89 of the copy probe, the padded tile 0.82: too close for a ratio of times
    target=Target(ceiling_fraction=0.75),
    work=lambda case: Work(bytes_moved=8 * case.sizes["M"] * case.sizes["N"]),
    evidence=(
        Evidence("UTMALDG in the machine code", present(r"\bUTMALDG\b"), COPY_ENGINE, at_least=1),
        Evidence("SYNCS in the machine code", present(r"\bSYNCS\b"), COPY_ENGINE, at_least=1),
        Evidence("LDG in the machine code", absent(r"\bLDG\b"), COPY_ENGINE, at_most=0),
    ),
    bad_inputs=(
        BadInput("N = 6", lambda: turn_bad(N=6, shape=(6, 8))),
        BadInput("out of the wrong shape", lambda: turn_bad(shape=(8, 4))),
        BadInput("float64 x", lambda: turn_bad(dtype=torch.float64)),
    ),
    needs=("gpu", "sm90"),
    sass_archs=("sm_90a",),
)

TASKS: tuple[Task, ...] = (WARP_ROW_REDUCE, ASYNC_ROW_RING, CONST_TAPS_FIR, TMA_TRANSPOSE)
