"""One cohort of broken and hostile notebooks through the real path: each answer gets its own outcome, nothing else suffers."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from grader_inside import children_of_ours, groups_of_ours, need_sandbox, running_with
from grader_notebooks import CONTROL, write_all

from grader import course, report, run
from grader.session import open_session

SLEEP_S = str(86_600_000 + os.getpid())
# for the answers that never end, so that the test does; all others keep their own limit
SHORT = {
    ("e_hostile", "coalesced_copy"): 4.0,
    ("e_hostile", "tiled_transpose"): 8.0,
    ("f_careless", "tiled_transpose"): 4.0,
}
SESSIONS = 2


@pytest.fixture(scope="module")
def cohort(tmp_path_factory: pytest.TempPathFactory):
    """(records by notebook and exercise, problems by notebook, folder of the report)."""
    need_sandbox()
    uploads, out = tmp_path_factory.mktemp("uploads"), tmp_path_factory.mktemp("out")
    write_all(uploads, SLEEP_S)
    collected = run.collect([str(uploads)], "es")
    jobs = tuple(replace(j, task=replace(j.task, limit_s=SHORT.get((Path(j.path).stem, j.task.name), j.task.limit_s)))
                 for j in collected.jobs)  # fmt: skip
    with contextlib.ExitStack() as stack:
        sessions = [stack.enter_context(open_session("cpu", "sandbox")) for _ in range(SESSIONS)]
        made = run.grade_all(replace(collected, jobs=jobs), sessions)
    report.write_all(made, out)
    records = {
        (Path(job.path).stem, record.name): record for job, record in zip(jobs, made.exercises, strict=True)
    }
    return records, {Path(p.path).stem: p.reason for p in made.problems}, out


def found(cohort, notebook: str, exercise: str) -> tuple[str, str | None]:
    record = cohort[0][notebook, exercise]
    diagnosis = record.correctness.diagnosis
    return record.outcome, diagnosis.name if diagnosis else None


@pytest.mark.parametrize("notebook, exercise, outcome, diagnosis", [
    ("e_hostile", CONTROL, "passed", None),
    ("e_hostile", "coalesced_copy", "incorrect", "timed out"),
    ("e_hostile", "tiled_transpose", "incorrect", "timed out"),
    ("e_hostile", "conflict_free_tile", "incorrect", "out of memory"),
    ("e_hostile", "warp_row_reduce", "error", "raised"),
    ("e_hostile", "async_row_ring", "error", "died"),
    ("e_hostile", "const_taps_fir", "error", "died"),
    ("e_hostile", "tma_transpose", "error", "raised"),
    ("f_careless", CONTROL, "passed", None),
    ("f_careless", "coalesced_copy", "error", "raised"),
    ("f_careless", "tiled_transpose", "incorrect", "timed out"),
    ("f_careless", "conflict_free_tile", "error", "compile failed"),
    ("f_careless", "warp_row_reduce", "error", "compile failed"),
    ("f_careless", "async_row_ring", "error", "unusable notebook"),
    ("f_careless", "const_taps_fir", "error", "raised"),
    ("f_careless", "tma_transpose", "error", "raised"),
    ("g_tampered", "coalesced_copy", "error", "raised"),
    ("g_tampered", "vector_dequant", "unanswered", None),
    ("h_format_3", "coalesced_copy", "error", "raised"),
    ("h_format_3", "vector_dequant", "unanswered", None),
    ("i_starter", "coalesced_copy", "unanswered", None),
])  # fmt: skip
def test_each_answer_gets_its_own_outcome(
    cohort, notebook: str, exercise: str, outcome: str, diagnosis: str | None
) -> None:
    assert found(cohort, notebook, exercise) == (outcome, diagnosis)


def test_every_exercise_of_every_readable_notebook_has_a_record(cohort) -> None:
    names = [t.name for t in course.tasks("07_memory_access")]
    for notebook in ("e_hostile", "f_careless", "g_tampered", "h_format_3", "i_starter"):
        assert [name for book, name in cohort[0] if book == notebook] == names


def test_only_the_honest_answers_earn_points(cohort) -> None:
    earned = {key for key, record in cohort[0].items() if record.points.earned}
    assert earned == {("e_hostile", CONTROL), ("f_careless", CONTROL)}
    task = course.task(CONTROL)
    assert all(cohort[0][key].points.earned == task.points.correct for key in earned)


def test_points_that_a_notebook_claims_are_ignored(cohort) -> None:
    for name, record in ((n, r) for (book, n), r in cohort[0].items() if book == "g_tampered"):
        assert record.points.possible == course.task(name).points.correct


def test_files_that_are_no_notebook_of_the_course_are_problems(cohort) -> None:
    assert cohort[1] == {
        "a_empty": "not json", "b_no_cells": "empty notebook", "c_cut": "not json", "d_other": "another course"}  # fmt: skip


def test_a_compile_error_names_the_learners_own_line(cohort) -> None:
    facts = cohort[0]["f_careless", "conflict_free_tile"].correctness.diagnosis.facts
    assert facts["line"] == 4 and facts["column"]  # of SOURCE, whose first line is the one after the quotes
    assert cohort[0]["f_careless", "warp_row_reduce"].correctness.diagnosis.facts["line"] == 2


@pytest.mark.parametrize("notebook, exercise, note", [
    ("f_careless", CONTROL, "magic ignored"), ("f_careless", "tma_transpose", "cell too long"),
    ("f_careless", "async_row_ring", "cell magic"), ("g_tampered", "coalesced_copy", "duplicated answer cell"),
    ("g_tampered", "vector_dequant", "missing answer cell"),
])  # fmt: skip
def test_what_was_odd_about_a_cell_is_noted(cohort, notebook: str, exercise: str, note: str) -> None:
    assert note in cohort[0][notebook, exercise].notes


def test_a_hundred_megabytes_of_printing_are_capped(cohort) -> None:
    assert len(cohort[0]["e_hostile", CONTROL].output or "") < 200_000


def test_nothing_is_left_running_and_no_control_group_stays(cohort) -> None:
    assert children_of_ours() == []
    assert running_with(SLEEP_S) == []
    assert groups_of_ours() == []


def test_the_repository_is_whole(cohort) -> None:
    assert (course.ROOT / "grader" / "worker.py").exists() and (course.ROOT / "course").is_dir()
    assert not Path("/usr/mine").exists()


def test_the_three_reports_are_written_and_readable(cohort) -> None:
    out = cohort[2]
    assert len(report.load(out / "report.json").exercises) == len(cohort[0])
    assert json.loads((out / "report.json").read_text())["isolation"] == "sandbox"
    assert len(ElementTree.parse(out / "junit.xml").findall(".//testcase")) >= len(cohort[0])
    assert "<html" in (out / "index.html").read_text()
