"""Read back what was derived: answer texts from exercises/ or solutions/, hints from hints.json.

Takes paths of derived files, returns texts by exercise. Standard library only, so that whoever needs
starters, solutions or hints can read them without the sources. It does not read what learners hand in: these
files are our own.
"""

from __future__ import annotations

import json
from pathlib import Path


def answers(notebook: Path) -> dict[str, str]:
    """Exercise -> text of its answer cell, in notebook order: starters under exercises/, else solutions."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return {
        cell["metadata"]["nbgrader"]["grade_id"]: "".join(cell["source"])
        for cell in cells
        if cell["metadata"].get("nbgrader", {}).get("solution")
    }


def hints(file: Path) -> dict[str, list[str]]:
    """Exercise -> its three hints as Markdown, in the order in which they are given."""
    return json.loads(file.read_text(encoding="utf-8"))
