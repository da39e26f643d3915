"""What a check cell sends to the grader is what the learner typed: the cell that defined the function, and the others."""

from __future__ import annotations

import atexit
import functools
import subprocess
import sys

import pytest
from IPython.core.interactiveshell import InteractiveShell
from notebook_kernel import environment
from traitlets.config import Config

from grader import cells, notebook
from grader.helpers import without_checks
from grader.intake import answer_of


@pytest.fixture
def shell(monkeypatch):
    """A plain IPython shell in which grader.notebook was imported first, as the setup cell does."""
    made = bare_shell(monkeypatch)
    run(made, "from grader import cells\nfrom grader.notebook import check, hint\ncells.watch()")
    yield made
    end(made)


def bare_shell(monkeypatch):
    monkeypatch.setattr(cells, "_ran", {})
    return InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))


def end(shell):
    shell.atexit_operations()
    atexit.unregister(shell.atexit_operations)  # it cannot end twice


@pytest.fixture
def asked(monkeypatch):
    """The requests that reach the server, which is not started."""
    requests = []

    class Recorder:
        def ask(self, request, on_progress):
            requests.append(request)
            on_progress("checking")
            return {"html": "<b>passed</b>", "text": "passed", "outcome": "passed"}

    monkeypatch.setattr(notebook, "_server", Recorder())
    return requests


def run(shell, code, cell_id=None):
    result = shell.run_cell(code, store_history=True, cell_id=cell_id)
    result.raise_error()
    return result.result


ANSWER = "TILE = 32\n\n\ndef answer(x):\n    return x * TILE\n"


def test_the_whole_cell_is_sent_as_it_was_typed(shell, asked):
    run(shell, "import math")
    run(shell, ANSWER)
    run(shell, "check(answer)")
    (request,) = asked
    assert request["name"] == "answer" and request["source"].strip() == ANSWER.strip()
    assert "import math" in request["cells"] and "check(answer)" in request["cells"]
    assert request["source"] not in request["cells"]


def test_a_cell_that_ran_again_is_the_latest(shell, asked):
    run(shell, ANSWER, cell_id="a")
    run(shell, ANSWER.replace("32", "64"), cell_id="a")
    run(shell, "check(answer)", cell_id="b")
    run(shell, ANSWER, cell_id="a")
    run(shell, "check(answer)", cell_id="b")
    first, second = asked
    assert "64" in first["source"] and "32" in second["source"]
    assert not any("TILE" in cell for cell in second["cells"]), "the cell as it was before is not a helper"


def test_without_cell_ids_the_last_definition_of_a_helper_wins(shell, asked):
    for scale in (2, 3):
        run(shell, f"def scale():\n    return {scale}")
    run(shell, "def answer(x):\n    return x * scale()")
    run(shell, "check(answer)")
    (request,) = asked
    assert answer_of("answer", request["source"], request["cells"]).helpers == ("def scale():\n    return 3",)


def test_cells_that_ran_before_the_import_are_sent_too(monkeypatch, asked):
    shell = bare_shell(monkeypatch)
    run(shell, "K = 3")
    run(shell, "from grader import cells\nfrom grader.notebook import check\ncells.watch()")
    run(shell, "def answer(x):\n    return x * K")
    run(shell, "check(answer)")
    assert "K = 3" in asked[0]["cells"]
    end(shell)


def test_line_magics_arrive_as_typed_not_as_ipython_compiled_them(shell, asked):
    run(shell, "%config InlineBackend.close_figures = True\n" + ANSWER)
    run(shell, "check(answer)")
    assert asked[0]["source"].startswith("%config") and "get_ipython" not in asked[0]["source"]


def test_a_cell_magic_does_not_hide_the_cell(shell, asked):
    run(shell, "%%time\n" + ANSWER)
    run(shell, "check(answer)")
    assert asked[0]["source"].startswith("%%time")
    assert answer_of("answer", asked[0]["source"], []).notes == ("cell magic",)


def test_a_decorated_answer_is_found_under_the_name_the_learner_gave_it(shell, asked):
    run(shell, "def once(f):\n    def wrapper(*a):\n        return f(*a)\n    return wrapper")
    run(shell, "@once\ndef answer(x):\n    return x")
    run(shell, "check(answer)")
    assert asked[0]["name"] == "answer" and asked[0]["source"].startswith("@once")
    helpers = answer_of("answer", asked[0]["source"], asked[0]["cells"]).helpers
    assert helpers[0].startswith("def once")


def test_an_alias_is_checked_as_the_function_it_is(shell, asked):
    run(shell, ANSWER)
    run(shell, "mine = answer\ncheck(mine)")
    assert asked[0]["name"] == "answer"


def test_a_cell_that_holds_its_own_check_can_be_graded(shell, asked):
    text = "from grader.notebook import check\n" + ANSWER + "check(answer)"
    run(shell, text)
    answer = answer_of("answer", asked[0]["source"], asked[0]["cells"])
    assert answer.source is not None and "check" not in answer.source and "grader" not in answer.source
    assert answer.source.count("\n") == text.count("\n"), "lines stay where they are"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = 1; check(x); y = 2", "x = 1; pass; y = 2"),
        ("check(\n    x\n)\ny = 2", "pass\n\n\ny = 2"),
        ("é = 'ñ'; hint('é')\n", "é = 'ñ'; pass\n"),
        ("def f():\n    check(1)\n", "def f():\n    check(1)\n"),
        ("precheck(x)\nchecks = 1\n", "precheck(x)\nchecks = 1\n"),
        ("def broken(:\ncheck(x)", "def broken(:\ncheck(x)"),
    ],
)
def test_checks_are_taken_out_and_nothing_else(source, expected):
    assert without_checks(source) == expected


@pytest.mark.parametrize("wrong", ["'answer'", "None", "42"])
def test_what_is_not_a_function_gives_a_sentence_and_asks_nobody(shell, asked, capsys, wrong):
    run(shell, f"check({wrong}, lang='en')")
    assert "takes the function of the exercise" in capsys.readouterr().out
    assert not asked


def test_a_function_without_a_cell_gives_a_sentence(shell, asked, capsys):
    run(shell, "check(len, lang='es')")
    assert "No se encontró la celda que define len" in capsys.readouterr().out
    assert not asked


def test_a_partial_of_a_function_leads_to_its_cell(shell):
    run(shell, ANSWER)
    function = shell.user_ns["answer"]
    shell.user_ns["answer"] = functools.partial(function, 1)
    shell.user_ns["found"] = None
    assert run(shell, "cells.source_of(answer)").strip() == ANSWER.strip()


def test_in_a_plain_program_the_source_is_the_file(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        ANSWER + "from grader import cells\nprint(cells.source_of(answer) == open(__file__).read())\n"
    )
    done = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, env=environment(), check=False
    )
    assert done.stdout.strip() == "True", done.stderr
