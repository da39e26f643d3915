"""Contract of the exercise about graph breaks: no_graph_breaks.

The answer is called as it is where it is checked, and compiled where it is timed; how many graphs the compiler makes of it
is counted by compiling it once with a backend that counts.
"""

from __future__ import annotations

from typing import Any

import torch

from grader.task import Case, Evidence, Out, Points, Target, Task, Text, Tolerance

LIMIT = 1000.0
ROUNDS = 6


def inputs(case: Case, rng: torch.Generator) -> dict[str, Any]:
    """Values whose sum is far from LIMIT in every round (a test asserts it), except where it is exactly there."""
    shape = case.sizes["shape"]
    if case.sizes.get("exact"):
        return {"x": eighths(shape[0], rng)}
    x = 2 * torch.randn(shape, generator=rng, device=rng.device) + case.sizes.get("shift", 0.0)
    if case.sizes.get("nan"):
        x.view(-1)[x.numel() // 3] = float("nan")
    return {"x": x}


def eighths(n: int, rng: torch.Generator) -> torch.Tensor:
    """Multiples of 1/8 that add up to LIMIT: fp32 adds them exactly in every order."""
    k = torch.randint(-16, 49, (n,), generator=rng, device=rng.device)
    missing = int(8 * LIMIT) - int(k.sum())
    k += missing // n
    k[: missing % n] += 1
    return k / 8


def reference(x: torch.Tensor) -> torch.Tensor:
    """The original in float64."""
    x = x.double()
    for _ in range(ROUNDS):
        if x.sum().item() > LIMIT:
            x = x + 1
        x = torch.sin(x) * 2.5 + 0.25
        x = torch.cos(x) + x
    return x


NO_GRAPH_BREAKS = Task(
    name="no_graph_breaks",
    chapter="14",
    kind="torch",
    points=Points(correct=5, fast=4),
    core=True,
    minutes=25,
    arguments=("x",),
    returns=True,
    compiled=True,
    cases=(
        Case("sums far below", {"shape": (100,)}),
        Case("sums far above", {"shape": (64, 500), "shift": 0.25}),
        Case("below at first, then above", {"shape": (3, 800)}),
        Case("first sum exactly at the limit", {"shape": (1500,), "exact": True}),
        Case("one NaN", {"shape": (1500,), "nan": True}),
        Case("three axes", {"shape": (2, 3, 5)}),
        Case("65536 values", {"shape": (1 << 16,), "shift": 0.25}, timed=True),
    ),
    inputs=inputs,
    outputs=lambda case: {"out": Out(tuple(case.sizes["shape"]), "float32")},
    reference=reference,
    # one round multiplies an error by 2.5 |cos x| |1 - sin y| < 5, on average by about 1; eager fp32 stays below 1e-5
    tolerance=Tolerance(
        rel=1e-4, single=2e-3, why="six rounds of fp32 that stretch rounding errors; 1e-5 was seen"
    ),
    baseline="baselines/no_graph_breaks.py",
    target=Target(position=0.65),  # par of this formula is still to be measured on a GPU
    evidence=(
        Evidence(
            "graphs",
            lambda facts: facts.extra["graphs"],
            Text(
                es="Tiene que ser uno: con 0 el compilador abandonó la función, con más de uno la cortó.",
                en="There must be one: with 0 the compiler gave the function up, with more than one it broke it.",
            ),
            at_least=1,
            at_most=1,
        ),
        Evidence(
            "graph breaks",
            lambda facts: len(facts.extra["breaks"]),
            Text(
                es="Ejecuta torch.compile con fullgraph=True: el error dice qué línea corta el grafo.",
                en="Run torch.compile with fullgraph=True: the error says which line breaks the graph.",
            ),
            at_most=0,
        ),
        # six rounds of sine, scale, shift, cosine and sum; fewer means that part of the work is hidden from the graph
        Evidence(
            "operations in the graph",
            lambda facts: sum(facts.extra["operations"]),
            Text(
                es="El grafo no contiene todo el cálculo: no escondas operaciones al compilador.",
                en="The graph does not hold the whole computation: do not hide operations from the compiler.",
            ),
            at_least=5 * ROUNDS,
        ),
        Evidence(
            "capture_scalar_outputs",
            lambda facts: float(facts.extra["capture_scalar_outputs"]),
            Text(
                es="Con ese ajuste la espera queda dentro del grafo: deja la configuración de fábrica.",
                en="With that setting the wait stays inside the graph: leave the factory configuration.",
            ),
            at_most=0,
        ),
    ),
    limit_s=60.0,
)

TASKS = (NO_GRAPH_BREAKS,)
