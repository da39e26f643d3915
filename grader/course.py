"""What the course ships, found from names: chapters, tasks, solutions, starters, baselines, wrong answers, hints.

Takes the repository's root; returns texts and `Task` records. Imports `course.<chapter>.tasks` (trusted) and reads the
derived notebooks; runs no answer. Knows nothing of grading.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from grader.task import Task

ROOT = Path(__file__).resolve().parent.parent
LANGUAGES = ("es", "en")
INCLUDE = re.compile(r'^(?P<head>[A-Za-z_]\w*\s*=\s*)include\("(?P<file>[\w./-]+)"\)', re.M)


class CourseError(Exception):
    """The shipped course is inconsistent: a fault of the authors, named with its file."""


@dataclass(frozen=True)
class WrongAnswer:
    """An answer that must be rejected, and what for."""

    exercise: str
    mistake: str
    about: str
    source: str
    diagnosis: dict[str, str]  # device -> promised diagnosis


def chapters() -> list[str]:
    """Folder names of all chapters that have exercises, in order."""
    return sorted(p.parent.name for p in (ROOT / "course").glob("*/tasks.py"))


def find_chapter(number_or_name: str) -> str:
    """ "07" or "7" or the folder name -> the folder name."""
    for name in chapters():
        if name == number_or_name or name.split("_")[0] == number_or_name.zfill(2):
            return name
    raise CourseError(f"no chapter {number_or_name}; there are {', '.join(chapters())}")


@functools.cache
def tasks(chapter: str) -> tuple[Task, ...]:
    """The tasks of one chapter, in the order of its notebook."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    module = importlib.import_module(f"course.{chapter}.tasks")
    return tuple(module.TASKS)


def task(name: str) -> Task:
    for chapter in chapters():
        for one in tasks(chapter):
            if one.name == name:
                return one
    raise CourseError(f"no exercise {name}")


def chapter_of(task: Task) -> str:
    return find_chapter(task.chapter)


@functools.cache
def notebook(kind: str, lang: str, chapter: str) -> dict:
    """The derived notebook: kind is "exercises" or "solutions"."""
    path = ROOT / kind / lang / chapter / "exercises.ipynb"
    try:
        return json.loads(path.read_text("utf-8"))
    except FileNotFoundError as e:
        raise CourseError(f"{path.relative_to(ROOT)} is missing: run make notebooks") from e


def cell_text(cell: dict) -> str:
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(source)


def answer_cells(book: dict) -> dict[str, str]:
    """grade_id -> source of the answer cells of one of our own notebooks."""
    found = {}
    for cell in book["cells"]:
        info = cell.get("metadata", {}).get("nbgrader", {})
        if cell["cell_type"] == "code" and info.get("solution"):
            found[info["grade_id"]] = cell_text(cell)
    return found


def starter(task: Task) -> str:
    return answer_cells(notebook("exercises", "en", chapter_of(task)))[task.name]


def solution(task: Task) -> str:
    return answer_cells(notebook("solutions", "en", chapter_of(task)))[task.name]


def why(task: Task, lang: str) -> str:
    """What is shown beside the solution after success."""
    for cell in notebook("solutions", lang, chapter_of(task))["cells"]:
        if cell.get("id") == f"{task.name}-why":
            return cell_text(cell)
    return ""


@functools.cache
def contract(name: str) -> str:
    """A hash of everything that defines "done" for an exercise: the chapter's tasks and its baseline."""
    one = task(name)
    folder = ROOT / "course" / chapter_of(one)
    files = sorted([*folder.glob("tasks*.py"), *(folder / "baselines").glob(f"{name}.*")])
    return hashlib.sha256(b"\0".join(p.read_bytes() for p in files)).hexdigest()


def hints(task: Task, lang: str) -> list[str]:
    path = ROOT / "exercises" / lang / chapter_of(task) / "hints.json"
    return json.loads(path.read_text("utf-8")).get(task.name, []) if path.exists() else []


def expand(text: str, folder: Path) -> str:
    """Replace `NAME = include("file.cu")` by the file's text as a raw string."""

    def put(match: re.Match[str]) -> str:
        body = (folder / match["file"]).read_text("utf-8")
        quote = '"""' if '"""' not in body else "'''"
        return f"{match['head']}r{quote}\n{body.strip()}\n{quote}"

    return INCLUDE.sub(put, text)


def baseline(task: Task) -> str:
    """The baseline as an answer of the same shape."""
    if task.baseline is None:
        raise CourseError(f"{task.name} has no baseline")
    path = ROOT / "course" / chapter_of(task) / task.baseline
    return expand(path.read_text("utf-8"), path.parent)


def variants(task: Task) -> dict[str, str]:
    """Better answers that are shown after success: name -> answer text."""
    folder = ROOT / "course" / chapter_of(task) / "variants"
    found = sorted(folder.glob(f"{task.name}__*.py"))
    return {p.stem.partition("__")[2]: expand(p.read_text("utf-8"), folder) for p in found}


def wrong_answers(task: Task) -> list[WrongAnswer]:
    """The answers in `wrong/` of this exercise; each file is read, never run."""
    folder = ROOT / "course" / chapter_of(task) / "wrong"
    return [_wrong(task, p) for p in sorted(folder.glob(f"{task.name}__*.py"))]


def _wrong(task: Task, path: Path) -> WrongAnswer:
    tree = ast.parse(path.read_text("utf-8"))
    values = {t.id: ast.literal_eval(s.value) for s in tree.body if isinstance(s, ast.Assign) for t in s.targets
              if isinstance(t, ast.Name)}  # fmt: skip
    if "ANSWER" in values:
        source = values["ANSWER"]
    else:
        source = solution(task)
        for old, new in values.get("EDITS", ()):
            if source.count(old) != 1:
                raise CourseError(f"{path.name}: {source.count(old)} places match {old!r}, expected 1")
            source = source.replace(old, new)
    promised = values["DIAGNOSIS"]
    diagnosis = {"cuda": promised, "cpu": values.get("DIAGNOSIS_CPU", promised)}
    return WrongAnswer(
        task.name, path.stem.partition("__")[2], ast.get_docstring(tree) or "", source, diagnosis
    )
