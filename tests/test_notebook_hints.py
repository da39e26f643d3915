"""hint() climbs a ladder one step at a time, in the reader's language, and never raises."""

from __future__ import annotations

import subprocess
import sys

import pytest

from grader import course, hints, notebook


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(hints, "_shown", {})


@pytest.mark.parametrize("lang", course.LANGUAGES)
def test_hints_come_one_by_one_and_then_again_from_the_first(lang):
    ladder = course.hints(course.task("coalesced_copy"), lang)
    shown = [hints.following("coalesced_copy", lang) for _ in range(len(ladder) + 1)]
    assert shown == [(1, 3, ladder[0]), (2, 3, ladder[1]), (3, 3, ladder[2]), (1, 3, ladder[0])]


def test_each_exercise_has_its_own_place_on_its_ladder():
    hints.following("coalesced_copy", "en")
    step = hints.following("vector_dequant", "en")
    assert step is not None and step[0] == 1


def test_the_exercise_is_named_by_its_function_or_by_text(capsys):
    def coalesced_copy():
        raise NotImplementedError

    notebook.hint("coalesced_copy", lang="es")
    notebook.hint(coalesced_copy, lang="es")
    first, second = course.hints(course.task("coalesced_copy"), "es")[:2]
    shown = capsys.readouterr().out
    assert f"Pista 1/3. {first}" in shown and f"Pista 2/3. {second}" in shown


def test_a_misspelt_exercise_gives_a_sentence_with_the_nearest_name(capsys):
    notebook.hint("coalesced_cpy", lang="en")
    shown = capsys.readouterr().out
    assert "No exercise of this course is called coalesced_cpy" in shown and "coalesced_copy" in shown


def test_a_hint_loads_neither_torch_nor_the_contracts():
    code = "import sys; from grader.notebook import hint; hint('coalesced_copy'); "
    code += "sys.exit(any(m == 'torch' or m.startswith('course.') for m in sys.modules))"
    assert (
        subprocess.run(
            [sys.executable, "-c", code], cwd=course.ROOT, capture_output=True, check=False
        ).returncode
        == 0
    )
