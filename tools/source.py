"""Read one percent-format source into cells that know their file and line.

Takes a path, returns `Cell` records; jupytext splits the file, this module adds line numbers and refuses what
the course format does not have (unknown cell options, prose without a language, text outside cells). It does
not know which roles a lesson or an exercise needs, nor what notebooks look like.
"""

from __future__ import annotations

import io
import re
import tokenize
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jupytext
import nbformat

from tools.problems import Problem, SourceError

LANGUAGES = ("es", "en")
OPTIONS = ("lang", "id", "role", "points", "include", "tags")
MARKER = re.compile(r"#\s?%%")
# What jupytext notes down for its own round trip.
JUPYTEXT_OWN = ("lines_to_next_cell", "cell_marker")
# nbformat 4.5 allows these characters, 64 of them; "-prompt" and the like are added to ours.
ID = re.compile(r"[A-Za-z0-9_-]{1,48}")


@dataclass(frozen=True)
class Cell:
    """One cell of a source; `line` is that of its `# %%` marker, `first` that of its first line of text."""

    path: str
    line: int
    first: int
    kind: str  # "markdown" or "code"
    text: str
    lang: str | None = None
    id: str | None = None
    role: str | None = None
    points: str | None = None
    include: str | None = None
    tags: tuple[str, ...] = ()

    def problem(self, what: str, repair: str, *, at: int | None = None) -> Problem:
        """A problem of this cell, at the line of character `at` of its text, else at its marker."""
        line = self.line if at is None else self.first + self.text[:at].count("\n")
        return Problem(self.path, line, what, repair)


def read_text(path: Path, name: str) -> str:
    """The file's text with line ends as \\n; SourceError where it is missing or not UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise SourceError(
            Problem(name, 0, "the file does not exist", "add it or remove what names it")
        ) from None
    except UnicodeDecodeError as error:
        raise SourceError(
            Problem(name, 0, f"the file is not UTF-8 ({error.reason})", "save it as UTF-8")
        ) from None


def read_cells(path: Path, name: str) -> list[Cell]:
    """All cells of one percent file; `name` is how messages call it (its path from the repository's root)."""
    text = read_text(path, name)
    lines = text.split("\n")
    starts = _marker_lines(text, name)
    if not starts:
        raise SourceError(Problem(name, 1, "no cell: the file has no `# %%` line", "start cells with `# %%`"))
    for number, line in enumerate(lines[: starts[0] - 1], 1):
        if line.strip():
            raise SourceError(
                Problem(name, number, "text before the first `# %%` line", "move it into a cell or remove it")
            )
    # From the first marker on: jupytext takes comment lines before it for the notebook's own header.
    try:
        parsed = jupytext.reads("\n".join(lines[starts[0] - 1 :]), fmt="py:percent").cells
    except nbformat.ValidationError as error:
        what = f"a cell option of the wrong kind: {error.message}"
        raise SourceError(Problem(name, 0, what, 'write tags=["parameters"], a list of words')) from None
    if len(parsed) != len(starts):
        raise SourceError(
            Problem(name, 0, f"{len(starts)} `# %%` lines but {len(parsed)} cells", "check the cell markers")
        )
    ends = [*(start - 1 for start in starts[1:]), len(lines)]
    problems: list[Problem] = []
    cells = [
        _cell(raw, name, start, lines[start:end], problems)
        for raw, start, end in zip(parsed, starts, ends, strict=True)
    ]
    if problems:
        raise SourceError(problems)
    return cells


def _marker_lines(text: str, name: str) -> list[int]:
    """Lines of the `# %%` comments, those inside strings left out."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError) as error:
        line = error.lineno if isinstance(error, SyntaxError) else error.args[1][0]
        what = f"not valid Python: {error.msg if isinstance(error, SyntaxError) else error.args[0]}"
        raise SourceError(
            Problem(name, line or 0, what, "repair the syntax (magics stand in comments)")
        ) from None
    return [
        token.start[0]
        for token in tokens
        if token.type == tokenize.COMMENT and token.start[1] == 0 and MARKER.match(token.string)
    ]


def _cell(raw: Any, name: str, marker: int, body: list[str], problems: list[Problem]) -> Cell:
    options = {key: value for key, value in raw.metadata.items() if key not in JUPYTEXT_OWN}
    blank = ("", "#") if raw.cell_type == "markdown" else ("",)
    skipped = next((i for i, line in enumerate(body) if line.strip() not in blank), 0)
    cell = Cell(
        path=name,
        line=marker,
        first=marker + 1 + skipped,
        kind=raw.cell_type,
        text=raw.source.strip("\n"),
        **{key: options.get(key) for key in OPTIONS if key != "tags"},
        tags=tuple(options.get("tags", ())),
    )
    for key, value in options.items():
        if key not in OPTIONS:
            what = f"unknown cell option {key}={value!r}"
            problems.append(cell.problem(what, f'use only {", ".join(OPTIONS)}, written as key="value"'))
        elif key != "tags" and not isinstance(value, str):
            problems.append(cell.problem(f"{key}={value!r} is not text", f'write {key}="..."'))
    if cell.kind not in ("markdown", "code"):
        problems.append(cell.problem(f"a {cell.kind} cell", "use a code cell or `# %% [markdown]`"))
    if cell.kind == "markdown" and any(line and not line.startswith("#") for line in body):
        problems.append(
            cell.problem("a prose line that is not a comment", "start every prose line with `# `")
        )
    if cell.kind == "markdown" and cell.lang not in LANGUAGES:
        problems.append(cell.problem("prose without a language", 'add lang="es" or lang="en"'))
    if cell.kind == "code" and cell.lang is not None:
        problems.append(
            cell.problem("a code cell with a language", "remove lang=: code is shared by both languages")
        )
    if not cell.text and cell.include is None:
        problems.append(cell.problem("an empty cell", "write its text or remove it"))
    if isinstance(cell.id, str) and not ID.fullmatch(cell.id):
        problems.append(cell.problem(f"id={cell.id!r}", "use at most 48 letters, digits, - and _"))
    return cell
