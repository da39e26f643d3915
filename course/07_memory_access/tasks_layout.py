"""Contracts of the exercises about the layout and the width of accesses: coalesced_copy and vector_dequant.

`TASKS` holds one `Task` each. Sizes of timed cases are for a GPU with 141 GB; the grader halves the size that
`sizes["scale"]` names until a case fits the machine. The reference of every exercise is one line of torch.
"""

from __future__ import annotations

from typing import Any

import torch

from grader.task import BadInput, Case, Evidence, Out, Points, Target, Task, Text, Tolerance, Work

# ------------------------------------------------------------------ counts that several exercises read
# A count that this machine or this answer does not have is None; arithmetic with it raises, which the grader takes
# for "cannot tell".


def load_sectors(facts: Any) -> float:
    """Sectors for every 128 bytes that a warp asked to read; 4 is the least, whatever the width of the access.

    A request of 32 x 4 bytes has an ideal of 4 sectors and one of 32 x 16 bytes an ideal of 16: the ratio of
    counted to ideal sectors compares both.
    """
    return 4 * facts.counts.load_sectors_per_request / facts.counts.load_sectors_ideal_per_request


def store_sectors(facts: Any) -> float:
    """The same for what a warp asked to write."""
    return 4 * facts.counts.store_sectors_per_request / facts.counts.store_sectors_ideal_per_request


def bound_on_loads(at_most: float) -> Evidence:
    hint = Text(
        es="Cada sector son 32 bytes que viajan enteros: haz que hilos vecinos lean palabras vecinas.",
        en="Each sector is 32 bytes that travel together: let neighbouring threads read neighbouring words.",
    )
    return Evidence("load sectors per 128 B", load_sectors, hint, at_most=at_most)


def bound_on_stores(at_most: float) -> Evidence:
    hint = Text(
        es="Cada sector son 32 bytes: haz que hilos vecinos escriban lugares vecinos en cada instrucción.",
        en="Each sector is 32 bytes: let neighbouring threads write neighbouring places in each instruction.",
    )
    return Evidence("store sectors per 128 B", store_sectors, hint, at_most=at_most)


# ------------------------------------------------------------------ coalesced_copy

COPY_COUNTED_N = 65537  # records in the case where accesses are counted


def copy_inputs(case: Case, rng: torch.Generator) -> dict[str, Any]:
    return {"records": torch.randn((case.sizes["n"], 8), generator=rng, device=rng.device)}


def bytes_read_per_result(facts: Any) -> float:
    """Bytes of all sectors that the answer's kernels read, per element of out."""
    return 32 * facts.counts.load_sectors_per_request * facts.counts.global_load_requests / COPY_COUNTED_N


COALESCED_COPY = Task(
    name="coalesced_copy",
    chapter="07",
    kind="cuda",
    points=Points(correct=4, fast=4),
    core=True,
    minutes=20,
    arguments=("packed", "out"),
    prepare="coalesced_copy_pack",
    cases=(
        Case("n = 1", {"n": 1}, about="tail"),
        Case("n = 33", {"n": 33}, about="tail"),
        Case("n = 1000", {"n": 1000}, about="tail"),
        Case("n = 4096", {"n": 4096}),
        Case(
            "n = 65537", {"n": COPY_COUNTED_N}, about="tail"
        ),  # the last untimed case is the one that is counted
        Case("n = 2^25", {"n": 2**25, "scale": "n"}, timed=True),
    ),
    inputs=copy_inputs,
    outputs=lambda case: {"out": Out((case.sizes["n"],), "float32")},
    reference=lambda records: 2 * records[:, 0],
    tolerance=Tolerance(rel=0, why="a product with 2 only changes the exponent"),
    baseline="baselines/coalesced_copy.py",
    target=Target(position=0.6),  # H200 (2026-11): par 2.64, threshold 1.79
    work=lambda case: Work(bytes_moved=8 * case.sizes["n"], flop={"float32": case.sizes["n"]}),
    evidence=(
        # 4 is perfect; 4.5 leaves room for a plane that starts in the middle of a sector
        bound_on_loads(4.5),
        # without a clock this is what tells a good layout from a kernel that moves all the data to get it
        Evidence(
            "bytes read per result",
            bytes_read_per_result,
            Text(
                es="De cada estructura hacen falta 4 bytes; si lees más, sigues moviendo los otros campos.",
                en="Of each record 4 bytes are needed; if you read more, you still move the other fields.",
            ),
            at_most=4.5,
            devices=("cpu",),
        ),
    ),
    bad_inputs=(
        BadInput("7 words per result", lambda: {"packed": torch.zeros(4, 7), "out": torch.zeros(4)}),
        BadInput("float64 packed", lambda: {"packed": torch.zeros(4, 8).double(), "out": torch.zeros(4)}),
        BadInput("out too short", lambda: {"packed": torch.zeros(4, 8), "out": torch.zeros(3)}),
    ),
    needs=("gpu",),
    memory_mb=8192,  # 1 GiB of records, as the index payload, its copy and the packed result
)

