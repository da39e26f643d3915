"""The geometry that both pictures of a roofline share: ranges, roofs, points and where their labels fit.

Takes positions and ceilings, returns numbers in the units of the axes; `place_labels` works in the pixels of
whoever draws. Knows neither matplotlib nor SVG.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from goodput.machine.ceiling import Ceilings
from goodput.roofline.position import Position, ridge_flop_per_byte

TEXTS = {
    "title": {"es": "Roofline de {name}", "en": "Roofline of {name}"},
    "x": {"es": "Intensidad aritmética (FLOP/byte)", "en": "Arithmetic intensity (FLOP/byte)"},
    "y": {"es": "Rendimiento ({unit})", "en": "Performance ({unit})"},
    "copy": {"es": "copia", "en": "copy"},
    "read": {"es": "lectura", "en": "read"},
    "l2": {"es": "L2", "en": "L2"},
    "no flop": {"es": "sin FLOP", "en": "no FLOP"},
    "no bytes": {"es": "sin bytes", "en": "no bytes"},
    "of the roof": {"es": "del techo", "en": "of the roof"},
}


@dataclass(frozen=True)
class Dot:
    """A point: x in FLOP/byte, y in `Layout.unit`. `aside` names why it stands at the edge of the picture, if
    it does."""

    x: float
    y: float
    label: str
    fraction: float
    bound: str
    aside: str = ""


@dataclass(frozen=True)
class Layout:
    unit: str  # of y: "TFLOP/s" or "GFLOP/s"
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    slopes: tuple[tuple[str, float], ...]  # traffic, and the y it allows per FLOP/byte
    roofs: tuple[tuple[str, float], ...]  # precision, and its y; lowest first
    dots: tuple[Dot, ...]

    @property
    def highest(self) -> float:
        return self.roofs[-1][1]


def layout(points: Sequence[Position], ceilings: Ceilings) -> Layout:
    """Ranges that hold every ridge and every point, with room for labels."""
    unit, per_unit = ("TFLOP/s", 1e12) if ceilings.device == "cuda" else ("GFLOP/s", 1e9)
    if not ceilings.precisions:
        raise ValueError("no matrix-product rate was measured on this device, so there is no roof to draw")
    used = {p.ceiling.removesuffix("_gb_per_s") for p in points if p.bound == "memory"} | {"copy"}
    slopes = tuple((traffic, ceilings.bytes_per_s(traffic) / per_unit) for traffic in sorted(used))
    roofs = tuple((precision, ceilings.flop_per_s(precision) / per_unit) for precision in ceilings.precisions)

    ridges = [ridge_flop_per_byte(ceilings, precision) for precision, _ in roofs]
    inside = [p.intensity_flop_per_byte for p in points if 0 < p.intensity_flop_per_byte < math.inf]
    left = _power_of_ten_below(min([ridges[0] / 20, *(x / 2 for x in inside)]))
    right = _power_of_ten_above(max([ridges[-1] * 3, *(x * 3 for x in inside)]))

    dots = []
    for point in points:
        x, aside = point.intensity_flop_per_byte, ""
        y = point.flop / point.seconds / per_unit
        if (
            point.flop == 0
        ):  # on a log axis it has no place; its height over the left edge still shows its bandwidth
            x, aside = left * 1.25, "no flop"
            y = x * point.gb_per_s * 1e9 / per_unit
        elif point.bytes_moved == 0:
            x, aside = right / 1.25, "no bytes"
        dots.append(Dot(x, y, point.label, point.fraction, point.bound, aside))
    lowest = min([left * slopes[0][1], *(dot.y for dot in dots)])
    return Layout(unit, (left, right), (lowest / 2, roofs[-1][1] * 3), slopes, roofs, tuple(dots))


@dataclass(frozen=True)
class SlopeLabel:
    """Traffics whose bandwidths are too close to label apart, the slope to write along, and where (0-1) there
    is room."""

    names: tuple[str, ...]
    slope: float
    at: float
    above: bool


def slope_labels(drawn: Layout) -> list[SlopeLabel]:
    """One label per group of bandwidths within 1.6 x of each other, written where the dots are farthest
    away."""
    groups: list[list[tuple[str, float]]] = []
    for traffic, slope in sorted(drawn.slopes, key=lambda named: named[1]):
        if groups and slope < 1.6 * groups[-1][0][1]:
            groups[-1].append((traffic, slope))
        else:
            groups.append([(traffic, slope)])
    labels = []
    for rank, group in enumerate(groups):
        slope = group[0][1]
        low = math.log(max(drawn.x_range[0], drawn.y_range[0] / slope))
        high = math.log(drawn.highest / slope)
        dots = [
            math.log(min(max(dot.x, math.exp(low)), math.exp(high)))
            for dot in drawn.dots
            if dot.bound == "memory"
        ]
        room = {
            at: min([abs(low + at * (high - low) - x) for x in dots], default=1.0)
            for at in (0.5, 0.6, 0.7, 0.35, 0.25)
        }
        labels.append(
            SlopeLabel(
                tuple(n for n, _ in group),
                slope,
                max(room, key=lambda at: room[at]),
                rank > 0 or len(groups) == 1,
            )
        )
    return labels


def spread_apart(heights: Sequence[float], gap: float) -> list[float]:
    """Heights (rising) moved as little as a simple rule can so that neighbours are `gap` apart."""
    placed = list(heights)
    for _ in range(50):  # settles in a few passes; five roofs at most
        for i in range(1, len(placed)):
            lack = gap - (placed[i] - placed[i - 1])
            if lack > 1e-6:
                placed[i - 1] -= lack / 2
                placed[i] += lack / 2
    return placed


def number(value: float) -> str:
    """Three significant digits without an exponent: 4235 -> "4235", 50.85 -> "50.9", 0.0312 -> "0.0312"."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.3g}"


