"""Derive everything that one chapter folder yields: the text of each file under notebooks/, exercises/ and
solutions/.

Takes `course/<chapter>/` and the glossary, returns {path from the root: notebook or hints} or raises
SourceError with every problem found. A pure function of the sources: no time, no random, no outputs. It does
not write and does not know what is already there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tools.exercise import Exercise, read_exercise
from tools.glossary import Glossary
from tools.ipynb import (
    JsonObject,
    answer_metadata,
    cell_ids,
    check_metadata,
    code_cell,
    locked_metadata,
    notebook,
    prose_cell,
)
from tools.markers import has_marker
from tools.problems import Problem, SourceError
from tools.source import LANGUAGES, Cell, read_cells
from tools.twins import Twin, compare, pair

SETUP_LINE = "from grader.notebook import check, hint"
# nbconvert's TagRemovePreprocessor can take these cells out of a release that nbgrader makes from solutions/.
WHY_TAG = "why"
PROSE_METADATA = {"deletable": False, "editable": False}
ANSWER_CELL = re.compile(r"""^#\s?%%.*\brole="answer\"""", re.MULTILINE)
INCLUDED = re.compile(r"""include\(["']([^"']+)["']\)""")


@dataclass(frozen=True)
class Derived:
    """What a chapter yields, by path from the repository's root. Only lessons may carry outputs."""

    lessons: dict[str, JsonObject]
    notebooks: dict[str, JsonObject]
    hints: dict[str, dict[str, list[str]]]


def derive(folder: Path, glossary: Glossary) -> Derived:
    """Everything of the chapter in `folder`."""
    name = f"course/{folder.name}"
    derived = Derived({}, {}, {})
    problems: list[Problem] = []
    for file, part in (("chapter.py", _lesson), ("exercises.py", _exercises)):
        if (folder / file).exists():
            try:
                part(folder, f"{name}/{file}", glossary, derived)
            except SourceError as error:
                problems += error.problems
    if not (folder / "chapter.py").exists() and not (folder / "exercises.py").exists():
        repair = "add chapter.py (the lesson) and exercises.py, or remove the folder"
        problems.append(Problem(name, 0, "a chapter without sources", repair))
    problems += _unused(folder, name)
    if problems:
        raise SourceError(sorted(set(problems)))
    return derived


def _lesson(folder: Path, name: str, glossary: Glossary, derived: Derived) -> None:
    cells = read_cells(folder / "chapter.py", name)
    steps = pair(cells)
    problems = [
        cell.problem("an option that a lesson cell does not take", "use only lang, id and tags")
        for cell in cells
        if cell.role or cell.points or cell.include
    ]
    problems += [
        cell.problem("a solution marker in a lesson", "keep markers to answer cells")
        for cell in cells
        if has_marker(cell.text)
    ]
    problems += [problem for step in steps if isinstance(step, Twin) for problem in compare(step, glossary)]
    problems += _ids_twice(steps)
    if problems:
        raise SourceError(problems)
    for lang in LANGUAGES:
        new_id = cell_ids()
        out = []
        for step in steps:
            if isinstance(step, Twin):
                out.append(
                    prose_cell(step.es.id or new_id("text", step.es.text), step[lang].text, _tags(step[lang]))
                )
            else:
                out.append(code_cell(step.id or new_id("code", step.text), step.text, _tags(step)))
        derived.lessons[f"notebooks/{lang}/{folder.name}.ipynb"] = notebook(out, lang, folder.name, name)


def _exercises(folder: Path, name: str, glossary: Glossary, derived: Derived) -> None:
    steps = pair(read_cells(folder / "exercises.py", name))
    problems = _head_problems(steps, glossary)
    exercises: dict[str, Exercise] = {}
    for step in steps:
        if not isinstance(step, Cell) or not step.include:
            continue
        path = folder / step.include
        if path.suffix != ".py" or path.parent != folder or path.stem in exercises:
            what = f"include={step.include!r}"
            problems.append(
                step.problem(what, 'name each exercise file of this folder once: include="slug.py"')
            )
            continue
        if not path.exists():
            problems.append(
                step.problem(f"include={step.include!r}: no such file", "add it or remove the line")
            )
            continue
        problems += [
            step.problem(
                f"the exercise {path.stem} also stands in {other.parent.name}", "rename one: slugs are unique"
            )
            for other in sorted(folder.parent.glob(f"*/{path.name}"))
            if other.parent != folder
        ]
        try:
            exercises[path.stem] = read_exercise(path, f"course/{folder.name}/{path.name}", glossary)
        except SourceError as error:
            problems += error.problems
    if problems:
        raise SourceError(problems)
    for lang in LANGUAGES:
        for room, solved in (("exercises", False), ("solutions", True)):
            cells = _exercise_cells(steps, exercises, lang, solved)
            path = f"{room}/{lang}/{folder.name}/exercises.ipynb"
            derived.notebooks[path] = notebook(cells, lang, folder.name, name)
        derived.hints[f"exercises/{lang}/{folder.name}/hints.json"] = {
            slug: [hint[lang].text for hint in exercise.hints] for slug, exercise in exercises.items()
        }


