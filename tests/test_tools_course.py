"""The course in this repository: its sources derive, its derived files are up to date, both languages grade alike."""

from __future__ import annotations

import ast
from pathlib import Path

import nbformat
import pytest
from nbgrader.preprocessors import ClearSolutions
from nbgrader.utils import compute_checksum

from tools.derived import answers, hints
from tools.notebooks import main

ROOT = Path(__file__).resolve().parents[1]
CHAPTERS = sorted(path.parent.name for path in (ROOT / "course").glob("*/exercises.py"))


def book(room: str, lang: str, chapter: str):
    return nbformat.read(ROOT / room / lang / chapter / "exercises.ipynb", 4)


def graded(notebook) -> list[tuple]:
    cells = [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
    keys = ("grade_id", "grade", "solution", "locked", "points")
    return [tuple(cell.metadata.nbgrader.get(key) for key in keys) for cell in cells]


def test_nothing_derived_is_stale_missing_or_orphaned():
    assert main(["--check"]) == 0


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_both_languages_share_one_gradebook(chapter):
    for room in ("exercises", "solutions"):
        sums = [
            [
                compute_checksum(cell)
                for cell in book(room, lang, chapter).cells
                if "nbgrader" in cell.metadata
            ]
            for lang in ("es", "en")
        ]
        assert sums[0] == sums[1]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_nbgrader_clears_the_solutions_to_the_cells_and_points_of_the_exercises(chapter):
    for lang in ("es", "en"):
        cleared, _ = ClearSolutions().preprocess(book("solutions", lang, chapter), {})
        assert graded(cleared) == graded(book("exercises", lang, chapter))


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_starter_is_python_with_a_hole_and_has_three_hints(chapter):
    for lang in ("es", "en"):
        folder = ROOT / "exercises" / lang / chapter
        starters = answers(folder / "exercises.ipynb")
        for text in starters.values():
            ast.parse(text)
            assert "YOUR CODE HERE" in text and "SOLUTION" not in text
        ladders = hints(folder / "hints.json")
        assert list(ladders) == list(starters)
        assert {len(ladder) for ladder in ladders.values()} == {3}
