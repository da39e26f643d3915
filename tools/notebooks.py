"""Derive the notebooks from course/: `python -m tools.notebooks [--check] [CHAPTER...]`, or `make notebooks`.

From every `course/<nn_name>/` (or the ones named, "07" or "07_memory_access") it writes, for es and en,

    notebooks/<lang>/<chapter>.ipynb                the lesson, from chapter.py
    exercises/<lang>/<chapter>/exercises.ipynb      what the learner gets, from exercises.py
    exercises/<lang>/<chapter>/hints.json           {slug: [three hints]}
    solutions/<lang>/<chapter>/exercises.ipynb      the same, solved and explained; nbgrader's source

and removes derived files that no source yields any more. `--check` writes nothing and reports what is stale,
missing or orphaned. Exit code 0: all is well; 1: a source has a problem, or with --check something differs;
2: no such chapter.

Everybody edits course/ and nobody the derived files. The one thing kept in them is the recorded outputs of
lessons: a code cell keeps its outputs until its source changes. Deriving twice gives the same bytes.

SOURCES are jupytext percent files with the cell options lang, id, role, points, include, tags and no others.
Prose stands in adjacent twins, lang="es" then lang="en"; code is shared. Twins agree in heading levels,
fenced blocks (a ```text block holds output in the reader's language: only its numbers count), inline code,
formulas, link and image targets, and numbers (es 1,5 or 1.5 agrees with en 1.5); the Spanish one follows
course/glossary.toml.

chapter.py     twins and code cells, optional id= and tags=.
exercises.py   twins (the first starts with `# Title`), one setup code cell that has the line
               `from grader.notebook import check, hint`, and `# %% include="<slug>.py"` per exercise.
<slug>.py      in this order, nothing else:
    # %% [markdown] lang="es" id="<slug>"        and its lang="en" twin: the prompt, from `## Title` on
    # %% role="answer" id="<slug>"               the solution, its holes between BEGIN and END SOLUTION
    # %% role="check" id="<slug>" points="4+4"   exactly `check(<slug>)`; correct+fast, or one number
    # %% [markdown] role="hint" lang="es"        and its twin, three times
    # %% [markdown] role="why" lang="es"         and its twin: shown beside the solution only

A line `SOURCE = include("<file>.cu")` becomes that file as a raw triple-quoted string. A hole becomes
`# YOUR CODE HERE` and `raise NotImplementedError("<slug>")` in Python (`pass` in a @triton.jit function), and
a comment alone in a string. See tools/markers.py for where markers may stand.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tools.derive import derive
from tools.glossary import Glossary, read_glossary
from tools.ipynb import dumps, keep_outputs
from tools.problems import SourceError
from tools.source import LANGUAGES

ROOT = Path(__file__).resolve().parents[1]
CHAPTER = re.compile(r"\d\d_[a-z0-9_]+")
ROOMS = ("notebooks", "exercises", "solutions")
REPAIR = "make notebooks"


@dataclass
class Difference:
    """Derived files against what the sources yield, as paths from the root."""

    stale: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    orphan: list[str] = field(default_factory=list)
    same: int = 0


def expected(folder: Path, glossary: Glossary, root: Path) -> dict[str, str]:
    """Path -> text of every file that a chapter yields; lessons with the outputs that are still theirs."""
    derived = derive(folder, glossary)
    for path, lesson in derived.lessons.items():
        keep_outputs(lesson, _json(root / path))
    texts = {path: dumps(notebook) for path, notebook in (derived.lessons | derived.notebooks).items()}
    return texts | {path: dumps(hints, sort_keys=False) for path, hints in derived.hints.items()}


def difference(root: Path, texts: dict[str, str], found: set[str]) -> Difference:
    """Compare expected texts with the files that are there, byte for byte."""
    result = Difference(orphan=sorted(found - set(texts)))
    for path, text in sorted(texts.items()):
        file = root / path
        if not file.exists():
            result.missing.append(path)
        elif file.read_bytes() != text.encode():
            result.stale.append(path)
        else:
            result.same += 1
    return result


def derived_files(root: Path, chapter: str | None) -> set[str]:
    """Files in the derived folders, of one chapter or (None) all of them."""
    found: set[str] = set()
    for room in ROOMS:
        for path in (root / room).rglob("*"):
            parts = path.relative_to(root).parts
            if path.is_dir() or ".ipynb_checkpoints" in parts:
                continue
            if chapter is None or (
                len(parts) > 2 and parts[1] in LANGUAGES and parts[2] in (chapter, f"{chapter}.ipynb")
            ):
                found.add("/".join(parts))
    return found


def main(argv: list[str] | None = None, root: Path = ROOT) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.notebooks", description="Derive the notebooks from course/."
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; report stale, missing and orphaned files"
    )
    parser.add_argument(
        "chapter", nargs="*", help='"07" or "07_memory_access"; all chapters where none is named'
    )
    options = parser.parse_args(argv)
    folders = [
        path for path in sorted((root / "course").glob("*")) if path.is_dir() and CHAPTER.fullmatch(path.name)
    ]
    names = [folder.name for folder in folders]
    for wanted in options.chapter:
        if not any(wanted in (name, name[:2]) for name in names):
            print(f"no chapter {wanted}: course/ has {', '.join(names) or 'none'}", file=sys.stderr)
            return 2
    if options.chapter:
        folders = [folder for folder in folders if {folder.name, folder.name[:2]} & set(options.chapter)]
    try:
        texts = _all_expected(folders, root)
    except SourceError as error:
        for problem in error.problems:
            print(problem, file=sys.stderr)
        print(f"{len(error.problems)} problems in the sources; nothing was written", file=sys.stderr)
        return 1
    if options.chapter:
        found = set[str]().union(*(derived_files(root, folder.name) for folder in folders))
    else:
        found = derived_files(root, None)
    result = difference(root, texts, found)
    return _report(result) if options.check else _write(root, texts, result)


def _all_expected(folders: list[Path], root: Path) -> dict[str, str]:
    glossary = read_glossary(root / "course" / "glossary.toml", "course/glossary.toml")
    texts: dict[str, str] = {}
    problems = []
    for folder in folders:
        try:
            texts |= expected(folder, glossary, root)
        except SourceError as error:
            problems += error.problems
    if problems:
        raise SourceError(problems)
    return texts


def _report(result: Difference) -> int:
    for word, paths in (("stale", result.stale), ("missing", result.missing), ("orphan", result.orphan)):
        for path in paths:
            print(f"{word}: {path}", file=sys.stderr)
    count = len(result.stale) + len(result.missing) + len(result.orphan)
    if count:
        print(f"{count} derived files differ from course/. To repair: {REPAIR}", file=sys.stderr)
        return 1
    print(f"{result.same} derived files are up to date")
    return 0


def _write(root: Path, texts: dict[str, str], result: Difference) -> int:
    for path in result.stale + result.missing:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(texts[path].encode())
        print(f"wrote {path}")
    for path in result.orphan:
        (root / path).unlink()
        print(f"removed {path}: no source yields it")
    print(f"{len(texts)} derived files, {result.same} of them unchanged")
    return 0


def _json(path: Path) -> object:
    """The file's JSON; None where it is absent or damaged, for then there are no outputs to keep."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None


if __name__ == "__main__":
    sys.exit(main())
