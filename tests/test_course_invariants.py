"""The course keeps its own promises in CPU mode: starters, solutions, wrong and trivial answers of every exercise."""

import pytest

from grader import course, selftest
from grader.session import open_session

TASKS = [task for chapter in course.chapters() for task in course.tasks(chapter)]


@pytest.fixture(scope="module")
def session():
    with open_session("cpu", "auto") as opened:
        yield opened


@pytest.mark.timeout(900)
@pytest.mark.parametrize("task", TASKS, ids=[t.name for t in TASKS])
def test_every_promise_about_answers_of(task, session):
    broken = [line for line in selftest.examine(task, session) if not line.ok]
    assert not broken, "\n".join(
        f"{b.answer}: promised {b.promise}, got {b.outcome} {b.diagnosis} {b.text}" for b in broken
    )


@pytest.mark.parametrize("task", TASKS, ids=[t.name for t in TASKS])
def test_points_in_the_notebook_are_those_of_the_contract(task):
    for lang in course.LANGUAGES:
        cells = course.notebook("exercises", lang, course.chapter_of(task))["cells"]
        info = [c["metadata"]["nbgrader"] for c in cells if c.get("id") == f"{task.name}-check"]
        assert [i["points"] for i in info] == [task.points.total]


def test_names_are_unique_and_short():
    names = [t.name for t in TASKS]
    assert len(set(names)) == len(names) and max(map(len, names)) <= 32
