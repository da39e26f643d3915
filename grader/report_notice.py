"""Why a check cell shows no verdict, as a card and in plain text: the sentences of messages.toml [cannot].

Light enough for the learner's kernel: it loads none of the report's records. Takes a key, facts and a language.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from grader.messages import why_not
from grader.numbers import Lang
from grader.printable import one_line

_QUIET = "#7a8680"  # as a card that is not about the answer; legible on white and on #111


def notice_html(key: str, facts: Mapping[str, Any], lang: Lang) -> str:
    message = why_not(key, facts, lang)
    lines = [one_line(part) for part in (message.headline, message.detail, message.next_step) if part]
    body = "".join(f'<div style="margin:.2em 0">{escape(line)}</div>' for line in lines)
    return f'<div lang="{lang}" style="border-left:4px solid {_QUIET};padding:.1em 0 .1em 1em;max-width:44em">{body}</div>'


def notice_text(key: str, facts: Mapping[str, Any], lang: Lang) -> str:
    message = why_not(key, facts, lang)
    return " ".join(one_line(part) for part in (message.headline, message.detail, message.next_step) if part)
