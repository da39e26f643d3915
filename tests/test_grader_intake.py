"""Intake: whatever claims to be a notebook has a defined outcome; only answer cells and the cells they need are taken."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path

import pytest

from grader import course, run
from grader.controller import is_starter
from grader.intake import MAX_CELL_CHARS, MAX_HELPER_CHARS, take

CHAPTER = "07_memory_access"
NAMES = [t.name for t in course.tasks(CHAPTER)]


@pytest.fixture
def book() -> dict:
    return copy.deepcopy(course.notebook("exercises", "es", CHAPTER))


def cell(book: dict, name: str) -> dict:
    return next(c for c in book["cells"] if c["id"] == name)


def code(source: str) -> dict:
    return {
        "cell_type": "code",
        "id": "mine",
        "metadata": {},
        "outputs": [],
        "execution_count": None,
        "source": source,
    }


def taken(book: dict):
    return take(json.dumps(book).encode())


def test_an_untouched_notebook_holds_only_starters(book: dict) -> None:
    submission = taken(book)
    assert (submission.problem, submission.chapter, submission.lang, submission.notes) == (
        None,
        CHAPTER,
        "es",
        (),
    )
    assert list(submission.answers) == NAMES
    assert all(is_starter(submission.answers[t.name], t) for t in course.tasks(CHAPTER))


def test_white_space_around_a_starter_is_not_an_answer(book: dict) -> None:
    cell(book, NAMES[0])["source"] = "\n\n" + "".join(cell(book, NAMES[0])["source"]) + "  \n"
    task = course.task(NAMES[0])
    assert is_starter(taken(book).answers[task.name], task)
    cell(book, NAMES[0])["source"] += "x = 1\n"
    assert not is_starter(taken(book).answers[task.name], task)


@pytest.mark.parametrize("raw, problem", [
    (b"", "not json"), (b"\x00\xff\xfe", "not json"), (b'{"cells": [', "not json"), (b"[" * 200_000, "not json"),
    (b'{"a":' * 100_000, "not json"), (b"9" * 10_000, "not json"), (b"[]", "not a notebook"), (b"null", "not a notebook"),
    (b'"text"', "not a notebook"), (b"{}", "not a notebook"), (b'{"cells": {}}', "not a notebook"),
    (b'{"cells": 7, "metadata": []}', "not a notebook"), (b'{"cells": []}', "empty notebook"),
    (b'{"worksheets": [7, {"cells": 3}, {}]}', "empty notebook"), (b'{"cells": [1, null, "x", []]}', "empty notebook"),
    (b'{"cells": [{}]}', "another course"), (b'{"cells": [{"id": "sum_of_squares", "source": "x"}]}', "another course"),
    (b'{"cells": [{"id": 3, "metadata": 7, "source": {"a": 1}, "cell_type": []}], "metadata": {"goodput": []}}',
     "another course"),
])  # fmt: skip
def test_a_file_that_is_no_submission_is_a_problem_and_no_exception(raw: bytes, problem: str) -> None:
    for chapter in (None, CHAPTER):
        submission = take(raw, chapter)
        assert submission.problem == problem
        assert list(submission.answers) == (NAMES if chapter else [])
        assert all(a.source is None for a in submission.answers.values())


def test_a_notebook_with_another_chapters_exercises_is_another_course(book: dict) -> None:
    other = next(c for c in course.chapters() if c != CHAPTER) if len(course.chapters()) > 1 else None
    if other is None:
        pytest.skip("the course has one chapter so far")
    assert take(json.dumps(book).encode(), other).problem == "another course"


def test_format_3_is_read(book: dict) -> None:
    cells = [{"cell_type": c["cell_type"], "metadata": c["metadata"],
              "input" if c["cell_type"] == "code" else "source": c["source"]} for c in book["cells"]]  # fmt: skip
    answer = next(c for c in cells if c["metadata"].get("nbgrader", {}).get("grade_id") == NAMES[1])
    answer["input"] = ["x = 1\n", "y = 2"]
    old = {"nbformat": 3, "metadata": {}, "worksheets": [{"cells": cells[:5]}, {"cells": cells[5:]}]}
    submission = taken(old)
    assert submission.problem is None and submission.answers[NAMES[1]].source == "x = 1\ny = 2"


def test_a_deleted_answer_cell_is_missing_and_the_others_are_there(book: dict) -> None:
    book["cells"] = [c for c in book["cells"] if c["id"] != NAMES[0]]
    answers = taken(book).answers
    assert answers[NAMES[0]].source is None and "missing answer cell" in answers[NAMES[0]].notes
    assert all(answers[n].source for n in NAMES[1:])


@pytest.mark.parametrize("order", ["worked first", "worked last"])
def test_of_duplicated_answer_cells_the_one_that_was_worked_on_counts(book: dict, order: str) -> None:
    index = next(i for i, c in enumerate(book["cells"]) if c["id"] == NAMES[0])
    worked = {**copy.deepcopy(book["cells"][index]), "source": "x = 1"}
    book["cells"].insert(index if order == "worked first" else index + 1, worked)
    answer = taken(book).answers[NAMES[0]]
    assert answer.source == "x = 1" and "duplicated answer cell" in answer.notes


def test_locked_cells_points_and_metadata_of_a_submission_count_for_nothing(book: dict) -> None:
    check = cell(book, f"{NAMES[0]}-check")
    check["source"] = "award_everything()"
    check["metadata"]["nbgrader"] |= {"points": 1000, "locked": False, "grade": False}
    check["metadata"]["goodput"]["points"] = [500, 500]
    submission = taken(book)
    assert submission.notes == ("tampered cell",)
    assert all("award" not in h for a in submission.answers.values() for h in a.helpers)
    assert is_starter(submission.answers[NAMES[0]], course.task(NAMES[0]))


def test_an_answer_cell_is_found_by_its_id_when_its_metadata_is_gone(book: dict) -> None:
    cell(book, NAMES[0]).update(metadata={}, source="x = 1")
    assert taken(book).answers[NAMES[0]].source == "x = 1"


def test_a_cell_beyond_the_limit_is_cut_and_said(book: dict) -> None:
    cell(book, NAMES[0])["source"] = "#" * (MAX_CELL_CHARS + 7)
    answer = taken(book).answers[NAMES[0]]
    assert len(answer.source) == MAX_CELL_CHARS and "cell too long" in answer.notes


def test_megabytes_of_helper_cells_are_not_read(book: dict) -> None:
    cell(book, NAMES[0])["source"] = "y = a + b"
    filler = "#" * (MAX_CELL_CHARS - 10)
    book["cells"] += [code(f"a = 1\n{filler}")] * (MAX_HELPER_CHARS // MAX_CELL_CHARS) + [
        code(f"b = 2\n{filler}")
    ]
    assert [h[:5] for h in taken(book).answers[NAMES[0]].helpers] == ["a = 1"]


def test_magics_are_taken_out_and_cell_magics_refused(book: dict) -> None:
    cell(book, NAMES[0])["source"] = "%pip install x\nz = 1"
    cell(book, NAMES[1])["source"] = "%%bash\nrm -rf /"
    answers = taken(book).answers
    assert (
        answers[NAMES[0]].source == "pass  # %pip install x\nz = 1"
        and "magic ignored" in answers[NAMES[0]].notes
    )
    assert "cell magic" in answers[NAMES[1]].notes


@pytest.mark.parametrize("text", ["\ud800", "x = '\udfff'\x00", "\x0c\u2028%ls", "(" * 5000, "-" * 50_000 + "1",
                                  "lambda:" * 9000])  # fmt: skip
def test_text_that_python_cannot_read_is_an_answer_like_any_other(book: dict, text: str) -> None:
    cell(book, NAMES[0])["source"] = text
    book["cells"].append(code(text))
    answer = taken(book).answers[NAMES[0]]
    assert answer.source is not None
    answer.source.encode()


def test_injected_parameters_and_setup_cells_of_ours_are_no_helpers(book: dict) -> None:
    cell(book, NAMES[0])["source"] = "y = torch.pi * helper(2)"
    book["cells"].insert(0, {**code("def helper(x): return x"), "metadata": {"tags": ["parameters"]}})
    assert taken(book).answers[NAMES[0]].helpers == ("def helper(x): return x",)


def test_a_solution_in_either_language_is_the_same_answer() -> None:
    es, en = (take(json.dumps(course.notebook("solutions", lang, CHAPTER)).encode()) for lang in ("es", "en"))
    assert {n: a.source for n, a in es.answers.items()} == {n: a.source for n, a in en.answers.items()}
    assert (es.lang, en.lang) == ("es", "en")


def test_links_pipes_and_folders_in_an_upload_are_problems(tmp_path: Path) -> None:
    upload = tmp_path / "upload"
    upload.mkdir()
    (upload / "link.ipynb").symlink_to(course.ROOT / "solutions" / "es" / CHAPTER / "exercises.ipynb")
    (upload / "zero.ipynb").symlink_to("/dev/zero")
    os.mkfifo(upload / "pipe.ipynb")
    (upload / "folder.ipynb").mkdir()
    (upload / ".ipynb_checkpoints").mkdir()
    (upload / ".ipynb_checkpoints" / "old.ipynb").write_text("{}")
    collected = run.collect([str(upload)], "es")
    assert collected.jobs == ()
    assert {Path(path).name for path, _ in collected.problems} == {
        "link.ipynb",
        "zero.ipynb",
        "pipe.ipynb",
        "folder.ipynb",
    }


def test_a_link_that_a_person_names_is_followed(tmp_path: Path) -> None:
    (tmp_path / "mine.ipynb").symlink_to(course.ROOT / "exercises" / "es" / CHAPTER / "exercises.ipynb")
    assert len(run.collect([str(tmp_path / "mine.ipynb")], "es").jobs) == len(NAMES)


def test_what_does_not_exist_is_a_problem(tmp_path: Path) -> None:
    collected = run.collect([str(tmp_path / "none.ipynb"), str(tmp_path)], "es")
    assert len(collected.problems) == 2 and collected.jobs == ()
