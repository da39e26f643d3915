"""One line for a lesson that ran, in the reader's language. Takes a `Ran`; decides nothing."""

from __future__ import annotations

from grader.lessons import LESSON_S, Ran
from grader.numbers import Lang, number
from grader.printable import one_line
from grader.words import word


def lesson_line(ran: Ran, lang: Lang) -> str:
    """✓ 07_memory_access: 42 s · 31 cells · 12 figures · the slowest: sectors-map, 8 s"""
    if ran.stopped is not None:
        said = word(f"lesson_{ran.stopped.reason}", lang).format(cell=ran.stopped.cell, text=ran.stopped.text)
        return f"✗ {ran.path.stem}: {one_line(said)}"
    cell, seconds = ran.slowest
    said = word("lesson_ended", lang).format(
        seconds=number(round(ran.seconds), lang), cells=ran.cells, figures=ran.figures, slowest=cell,
        slowest_s=number(round(seconds), lang))  # fmt: skip
    long = word("lesson_long", lang).format(limit=number(LESSON_S, lang)) if ran.seconds > LESSON_S else ""
    return f"✓ {ran.path.stem}: {' · '.join(filter(None, [said, long]))}"
