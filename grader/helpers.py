"""Which other cells does an answer need? The ones that bind names it reads from outside, found by reading, never by running.

`needed(answer, cells)` returns the cells (in their order) whose top-level names the answer uses, directly or through another
chosen cell. IPython magics are turned into comments first, so line numbers stay. Knows nothing of notebooks' JSON.
"""

from __future__ import annotations

import ast
import functools
import re
import symtable
from collections.abc import Sequence
from dataclasses import dataclass

MAGIC = re.compile(r"^(\s*)([%!?].*|[\w.]+\?{1,2}\s*)$")
CELL_MAGIC = re.compile(r"^\s*%%\w+")
MAX_MAGICS = 200  # each costs one parse of the cell
STAR = "*"  # the name that `from module import *` binds
# hostile text: nested too deeply, NUL characters, half of a surrogate pair
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


class CellMagic(Exception):
    """The whole cell belongs to another language or tool (`%%bash`, `%%timeit`, ...)."""


def without_magics(source: str) -> tuple[str, bool]:
    """The source with line magics and shell escapes commented out, and whether there were any.

    Only a line at which Python stops reading is a magic: `% n` inside the CUDA source of an answer is not.
    """
    first = next((line for line in source.split("\n") if line.strip()), "")
    if CELL_MAGIC.match(first):
        raise CellMagic(first.strip())
    lines = source.split("\n")
    for found in range(MAX_MAGICS):
        try:
            ast.parse("\n".join(lines))
            return "\n".join(lines), found > 0
        except SyntaxError as e:
            at = (e.lineno or 0) - 1
        except UNREADABLE:
            break
        match = MAGIC.match(lines[at]) if 0 <= at < len(lines) else None
        if match is None:
            break
        lines[at] = f"{match[1]}pass  # {match[2]}"
    return "\n".join(lines), lines != source.split("\n")


def without_checks(source: str) -> str:
    """The source with `pass` for the calls of `check` and `hint` at its top level: they belong to the notebook."""
    try:
        tree = ast.parse(source)
    except UNREADABLE:
        return source
    lines = source.encode().split(b"\n")  # ast counts columns in bytes
    for node in reversed(tree.body):
        if _asks_grader(node) and node.end_lineno is not None:
            first, last = node.lineno - 1, node.end_lineno - 1
            rest = lines[last][node.end_col_offset :]
            lines[first : last + 1] = [
                lines[first][: node.col_offset] + b"pass" + rest,
                *[b""] * (last - first),
            ]
    return b"\n".join(lines).decode()


def _asks_grader(node: ast.stmt) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.module == "grader.notebook"
    called = node.value.func if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
    return isinstance(called, ast.Name) and called.id in ("check", "hint")


def binds(tree: ast.Module) -> set[str]:
    """Names that a cell defines at its top level, inside `if`, `try`, `with` and loops too; "*" for a star import."""
    names: set[str] = set()
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {(a.asname or a.name).split(".")[0] for a in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif not isinstance(node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            waiting += ast.iter_child_nodes(node)
    return names


def reads(source: str) -> set[str]:
    """Names that a cell takes from outside: read at its top level, or global in a function. Not parameters and locals."""
    names: set[str] = set()
    tables = [symtable.symtable(source, "cell", "exec")]
    while tables:
        table = tables.pop()
        top = table.get_type() == "module"
        names |= {s.get_name() for s in table.get_symbols() if s.is_referenced() and (top or s.is_global())}
        tables += table.get_children()
    return names


@dataclass(frozen=True)
class Cell:
    source: str
    binds: frozenset[str]
    reads: frozenset[str]


@functools.lru_cache(maxsize=256)  # a notebook's helper cells are asked about once per exercise
def read(cell: str) -> Cell | None:
    """What a cell binds and reads; None for one that cannot be read as Python."""
    try:
        source = without_magics(cell)[0]
        return Cell(source, frozenset(binds(ast.parse(source))), frozenset(reads(source)))
    except (*UNREADABLE, CellMagic):
        return None


def needed(answer: str, cells: Sequence[str]) -> list[str]:
    """The cells that the answer depends on, in order; cells that do not parse bind nothing."""
    own = read(answer)
    if own is None:
        return []
    return _chosen(own, [read(cell) for cell in cells])


def _chosen(own: Cell, cells: list[Cell | None]) -> list[str]:
    binders: dict[str, list[int]] = {}
    for index, cell in enumerate(cells):
        for name in cell.binds if cell else ():
            binders.setdefault(name, []).append(index)
    chosen: set[int] = set()
    # (name, before): the last cell that binds a name is the one whose value the learner saw; a cell that reads the name it
    # binds (`sizes = sizes + [7]`) saw an earlier one
    asked = [(name, len(cells)) for name in own.reads - own.binds]
    seen = set(asked)
    while asked:
        name, before = asked.pop()
        index = max((i for i in binders.get(name, binders.get(STAR, ())) if i < before), default=None)
        cell = cells[index] if index is not None else None
        if index is None or cell is None:
            continue
        chosen.add(index)
        for other in cell.reads - own.binds:
            question = (other, index if other in cell.binds else len(cells))
            if question not in seen:
                seen.add(question)
                asked.append(question)
    return [cell.source for i, cell in enumerate(cells) if i in chosen and cell is not None]
