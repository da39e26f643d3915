"""Is the answer faster than the threshold? A group-sequential rule over blocks of paired rounds.

Takes an object that can time one round (`Windows`), a threshold on the ratio baseline / answer, and the noise of this kind
of machine; returns a decision with its interval. It knows no GPU, no process and no clock, so the same code runs on a seeded
simulated clock in the tests, which is how its error rates are checked.

Method: rounds run A B B A or B A A B, one log-ratio each; the median of the rounds of a block is one observation; a block
re-allocates everything. After 4, 6, 8 and 12 blocks the mean is compared with the threshold, each look at level
`ALPHA / len(LOOKS)` (Bonferroni over the looks, so the whole race errs with probability <= ALPHA per side). The half-width is
the larger of Student's t with the spread that was seen and the normal quantile with the noise floor s0, because four blocks
can agree by luck; the guard g covers the bias that a whole session can have and no number of blocks averages out.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from functools import cache
from typing import Literal, Protocol

LOOKS = (4, 6, 8, 12)
ROUNDS = 4  # per block: medians of four spread by 0.15 % on an H200 (measured/); eight were not compared
ALPHA = 1e-3  # the bar: false pass and false fail at most one in a thousand
Decision = Literal["passed", "slow", "too_close"]


@dataclass(frozen=True)
class Noise:
    """Spread between blocks (s0) and bias of a session (g), both as standard log-ratios, from baseline-against-itself runs."""

    s0: float
    g: float
    source: str


@dataclass(frozen=True)
class Round:
    """Seconds per call in the four windows of a round: two of the baseline, two of the answer."""

    baseline_s: tuple[float, float]
    answer_s: tuple[float, float]

    @property
    def log_ratio(self) -> float:
        return 0.5 * math.log(self.baseline_s[0] * self.baseline_s[1] / (self.answer_s[0] * self.answer_s[1]))


class Windows(Protocol):
    """What a race needs from a clock, real or simulated."""

    def new_block(self, index: int) -> None:
        """Re-allocate everything that the two sides touch."""
        ...

    def round(self, baseline_first: bool) -> Round:
        """Time baseline, answer, answer, baseline (or the reverse)."""
        ...

    def disturbed(self) -> tuple[str, ...]:
        """Reasons why this machine cannot be trusted since the last call; empty when it can."""
        ...


@dataclass(frozen=True)
class Result:
    decision: Decision
    ratio: float
    low: float
    high: float
    blocks: tuple[float, ...]  # log-ratio of each block
    baseline_s: float  # per call, median over the windows
    answer_s: float
    disturbed: tuple[str, ...]


@cache
def _t_quantile(level: float, freedom: int) -> float:
    from scipy.stats import t

    return float(t.ppf(level, freedom))


def half_width(blocks: list[float], noise: Noise, alpha: float = ALPHA) -> float:
    """Half-width of the interval for the mean log-ratio at one look."""
    level = 1 - alpha / len(LOOKS)
    spread = statistics.stdev(blocks)
    seen = _t_quantile(level, len(blocks) - 1) * spread
    floor = statistics.NormalDist().inv_cdf(level) * noise.s0
    return max(seen, floor) / math.sqrt(len(blocks)) + noise.g


def decide(blocks: list[float], threshold: float, noise: Noise) -> tuple[Decision, float, float]:
    """Decision, lower and upper bound of the ratio after the blocks so far."""
    mean, half = statistics.fmean(blocks), half_width(blocks, noise)
    low, high = math.exp(mean - half), math.exp(mean + half)
    if low >= threshold:
        return "passed", low, high
    if high < threshold:
        return "slow", low, high
    return "too_close", low, high


def race(
    windows: Windows, threshold: float, noise: Noise, rounds: int = ROUNDS, looks: tuple[int, ...] = LOOKS
) -> Result:
    """Run blocks until the interval clears the threshold or the last look is reached."""
    blocks: list[float] = []
    baseline: list[float] = []
    answer: list[float] = []
    reasons: list[str] = []
    decision: Decision = "too_close"
    low, high = 0.0, math.inf
    for look in looks:
        while len(blocks) < look:
            windows.new_block(len(blocks))
            ratios = []
            for index in range(rounds):
                one = windows.round(baseline_first=(index + len(blocks)) % 2 == 0)
                ratios.append(one.log_ratio)
                baseline += one.baseline_s
                answer += one.answer_s
            blocks.append(statistics.median(ratios))
            reasons += [r for r in windows.disturbed() if r not in reasons]
        decision, low, high = decide(blocks, threshold, noise)
        if decision != "too_close":
            break
    return Result(decision, math.exp(statistics.fmean(blocks)), low, high, tuple(blocks), statistics.median(baseline),
                  statistics.median(answer), tuple(reasons))  # fmt: skip
