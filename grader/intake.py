"""Any file that claims to be a submitted notebook -> the answers in it. Executes nothing, believes nothing.

Takes bytes and the released skeleton; returns `Submission`: for each exercise its source (or that it is missing), the helper
cells it needs, and notes about what was odd. Only answer cells count; locked cells, points, outputs and other metadata of the
submission are ignored and their tampering is noted. Malformed input has a defined outcome and never raises.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from grader import course
from grader.helpers import CellMagic, needed, without_checks, without_magics

MAX_BYTES = 192 << 20  # a notebook with 100 MB of saved output is still read; the output is dropped
MAX_CELL_CHARS = 300_000  # the longest solution of the course has 9 kB
MAX_HELPERS = 200
MAX_HELPER_CHARS = 1_000_000  # of all of them: reading a megabyte of Python takes about a second


@dataclass(frozen=True)
class Answer:
    """The cells to run for one exercise, helper cells first; `source` None: there is no answer cell."""

    name: str
    source: str | None
    helpers: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Submission:
    """`problem` is set when nothing could be taken; `answers` then says "missing" for every exercise."""

    chapter: str
    lang: str
    answers: dict[str, Answer]
    notes: tuple[str, ...] = ()
    problem: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)


def read_cells(raw: bytes) -> tuple[list[dict[str, Any]], dict[str, Any], str | None]:
    """(cells, metadata, problem) of a notebook in format 4 or 3."""
    if len(raw) > MAX_BYTES:
        return [], {}, "too large"
    try:
        data = json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return [], {}, "not json"
    if not isinstance(data, dict):
        return [], {}, "not a notebook"
    cells = data.get("cells")
    if cells is None and isinstance(data.get("worksheets"), list):
        sheets = [s for s in data["worksheets"] if isinstance(s, dict)]
        cells = [c for s in sheets if isinstance(s.get("cells"), list) for c in s["cells"]]
    if not isinstance(cells, list):
        return [], {}, "not a notebook"
    metadata = data.get("metadata")
    return [c for c in cells if isinstance(c, dict)], metadata if isinstance(metadata, dict) else {}, None


def text_of(cell: dict[str, Any]) -> str:
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    # JSON can spell half of a surrogate pair, which no file and no channel can carry
    return source.encode("utf-8", "replace").decode() if isinstance(source, str) else ""


def label_of(cell: dict[str, Any]) -> list[str]:
    """What the cell calls itself: nbgrader's grade_id first, then the cell id."""
    metadata = cell.get("metadata")
    info = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    labels = [info.get("grade_id") if isinstance(info, dict) else None, cell.get("id")]
    return [x for x in labels if isinstance(x, str)]


def guess_chapter(cells: Iterable[dict[str, Any]], metadata: dict[str, Any]) -> str | None:
    """The chapter whose exercises the cells name; metadata is a hint, not a proof."""
    labels = {label for cell in cells for label in label_of(cell)}
    best = max(course.chapters(), key=lambda c: len(labels & {t.name for t in course.tasks(c)}), default=None)
    if best and labels & {t.name for t in course.tasks(best)}:
        return best
    said = metadata.get("goodput")
    named = said.get("chapter") if isinstance(said, dict) else None
    return named if named in course.chapters() else None


def take(raw: bytes, chapter: str | None = None) -> Submission:
    """The submission in `raw`; `chapter` (folder name) when the caller knows it."""
    cells, metadata, problem = read_cells(raw)
    said = metadata.get("goodput")
    lang = said.get("lang") if isinstance(said, dict) else None
    lang = lang if lang in course.LANGUAGES else "es"
    if problem is None:
        found = guess_chapter(cells, metadata)
        if found is None or (chapter is not None and found != chapter):
            problem = "empty notebook" if not cells else "another course"
        chapter = chapter or found
    if chapter is None or problem is not None:
        names = [t.name for t in course.tasks(chapter)] if chapter else []
        return Submission(chapter or "", lang, {n: Answer(n, None) for n in names}, problem=problem)
    return _sort(cells, chapter, lang)


def _sort(cells: list[dict[str, Any]], chapter: str, lang: str) -> Submission:
    skeletons = [course.notebook("exercises", each, chapter) for each in course.LANGUAGES]
    starters = course.answer_cells(skeletons[0])
    ours = {course.cell_text(c) for s in skeletons for c in s["cells"]}
    known = {label for s in skeletons for c in s["cells"] for label in label_of(c)} - set(starters)
    taken: dict[str, str] = {}
    notes: dict[str, list[str]] = {name: [] for name in starters}
    helpers: list[str] = []
    room = MAX_HELPER_CHARS
    tampered = False
    for cell in cells:
        labels, source = label_of(cell), text_of(cell)
        name = next((x for x in labels if x in starters), None)
        if name is None:
            if any(x in known for x in labels):
                tampered |= cell.get("cell_type") == "code" and source not in ours
            elif (
                cell.get("cell_type") == "code"
                and source.strip()
                and source not in ours
                and len(helpers) < MAX_HELPERS
            ):
                helpers.append(source if len(source) <= min(MAX_CELL_CHARS, room) else "")
                room -= len(helpers[-1])
            continue
        if len(source) > MAX_CELL_CHARS:
            notes[name].append("cell too long")
            source = source[:MAX_CELL_CHARS]
        if name in taken:
            notes[name].append("duplicated answer cell")
        if name not in taken or source.strip() != starters[name].strip():
            taken[name] = source  # of several cells the last one that was worked on counts
    answers = {name: answer_of(name, taken.get(name), helpers, notes[name]) for name in starters}
    return Submission(chapter, lang, answers, notes=("tampered cell",) if tampered else ())


def answer_of(name: str, source: str | None, helpers: list[str], notes: Iterable[str] = ()) -> Answer:
    """An answer cell with those of the other cells that it needs, ready to run."""
    notes = list(notes)
    if source is None:
        return Answer(name, None, (), (*notes, "missing answer cell"))
    try:
        source, magics = without_magics(source)
    except CellMagic:
        return Answer(name, source, (), (*notes, "cell magic"))
    if magics:
        notes = [*notes, "magic ignored"]
    source = without_checks(source)
    return Answer(
        name, source, tuple(map(without_checks, needed(source, helpers))), tuple(dict.fromkeys(notes))
    )