def place_labels(
    dots: Sequence[tuple[float, float]],
    widths: Sequence[float],
    height: float,
    bounds: tuple[float, float, float, float],
    radius: float,
    taken: Sequence[tuple[float, float, float, float]] = (),
) -> list[tuple[float, float]]:
    """Lower-left corners of labels near their dots (y upwards), each where it covers least of what is already
    there.

    Tries right, left, below and above, then farther away. `taken` and `bounds` are boxes (x0, y0, x1, y1).
    """
    boxes = [(x - radius, y - radius, x + radius, y + radius) for x, y in dots] + list(taken)
    corners = []
    for (x, y), width in zip(dots, widths, strict=True):
        best, least = (x, y), math.inf
        for step in range(1, 6):
            away = radius + 3 + (step - 1) * height * 0.9
            for dx, dy in (
                (away, -height / 2), (-away - width, -height / 2), (-width / 2, -away - height), (-width / 2, away),
                (radius, -away - height), (-width - radius, away), (radius, away), (-width - radius, -away - height),
            ):  # fmt: skip
                box = (x + dx, y + dy, x + dx + width, y + dy + height)
                covered = (
                    sum(_overlap(box, other) for other in boxes) + 3 * _outside(box, bounds) + step * height
                )
                if covered < least:
                    best, least = (box[0], box[1]), covered
        corners.append(best)
        boxes.append((best[0], best[1], best[0] + width, best[1] + height))
    return corners


def leader_end(
    dot: tuple[float, float], corner: tuple[float, float], width: float, height: float
) -> tuple[float, float] | None:
    """Where a line from a dot to its label must end, or None where the label is so near that none is
    needed."""
    x = min(max(dot[0], corner[0]), corner[0] + width)
    y = min(max(dot[1], corner[1]), corner[1] + height)
    return (x, y) if math.hypot(x - dot[0], y - dot[1]) > height else None


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    return max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))


def _outside(box: tuple[float, ...], bounds: tuple[float, ...]) -> float:
    area = (box[2] - box[0]) * (box[3] - box[1])
    return area - _overlap(box, bounds)


def _power_of_ten_below(value: float) -> float:
    return 10.0 ** math.floor(math.log10(value))


def _power_of_ten_above(value: float) -> float:
    return 10.0 ** math.ceil(math.log10(value))
