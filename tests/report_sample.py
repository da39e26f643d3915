"""A run with every outcome and most diagnoses, built by hand: what tests of messages, reports and pages look at.

Numbers of the memory exercises are of the size that an H200 gives; nothing here was measured.
"""

from __future__ import annotations

from datetime import UTC, datetime

from goodput.machine.ceiling import Ceiling, Ceilings
from grader.report import build
from grader.report_schema import Report
from grader.verdict import CaseResult, Diagnosis, EvidenceResult, RooflineResult, SpeedResult, Verdict

MACHINE = {
    "cpu": "Intel(R) Xeon(R) Platinum 8480C",
    "cores": 16,
    "memory_bytes": 135_000_000_000,
    "gpu": {"name": "NVIDIA H200", "capability": [9, 0], "multiprocessors": 132, "driver": "580.159.04"},
    "python": "3.12.3",
    "torch": "2.11.0+cu130",
    "cuda": "13.0",
    "triton": "3.6.0",
}
CPU_MACHINE = {**MACHINE, "gpu": None, "cpu": "AMD Ryzen 7 7840U", "cores": 8, "memory_bytes": 32 * 2**30}
HOSTILE = "<script>alert('x')</script>\x1b[31m[red]&\u202e\x00</details></pre><img src=x onerror=alert(1)>"


def verdict(name: str, outcome: str, **fields) -> Verdict:
    """One verdict of chapter 07 with 4 + 4 points; correctness points follow the outcome unless given."""
    correct = 4.0 if outcome in ("passed", "slow", "too_close") else 0.0
    base = {
        "chapter": "07",
        "kind": "cuda",
        "core": True,
        "device": "cuda",
        "isolation": "sandbox",
        "points_correct": correct,
        "points_fast": 4.0 if outcome == "passed" else 0.0,
        "possible_correct": 4.0,
        "possible_fast": 4.0,
        "seconds": {"start": 0.31, "compile": 1.24, "check": 0.87},
        "source_hash": "5f1d2c9ab04e77c3",
    }
    return Verdict(name=name, outcome=outcome, **(base | fields))


def cases(*failing: str, diagnosis: Diagnosis | None = None) -> tuple[CaseResult, ...]:
    names = (("n = 1", ""), ("n = 33", "tail"), ("n = 1000", ""), ("n = 65537", "tail"), ("n = 67108864", ""))
    return tuple(
        CaseResult(
            name,
            name not in failing,
            about,
            3.1e-2 if name in failing else 0.0,
            diagnosis if name in failing else None,
        )
        for name, about in names
    )


def speed(
    ratio: float, half: float, threshold: float = 1.79, par: float | None = 2.64, **fields
) -> SpeedResult:
    return SpeedResult(
        ratio, ratio * (1 - half), ratio * (1 + half), threshold, par, fields.pop("blocks", 4),
        0.541 / ratio, 0.541, 0.541 / ratio * 0.99, **fields,
    )  # fmt: skip


def roof(fraction: float) -> RooflineResult:
    gb_per_s = 4235 * fraction
    return RooflineResult(
        537_000_000, 67e6, 537e6 / gb_per_s / 1e9, gb_per_s, fraction, "copy_gb_per_s", 4235.0
    )


SECTORS = EvidenceResult("load sectors per request", 4.0, 4.5, None, True)
WAVEFRONTS = EvidenceResult("shared wavefronts per request", 2.0, 1.0, None, False)
HINT = {
    "es": "Dos palabras del mismo banco se piden a la vez; mira qué cambia si cada fila empieza una palabra después.",
    "en": "Two words of one bank are asked for at once; see what changes when every row starts one word later.",
}

