"""Report -> a table in the terminal, and the line that moves while exercises are graded.

On a terminal that can do it: rich table and live progress. In a log, a pipe or a dumb terminal: one plain line per exercise,
without colour, cursor movement or box characters. Text from answers is shown as text: no markup, no escape sequences. Takes
reports and verdicts; returns nothing and decides nothing.
"""

from __future__ import annotations

import io
import os
import sys
from types import TracebackType
from typing import IO, Self

from rich.console import Console, Group
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as RichProgress
from rich.table import Table
from rich.text import Text

from grader.messages import sentences, term, verdict_label
from grader.numbers import Lang, fixed, number
from grader.printable import one_line
from grader.report_exit import exit_code
from grader.report_schema import ExerciseRecord, MessageRecord, Report
from grader.verdict import Verdict
from grader.words import GLYPH, TONE, label_of, phase, word

_STYLE = {"good": "green", "bad": "red", "warn": "yellow", "quiet": "dim"}
# Below this the table would wrap inside its columns; lines are easier to read.
_TABLE_COLUMNS = 72


def console(file: IO[str] | None = None) -> Console:
    """A console that never fails to write: characters that an old locale lacks are replaced."""
    file = file or sys.stdout
    if isinstance(file, io.TextIOWrapper):
        file.reconfigure(errors="replace")
    return Console(file=file, highlight=False, soft_wrap=False)


def is_rich(target: Console) -> bool:
    """Whether a table and a moving line make sense there."""
    ci = os.environ.get("CI", "").lower() not in ("", "0", "false")
    return target.is_terminal and not target.is_dumb_terminal and not ci


def print_report(report: Report, lang: Lang, target: Console | None = None) -> None:
    """Table, advice for each exercise that does not pass, and the summary with what its exit code means."""
    target = target or console()
    if is_rich(target) and target.width >= _TABLE_COLUMNS:
        target.print(_table(report, lang))
        for exercise in report.exercises:
            if exercise.outcome not in ("passed", "unanswered"):
                target.print(_advice(exercise, lang), highlight=False)
        target.print()
    else:
        for exercise in report.exercises:
            target.print(line(exercise, lang), markup=False, highlight=False, soft_wrap=True)
    for problem in report.problems:
        target.print(
            f"{problem.path}: {term(problem.reason, lang)}", markup=False, highlight=False, soft_wrap=True
        )
    target.print(summary(report, lang), markup=False, highlight=False, soft_wrap=True)


def line(exercise: ExerciseRecord, lang: Lang) -> str:
    """One exercise in one line, for logs."""
    message = _message(exercise, lang)
    speed = f" · {fixed(exercise.speed.ratio, 2, lang)}×" if exercise.speed else ""
    label = label_of(exercise, lang)
    head = f"{GLYPH[exercise.outcome]} {exercise.name}: {label} ({_points(exercise, lang)}{speed})"
    said = [message.headline] if exercise.outcome == "passed" else [message.headline, message.next_step]
    return " ".join([f"{head}.", *said])


def summary(report: Report, lang: Lang) -> str:
    """Points, what is left out of them, and the exit code with its meaning."""
    code = exit_code(report)
    totals = report.totals
    parts = [
        f"{_number(totals.earned, lang)} {word('of', lang)} {_number(totals.possible, lang)} {word('points', lang)}"
    ]
    if totals.not_available:
        parts.append(f"{_number(totals.not_available, lang)} {word('outside_maximum', lang)}")
    if totals.held:
        parts.append(f"{_number(totals.held, lang)} {word('held', lang)}")
    meaning = (
        word("exit_2" if report.exercises else "no_exercises", lang)
        if code == 2
        else word(f"exit_{code}", lang)
    )
    return f"{' · '.join(parts)}. {meaning} ({word('exit_code', lang)} {code})"


class Progress:
    """A context manager: `step(name, phase)` while an exercise is graded, `done(verdict)` when its verdict is there."""

    def __init__(self, total: int, lang: Lang, target: Console | None = None) -> None:
        self._lang: Lang = lang
        self._console = target or console()
        self._total = total
        self._finished = 0
        self._bar: RichProgress | None = None
        if is_rich(self._console):
            columns = (
                SpinnerColumn(),
                BarColumn(24),
                MofNCompleteColumn(),
                TextColumn("{task.description}", markup=False),
            )
            self._bar = RichProgress(*columns, TimeElapsedColumn(), console=self._console, transient=True)
            self._task = self._bar.add_task("", total=total)

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()

    def step(self, name: str, phase_name: str) -> None:
        """Say what is being done; in a log only finished exercises are worth a line."""
        if self._bar:
            self._bar.update(
                self._task, description=f"{one_line(name, 40)} · {phase(phase_name, self._lang)}"
            )

    def done(self, verdict: Verdict) -> None:
        self._finished += 1
        message = sentences(verdict, self._lang)
        label = f"{GLYPH[verdict.outcome]} {one_line(verdict.name, 40)}: {verdict_label(verdict, self._lang)}"
        if self._bar:
            self._bar.advance(self._task)
            self._console.print(Text(label, style=_STYLE[TONE[verdict.outcome]]))
        else:
            text = f"[{self._finished}/{self._total}] {label}. {message.headline}"
            self._console.print(text, markup=False, highlight=False, soft_wrap=True)


def _table(report: Report, lang: Lang) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column(word("exercise", lang), no_wrap=True)
    table.add_column(word("verdict", lang), no_wrap=True)
    table.add_column(word("points", lang), justify="right", no_wrap=True)
    table.add_column(word("speed_column", lang), justify="right", no_wrap=True)
    for exercise in report.exercises:
        style = _STYLE[TONE[exercise.outcome]]
        speed = f"{fixed(exercise.speed.ratio, 2, lang)}×" if exercise.speed else "–"
        table.add_row(
            Text(exercise.name),
            Text(f"{GLYPH[exercise.outcome]} {label_of(exercise, lang)}", style=style),
            Text(_points(exercise, lang)),
            Text(speed),
        )
    return table


def _advice(exercise: ExerciseRecord, lang: Lang) -> Group:
    message = _message(exercise, lang)
    head = Text(f"\n{GLYPH[exercise.outcome]} {exercise.name}", style=_STYLE[TONE[exercise.outcome]])
    said = [Text(part) for part in (message.headline, message.detail, *message.notes) if part]
    return Group(
        head,
        Padding(Group(*said), (0, 0, 0, 2)),
        Padding(Text(message.next_step, style="bold"), (0, 0, 0, 2)),
    )


def _points(exercise: ExerciseRecord, lang: Lang) -> str:
    points = exercise.points
    return f"{_number(points.earned, lang)} / {_number(points.possible, lang)}" if points.possible else "–"


def _number(points: float, lang: Lang) -> str:
    return number(int(points) if points.is_integer() else points, lang)


def _message(exercise: ExerciseRecord, lang: Lang) -> MessageRecord:
    return exercise.message.es if lang == "es" else exercise.message.en
