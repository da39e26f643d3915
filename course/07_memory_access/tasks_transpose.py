"""Contracts of the two exercises about a tile in shared memory: tiled_transpose and conflict_free_tile.

Both transpose the same matrices; the second starts where the first ends and counts wavefronts of shared memory.
"""

from __future__ import annotations

from typing import Any

import torch

from grader.task import BadInput, Case, Evidence, Out, Points, Target, Task, Text, Tolerance, Work

from .tasks_layout import bound_on_loads, bound_on_stores


def transpose_case(M: int, N: int, **more: Any) -> Case:
    return Case(f"{M} x {N}", {"M": M, "N": N} | ({"scale": "N"} if more.get("timed") else {}), **more)


TRANSPOSE_CASES = (
    transpose_case(1, 1, about="tail"),
    transpose_case(64, 64),  # whole tiles and square: what fails here fails for a reason other than the edge
    transpose_case(31, 33, about="tail"),
    transpose_case(100, 70, about="tail"),
    transpose_case(1, 4096, about="tail"),
    transpose_case(4096, 1, about="tail"),
    transpose_case(1000, 1036, about="tail"),
    # accesses are counted in the last case that is not timed: whole warps, and rows that start on a sector
    transpose_case(256, 288),
    transpose_case(8192, 16384, timed=True),
)


def transpose_inputs(case: Case, rng: torch.Generator) -> dict[str, Any]:
    return {"x": torch.randn((case.sizes["M"], case.sizes["N"]), generator=rng, device=rng.device)}


def overlapping(words: torch.Tensor) -> dict[str, torch.Tensor]:
    return {"x": words[:32].view(4, 8), "out": words[16:].view(8, 4)}


TRANSPOSE_BAD_INPUTS = (
    BadInput("x not contiguous", lambda: {"x": torch.zeros(8, 4).t(), "out": torch.zeros(8, 4)}),
    BadInput("out of the shape of x", lambda: {"x": torch.zeros(4, 8), "out": torch.zeros(4, 8)}),
    BadInput("x and out overlap", lambda: overlapping(torch.zeros(48))),
    BadInput("float64 x", lambda: {"x": torch.zeros(4, 8, dtype=torch.float64), "out": torch.zeros(8, 4)}),
)
BITWISE = Tolerance(rel=0, why="a transpose only moves words")


def transpose_work(case: Case) -> Work:
    return Work(bytes_moved=8 * case.sizes["M"] * case.sizes["N"])


def transpose_out(case: Case) -> dict[str, Out]:
    return {"out": Out((case.sizes["N"], case.sizes["M"]), "float32")}


TILED_TRANSPOSE = Task(
    name="tiled_transpose",
    chapter="07",
    kind="cuda",
    points=Points(correct=5, fast=5),
    core=True,
    minutes=30,
    arguments=("x", "out"),
    cases=TRANSPOSE_CASES,
    inputs=transpose_inputs,
    outputs=transpose_out,
    reference=lambda x: x.T,
    tolerance=BITWISE,
    baseline="baselines/tiled_transpose.py",
    target=Target(position=0.75),  # H200 (2026-11): par 3.54, threshold 2.58; a padded tile reaches 7.01
    work=transpose_work,
    evidence=(bound_on_loads(4.0), bound_on_stores(4.0)),
    bad_inputs=TRANSPOSE_BAD_INPUTS,
    needs=("gpu",),
)

CONFLICT_FREE_TILE = Task(
    name="conflict_free_tile",
    chapter="07",
    kind="cuda",
    points=Points(correct=5, fast=3),
    core=True,
    minutes=20,
    arguments=("x", "out"),
    cases=TRANSPOSE_CASES,
    inputs=transpose_inputs,
    outputs=transpose_out,
    reference=lambda x: x.T,
    tolerance=BITWISE,
    baseline="baselines/conflict_free_tile.py",
    target=Target(position=0.7),  # H200 (2026-11): par 1.98, threshold 1.61
    work=transpose_work,
    evidence=(
        Evidence(
            "wavefronts per shared load",
            lambda facts: facts.counts.shared_load_wavefronts_per_request,
            Text(
                es="Son las palabras que un warp pide a un mismo banco: ¿en qué banco está tile[r][c]?",
                en="It is the number of words that a warp asks of one bank: in which bank is tile[r][c]?",
            ),
            at_most=1.0,
        ),
        # a tile that is turned while it is filled moves the conflict from the load to the store
        Evidence(
            "wavefronts per shared store",
            lambda facts: facts.counts.shared_store_wavefronts_per_request,
            Text(
                es="El conflicto está al llenar el tile: ¿en qué bancos caen las 32 palabras de un warp?",
                en="The conflict is where the tile is filled: in which banks do the 32 words of a warp land?",
            ),
            at_most=1.0,
        ),
        # and one without a tile has no conflicts and pays in global memory
        bound_on_loads(4.0),
        bound_on_stores(4.0),
    ),
    bad_inputs=TRANSPOSE_BAD_INPUTS,
    needs=("gpu",),
)

TASKS = (TILED_TRANSPOSE, CONFLICT_FREE_TILE)
