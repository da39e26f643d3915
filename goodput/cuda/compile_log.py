"""From the compiler's log to messages with the line and column of the learner's source.

`messages(log, source, ptx)` reads what NVRTC's front end and ptxas print. NVRTC names the file, the line and
draws a caret; ptxas names a line of PTX, which the `.loc` directives of `ptx` (compiled with line
information) lead back to the source. Errors stand first, then warnings, each in order of lines. Runs nothing.
"""

from __future__ import annotations

import re
from pathlib import PurePath

from goodput.cuda.errors import Message

FILE = "kernel.cu"  # the name that the source is compiled under
_FRONT_END = re.compile(
    r"^(?P<file>\S.*?)\((?P<line>\d+)\): (?P<kind>[a-z ]+?)(?: #\d+(?:-D)?)?: (?P<text>.*)$"
)
_PTXAS = re.compile(r"^\s*ptxas .*?, line (?P<line>\d+); (?P<kind>error|warning)\s*: (?P<text>.*)$")
_PTXAS_PLAIN = re.compile(r"^\s*ptxas (?P<kind>error|warning|fatal)\s*: (?P<text>.*)$")
_LOC = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)")
_PTX_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"')
_SEVERITY = {"warning": "warning", "remark": "note", "note": "note"}


def messages(log: str, source: str, ptx: str = "") -> list[Message]:
    own = source.split("\n")
    found: list[Message] = []
    lines = log.split("\n")
    for number, line in enumerate(lines):
        if match := _FRONT_END.match(line):
            found.append(_front_end(match, lines[number + 1 :], own))
        elif match := _PTXAS.match(line):
            place = _source_place(ptx, int(match["line"]))
            file, source_line, column = place if place else ("", None, None)
            found.append(_message(file, source_line, column, match["kind"], "ptxas: " + match["text"], own))
        elif (match := _PTXAS_PLAIN.match(line)) and "aborted due to errors" not in match["text"]:
            found.append(_message("", None, None, match["kind"], "ptxas: " + match["text"], own))
    found = [m for m in found if m.severity != "note"]
    return sorted(dict.fromkeys(found), key=lambda m: (m.severity != "error", m.line is None, m.line or 0))


def _front_end(match: re.Match[str], following: list[str], own: list[str]) -> Message:
    """The caret line ends the message; lines between belong to its text, except the quoted source line before the caret."""
    column, extra = None, []
    for number, line in enumerate(following):
        if not line.strip() or _FRONT_END.match(line):
            break
        if line.strip() == "^":
            column = line.index("^") - 1  # the quoted line is indented by two, columns count from 1
            extra = following[: max(0, number - 1)]
            break
    text = " ".join([match["text"], *(line.strip() for line in extra)])
    return _message(match["file"], int(match["line"]), column, match["kind"], text, own)


def _message(
    file: str, line: int | None, column: int | None, kind: str, text: str, own: list[str]
) -> Message:
    in_source = file == FILE
    quoted = own[line - 1].strip() if in_source and line is not None and line <= len(own) else ""
    return Message(
        line=line,
        column=column,
        severity=_SEVERITY.get(kind.strip(), "error"),
        text=text.strip(),
        file="" if in_source else file,
        source_line=quoted,
    )


def _source_place(ptx: str, ptx_line: int) -> tuple[str, int, int] | None:
    """The last `.loc` at or before a line of PTX: (file, line, column)."""
    lines = ptx.split("\n")
    files = {m[1]: m[2] for m in map(_PTX_FILE.match, lines) if m}
    for line in reversed(lines[:ptx_line]):
        if match := _LOC.match(line):
            file = files.get(match[1], FILE)
            own = (
                PurePath(file).name == FILE
            )  # PTX writes the source's name with the current folder before it
            return FILE if own else file, int(match[2]), int(match[3])
    return None
