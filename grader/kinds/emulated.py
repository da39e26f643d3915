"""Run launch plans on the CPU emulator, in sandboxes of their own, and translate what it reports.

`Emulated.build(session, plan)` compiles the plan's sources once; `run(planned, limit)` executes several calls of one case in
one process per stretch of launches that share a source. Takes plans and calls, returns bytes, counts and a diagnosis; judges
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import torch

from goodput.cuda.plan import Launch, Plan
from grader.inputs import Call
from grader.layout import ITEM_BYTES
from grader.plans import renamed
from grader.processes import AnswerError
from grader.session import Session
from grader.task import Out
from grader.verdict import Diagnosis

POISON = b"\xff"
DIAGNOSES = {
    "not in mask": "race",
    "deadlock": "timed out",
}  # the emulator's words for what learners know by another name


class EmulatorMissing(Exception):
    """No C++ compiler here, or not a machine the emulator supports."""


@dataclass(frozen=True)
class Emulation:
    """What came back from one case: bytes of every buffer, counts of the kernels, what went wrong."""

    buffers: dict[str, bytes]
    counts: Any
    failure: Diagnosis | None

    def output(self, call: int, name: str, out: Out) -> torch.Tensor:
        dtype = getattr(torch, out.dtype)
        raw = self.buffers[f"{name}__{call}"]
        return (
            torch.frombuffer(bytearray(raw), dtype=dtype).reshape(out.shape)
            if raw
            else torch.empty(out.shape, dtype=dtype)
        )


def storage_bytes(tensor: torch.Tensor) -> bytes:
    """The bytes from the first to the last element, gaps of a strided tensor included."""
    if tensor.numel() == 0:
        return b""
    span = 1 + sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride(), strict=True))
    flat = tensor.as_strided((span,), (1,))
    return bytes(flat.contiguous().view(torch.uint8).numpy())


class Emulated:
    """Programs built from the sources of a plan, by source text and kernels."""

    def __init__(self, session: Session, programs: dict[str, Any]):
        self.session, self.programs = session, programs

    @staticmethod
    def build(session: Session, plan: Plan) -> Emulated:
        """Raises AnswerError with the compiler's line, EmulatorMissing with the reason."""
        made = Emulated(session, {})
        for launch in plan.launches:
            made._program(launch)
        return made

    def _program(self, launch: Launch) -> Any:
        from goodput import emulator
        from goodput.cuda.errors import CompileError

        if launch.source not in self.programs:
            from goodput.cuda.kernels import kernel_names

            try:
                self.programs[launch.source] = emulator.build(
                    launch.source, kernel_names(launch.source), wrap=self.session.wrap
                )
            except emulator.EmulatorUnavailable as e:
                raise EmulatorMissing(str(e)) from e
            except CompileError as e:
                first = next((m for m in e.messages if m.severity == "error"), e.messages[0])
                where = {"line": first.line, "column": first.column, "text": first.text}
                facts = {
                    "type": "CompileError",
                    "text": str(e)[:1000],
                    "bases": ["CompileError"],
                    "compiler": where,
                }
                raise AnswerError(facts) from e
        return self.programs[launch.source]

    def run(self, planned: Sequence[tuple[Call, Plan]], limit_s: float) -> Emulation:
        from goodput import emulator

        buffers: dict[str, bytes] = {}
        inputs: set[str] = set()
        dtypes: dict[str, str] = {}
        launches: list[Launch] = []
        for k, (call, plan) in enumerate(planned):
            suffix = f"__{k}"
            for name, value in call.inputs.items():
                if isinstance(value, torch.Tensor):
                    buffers[name + suffix] = storage_bytes(value)
                    inputs.add(name + suffix)
            for name, out in call.outputs.items():
                count = 1
                for n in out.shape:
                    count *= n
                buffers[name + suffix] = POISON * (count * ITEM_BYTES[out.dtype])
                dtypes[name + suffix] = out.dtype
            for name, nbytes in plan.scratch.items():
                buffers[name + suffix] = POISON * nbytes
            launches += [renamed(launch, suffix) for launch in plan.launches]
        counts = None
        for _source, group in groupby(launches, key=lambda launch: launch.source):
            stretch = list(group)
            used = {n for launch in stretch for n in launch.buffers()}
            specs = {n: emulator.BufferSpec(buffers[n], n not in inputs, dtypes.get(n)) for n in used}
            ran = emulator.run(
                self._program(stretch[0]), stretch, specs, timeout_s=limit_s, wrap=self.session.wrap
            )
            if ran.failure is not None:
                return Emulation(buffers, counts, explain_failure(ran.failure))
            buffers |= ran.outputs
            counts = ran.counts if counts is None else counts + ran.counts
        return Emulation(buffers, counts, None)


def explain_failure(failure: Any) -> Diagnosis:
    """The emulator's report as a diagnosis; buffer names lose the suffix of their call."""
    name = str(DIAGNOSES.get(failure.kind, failure.kind))
    facts = {
        k: getattr(failure, k, None)
        for k in ("thread", "other_thread", "block", "buffer", "offset", "line", "text", "access")
    }
    if isinstance(facts["buffer"], str):
        facts["buffer"] = facts["buffer"].rpartition("__")[0] or facts["buffer"]
    return Diagnosis(name, {k: v for k, v in facts.items() if v is not None})
