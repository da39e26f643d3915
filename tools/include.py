"""Replace a line `NAME = include("file.cu")` by the file's text as a raw triple-quoted string.

Takes Python text and the folder it stands in, returns the expanded text and, per line, the file and line it
came from. The included text is kept as it is, indentation too; it starts on the line after the quotes.
Standard library only: the same rule serves answers and baselines. Knows nothing of cells or solution markers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tools.problems import Problem, SourceError

LINE = re.compile(r"""(?P<start>\s*[A-Za-z_]\w* = )include\((?P<quote>["'])(?P<file>[^"']+)(?P=quote)\)\s*""")
CALL = re.compile(r"(?<![\w.#])include\(")


@dataclass(frozen=True)
class Expanded:
    """Text after inclusion; `origins[i]` is (file name, line number) of its line i."""

    text: str
    origins: tuple[tuple[str, int], ...]

    def problem(self, row: int, what: str, repair: str) -> Problem:
        """A problem at line `row` (from 0) of the expanded text, reported where an author finds it."""
        path, line = self.origins[min(row, len(self.origins) - 1)]
        return Problem(path, line, what, repair)


def expand(text: str, folder: Path, name: str = "answer", first: int = 1) -> Expanded:
    """Expand every include line of `text`; `name` and `first` say where its first line stands."""
    lines: list[str] = []
    origins: list[tuple[str, int]] = []
    for number, line in enumerate(text.split("\n"), first):
        match = LINE.fullmatch(line)
        if match is None:
            if CALL.search(line.split("#")[0]):
                repair = 'write the whole line as NAME = include("file.cu")'
                raise SourceError(Problem(name, number, "include(...) in the middle of a line", repair))
            lines.append(line)
            origins.append((name, number))
            continue
        included = _read(folder, match["file"], name, number)
        quote = _quote(included, f"{PurePosixPath(name).parent / match['file']}")
        body = included.rstrip("\n").split("\n")
        lines += [f"{match['start']}r{quote}", *body, quote]
        origins.append((name, number))
        origins += [(f"{PurePosixPath(name).parent / match['file']}", i) for i in range(1, len(body) + 1)]
        origins.append((name, number))
    return Expanded("\n".join(lines), tuple(origins))


def _read(folder: Path, file: str, name: str, number: int) -> str:
    path = (folder / file).resolve()
    if not path.is_relative_to(folder.resolve()):
        repair = "keep the file in the folder of the text that includes it"
        raise SourceError(Problem(name, number, f"include of {file!r}, outside the folder", repair))
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise SourceError(
            Problem(name, number, f"include of {file!r}: no such file", "add it beside")
        ) from None
    if not text.strip():
        raise SourceError(Problem(name, number, f"include of {file!r}: the file is empty", "write it"))
    return text


def _quote(text: str, name: str) -> str:
    """The triple quote that the text does not contain: a raw string cannot escape one."""
    for quote in ('"""', "'''"):
        if quote not in text:
            return quote
    raise SourceError(
        Problem(name, 0, "the text holds both kinds of triple quotes", "remove one of the two kinds")
    )
