"""The grading server behind the check cells of one kernel: JSON lines on its standard streams.

Request {"name", "source", "cells", "lang"} -> any number of {"progress": text}, then {"html", "text", "outcome"}. An argument
names the chapter whose workers it keeps warm. Ends when its input ends, in the middle of a check too, or after a while without
questions. Prints nothing else: everything that writes to standard output goes to standard error.
"""

from __future__ import annotations

import difflib
import json
import os
import queue
import signal
import sys
import threading
from typing import Any

from grader import course, latch
from grader.controller import grade
from grader.intake import answer_of
from grader.report_notebook import notebook_html, notebook_text
from grader.report_notice import notice_html, notice_text
from grader.report_solution import solution_html, solution_text
from grader.session import CannotGrade, Session, open_session
from grader.words import phase

IDLE_S = 30 * 60  # server and spare workers hold 500 to 750 MB; a forgotten notebook gives them back

Reply = dict[str, Any]


def main(arguments: list[str]) -> None:
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever prints by accident must not end up in the protocol
    signal.signal(signal.SIGTERM, _leave)
    requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(requests,), daemon=True).start()
    lang = "en"

    def say(**message: Any) -> None:
        out.write(json.dumps(message) + "\n")
        out.flush()

    def progress(_: str, what: str) -> None:
        say(progress=phase(what, lang))  # type: ignore[arg-type]

    try:
        with open_session("auto", "auto", progress=progress) as session:
            warm(session, arguments[0] if arguments else "")
            while True:
                request = requests.get(timeout=IDLE_S)
                lang = request["lang"]
                say(**checked(request, session))
    except queue.Empty:
        return
    except CannotGrade as e:
        say(**notice(e.key, e.facts, requests.get(timeout=IDLE_S)["lang"], "not_graded"))


def _read(requests: queue.SimpleQueue[dict[str, Any]]) -> None:
    for line in sys.stdin:
        requests.put(json.loads(line))
    os.kill(os.getpid(), signal.SIGTERM)  # the kernel is gone, however it went


def _leave(*_: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough: what follows ends the workers
    raise SystemExit


def warm(session: Session, chapter: str) -> None:
    """Start a worker of the chapter's first kind, so that it loads its libraries while the learner still reads."""
    if chapter in course.chapters():
        first = course.tasks(chapter)[0]
        session.warm(first.kind, first.memory_mb)


def checked(request: dict[str, Any], session: Session) -> Reply:
    """The reply to one check; a fault of our own is a reply too, and the server stays."""
    name, lang = request["name"], request["lang"]
    names = [task.name for chapter in course.chapters() for task in course.tasks(chapter)]
    if name not in names:
        near = difflib.get_close_matches(name, names, 1)
        return notice("not an exercise", {"name": name, "near": near[0] if near else None}, lang, "error")
    task = course.task(name)
    try:
        answer = answer_of(name, request["source"], request["cells"])
        verdict = latch.apply(grade(answer, task, session), session)
    except CannotGrade:
        raise
    except Exception as e:
        return notice("grader fault", {"reason": f"{type(e).__name__}: {str(e)[:300]}"}, lang, "not_graded")
    html, text = notebook_html(verdict, lang), notebook_text(verdict, lang)
    if verdict.outcome == "passed":
        html, text = html + solution_html(task, lang), f"{text}\n{solution_text(task, lang)}"
    return {"html": html, "text": text, "outcome": verdict.outcome}


def notice(key: str, facts: dict[str, Any], lang: str, outcome: str) -> Reply:
    return {"html": notice_html(key, facts, lang), "text": notice_text(key, facts, lang), "outcome": outcome}  # type: ignore[arg-type]


if __name__ == "__main__":
    main(sys.argv[1:])
