"""The cells that this kernel ran, as they were typed: what a check cell sends to the grader.

`watch()` records every cell from now on, beside those that the history already holds; `source_of(function)` is the cell that
defined a function, `others(source)` are all the rest. IPython keeps in linecache what it compiled, with magics rewritten; the
grader wants what the learner wrote. Where there is no IPython, a function still has the source of its file. Judges nothing.
"""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
from typing import Any

from grader.helpers import CELL_MAGIC, binds, without_magics

# A cell that JupyterLab named by its id replaces what it was before; front ends that send no id only add.
_ran: dict[str, str] = {}


def shell() -> Any:
    """The running IPython shell, or None."""
    try:
        return get_ipython()  # type: ignore
    except NameError:
        return None


def in_kernel() -> bool:
    """Whether a notebook (not a terminal, not a plain program) is asking."""
    return hasattr(shell(), "kernel")


def watch() -> None:
    here = shell()
    if here is None:
        return
    for number, cell in enumerate(here.history_manager.input_hist_raw):
        if cell.strip():
            _ran[f"history {number}"] = cell
    here.events.register("pre_run_cell", _remember)


def _remember(info: Any) -> None:
    cell_id = getattr(info, "cell_id", None) or f"cell {len(_ran)}"
    _ran.pop(cell_id, None)  # a cell that ran again is the latest
    _ran[cell_id] = info.raw_cell


def name_of(function: Any) -> str:
    """What the learner calls it: its own name, or the one it is bound to when a decorator lost that."""
    own = getattr(function, "__name__", None)
    here = shell()
    bound = [n for n, v in here.user_ns.items() if v is function and not n.startswith("_")] if here else []
    return str(own if own in bound or not bound else bound[0])


def source_of(function: Any) -> str:
    """The whole cell (or file) in which the function was defined, as typed. Raises LookupError."""
    name = name_of(function)
    compiled = _compiled_source(function)
    if compiled is not None and _defines(compiled, name):
        same = [cell for cell in _ran.values() if _same(cell, compiled)]
        return same[-1] if same else compiled
    # Run by a cell magic (%%time), or wrapped by a decorator from elsewhere: the last cell that binds the name.
    found = [cell for cell in _ran.values() if _defines(cell, name)]
    if not found:
        raise LookupError(name)
    return found[-1]


def others(source: str) -> list[str]:
    """Every other cell that ran, oldest first."""
    return [cell for cell in _ran.values() if cell.strip() and cell.strip() != source.strip()]


def _compiled_source(function: Any) -> str | None:
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(getattr(function, "fn", function))  # a Triton kernel keeps its function in .fn
    code = getattr(function, "__code__", None)
    return "".join(linecache.getlines(code.co_filename)) or None if code else None


def _same(cell: str, compiled: str) -> bool:
    if cell.strip() == compiled.strip():
        return True
    here = shell()
    return here is not None and here.transform_cell(cell).strip() == compiled.strip()


def _defines(cell: str, name: str) -> bool:
    first, _, rest = cell.lstrip().partition("\n")
    try:
        return name in binds(ast.parse(without_magics(rest if CELL_MAGIC.match(first) else cell)[0]))
    except (SyntaxError, ValueError):
        return False
