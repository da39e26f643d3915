"""Samples -> summary; paired samples -> ratio and its interval.

Takes plain numbers, returns frozen records in the unit of the numbers. Knows nothing of clocks. There is no
bootstrap: with eight rounds a resampled interval is too narrow, while the t interval below is right as soon
as log-ratios are roughly symmetric, which pairing takes care of.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

# Standard deviation, in log-ratio, that one round of anything against itself shows on a quiet machine: 0.4 %.
# Eight rounds can agree better than that by luck; the interval must not believe them.
NOISE_FLOOR = 0.004


@dataclass(frozen=True)
class Summary:
    """Median and quartiles of n values, in their unit."""

    median: float
    q1: float
    q3: float
    n: int

    @property
    def iqr(self) -> float:
        return self.q3 - self.q1

    @property
    def spread(self) -> float:
        """Interquartile range over the median: a ratio without unit."""
        return self.iqr / abs(self.median) if self.median else math.inf


@dataclass(frozen=True)
class Ratio:
    """A ratio of times with its confidence interval. `floored`: the noise floor, not the rounds, set the
    width."""

    ratio: float
    low: float
    high: float
    rounds: int
    confidence: float
    floored: bool

    def __str__(self) -> str:
        return f"{self.ratio:.3f} [{self.low:.3f}, {self.high:.3f}]"


def summary(values: Sequence[float]) -> Summary:
    """Median, first and third quartile (linear interpolation, as numpy's default) and count; ValueError when
    empty.

    Median and quartiles, not mean and standard deviation: times have a floor and a long tail, and one
    interrupted window would move a mean.
    """
    if not values:
        raise ValueError("no values to summarise")
    if len(values) == 1:
        return Summary(values[0], values[0], values[0], 1)
    q1, median, q3 = statistics.quantiles(values, n=4, method="inclusive")
    return Summary(median, q1, q3, len(values))


def paired_ratio(
    before: Sequence[float], after: Sequence[float], *, confidence: float = 0.95, floor: float = NOISE_FLOOR
) -> Ratio:
    """Speedup before / after from rounds measured side by side: `before[i]` and `after[i]` share round i.

    What disturbs a round (clock, temperature, a neighbour) multiplies both of its times and cancels in their
    ratio, so the ratio is taken inside each round and averaged as a logarithm: twice as fast and half as fast
    are then equally far from 1.
    """
    if len(before) != len(after):
        raise ValueError(f"rounds must be paired: {len(before)} before, {len(after)} after")
    if min((*before, *after), default=1.0) <= 0:
        raise ValueError("times must be positive")
    return ratio_interval(
        [math.log(b / a) for b, a in zip(before, after, strict=True)], confidence=confidence, floor=floor
    )


def ratio_interval(
    log_ratios: Sequence[float], *, confidence: float = 0.95, floor: float = NOISE_FLOOR
) -> Ratio:
    """exp(mean +- h) of log-ratios, with h = max(t * s, z * floor) / sqrt(n).

    t is Student's quantile for n - 1 degrees of freedom (s is estimated from few rounds), z the normal one
    (the floor is known). Source: the t interval of any statistics text, on logarithms as for ratios of
    performance.
    """
    n = len(log_ratios)
    if n < 2:
        raise ValueError(f"an interval needs at least two rounds, got {n}")
    from scipy.special import (
        stdtrit,  # Student's quantile; imported here because scipy costs every start 0.1 s
    )

    tail = (1 + confidence) / 2
    measured = float(stdtrit(n - 1, tail)) * statistics.stdev(log_ratios)
    least = statistics.NormalDist().inv_cdf(tail) * floor
    centre, half_width = statistics.fmean(log_ratios), max(measured, least) / math.sqrt(n)
    return Ratio(
        math.exp(centre),
        math.exp(centre - half_width),
        math.exp(centre + half_width),
        n,
        confidence,
        least > measured,
    )