VERDICTS = (
    verdict(
        "coalesced_copy", "passed", cases=cases(), evidence=(SECTORS,), speed=speed(2.58, 0.004), roofline=roof(0.62),
        seconds={"start": 0.3, "compile": 1.2, "check": 0.9, "race": 4.6}, output="packed (8, 67108864)\n",
    ),
    verdict(
        "vector_dequant", "slow", cases=cases(), speed=speed(1.31, 0.006, 1.72, 2.17), roofline=roof(0.57),
        evidence=(EvidenceResult("STG.E.128 instructions", 2.0, None, 1.0, True),),
        diagnosis=Diagnosis("works but is slower"), seconds={"start": 0.3, "compile": 1.1, "check": 0.8, "race": 5.2},
    ),
    verdict(
        "tiled_transpose", "incorrect",
        cases=cases("n = 1000", diagnosis=Diagnosis("race", {"case": "n = 1000"})),
        diagnosis=Diagnosis("race", {"case": "n = 1000", "threads": [0, 33], "line": 21, "buffer": "tile"}),
    ),
    verdict(
        "conflict_free_tile", "incorrect", cases=cases(), points_correct=0.0, evidence=(SECTORS, WAVEFRONTS),
        diagnosis=Diagnosis("technique not used", {"name": WAVEFRONTS.name, "hint": HINT}),
    ),
    verdict(
        "warp_row_reduce", "too_close", cases=cases(), speed=speed(1.30, 0.021, 1.31, 1.52, blocks=12),
        roofline=roof(1.03), seconds={"start": 0.3, "compile": 1.3, "check": 1.0, "race": 14.8},
    ),
    verdict(
        "const_taps_fir", "error", core=False,
        diagnosis=Diagnosis("compile failed", {
            "line": 14, "column": 22, "text": 'identifier "taps" is undefined', "source_line": "    acc += x[i + t] * taps[t];",
        }),
    ),
    verdict(
        "async_row_ring", "not_graded", cases=cases(),
        speed=speed(1.7, 0.11, disturbed=("thermal", "canary copy")), notes=("disturbed",),
    ),
    verdict(
        "tma_transpose", "not_available", core=False, device="cuda", notes=("needs sm90",), seconds={},
    ),
    verdict(
        "ratio_roof", "review", chapter="06", cases=cases(), speed=speed(41.0, 0.01), roofline=roof(6.4),
        diagnosis=Diagnosis("too fast", {}),
    ),
    verdict("occupancy_plan", "unanswered", chapter="06", kind="analysis", possible_fast=0.0, source_hash="", seconds={}),
    verdict(
        "raised_in_python", "error", chapter="06", kind="torch", isolation="process", notes=("no sandbox", "tampered cell"),
        diagnosis=Diagnosis("raised", {"type": "IndexError", "text": HOSTILE, "line": 7, "case": HOSTILE}),
        output=HOSTILE * 3,
    ),
    verdict(
        "tail_of_a_block", "incorrect", chapter="06", kind="triton",
        cases=cases("n = 33", "n = 65537", diagnosis=Diagnosis("not written", {})),
        diagnosis=Diagnosis("wrong only at the tail", {"case": "n = 33", "index": (32,), "got": 0.0, "want": 1.8765432}),
    ),
)  # fmt: skip

CPU_VERDICTS = tuple(
    verdict(
        name, "passed", device="cpu", isolation="process", points_fast=0.0, possible_fast=0.0, unavailable_fast=4.0,
        cases=cases(), evidence=(SECTORS,), notes=("speed needs a gpu", "cpu model", "no sandbox"),
    )
    for name in ("coalesced_copy", "vector_dequant", "tiled_transpose")
)  # fmt: skip


CEILINGS = Ceilings(
    "cuda", "0123456789ab", "NVIDIA H200", "2026-11-30T14:00:00Z",
    {name: Ceiling(name, value, 0.01, 9, "sample") for name, value in
     {"copy_gb_per_s": 4235.0, "fp32_tflop_per_s": 50.9, "tf32_tflop_per_s": 385.0, "bf16_tflop_per_s": 720.0}.items()},
    {},
)  # fmt: skip


def report(verdicts=VERDICTS, machine=MACHINE, **fields) -> Report:
    created = datetime(2026, 11, 30, 15, 4, 5, tzinfo=UTC)
    return build(verdicts, machine=machine, course="goodput 0.1.0", created=created, **fields)
