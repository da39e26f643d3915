"""Pair the Spanish and English prose cells of a source and check that the twins say the same thing.

Takes cells, returns pairs and problems. Twins are adjacent, Spanish first, with the same role and id, and
agree in heading levels, fenced blocks, inline code, formulas, link and image targets and numbers; the Spanish
one follows the glossary. There is no way to switch a check off for one cell: where it objects, one of the
texts can be written better.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tools.glossary import Glossary, breaches
from tools.problems import Problem, SourceError
from tools.prose import Facts, Mark, facts
from tools.source import Cell

# From this many words on, equal texts cannot be a heading of names and terms: one is not translated.
SAME_WORDS = 6


@dataclass(frozen=True)
class Twin:
    """The same prose in both languages."""

    es: Cell
    en: Cell

    def __getitem__(self, lang: str) -> Cell:
        return {"es": self.es, "en": self.en}[lang]


def pair(cells: list[Cell]) -> list[Twin | Cell]:
    """Cells with every two adjacent prose twins joined; SourceError where one stands alone."""
    joined: list[Twin | Cell] = []
    problems: list[Problem] = []
    waiting: Cell | None = None
    for cell in cells:
        if waiting and cell.lang == "en":
            if (cell.role, cell.id) != (waiting.role, waiting.id):
                what = f"twins of different role or id: {_label(waiting)} and {_label(cell)}"
                problems.append(
                    cell.problem(what, f"give both the same (the Spanish one is line {waiting.line})")
                )
            joined.append(Twin(waiting, cell))
            waiting = None
            continue
        if waiting:
            problems.append(
                waiting.problem("a Spanish cell without its English twin", 'add lang="en" right after it')
            )
            waiting = None
        if cell.lang == "en":
            what = "an English cell without its Spanish twin"
            problems.append(cell.problem(what, 'add lang="es" right before it'))
        elif cell.lang == "es":
            waiting = cell
        else:
            joined.append(cell)
    if waiting:
        problems.append(
            waiting.problem("a Spanish cell without its English twin", 'add lang="en" right after it')
        )
    if problems:
        raise SourceError(problems)
    return joined


def compare(twin: Twin, glossary: Glossary) -> Iterator[Problem]:
    """Everything in which the two texts of a twin differ."""
    es, en = facts(twin.es.text, "es"), facts(twin.en.text, "en")
    if es.headings != en.headings:
        what = f"heading levels differ: es {list(es.headings)}, en {list(en.headings)}"
        yield twin.es.problem(what, "give both texts the same headings")
    yield from _fences(twin, es, en)
    yield from _only_one(twin, "inline code", es.code, en.code)
    yield from _only_one(twin, "the formula", es.formulas, en.formulas)
    yield from _only_one(twin, "the link", es.links, en.links)
    yield from _only_one(twin, "the image", es.images, en.images)
    yield from _numbers(twin, es, en)
    if len(re.findall(r"[^\W\d_]{2,}", es.words)) >= SAME_WORDS and es.words.split() == en.words.split():
        yield twin.es.problem("the two texts are the same", "translate one of them")
    for breach in breaches(glossary, es.words, en.words):
        yield twin.es.problem(breach.what, breach.repair, at=breach.at)


def _fences(twin: Twin, es: Facts, en: Facts) -> Iterator[Problem]:
    if [info for info, _ in es.fences] != [info for info, _ in en.fences]:
        yield twin.es.problem("fenced blocks differ in number or kind", "give both texts the same blocks")
        return
    for (info, one), (_, other) in zip(es.fences, en.fences, strict=True):
        if one != other:
            what = f"the {info} block differs between es and en (line {twin.en.line})"
            yield twin.es.problem(
                what, "make them equal; output in the reader's language goes in a ```text block"
            )


def _only_one(twin: Twin, kind: str, es: Mapping[str, Mark], en: Mapping[str, Mark]) -> Iterator[Problem]:
    for have, lack, cell, other in ((es, en, twin.es, twin.en), (en, es, twin.en, twin.es)):
        for key, mark in have.items():
            if key not in lack:
                yield _missing(kind, mark, cell, other)


def _numbers(twin: Twin, es: Facts, en: Facts) -> Iterator[Problem]:
    for have, lack, cell, other in ((es, en, twin.es, twin.en), (en, es, twin.en, twin.es)):
        values = frozenset[str]().union(*lack.numbers)
        for meant, mark in have.numbers.items():
            if not meant & values:
                yield _missing("the number", mark, cell, other)


def _missing(kind: str, mark: Mark, cell: Cell, other: Cell) -> Problem:
    what = f"{kind} {' '.join(mark.written.split())} stands only in the {cell.lang} cell"
    return cell.problem(
        what, f"write it in the {other.lang} cell too (line {other.line}) or in neither", at=mark.at
    )


def _label(cell: Cell) -> str:
    return f"{cell.role or 'prose'} {cell.id or ''}".strip()
