"""Which other cells does an answer need? The ones that bind names it uses, found by reading, never by running.

`needed(answer, cells)` returns the cells (in their order) whose top-level names the answer uses, directly or through another
chosen cell. IPython magics are turned into comments first, so line numbers stay. Knows nothing of notebooks' JSON.
"""

from __future__ import annotations

import ast
import builtins
import re

MAGIC = re.compile(r"^(\s*)([%!?].*)$")
CELL_MAGIC = re.compile(r"^\s*%%\w+")


class CellMagic(Exception):
    """The whole cell belongs to another language or tool (`%%bash`, `%%timeit`, ...)."""


def without_magics(source: str) -> tuple[str, bool]:
    """The source with line magics and shell escapes commented out, and whether there were any."""
    lines, found = source.splitlines(), False
    if lines and CELL_MAGIC.match(next((line for line in lines if line.strip()), "")):
        raise CellMagic(lines[0].strip())
    try:
        ast.parse(source)
        return source, False
    except (SyntaxError, ValueError):
        pass
    kept = []
    for line in lines:
        match = MAGIC.match(line)
        found |= match is not None
        kept.append(f"{match[1]}pass  # {match[2]}" if match else line)
    return "\n".join(kept), found


def binds(tree: ast.Module) -> set[str]:
    """Names that a cell defines at its top level."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {(a.asname or a.name).split(".")[0] for a in node.names}
        else:
            names |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return names


def uses(tree: ast.Module) -> set[str]:
    """Names that a cell reads and that are not built in."""
    read = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return read - set(dir(builtins))


def needed(answer: str, cells: list[str]) -> list[str]:
    """The cells that the answer depends on, in order; cells that do not parse bind nothing."""
    parsed: dict[int, ast.Module] = {}
    for index, cell in enumerate(cells):
        try:
            parsed[index] = ast.parse(without_magics(cell)[0])
        except (SyntaxError, ValueError, CellMagic):
            continue
    try:
        tree = ast.parse(answer)
    except (SyntaxError, ValueError):
        return []
    own = binds(tree)
    open_names, chosen = uses(tree) - own, set()
    while open_names:
        name = open_names.pop()
        # the last cell that binds a name is the one whose value the learner saw
        source = max((i for i in parsed if i not in chosen and name in binds(parsed[i])), default=None)
        if source is not None and not any(name in binds(parsed[i]) for i in chosen):
            chosen.add(source)
            open_names |= uses(parsed[source]) - own
    return [without_magics(cells[i])[0] for i in sorted(chosen)]
