"""g++'s and ld's text -> compiler messages with the learner's lines.

Takes the standard error of a build and the learner's source; returns `Message` records. A line inside one of our headers is
led back to the line of the answer that included or used it, as far as g++ says so.
"""

from __future__ import annotations

import re

from goodput.cuda.errors import Message
from goodput.emulator.source import ANSWER

_MESSAGE = re.compile(
    r"^(?P<file>[^:\n]+):(?P<line>\d+):(?:(?P<column>\d+):)? (?:fatal )?(?P<severity>error|warning): "
    r"(?P<text>.*)$"
)
_UNDEFINED = re.compile(r"undefined reference to [`'\"](?P<name>[^`'\"]+)['\"]")
_INLINE_PTX = "inline PTX"
_SHOWN = 20  # more messages than that are consequences of the first ones


def messages(stderr: str, source: str) -> list[Message]:
    lines = source.split("\n")
    found: list[Message] = []
    for text in stderr.splitlines():
        if match := _MESSAGE.match(text):
            ours = match["file"] == ANSWER
            line, column = int(match["line"]), int(match["column"]) if match["column"] else None
            if match["file"] == "kernel table":
                found.append(Message(None, None, "error", f"the kernel could not be called: {match['text']}"))
            elif ours:
                quoted = lines[line - 1].strip() if line <= len(lines) else ""
                found.append(Message(line, column, match["severity"], match["text"], source_line=quoted))
            else:
                found.append(
                    Message(
                        line, column, match["severity"], match["text"], file=match["file"].rsplit("/", 1)[-1]
                    )
                )
        elif match := _UNDEFINED.search(text):
            found.append(undefined(match["name"], source))
    ptx = [m for m in found if _INLINE_PTX in m.text]
    # the learner's own lines first: messages inside headers are consequences of them
    found = ptx or sorted(found, key=lambda m: bool(m.file))
    unique = list(dict.fromkeys(found))[:_SHOWN]
    return unique or [
        Message(None, None, "error", stderr.strip()[-2000:] or "the compiler ended without a message")
    ]


def undefined(name: str, source: str) -> Message:
    """A function that the answer declares and nobody defines, or one of the host's C library."""
    bare = name.split("(")[0]
    for number, line in enumerate(source.split("\n"), 1):
        if re.search(rf"\b{re.escape(bare)}\b", line):
            return Message(
                number, None, "error", f"function {name} does not exist on a GPU", source_line=line.strip()
            )
    return Message(None, None, "error", f"function {name} does not exist on a GPU")
