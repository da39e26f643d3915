"""Report -> the roofline of the whole run as inline SVG: every measured answer under the ceilings of this machine.

Takes a report and a language; returns SVG text, or None where no ceilings or no measured answers are in the report.
"""

from __future__ import annotations

import math

from goodput.machine.ceiling import Ceilings
from goodput.roofline import Position, svg
from grader.numbers import Lang
from grader.report_schema import ExerciseRecord, Report


def roofline_svg(report: Report, lang: Lang) -> str | None:
    """One dot per exercise that was measured; None where there is nothing to draw it with."""
    positions = [_position(exercise) for exercise in report.exercises if _believable(exercise)]
    if report.ceilings is None or not positions:
        return None
    ceilings = Ceilings.from_json(report.ceilings)
    return svg(positions, ceilings, lang) if ceilings.precisions and ceilings.get("copy_gb_per_s") else None


def _believable(exercise: ExerciseRecord) -> bool:
    """Measured, and not held because it lies above the roof, where a dot would only stretch the picture."""
    return exercise.roofline is not None and exercise.roofline.seconds > 0 and exercise.outcome != "review"


def _position(exercise: ExerciseRecord) -> Position:
    at = exercise.roofline
    assert at is not None
    compute = at.ceiling.endswith("flop_per_s")
    return Position(
        label=exercise.name,
        bytes_moved=at.bytes_moved,
        flop=at.flop,
        seconds=at.seconds,
        intensity_flop_per_byte=at.flop / at.bytes_moved if at.bytes_moved else math.inf,
        gb_per_s=at.gb_per_s,
        tflop_per_s=at.flop / at.seconds / 1e12,
        fraction=at.fraction,
        bound="compute" if compute else "memory",
        ceiling=at.ceiling,
        ceiling_value=at.ceiling_value,
    )
