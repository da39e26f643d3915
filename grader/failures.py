"""What a worker's end means: exceptions and deaths -> a diagnosis.

Takes the facts that processes.py and the emulator report; returns `Diagnosis` records. No sentences, no processes.
"""

from __future__ import annotations

from typing import Any

from grader.processes import AnswerDied, AnswerError, AnswerTimeout
from grader.verdict import Diagnosis


class Unanswered(Exception):
    """The hole is still there."""


FAILURES = (AnswerError, AnswerDied, AnswerTimeout)


def explain(failure: Exception, case: str = "") -> Diagnosis:
    """The diagnosis of an answer that did not return. Raises Unanswered for the starter's own NotImplementedError."""
    if isinstance(failure, AnswerTimeout):
        return Diagnosis("timed out", {"case": case, "limit_s": failure.limit_s})
    if isinstance(failure, AnswerDied):
        if failure.reason in ("out of memory", "signal SIGBUS"):
            return Diagnosis("out of memory", {"case": case})
        return Diagnosis("died", {"case": case, "reason": failure.reason})
    assert isinstance(failure, AnswerError)
    return explain_error(failure.error, case)


def explain_error(error: dict[str, Any], case: str) -> Diagnosis:
    bases = [str(b) for b in error.get("bases", ())]
    facts = {"case": case, "type": str(error.get("type"))[:80], "text": str(error.get("text", ""))[:500],
             "line": error.get("line"), "source_line": str(error.get("source_line", ""))[:200]}  # fmt: skip
    if "NotImplementedError" in bases:
        raise Unanswered
    if isinstance(error.get("compiler"), dict):
        return Diagnosis(
            "compile failed", facts | {k: error["compiler"].get(k) for k in ("line", "column", "text")}
        )
    if "MemoryError" in bases or "OutOfMemoryError" in bases or "out of memory" in facts["text"].lower():
        return Diagnosis("out of memory", facts)
    if "SyntaxError" in bases:
        return Diagnosis("compile failed", facts | {"column": None})
    if "PlanError" in bases or "LaunchError" in bases:
        return Diagnosis("launch failed", facts)
    if facts["type"] == "Refused" or "PermissionError" in bases:
        return Diagnosis("forbidden" if "PermissionError" in bases else "raised", facts)
    return Diagnosis("raised", facts)