# ------------------------------------------------------------------ vector_dequant


def dequant_inputs(case: Case, rng: torch.Generator) -> dict[str, Any]:
    q = torch.randint(0, 256, (case.sizes["n"],), dtype=torch.uint8, generator=rng, device=rng.device)
    draw = torch.rand(2, generator=rng, device=rng.device).tolist()
    # both are exact in fp32; zero has a fraction and lies inside the range of q: integer arithmetic shows
    return {"q": q, "scale": (1 + round(254 * draw[0])) / 4096, "zero": 64.25 + round(127 * draw[1])}


def dequant_reference(q: torch.Tensor, scale: float, zero: float) -> torch.Tensor:
    return (q.double() - zero) * scale


def dequant_bad(**change: Any) -> dict[str, Any]:
    good = {"q": torch.zeros(8, dtype=torch.uint8), "out": torch.zeros(8), "scale": 0.5, "zero": 1.0}
    return good | change


VECTOR_DEQUANT = Task(
    name="vector_dequant",
    chapter="07",
    kind="cuda",
    points=Points(correct=4, fast=4),
    core=True,
    minutes=25,
    arguments=("q", "out", "scale", "zero"),
    cases=(
        # fewer elements than one vector: not a tail but all there is
        Case("n = 1", {"n": 1}),
        Case("n = 3", {"n": 3}),
        Case("n = 15", {"n": 15}, about="tail"),
        Case("n = 17", {"n": 17}, about="tail"),
        Case("n = 4096", {"n": 4096}),
        Case("n = 4099", {"n": 4099}, about="tail"),
        Case("n = 2^20 + 5", {"n": 2**20 + 5}, about="tail"),
        Case("n = 2^28", {"n": 2**28, "scale": "n"}, timed=True),
    ),
    inputs=dequant_inputs,
    outputs=lambda case: {"out": Out((case.sizes["n"],), "float32")},
    reference=dequant_reference,
    tolerance=Tolerance(rel=1e-6, why="one subtraction and one product, each rounded once to fp32 (2^-24)"),
    baseline="baselines/vector_dequant.py",
    target=Target(position=0.7),  # H200 (2026-11): par 2.17, threshold 1.72
    work=lambda case: Work(bytes_moved=5 * case.sizes["n"], flop={"float32": 2 * case.sizes["n"]}),
    evidence=(
        Evidence(
            "STG.E.128",
            lambda facts: facts.sass.matches(r"STG\.E\S*128"),
            Text(
                es="El código máquina no tiene ninguna escritura de 16 bytes: escribe un float4 entero.",
                en="The machine code has no 16-byte store: write a whole float4.",
            ),
            at_least=1,
        ),
        Evidence(
            "widest access in bytes",
            lambda facts: facts.counts.widest_access_bytes,
            Text(
                es="Ningún acceso ejecutado llegó a 16 bytes: comprueba qué rama toman los hilos.",
                en="No access that was executed reached 16 bytes: check which branch the threads take.",
            ),
            at_least=16,
        ),
        # whole warps reach 4 exactly; the last n % 4 elements add one request of a few bytes
        bound_on_stores(4.1),
    ),
    bad_inputs=(
        BadInput("int8 q", lambda: dequant_bad(q=torch.zeros(8, dtype=torch.int8))),
        BadInput("float16 out", lambda: dequant_bad(out=torch.zeros(8, dtype=torch.float16))),
        BadInput("out too short", lambda: dequant_bad(out=torch.zeros(7))),
        BadInput("out not on 16 bytes", lambda: dequant_bad(out=torch.zeros(9)[1:])),
    ),
    needs=("gpu",),
)

TASKS = (COALESCED_COPY, VECTOR_DEQUANT)
