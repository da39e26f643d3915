"""Write notebooks: cells and notebook as plain dictionaries, nbgrader's metadata, and one stable spelling as
JSON.

Takes texts and ids, returns dictionaries or JSON text; the same input gives the same bytes (nbformat's own
spelling: keys sorted, indent 1, text as lists of lines, one newline at the end). Knows nothing of chapters or
source files.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

JsonObject = dict[str, Any]


def code_cell(cell_id: str, text: str, metadata: JsonObject | None = None) -> JsonObject:
    """A code cell that has not been run."""
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": cell_id,
        "metadata": metadata or {},
        "outputs": [],
        "source": _lines(text),
    }


def prose_cell(cell_id: str, text: str, metadata: JsonObject | None = None) -> JsonObject:
    """A Markdown cell."""
    return {"cell_type": "markdown", "id": cell_id, "metadata": metadata or {}, "source": _lines(text)}


def answer_metadata(grade_id: str) -> JsonObject:
    """nbgrader: the learner writes here; no points of its own."""
    return {"deletable": False, "nbgrader": _nbgrader(grade_id, solution=True)}


def check_metadata(grade_id: str, points: tuple[float, ...]) -> JsonObject:
    """nbgrader: an autograded test, locked; correctness and speed points stand apart under "goodput"."""
    parts = [_number(part) for part in points]
    nbgrader = _nbgrader(grade_id, grade=True, locked=True) | {"points": _number(sum(points))}
    return {"deletable": False, "editable": False, "goodput": {"points": parts}, "nbgrader": nbgrader}


def locked_metadata(grade_id: str) -> JsonObject:
    """nbgrader: read only, without points."""
    return {"deletable": False, "editable": False, "nbgrader": _nbgrader(grade_id, locked=True)}


def notebook(cells: list[JsonObject], lang: str, chapter: str, source: str) -> JsonObject:
    """A notebook of format 4.5 for the kernel python3."""
    return {
        "cells": cells,
        "metadata": {
            "goodput": {"chapter": chapter, "lang": lang, "source": source},
            "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def dumps(value: Any, *, sort_keys: bool = True) -> str:
    """JSON in the one spelling of every derived file."""
    return json.dumps(value, indent=1, ensure_ascii=False, sort_keys=sort_keys, separators=(",", ": ")) + "\n"


def cell_ids() -> Callable[[str, str], str]:
    """A function (prefix, text) -> id made from the text, so that a new cell does not rename its neighbours.

    Equal texts are numbered in their order. Ten hex digits: two of 1000 cells collide with a chance of 5e-7,
    and a collision only numbers the second.
    """
    seen: dict[str, int] = {}

    def cell_id(prefix: str, text: str) -> str:
        base = f"{prefix}-{hashlib.sha256(text.encode()).hexdigest()[:10]}"
        seen[base] = seen.get(base, 0) + 1
        return base if seen[base] == 1 else f"{base}-{seen[base]}"

    return cell_id


def keep_outputs(new: JsonObject, old: Any) -> None:
    """Give every code cell of `new` the outputs of the cell in `old` that has its id and its source."""
    recorded = {}
    for cell in old.get("cells", []) if isinstance(old, dict) else []:
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            recorded[cell.get("id")] = cell
    for cell in new["cells"]:
        was = recorded.get(cell["id"])
        if cell["cell_type"] == "code" and was and "".join(was.get("source", "")) == "".join(cell["source"]):
            cell["outputs"] = was.get("outputs", [])
            cell["execution_count"] = was.get("execution_count")


def _nbgrader(
    grade_id: str, *, grade: bool = False, solution: bool = False, locked: bool = False
) -> JsonObject:
    return {
        "cell_type": "code",
        "grade": grade,
        "grade_id": grade_id,
        "locked": locked,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    }


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _number(value: float) -> int | float:
    return int(value) if value == int(value) else value
