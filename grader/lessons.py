"""Run lesson notebooks from top to bottom, every cell within a budget: the engine of `make lessons`.

`run(path, target, lang) -> Ran` executes one notebook with papermill in a fresh kernel and writes it, outputs included, to
`target`. It stops at the first cell that raises or overruns; that is data in `Ran`, not an exception. `keep(target, path)`
puts the new outputs into the shipped notebook. Knows nothing of exercises.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from papermill.clientwrap import PapermillNotebookClient
from papermill.engines import Engine, papermill_engines

from grader.course import ROOT

CELL_S = 180.0  # a whole lesson is meant to take three minutes; a cell that needs more alone has the tag budget=SECONDS
LESSON_S = 180.0  # reported, not enforced: how long a lesson takes here depends on who else uses the machine
BUDGET = re.compile(r"budget=(\d+)")
FIGURES = ("image/png", "image/svg+xml")


@dataclass(frozen=True)
class Stopped:
    """Where and why a lesson did not reach its end; `reason` is "raised", "overran" or "kernel died"."""

    cell: str
    reason: str
    text: str = ""


@dataclass(frozen=True)
class Ran:
    path: Path
    seconds: float
    cells: int  # code cells that ran
    figures: int
    slowest: tuple[str, float]  # id of a cell, seconds
    stopped: Stopped | None


class LessonStopped(Exception):
    """Leaves papermill at the first cell that fails; the notebook so far is written."""

    def __init__(self, stopped: Stopped):
        super().__init__(stopped)
        self.stopped = stopped


class BudgetClient(PapermillNotebookClient):
    """papermill's client, but every way of failing ends the run: it would ask a kernel that is busy or gone for its name."""

    def papermill_execute_cells(self) -> None:
        for index, cell in enumerate(self.nb.cells):
            self.nb_man.cell_start(cell, index)
            try:
                self.execute_cell(cell, index)
            except (CellExecutionError, CellTimeoutError, DeadKernelError) as e:
                self.nb_man.cell_exception(cell, cell_index=index, exception=e)
                raise LessonStopped(_stopped(cell, index, e)) from e
            finally:
                self.nb_man.cell_complete(cell, cell_index=index)


class BudgetEngine(Engine):
    @classmethod
    def execute_managed_notebook(cls, nb_man: Any, kernel_name: str, lang: str = "en", start_timeout: int = 60,
                                 **_: Any) -> None:  # fmt: skip
        quiet = [
            "--IPKernelApp.log_level=40"
        ]  # errors only: its warnings about ports are not about the lesson
        BudgetClient(nb_man, kernel_name=kernel_name, startup_timeout=start_timeout, timeout_func=_budget_s,
                     extra_arguments=quiet).execute(env=_environment(lang))  # fmt: skip


papermill_engines.register("goodput", BudgetEngine)


def lessons(lang: str, chapter: str | None = None) -> list[Path]:
    """The shipped lessons of one language, or the one of a chapter ("7", "07" or its folder's name)."""
    found = sorted((ROOT / "notebooks" / lang).glob("*.ipynb"))
    return [p for p in found if chapter in (None, p.stem) or p.stem.split("_")[0] == (chapter or "").zfill(2)]


def run(path: Path, target: Path, lang: str) -> Ran:
    """Execute `path` with the folder of `target` as its working folder; `target` is written after every cell."""
    import papermill

    path, target = path.resolve(), target.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    stopped = None
    try:
        papermill.execute_notebook(str(path), str(target), engine_name="goodput", progress_bar=False,
                                   cwd=str(target.parent), lang=lang)  # fmt: skip
    except LessonStopped as e:
        stopped = e.stopped
    book = nbformat.read(target, 4)
    ran = [c for c in book.cells if c.cell_type == "code" and c.metadata.papermill.duration is not None]
    seconds = {c.get("id", "?"): c.metadata.papermill.duration for c in ran}
    figures = sum(kind in o.get("data", {}) for c in ran for o in c.outputs for kind in FIGURES)
    slowest = max(seconds.items(), key=lambda item: item[1], default=("", 0.0))
    return Ran(path, book.metadata.papermill.duration, len(ran), figures, slowest, stopped)


def keep(target: Path, path: Path) -> None:
    """Put the outputs of `target` into the shipped notebook, in nbformat's own spelling, as the derivation keeps them."""
    outputs = {c.id: c for c in nbformat.read(target, 4).cells if c.cell_type == "code"}
    shipped = nbformat.read(path, 4)
    for cell in shipped.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = outputs[cell.id].outputs, outputs[cell.id].execution_count
    path.write_text(nbformat.writes(shipped) + "\n", encoding="utf-8")


def _budget_s(cell: Any) -> float:
    found = [BUDGET.fullmatch(tag) for tag in cell.metadata.get("tags", [])]
    return float(next((match[1] for match in found if match), CELL_S))


def _stopped(cell: Any, index: int, error: Exception) -> Stopped:
    name = cell.get("id") or str(index + 1)
    if isinstance(error, CellTimeoutError):
        return Stopped(name, "overran", f"{_budget_s(cell):g} s")
    if isinstance(error, CellExecutionError):
        return Stopped(name, "raised", f"{error.ename}: {error.evalue}"[:500])
    return Stopped(name, "kernel died")


def _environment(lang: str) -> dict[str, str]:
    search = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    return os.environ | {"GOODPUT_LANG": lang, "PYTHONPATH": search}
