"""Bytes, FLOP and time -> where a measurement stands under this machine's ceilings, and the picture of it.

`predict` says before a measurement what a call must cost at least; `position` places one that was measured;
`plot` draws with matplotlib for notebooks; `svg` writes a self-contained string for HTML reports.
"""

from goodput.roofline.position import Position, ridge_flop_per_byte, roof_flop_per_s
from goodput.roofline.position import position as position
from goodput.roofline.prediction import Prediction, predict
from goodput.roofline.svg import svg

__all__ = [
    "Position",
    "Prediction",
    "plot",
    "position",
    "predict",
    "ridge_flop_per_byte",
    "roof_flop_per_s",
    "svg",
]


def plot(points, ceilings, lang=None, *, note=""):
    """Log-log roofline of `ceilings` with labelled `points` (sequence of Position), as a figure; see
    goodput.show. note: where the numbers come from, under the chart."""
    from goodput.show.roofline_figure import draw  # matplotlib only when somebody wants a picture

    return draw(points, ceilings, lang, note=note)
