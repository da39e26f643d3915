"""What a check cell adds after success: the course's solution and its why, folded away beside the learner's own.

Takes a task and a language; the texts are the course's own, so their Markdown is trusted to be Markdown, yet raw HTML in it
stays text. Knows nothing of the answer.
"""

from __future__ import annotations

from functools import cache
from html import escape

from markdown_it import MarkdownIt  # what rich renders Markdown with

from grader import course
from grader.numbers import Lang
from grader.task import Task
from grader.words import word


@cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table")


def solution_html(task: Task, lang: Lang) -> str:
    # JupyterLab would break long lines anywhere.
    style = "white-space:pre;overflow:auto;max-height:30em;font-size:.9em;line-height:1.35;margin:.6em 0 1em;padding:.6em .8em"
    code = f'<pre style="{style};border:1px solid #9aa6a166">{escape(course.solution(task))}</pre>'
    why = f'<div style="max-width:44em">{_markdown().render(course.why(task, lang))}</div>'
    label = f'<summary style="cursor:pointer">{escape(word("compare", lang))}</summary>'
    return f'<details lang="{lang}" style="margin:.6em 0 .6em 1.25em">{label}{code}{why}</details>'


def solution_text(task: Task, lang: Lang) -> str:
    """Where to read them: a terminal cannot fold."""
    return f"{word('solved_in', lang)}: solutions/{lang}/{course.chapter_of(task)}/exercises.ipynb"
