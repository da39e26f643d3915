"""Papermill runs the exercise notebook from end to end, in both languages at once, and the verdicts are the same."""

from __future__ import annotations

import subprocess
import sys

import nbformat
import pytest
from notebook_kernel import WAIT_S, environment, exercise_notebook

from grader import course

SOLVED = ("coalesced_copy", "conflict_free_tile")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """Both notebooks, run at the same time by papermill's own command: two kernels, two servers."""
    paths = {
        lang: exercise_notebook(tmp_path_factory.mktemp(lang), lang, SOLVED) for lang in course.LANGUAGES
    }
    commands = {
        lang: [sys.executable, "-m", "papermill", path.name, "out.ipynb", "--no-progress-bar"]
        for lang, path in paths.items()
    }
    started = {
        lang: subprocess.Popen(
            command, cwd=paths[lang].parent, env=environment(), stderr=subprocess.PIPE, text=True
        )
        for lang, command in commands.items()
    }
    for lang, process in started.items():
        _, said = process.communicate(timeout=3 * WAIT_S)
        assert process.returncode == 0, f"{lang}: {said[-2000:]}"
    return {lang: nbformat.read(path.parent / "out.ipynb", 4) for lang, path in paths.items()}


def verdicts(book):
    """Exercise -> text of its check cell's only output, which holds HTML as well."""
    found = {}
    for cell in book.cells:
        if cell.id.endswith("-check"):
            (output,) = cell.outputs
            assert set(output.data) == {"text/plain", "text/html"}
            found[cell.id.removesuffix("-check")] = output.data["text/plain"]
    return found


@pytest.mark.parametrize(
    ("lang", "passed", "unanswered"),
    [("es", "✓ superado", "○ sin responder"), ("en", "✓ passed", "○ unanswered")],
)
def test_solved_cells_pass_and_the_others_are_unanswered(executed, lang, passed, unanswered):
    shown = verdicts(executed[lang])
    assert {name for name, text in shown.items() if text.startswith(passed)} == set(SOLVED)
    rest = {name: text for name, text in shown.items() if name not in SOLVED}
    assert rest and all(text.startswith(unanswered) for text in rest.values()), rest


def test_both_languages_give_the_same_outcomes(executed):
    glyphs = {
        lang: {name: text[0] for name, text in verdicts(book).items()} for lang, book in executed.items()
    }
    assert glyphs["es"] == glyphs["en"]


def test_no_cell_raised_and_nothing_else_was_printed(executed):
    for book in executed.values():
        kinds = {o.output_type for c in book.cells if c.cell_type == "code" for o in c.outputs}
        assert kinds == {"display_data"}