def _head_problems(steps: list[Twin | Cell], glossary: Glossary) -> list[Problem]:
    """What is wrong with exercises.py itself."""
    problems: list[Problem] = []
    setup = [step for step in steps if isinstance(step, Cell) and not step.include]
    first = steps[0].es if isinstance(steps[0], Twin) else steps[0]
    if not isinstance(steps[0], Twin) or not first.text.startswith("# "):
        problems.append(
            first.problem("the notebook does not start with its title", "start with twins of `# Title`")
        )
    if len(setup) != 1:
        cell = setup[1] if setup else first
        problems.append(
            cell.problem(f"{len(setup)} code cells", f"have exactly one, the setup: {SETUP_LINE}")
        )
    elif SETUP_LINE not in setup[0].text.split("\n"):
        problems.append(setup[0].problem("a setup cell without the grader", f"add the line: {SETUP_LINE}"))
    if not any(isinstance(step, Cell) and step.include for step in steps):
        problems.append(first.problem("no exercise", 'add lines `# %% include="slug.py"`'))
    for step in steps:
        cells = (step.es, step.en) if isinstance(step, Twin) else (step,)
        if isinstance(step, Twin):
            problems += compare(step, glossary)
        elif step.include and step.text:
            problems.append(
                step.problem("text in a cell that includes an exercise", "move it to the exercise's file")
            )
        for cell in cells:
            if cell.role or cell.points or cell.tags or cell.id:
                problems.append(
                    cell.problem("an option that this cell does not take", "use only lang or include")
                )
            if has_marker(cell.text):
                problems.append(
                    cell.problem("a solution marker outside an answer", "keep markers to answer cells")
                )
    return problems


def _exercise_cells(
    steps: list[Twin | Cell], exercises: dict[str, Exercise], lang: str, solved: bool
) -> list[JsonObject]:
    new_id = cell_ids()
    out: list[JsonObject] = []
    for step in steps:
        if isinstance(step, Twin):
            out.append(prose_cell(new_id("text", step.es.text), step[lang].text, PROSE_METADATA))
        elif step.include:
            out += _one_exercise(exercises[Path(step.include).stem], lang, solved)
        else:
            out.append(code_cell("setup", step.text, locked_metadata("setup")))
    return out


def _one_exercise(exercise: Exercise, lang: str, solved: bool) -> list[JsonObject]:
    slug = exercise.slug
    answer = exercise.solution if solved else exercise.starter
    check_id = f"{slug}-check"
    cells = [
        prose_cell(f"{slug}-prompt", exercise.prompt[lang].text, PROSE_METADATA),
        code_cell(slug, answer, answer_metadata(slug)),
        code_cell(check_id, f"check({slug})", check_metadata(check_id, exercise.points)),
    ]
    if solved:
        cells.append(prose_cell(f"{slug}-why", exercise.why[lang].text, PROSE_METADATA | {"tags": [WHY_TAG]}))
    return cells


def _ids_twice(steps: list[Twin | Cell]) -> list[Problem]:
    seen: set[str] = set()
    problems = []
    for step in steps:
        cell = step.es if isinstance(step, Twin) else step
        if cell.id and cell.id in seen:
            problems.append(cell.problem(f"id={cell.id!r} a second time", "give each cell its own id"))
        seen.add(cell.id or "")
    return problems


def _tags(cell: Cell) -> JsonObject:
    return {"tags": list(cell.tags)} if cell.tags else {}


def _unused(folder: Path, name: str) -> list[Problem]:
    """Exercise files and CUDA files of the folder that nothing includes."""
    head = folder / "exercises.py"
    included = (
        set(re.findall(r'include="([^"]+)"', head.read_text(encoding="utf-8"))) if head.exists() else set()
    )
    problems = []
    for path in sorted(folder.glob("*.py")):
        text = path.read_text(encoding="utf-8", errors="replace")
        included.update(INCLUDED.findall(text))
        if ANSWER_CELL.search(text) and path.name not in included:
            repair = f'add `# %% include="{path.name}"` to exercises.py'
            problems.append(
                Problem(f"{name}/{path.name}", 0, "an exercise that exercises.py does not include", repair)
            )
    for path in sorted(folder.glob("*.cu")):
        if path.name not in included:
            repair = f'use it (SOURCE = include("{path.name}")) or remove it'
            problems.append(Problem(f"{name}/{path.name}", 0, "a CUDA file that no answer includes", repair))
    return problems
