"""Contract of the exercise about a first Triton kernel: triton_softmax.

On a CPU the kernel runs in Triton's interpreter, so rows are few there; the machine code that evidence reads is compiled
offline for several architectures, from the last untimed case: its width and steps are multiples of 16, as wide accesses need.
"""

from __future__ import annotations

from typing import Any

import torch

from grader.task import BadInput, Case, Evidence, Out, Points, Target, Task, Text, Tolerance, Work


def inputs(case: Case, rng: torch.Generator) -> dict[str, Any]:
    rows, n = case.sizes["rows"], case.sizes["n"]
    x = torch.randn((rows, case.sizes.get("step", n)), generator=rng, device=rng.device)[:, :n]
    match case.sizes.get("values"):
        case "negative":
            x = x - 200  # every exponential underflows to 0 unless the maximum of the row is subtracted
        case "large":
            x = 60 * x  # exp(89) is infinite in fp32
        case "equal":
            x = x[:, :1].expand(rows, n).contiguous()
        case "-inf":
            x = x.clone()
            x[:, n // 2] = -float("inf")
    return {"x": x}


def bad(**change: Any) -> dict[str, Any]:
    return {"x": torch.zeros(2, 8), "out": torch.zeros(2, 8)} | change


TRITON_SOFTMAX = Task(
    name="triton_softmax",
    chapter="14",
    kind="triton",
    points=Points(correct=5, fast=5),
    core=True,
    minutes=35,
    arguments=("x", "out"),
    cases=(
        Case("1 x 1", {"rows": 1, "n": 1}),
        Case("3 x 5", {"rows": 3, "n": 5}),
        Case("4 x 1000", {"rows": 4, "n": 1000}),
        Case("2 x 8191", {"rows": 2, "n": 8191}),
        Case("rows 512 apart", {"rows": 5, "n": 300, "step": 512}, about="stride"),
        Case("rows 8200 apart", {"rows": 3, "n": 8192, "step": 8200}, about="stride"),
        Case("all below -100", {"rows": 4, "n": 1000, "values": "negative"}),
        Case("values up to 200", {"rows": 4, "n": 513, "values": "large"}),
        Case("all equal", {"rows": 2, "n": 100, "values": "equal"}),
        Case("one -inf", {"rows": 2, "n": 1001, "values": "-inf"}),
        Case("2 x 8192", {"rows": 2, "n": 8192}),  # the last untimed case is the one that is compiled
        Case("16384 x 8192", {"rows": 16384, "n": 8192, "scale": "rows"}, timed=True),
    ),
    inputs=inputs,
    outputs=lambda case: {"out": Out((case.sizes["rows"], case.sizes["n"]), "float32")},
    reference=lambda x: torch.softmax(x.double(), 1),
    tolerance=Tolerance(
        rel=1e-5, why="fp32 exponentials and a sum of up to 16384 terms: about 1e-6; fp16 gives 5e-4"
    ),
    baseline="baselines/triton_softmax.py",
    target=Target(position=0.7),  # H200 (2026-11): par 5.43, threshold 3.27
    work=lambda case: Work(
        bytes_moved=8 * case.sizes["rows"] * case.sizes["n"],
        flop={"float32": 5 * case.sizes["rows"] * case.sizes["n"]},
    ),
    evidence=(
        Evidence(
            "Triton launches",
            lambda facts: facts.extra["launches"],
            Text(
                es="Un solo kernel tiene que hacerlo todo: cada lanzamiento de más vuelve a leer la matriz.",
                en="A single kernel has to do it all: every further launch reads the matrix again.",
            ),
            at_least=1,
            at_most=1,
        ),
        Evidence(
            "PyTorch operations that compute",
            lambda facts: len(facts.extra["torch_operations"]),
            Text(
                es="Cada operación de PyTorch es otro kernel que lee y escribe memoria: hazla dentro del tuyo.",
                en="Each PyTorch operation is one more kernel that reads and writes memory: do it inside yours.",
            ),
            at_most=0,
        ),
        # the smallest count over the architectures; some read 32 bytes at a time
        Evidence(
            "LDG.E.128",
            lambda facts: facts.sass.matches(r"LDG\.E\S*(?:128|256)"),
            Text(
                es="El código máquina no tiene lecturas de 16 bytes: lee columnas contiguas de un bloque.",
                en="The machine code has no 16-byte reads: read contiguous columns in one block.",
            ),
            at_least=1,
        ),
        Evidence(
            "bytes of stack",
            lambda facts: facts.sass.largest("stack_bytes"),
            Text(
                es="La fila no cabe en los registros de tus hilos y se desborda a la pila: repártela entre más warps.",
                en="The row does not fit in the registers of your threads and spills to the stack: use more warps.",
            ),
            at_most=0,
        ),
    ),
    bad_inputs=(
        BadInput(
            "N = 16385", lambda: bad(x=torch.zeros(1, 16385), out=torch.zeros(1, 16385)), ("ValueError",)
        ),
        BadInput("float16 x", lambda: bad(x=torch.zeros(2, 8).half()), ("TypeError",)),
        BadInput("out of another shape", lambda: bad(out=torch.zeros(2, 7)), ("ValueError",)),
        BadInput("columns apart", lambda: bad(x=torch.zeros(8, 2).t()), ("ValueError",)),
    ),
    needs=("gpu",),
    sass_archs=("sm_80", "sm_90"),
    limit_s=30.0,  # the interpreter takes about a second for a case on two busy cores
)

TASKS = (TRITON_SOFTMAX,)
