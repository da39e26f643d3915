"""Read one exercise, `course/<chapter>/<slug>.py`, into a record: prompt, solution, starter, points, hints,
why.

Takes a path, returns an `Exercise` or raises SourceError with everything that is wrong. The order of the
cells is fixed: prompt twins, answer, check, three hint twins, why twins. It does not know how notebooks are
written.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from tools.glossary import Glossary
from tools.include import expand
from tools.markers import has_marker, starter
from tools.problems import Problem, SourceError
from tools.source import Cell, read_cells
from tools.twins import Twin, compare, pair

ORDER = ("prompt", "answer", "check", "hint", "hint", "hint", "why")
SLUG = re.compile(r"[a-z][a-z0-9_]{0,31}")  # also a Python name and a nbgrader grade_id
POINTS = re.compile(r"\d+(?:\.\d+)?(?:\+\d+(?:\.\d+)?)?")


@dataclass(frozen=True)
class Exercise:
    """One exercise in both languages; `points` are (correct, fast), or one number without speed."""

    slug: str
    prompt: Twin
    solution: str
    starter: str
    points: tuple[float, ...]
    hints: tuple[Twin, ...]
    why: Twin


def read_exercise(path: Path, name: str, glossary: Glossary) -> Exercise:
    """Read and check one exercise file."""
    slug = path.stem
    if not SLUG.fullmatch(slug):
        repair = "use at most 32 lower-case letters, digits and _"
        raise SourceError(Problem(name, 0, f"{slug!r} cannot be the name of an exercise", repair))
    steps = pair(read_cells(path, name))
    _expect_order(steps, slug)
    prompt, *hints, why = [step for step in steps if isinstance(step, Twin)]
    answer, check = [step for step in steps if isinstance(step, Cell)]
    problems = [problem for twin in (prompt, *hints, why) for problem in _prose(twin, glossary)]
    if not prompt["es"].text.startswith("## "):
        problems.append(prompt["es"].problem("a prompt without its title", "start it with `## 7.1 Title`"))
    if check.text != f"check({slug})":
        problems.append(check.problem("a check cell with other text", f"let it be exactly check({slug})"))
    points = _points(check, problems)
    texts = _answer(answer, path.parent, slug, problems)
    if problems:
        raise SourceError(problems)
    return Exercise(slug, prompt, *texts, points, tuple(hints), why)


def _expect_order(steps: list[Twin | Cell], slug: str) -> None:
    problems = []
    for place in range(max(len(steps), len(ORDER))):
        wanted = ORDER[place] if place < len(ORDER) else None
        if place == len(steps):
            last = steps[-1].en if isinstance(steps[-1], Twin) else steps[-1]
            raise SourceError(
                last.problem(f"no {wanted} cell after this one", f"the order is {', '.join(ORDER)}")
            )
        step = steps[place]
        cell = step.es if isinstance(step, Twin) else step
        role = cell.role or ("prompt" if cell.kind == "markdown" else "no role")
        if role != wanted or isinstance(step, Twin) != (wanted not in ("answer", "check")):
            what = f"a cell with {role} where {wanted or 'the file should end'} is expected"
            raise SourceError(cell.problem(what, f"the order is {', '.join(ORDER)}, and nothing else"))
        expected_id = slug if wanted in ("prompt", "answer", "check") else None
        if cell.id != expected_id:
            repair = f'write id="{expected_id}", the name of the file' if expected_id else "remove id="
            problems.append(cell.problem(f"id={cell.id!r} on the {wanted} cell", repair))
        if cell.include or cell.tags or (cell.points and wanted != "check"):
            problems.append(
                cell.problem("an option that this cell does not take", "remove include, tags, points")
            )
    if problems:
        raise SourceError(problems)


def _prose(twin: Twin, glossary: Glossary) -> list[Problem]:
    problems = list(compare(twin, glossary))
    for cell in (twin.es, twin.en):
        if has_marker(cell.text):
            problems.append(cell.problem("a solution marker in prose", "keep markers to the answer cell"))
    return problems


def _points(check: Cell, problems: list[Problem]) -> tuple[float, ...]:
    text = check.points or ""
    if not POINTS.fullmatch(text) or not any(float(part) for part in text.split("+")):
        problems.append(
            check.problem(f"points={check.points!r}", 'write points="4+4" (correct+fast) or points="8"')
        )
        return ()
    return tuple(float(part) for part in text.split("+"))


def _answer(answer: Cell, folder: Path, slug: str, problems: list[Problem]) -> tuple[str, str]:
    """(solution with markers, starter); both define the function that the exercise is named after."""
    try:
        expanded = expand(answer.text, folder, answer.path, answer.first)
        stripped = starter(expanded, slug)
    except SourceError as error:
        problems += error.problems
        return "", ""
    for text in (expanded.text, stripped):
        if not any(isinstance(node, ast.FunctionDef) and node.name == slug for node in ast.parse(text).body):
            what = f"the answer does not define {slug} outside the solution regions"
            problems.append(answer.problem(what, f"keep the line def {slug}(...): in the starter"))
            break
    return expanded.text, stripped
