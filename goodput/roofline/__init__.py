"""Bytes, FLOP and time -> where a measurement stands under this machine's ceilings, and the picture of it.

`position` computes; `plot` draws with matplotlib for notebooks; `svg` writes a self-contained string for HTML
reports.
"""

from goodput.roofline.position import Position, ridge_flop_per_byte, roof_flop_per_s
from goodput.roofline.position import position as position
from goodput.roofline.svg import svg

__all__ = ["Position", "plot", "position", "ridge_flop_per_byte", "roof_flop_per_s", "svg"]


def plot(points, ceilings, lang=None):
    """Log-log roofline of `ceilings` with labelled `points` (sequence of Position), as a figure; see
    goodput.show."""
    from goodput.show.roofline_figure import draw  # matplotlib only when somebody wants a picture

    return draw(points, ceilings, lang)
