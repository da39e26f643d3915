"""The grading server behind the check cells of one kernel: JSON lines on its standard streams.

Request {"do": "check", "name", "source", "helpers", "lang"} -> any number of {"progress": text}, then {"html", "text", "outcome"}.
Ends when its input ends. Prints nothing else: everything that writes to standard output goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys
from html import escape
from typing import Any

from grader import course, latch
from grader.controller import grade
from grader.intake import Answer
from grader.messages import why_not
from grader.report_notebook import notebook_html, notebook_text
from grader.session import CannotGrade, open_session
from grader.words import phase


def main() -> None:
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever prints by accident must not end up in the protocol

    def say(**message: Any) -> None:
        out.write(json.dumps(message) + "\n")
        out.flush()

    lang = "es"

    def progress(_: str, what: str) -> None:
        say(progress=phase(what, lang))

    first = sys.stdin.readline()
    try:
        with open_session("auto", "auto", progress=progress) as session:
            line = first
            while line:
                request = json.loads(line)
                lang = request["lang"]
                say(**answer_check(request, session))
                line = sys.stdin.readline()
    except CannotGrade as e:
        message = why_not(e.key, e.facts, json.loads(first)["lang"])
        text = " ".join([message.headline, message.detail, message.next_step])
        say(html=f"<p>{escape(text)}</p>", text=text, outcome="not_graded")


def answer_check(request: dict[str, Any], session: Any) -> dict[str, Any]:
    lang = request["lang"]
    try:
        task = course.task(request["name"])
    except course.CourseError as e:
        return {"html": f"<p>{escape(str(e))}</p>", "text": str(e), "outcome": "error"}
    answer = Answer(task.name, request["source"], tuple(request["helpers"]))
    verdict = latch.apply(grade(answer, task, session), session)
    html, text = notebook_html(verdict, lang), notebook_text(verdict, lang)
    if verdict.outcome == "passed":
        html += after_success(task, lang)
    return {"html": html, "text": text, "outcome": verdict.outcome}


def after_success(task: Any, lang: str) -> str:
    """The course's solution and its why, folded away beside the learner's own."""
    label = {"es": "Compara con la solución del curso", "en": "Compare with the course's solution"}[lang]
    why = course.why(task, lang)
    return (f"<details style='margin:.6em 0'><summary>{label}</summary><pre style='overflow:auto'>{escape(course.solution(task))}"
            f"</pre><div style='white-space:pre-wrap;max-width:44em'>{escape(why)}</div></details>")  # fmt: skip


if __name__ == "__main__":
    main()
