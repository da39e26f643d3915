"""BEGIN SOLUTION / END SOLUTION: find the regions of an answer cell and cut the starter out of it.

Takes the expanded answer text, returns regions or the starter's text. A marker stands alone on its line in a
comment of any syntax (#, //, /* */, --, ;, %, <!-- -->). What a region becomes depends on where it stands:

- in Python code: `# YOUR CODE HERE` and `raise NotImplementedError("<slug>")`;
- in a Triton or Gluon device function (`@triton.jit`, `@gluon.jit`), which cannot raise: `# YOUR CODE HERE`
  and `pass`;
- inside a string (CUDA C++, YAML, ...): `YOUR CODE HERE` as a comment of the marker's own syntax.

Regions that are nested, unclosed, empty or half in a string raise SourceError, as does one outside every
function: the starter must run and fail only at its hole.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from tools.include import Expanded
from tools.problems import Problem, SourceError

WORDS = ("BEGIN SOLUTION", "END SOLUTION")
MARKER = re.compile(
    r"(?P<indent>\s*)(?P<open>#+|//+|/\*+|--+|;+|%+|<!--)\s*(?P<word>BEGIN|END) SOLUTION\s*(?:\*/|-->)?\s*"
)
STUB = "YOUR CODE HERE"
DEVICE_DECORATORS = ("triton.jit", "gluon.jit")


@dataclass(frozen=True)
class Region:
    """Rows (from 0) of the two marker lines, their indentation, and the lines that replace them."""

    begin: int
    end: int
    stub: tuple[str, ...]


def has_marker(text: str) -> bool:
    """True where nbgrader would see a solution marker."""
    return any(word in text for word in WORDS)


def starter(answer: Expanded, slug: str) -> str:
    """The answer with every region replaced by its stub; SourceError where that is not a runnable starter."""
    lines = answer.text.split("\n")
    for region in reversed(regions(answer, slug)):
        lines[region.begin : region.end + 1] = region.stub
    text = "\n".join(lines)
    try:
        ast.parse(text)
    except SyntaxError as error:
        what = f"the starter would not be valid Python ({error.msg}, its line {error.lineno})"
        raise SourceError(answer.problem(0, what, "put whole statements between the markers")) from None
    return text


def regions(answer: Expanded, slug: str) -> list[Region]:
    """The solution regions of an answer cell, in order; at least one."""
    tree = _parse(answer)
    texts = _string_rows(tree)
    lines = answer.text.split("\n")
    found: list[Region] = []
    problems: list[Problem] = []
    opened: tuple[int, re.Match[str]] | None = None
    for row, line in enumerate(lines):
        if not has_marker(line):
            continue
        match = MARKER.fullmatch(line)
        if match is None:
            problems.append(
                answer.problem(
                    row, "a solution marker that is not alone on its line", "give it a comment line"
                )
            )
        elif match["word"] == "BEGIN":
            if opened:
                problems.append(
                    answer.problem(row, "BEGIN SOLUTION inside a region", "close the first region before it")
                )
            else:
                opened = (row, match)
        elif opened is None:
            problems.append(
                answer.problem(row, "END SOLUTION without a BEGIN SOLUTION", "add one above or remove it")
            )
        else:
            problems += _check(answer, lines, opened, (row, match), texts)
            found.append(
                Region(opened[0], row, _stub(opened[1], opened[0] in texts, _holders(tree, opened[0]), slug))
            )
            if opened[0] not in texts and not _holders(tree, opened[0]):
                what = "a region in Python code outside every function"
                repair = "keep the def line outside the region: the starter must run up to its hole"
                problems.append(answer.problem(opened[0], what, repair))
            opened = None
    if opened:
        problems.append(
            answer.problem(opened[0], "BEGIN SOLUTION without an END SOLUTION", "close the region")
        )
    if not found and not problems:
        repair = "put BEGIN SOLUTION and END SOLUTION around what the learner writes"
        problems.append(answer.problem(0, "an answer without a solution region", repair))
    if problems:
        raise SourceError(problems)
    return found


def _parse(answer: Expanded) -> ast.Module:
    try:
        return ast.parse(answer.text)
    except SyntaxError as error:
        row = (error.lineno or 1) - 1
        what = f"the answer is not valid Python: {error.msg}"
        raise SourceError(answer.problem(row, what, "repair it; magics cannot stand in an answer")) from None


def _string_rows(tree: ast.Module) -> dict[int, int]:
    """Rows that lie inside a multi-line string -> a number of that string."""
    rows: dict[int, int] = {}
    for number, node in enumerate(ast.walk(tree)):
        if isinstance(node, ast.JoinedStr) or (
            isinstance(node, ast.Constant) and isinstance(node.value, str)
        ):
            for row in range(node.lineno, node.end_lineno or node.lineno):
                rows.setdefault(row, number)
    return rows


def _holders(tree: ast.Module, row: int) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and node.lineno <= row < (node.end_lineno or 0)
    ]


def _check(
    answer: Expanded,
    lines: list[str],
    begin: tuple[int, re.Match[str]],
    end: tuple[int, re.Match[str]],
    texts: dict[int, int],
) -> list[Problem]:
    """What is wrong with one closed region."""
    inside = range(begin[0] + 1, end[0])
    if not any(lines[row].strip() for row in inside):
        return [
            answer.problem(begin[0], "an empty solution region", "write the solution or remove the markers")
        ]
    if texts.get(begin[0]) != texts.get(end[0]):
        what = "a region that begins inside a string and ends outside it, or the reverse"
        return [answer.problem(begin[0], what, "keep both markers on one side of the quotes")]
    indent = begin[1]["indent"]
    if end[1]["indent"] != indent:
        return [
            answer.problem(end[0], "END SOLUTION is not indented like its BEGIN", "align the two markers")
        ]
    if begin[0] in texts:
        return []
    for row in inside:
        if lines[row].strip() and row not in texts and not lines[row].startswith(indent):
            what = "a region that leaves the block it began in"
            return [answer.problem(row, what, "end the region before this line")]
    return []


def _stub(
    begin: re.Match[str], in_string: bool, holders: list[ast.FunctionDef | ast.AsyncFunctionDef], slug: str
) -> tuple[str, ...]:
    indent = begin["indent"]
    if in_string:
        return (indent + _comment(begin["open"], STUB),)
    device = any(
        ast.unparse(_called(mark)) in DEVICE_DECORATORS for node in holders for mark in node.decorator_list
    )
    statement = "pass" if device else f'raise NotImplementedError("{slug}")'
    return (f"{indent}# {STUB}", indent + statement)


def _called(decorator: ast.expr) -> ast.expr:
    return decorator.func if isinstance(decorator, ast.Call) else decorator


def _comment(opener: str, text: str) -> str:
    if opener.startswith("/*"):
        return f"/* {text} */"
    if opener == "<!--":
        return f"<!-- {text} -->"
    return f"{opener[:2] if opener.startswith(('//', '--')) else opener[0]} {text}"
