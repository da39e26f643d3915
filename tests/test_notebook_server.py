"""The grading server's replies: a sentence for what is not an exercise, a sentence for our own faults, and it stays."""

from __future__ import annotations

import pytest

from grader import background, course, serve
from grader.session import open_session


@pytest.fixture(scope="module")
def session():
    with open_session("cpu", "process") as opened:
        yield opened


def request(name, lang, source=""):
    return {"name": name, "source": source, "cells": [], "lang": lang}


def test_what_is_not_an_exercise_gets_the_nearest_name(session):
    reply = serve.checked(request("coalesced_cpy", "es"), session)
    assert "Ningún ejercicio de este curso se llama coalesced_cpy" in reply["text"]
    assert "coalesced_copy" in reply["text"] and reply["outcome"] == "error"


def test_what_a_cell_calls_itself_is_escaped(session):
    reply = serve.checked(request("<img src=x onerror=alert(1)>", "en"), session)
    assert "<img" not in reply["html"]


def test_a_fault_of_the_grader_is_told_as_such(session, monkeypatch):
    def broken(*_):
        raise RuntimeError("a <b>fault</b>")

    monkeypatch.setattr(serve, "grade", broken)
    reply = serve.checked(request("coalesced_copy", "en"), session)
    assert "The grader itself failed" in reply["text"] and "RuntimeError" in reply["text"]
    assert reply["outcome"] == "not_graded" and "<b>" not in reply["html"]


@pytest.mark.parametrize("lang", course.LANGUAGES)
def test_an_untouched_starter_is_unanswered_in_both_languages(session, lang):
    task = course.task("coalesced_copy")
    reply = serve.checked(request(task.name, lang, course.starter(task)), session)
    label = {"es": "sin responder", "en": "unanswered"}[lang]
    assert reply["outcome"] == "unanswered" and label in reply["text"] and label in reply["html"]
    assert "hint(coalesced_copy)" in reply["text"]


@pytest.mark.parametrize("lang", course.LANGUAGES)
@pytest.mark.parametrize("name", [t.name for c in course.chapters() for t in course.tasks(c)])
def test_the_solution_is_offered_as_text_that_nothing_can_run(name, lang):
    from grader.report_solution import solution_html

    html = solution_html(course.task(name), lang)
    assert html.startswith("<details") and html.endswith("</details>")
    assert "<script" not in html and "#include <" not in html
    assert "**" not in html.split("</pre>")[1], "the why is rendered, not shown as Markdown"


def test_a_fork_of_the_kernel_does_not_end_its_server(monkeypatch):
    ours = background.Background()
    monkeypatch.setattr(ours, "_owner", ours._owner + 1)
    ours.process = object()  # type: ignore[assignment]
    ours.stop()
    assert ours.process is not None
    ours.process = None
