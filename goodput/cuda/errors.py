"""What can go wrong between a CUDA source and its result, as exceptions with fields.

`CompileError.messages` are the compiler's messages with the line and column of the learner's source;
`LaunchError` carries the name of what happened ("CUDA_ERROR_ILLEGAL_ADDRESS", "race"), what that usually
means and the launch it happened in. Raised by the compilers, the driver and the emulator alike. Knows nothing
of any of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Message:
    """One message of a compiler. `line` counts from 1 in the source string, or in `file` when that is not empty."""

    line: int | None
    column: int | None
    severity: str  # "error" or "warning"
    text: str
    file: str = ""  # a header, when the message is not about the learner's own text
    source_line: str = ""  # the learner's line, stripped

    def __str__(self) -> str:
        where = [self.file] if self.file else []
        where += [f"line {self.line}"] if self.line is not None else []
        where += [f"column {self.column}"] if self.column is not None else []
        quoted = f"\n    {self.source_line}" if self.source_line else ""
        return f"{', '.join(where)}{': ' if where else ''}{self.severity}: {self.text}{quoted}"


class CompileError(Exception):
    """The source does not compile."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.messages = tuple(messages)
        super().__init__("\n".join(map(str, self.messages)))


class LaunchError(RuntimeError):
    """A launch was refused or failed while it ran."""

    def __init__(self, name: str, meaning: str, facts: Mapping[str, Any] | None = None) -> None:
        self.name = name
        self.meaning = meaning
        self.facts = dict(facts or {})
        told = ", ".join(f"{key} {value}" for key, value in self.facts.items())
        super().__init__(f"{name}: {meaning}" + (f" [{told}]" if told else ""))
