"""`check(answer)` and `hint("name")` for notebook cells: grade outside the kernel, show a card.

`check` takes the source of the cell that defined the function, exactly as it was run (IPython keeps it in linecache), with the
helper cells it needs, and hands it to a grading server: one background process per kernel that keeps warm workers. The kernel
never judges. Works the same in JupyterLab, papermill and plain IPython.
"""

from __future__ import annotations

import atexit
import inspect
import json
import linecache
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from goodput.language import language
from grader import course
from grader.helpers import needed

_server: subprocess.Popen[str] | None = None
_shown: dict[str, int] = {}


def cell_source(function: Callable[..., Any]) -> str:
    """The whole cell in which the function was defined."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    lines = linecache.getlines(code.co_filename) if code else []
    if not lines:
        raise LookupError(function)
    return "".join(lines)


def other_cells(answer: str) -> list[str]:
    """Every cell run so far in this kernel, the latest version of each definition last."""
    try:
        shell = get_ipython()  # type: ignore[name-defined]  # noqa: F821
    except NameError:
        return []
    return [cell for cell in shell.user_ns.get("In", []) if cell and cell.strip() != answer.strip() and "check(" not in cell]


def server() -> subprocess.Popen[str]:
    global _server
    if _server is None or _server.poll() is not None:
        _server = subprocess.Popen([sys.executable, "-m", "grader.serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   text=True, cwd=course.ROOT)  # fmt: skip
        atexit.register(_server.kill)
    return _server


def ask(request: dict[str, Any], on_progress: Callable[[str], None]) -> dict[str, Any]:
    process = server()
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(json.dumps(request) + "\n")
    process.stdin.flush()
    for line in process.stdout:
        reply = json.loads(line)
        if "progress" in reply:
            on_progress(reply["progress"])
        else:
            return reply
    raise RuntimeError("the grading process ended; run the cell again")


class Shown:
    """What a cell displays: HTML where there is a browser, text elsewhere."""

    def __init__(self, html: str, text: str):
        self.html, self.text = html, text

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/html": self.html, "text/plain": self.text}

    def __repr__(self) -> str:
        return self.text


def check(answer: Callable[..., Any], lang: str | None = None) -> None:
    """Grade the cell that defined `answer`; show progress, then the verdict."""
    from IPython.display import display

    lang = lang or language()
    name = getattr(answer, "__name__", str(answer))
    try:
        source = cell_source(answer)
    except LookupError:
        display(Shown(*[_no_source(lang)] * 2))
        return
    helpers = needed(source, other_cells(source))
    handle = display(Shown(f"<em>{name} …</em>", f"{name} …"), display_id=True)

    def progress(text: str) -> None:
        if handle is not None:
            handle.update(Shown(f"<em>{name} · {text} …</em>", f"{name} · {text} …"))

    reply = ask({"do": "check", "name": name, "source": source, "helpers": helpers, "lang": lang}, progress)
    shown = Shown(reply["html"], reply["text"])
    if handle is not None:
        handle.update(shown)
    else:
        print(reply["text"])


def hint(name: str, lang: str | None = None) -> None:
    """Show the next hint of an exercise; after the last one it starts again."""
    from IPython.display import Markdown, display

    lang = lang or language()
    ladder = course.hints(course.task(name), lang)
    if not ladder:
        raise course.CourseError(f"no hints for {name}")
    step = _shown.get(name, 0) % len(ladder)
    _shown[name] = step + 1
    display(Markdown(f"**{step + 1}/{len(ladder)}** {ladder[step]}"))


def _no_source(lang: str) -> str:
    return {"es": "No encuentro la celda de esa función: ejecútala en este cuaderno y vuelve a comprobar.",
            "en": "The cell of that function was not found: run it in this notebook and check again."}[lang]  # fmt: skip
