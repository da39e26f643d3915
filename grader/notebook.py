"""`check(answer)` and `hint("name")` for notebook cells: grade outside the kernel, show a card.

`check` takes the source of the cell that defined the function, as it was typed, and the other cells that ran, and hands them
to a grading server: one background process per kernel that keeps warm workers. The kernel never judges, and a verdict never
raises, so that "run all" goes on. Works the same in JupyterLab, papermill, plain IPython and a plain program.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

from goodput.language import Language, language
from grader import cells, hints
from grader.background import Background, Interrupted, ServerEnded
from grader.report_notice import notice_html, notice_text
from grader.words import phase, word


class Shown:
    """What a cell displays: HTML or Markdown where there is a browser, text elsewhere."""

    def __init__(self, text: str, *, html: str = "", markdown: str = ""):
        rich = {"text/html": html, "text/markdown": markdown}
        self.bundle = {"text/plain": text} | {kind: value for kind, value in rich.items() if value}

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return self.bundle

    def __repr__(self) -> str:
        return self.bundle["text/plain"]


class Place:
    """Where a check shows its progress and then its result: one display that is updated, or a line of a terminal."""

    def __init__(self, name: str):
        self.name, self.handle = name, None

    def progress(self, what: str) -> None:
        if not cells.in_kernel():
            if sys.stderr.isatty():
                print(f"\r\x1b[K{self.name} · {what} …", end="", file=sys.stderr, flush=True)
            return
        bar = '<progress style="width:8em;vertical-align:middle"></progress>'
        self._show(
            Shown(
                f"{self.name} · {what} …", html=f"{bar} <code>{escape(self.name)}</code> · {escape(what)} …"
            )
        )

    def result(self, shown: Shown) -> None:
        if not cells.in_kernel() and sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
        self._show(shown)

    def _show(self, shown: Shown) -> None:
        from IPython.display import display

        if self.handle is not None:
            self.handle.update(shown)
        elif cells.in_kernel():
            self.handle = display(shown, display_id=True)
        else:
            display(shown)


def check(answer: Callable[..., Any], lang: Language | None = None) -> None:
    """Grade the cell that defined `answer`; show progress, then the verdict."""
    lang = lang or language()
    if not callable(answer):
        Place("check").result(_notice("not a function", {}, lang))
        return
    name = cells.name_of(answer)
    place = Place(name)
    try:
        source = cells.source_of(answer)
    except LookupError:
        place.result(_notice("no cell", {"name": name}, lang))
        return
    place.progress(phase("start", lang))
    request = {"name": name, "source": source, "cells": cells.others(source), "lang": lang}
    try:
        reply = _server.ask(request, place.progress)
    except ServerEnded as e:
        place.result(_notice("server ended", {"reason": e.reason}, lang))
        return
    except Interrupted as e:
        place.result(_notice("interrupted", {}, lang))
        e.sentence = notice_text("interrupted", {}, lang)
        raise  # whoever stops a cell stops the cells after it too
    place.result(Shown(reply["text"], html=reply["html"]))


def hint(exercise: str | Callable[..., Any], lang: Language | None = None) -> None:
    """Show the next hint of an exercise, named as text or by its function; after the last one it starts again."""
    from IPython.display import display

    lang = lang or language()
    name = exercise if isinstance(exercise, str) else cells.name_of(exercise)
    found = hints.following(name, lang)
    if found is None:
        near = difflib.get_close_matches(name, hints.ladders(lang), 1)
        display(_notice("not an exercise", {"name": name, "near": near[0] if near else None}, lang))
        return
    step, steps, text = found
    title = f"{word('hint', lang)} {step}/{steps}"
    display(Shown(f"{title}. {text}", markdown=f"**{title}.** {text}"))


def _notice(key: str, facts: dict[str, Any], lang: Language) -> Shown:
    return Shown(notice_text(key, facts, lang), html=notice_html(key, facts, lang))


# Kernels start in the notebook's folder, which is named after the chapter.
_server = Background([Path.cwd().name])
cells.watch()
if cells.in_kernel():
    # Loading takes about as long as reading the first prompt. On a busy two-core machine the first check of
    # conflict_free_tile took 32 to 41 s without this and 14 to 27 s with it; later ones 10 to 18 s.
    _server.start()
