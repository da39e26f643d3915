"""`make lessons`: notebooks run from top to bottom in the reader's language, and a cell that fails ends its lesson only."""

from __future__ import annotations

import json

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from typer.testing import CliRunner

from grader import cli, lessons
from grader.report_lessons import lesson_line

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]  # each starts a kernel
FIGURE = "from IPython.display import SVG\nSVG('<svg xmlns=\"http://www.w3.org/2000/svg\"/>')"


def book(path, *cells):
    made = new_notebook(cells=[new_markdown_cell("# A lesson", id="title"), *cells])
    made.metadata.kernelspec = {
        "name": "python3",
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(made, path)
    return path


def cell(name, source, *tags):
    return new_code_cell(source, id=name, metadata={"tags": list(tags)} if tags else {})


@pytest.mark.parametrize("lang", ["es", "en"])
def test_a_lesson_runs_to_its_end_in_the_readers_language(tmp_path, lang):
    path = book(
        tmp_path / "07_lesson.ipynb",
        cell("language", "from goodput.language import language\nprint(language())"),
        cell("figure", FIGURE),
    )
    ran = lessons.run(path, tmp_path / "out" / "07_lesson.ipynb", lang)
    assert ran.stopped is None and (ran.cells, ran.figures) == (2, 1)
    assert nbformat.read(tmp_path / "out" / "07_lesson.ipynb", 4).cells[1].outputs[0].text.strip() == lang
    assert lesson_line(ran, lang).startswith("✓ 07_lesson: ")


@pytest.mark.parametrize(
    ("source", "reason", "text"),
    [
        ("raise ValueError('a number')", "raised", "ValueError: a number"),
        ("import time\ntime.sleep(1000)", "overran", "1 s"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "kernel died", ""),
    ],
)
def test_a_cell_that_fails_ends_the_lesson_and_is_named(tmp_path, source, reason, text):
    tags = ["budget=1"] if reason == "overran" else []
    path = book(
        tmp_path / "07_lesson.ipynb",
        cell("first", "x = 1"),
        cell("bad", source, *tags),
        cell("after", "x = 2"),
    )
    ran = lessons.run(path, tmp_path / "out" / "07_lesson.ipynb", "es")
    assert ran.stopped == lessons.Stopped("bad", reason, text)
    assert ran.cells == 2, "the cell after it did not run"
    assert "bad" in lesson_line(ran, "es") and lesson_line(ran, "en").startswith("✗")


def test_recorded_outputs_survive_the_next_derivation(tmp_path):
    """`keep` writes what tools.notebooks would: the outputs, and nothing of papermill's."""
    from tools.ipynb import dumps, keep_outputs

    path = book(tmp_path / "07_lesson.ipynb", cell("figure", FIGURE))
    before = json.loads(path.read_text())
    lessons.run(path, tmp_path / "out" / "07_lesson.ipynb", "en")
    lessons.keep(tmp_path / "out" / "07_lesson.ipynb", path)
    kept = json.loads(path.read_text())
    assert kept["cells"][1]["outputs"] and "papermill" not in path.read_text()
    keep_outputs(before, kept)
    assert dumps(before) == path.read_text()


def test_the_command_says_which_lesson_stopped_and_fails(tmp_path, monkeypatch):
    monkeypatch.setattr(lessons, "ROOT", tmp_path)
    book(tmp_path / "notebooks" / "en" / "07_lesson.ipynb", cell("bad", "1 / 0"))
    book(tmp_path / "notebooks" / "en" / "08_lesson.ipynb", cell("good", "1 / 1"))
    done = CliRunner().invoke(cli.app, ["lessons", "--lang", "en", "--out", str(tmp_path / "out")])
    assert done.exit_code == 1
    assert (
        "✗ 07_lesson" in done.output and "ZeroDivisionError" in done.output and "✓ 08_lesson" in done.output
    )
    only = CliRunner().invoke(
        cli.app, ["lessons", "--lang", "en", "--chapter", "8", "--out", str(tmp_path / "out")]
    )
    assert only.exit_code == 0 and "07_lesson" not in only.output
    none = CliRunner().invoke(cli.app, ["lessons", "--lang", "en", "--chapter", "99"])
    assert none.exit_code == 2 and "make notebooks" in none.output
