"""What can be wrong with a course source: a record with fields, and the exception that carries several of
them.

The sentence is made here, at the edge where a person reads it. Knows nothing of cells or notebooks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Problem:
    """One thing to repair: where it stands, what is wrong, what to do about it."""

    path: str
    line: int  # 1 is the first line; 0 means the file as a whole
    what: str
    repair: str

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.what}\n    repair: {self.repair}"


class SourceError(ValueError):
    """A source that cannot be derived; `problems` is never empty."""

    def __init__(self, problems: Problem | Iterable[Problem]):
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))
