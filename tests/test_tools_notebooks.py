"""The command: writes, checks, repairs, keeps recorded outputs, and says what is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import tools_chapter
from tools_chapter import CHAPTER, edit

from tools.derived import answers, hints
from tools.notebooks import main

ROOT = Path(__file__).resolve().parents[1]
LESSON = f"notebooks/es/{CHAPTER}.ipynb"
EXERCISES = f"exercises/en/{CHAPTER}/exercises.ipynb"


@pytest.fixture
def root(tmp_path):
    tools_chapter.write(tmp_path)
    return tmp_path


def files(root: Path) -> dict[str, bytes]:
    found = (path for room in ("notebooks", "exercises", "solutions") for path in (root / room).rglob("*"))
    return {str(path.relative_to(root)): path.read_bytes() for path in found if path.is_file()}


def record(root: Path) -> None:
    """Give every code cell of the lesson an output, as a run would."""
    lesson = json.loads((root / LESSON).read_text())
    for number, cell in enumerate(lesson["cells"]):
        if cell["cell_type"] == "code":
            cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": [f"ran {number}\n"]}]
            cell["execution_count"] = number
    (root / LESSON).write_text(json.dumps(lesson, indent=1, ensure_ascii=False, sort_keys=True) + "\n")


def test_writing_twice_gives_the_same_bytes_and_the_check_agrees(root, capsys):
    assert main([], root) == 0
    first = files(root)
    assert len(first) == 8
    assert main([], root) == 0 and files(root) == first
    assert main(["--check"], root) == 0
    assert "8 derived files are up to date" in capsys.readouterr().out


def test_the_bytes_do_not_depend_on_the_process(root, tmp_path_factory):
    main([], root)
    other = tmp_path_factory.mktemp("other")
    tools_chapter.write(other)
    code = f"import pathlib, tools.notebooks as n; n.main([], pathlib.Path({str(other)!r}))"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env={"PYTHONHASHSEED": "7"}, check=True)
    assert files(other) == files(root)


def test_the_check_writes_nothing_and_names_what_is_missing_stale_and_orphaned(root, capsys):
    main([], root)
    (root / EXERCISES).unlink()
    (root / LESSON).write_bytes((root / LESSON).read_bytes() + b"\n")
    (root / "solutions/es/99_gone").mkdir()
    (root / "solutions/es/99_gone/exercises.ipynb").write_text("{}")
    before = files(root)
    capsys.readouterr()
    assert main(["--check"], root) == 1
    said = capsys.readouterr().err
    for line in (f"missing: {EXERCISES}", f"stale: {LESSON}", "orphan: solutions/es/99_gone/exercises.ipynb"):
        assert line in said
    assert "3 derived files differ" in said and "make notebooks" in said
    assert files(root) == before


def test_the_command_that_the_check_names_repairs(root):
    main([], root)
    wanted = files(root)
    (root / EXERCISES).write_text("damaged")
    (root / "notebooks/en/99_gone.ipynb").write_text("{}")
    assert main([], root) == 0 and files(root) == wanted and main(["--check"], root) == 0


def test_one_chapter_leaves_the_files_of_others_alone(root, capsys):
    (root / "notebooks/es").mkdir(parents=True)
    (root / "notebooks/es/99_other.ipynb").write_text("{}")
    for name in ("03", CHAPTER):
        assert main([name], root) == 0
        assert main(["--check", name], root) == 0
    assert (root / "notebooks/es/99_other.ipynb").exists()
    assert main(["--check"], root) == 1


def test_checkpoints_of_an_editor_are_not_orphans(root):
    main([], root)
    (root / "notebooks/es/.ipynb_checkpoints").mkdir()
    (root / "notebooks/es/.ipynb_checkpoints/x.ipynb").write_text("{}")
    assert main(["--check"], root) == 0


def test_an_unknown_chapter_is_a_wrong_call(root, capsys):
    assert main(["42"], root) == 2
    assert f"no chapter 42: course/ has {CHAPTER}" in capsys.readouterr().err


def test_a_problem_in_a_source_writes_nothing_and_is_told(root, capsys):
    edit(root / "course" / CHAPTER / "double.py", "1,5 us", "15 us")
    assert main([], root) == 1
    said = capsys.readouterr().err
    assert (
        f"course/{CHAPTER}/double.py:4: the number 15 stands only in the es cell" in said
        and "repair: " in said
    )
    assert files(root) == {}


def test_a_missing_glossary_is_told(root, capsys):
    (root / "course/glossary.toml").unlink()
    assert main([], root) == 1
    assert "course/glossary.toml: the file does not exist" in capsys.readouterr().err


def test_a_lesson_keeps_the_outputs_of_the_cells_that_did_not_change(root):
    main([], root)
    record(root)
    assert main(["--check"], root) == 0
    recorded = (root / LESSON).read_bytes()
    assert main([], root) == 0 and (root / LESSON).read_bytes() == recorded
    edit(root / "course" / CHAPTER / "chapter.py", "n + 1", "n + 10")
    edit(root / "course" / CHAPTER / "chapter.py", "# # Una lección", "# # Otra lección")
    assert main(["--check"], root) == 1 and main([], root) == 0
    cells = [cell for cell in json.loads((root / LESSON).read_text())["cells"] if cell["cell_type"] == "code"]
    assert [bool(cell["outputs"]) for cell in cells] == [True, False, True]
    assert [cell["execution_count"] for cell in cells] == [1, None, 3]


def test_an_edited_cell_with_an_id_of_its_own_loses_its_outputs(root):
    main([], root)
    record(root)
    edit(root / "course" / CHAPTER / "chapter.py", "n = 4", "n = 5")
    main([], root)
    assert json.loads((root / LESSON).read_text())["cells"][1]["outputs"] == []


def test_a_damaged_lesson_is_written_anew(root):
    main([], root)
    wanted = files(root)
    (root / LESSON).write_text("{")
    assert main([], root) == 0 and files(root) == wanted


def test_outputs_in_an_exercises_notebook_are_stale(root):
    main([], root)
    book = json.loads((root / EXERCISES).read_text())
    book["cells"][1]["execution_count"] = 1
    (root / EXERCISES).write_text(json.dumps(book))
    assert main(["--check"], root) == 1


def test_starters_solutions_and_hints_can_be_read_back(root):
    main([], root)
    starters, solutions = (
        answers(root / EXERCISES),
        answers(root / EXERCISES.replace("exercises/", "solutions/", 1)),
    )
    assert list(starters) == list(solutions) == ["double", "scale_cuda"]
    assert "YOUR CODE HERE" in starters["double"] and "BEGIN SOLUTION" in solutions["double"]
    assert hints((root / EXERCISES).with_name("hints.json"))["double"][2] == "Add `x` to itself."
