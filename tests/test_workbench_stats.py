"""Promises of goodput.stats: what a summary and a ratio's interval mean."""

import math
import random

import numpy
import pytest

from goodput import stats


def test_summary_agrees_with_numpy():
    values = [random.Random(7).lognormvariate(0, 1) for _ in range(31)]
    found = stats.summary(values)
    assert (found.q1, found.median, found.q3) == pytest.approx(numpy.percentile(values, [25, 50, 75]))
    assert found.n == 31
    assert found.spread == pytest.approx(found.iqr / found.median)


def test_summary_of_nothing_is_refused():
    with pytest.raises(ValueError, match="no values"):
        stats.summary([])


def test_a_drift_that_hits_both_sides_of_a_round_cancels():
    drift = [1.0, 1.3, 0.8, 2.0, 1.1, 0.9, 1.7, 1.2]
    found = stats.paired_ratio([3.0 * d for d in drift], [2.0 * d for d in drift])
    assert found.ratio == pytest.approx(1.5)
    assert found.floored, "rounds without any noise must not give an interval without width"
    assert found.high / found.ratio == pytest.approx(
        math.exp(1.96 * stats.NOISE_FLOOR / math.sqrt(8)), rel=1e-4
    )


def test_swapping_before_and_after_inverts_the_ratio():
    before, after = [3.0, 3.3, 2.9, 3.1], [2.0, 2.1, 2.2, 1.9]
    there, back = stats.paired_ratio(before, after), stats.paired_ratio(after, before)
    assert there.ratio == pytest.approx(1 / back.ratio)
    assert there.low == pytest.approx(1 / back.high)


def test_the_interval_covers_the_truth_as_often_as_it_says():
    rng = random.Random(11)
    truth, hits, trials = math.log(1.2), 0, 2000
    for _ in range(trials):
        found = stats.ratio_interval([rng.gauss(truth, 0.02) for _ in range(8)], confidence=0.95, floor=0.0)
        hits += found.low <= 1.2 <= found.high
    assert abs(hits / trials - 0.95) < 0.015  # three standard errors of 2000 coin tosses


@pytest.mark.parametrize(("before", "after"), [([1.0], [1.0, 2.0]), ([1.0, 0.0], [1.0, 1.0]), ([1.0], [1.0])])
def test_rounds_that_are_no_pairs_are_refused(before, after):
    with pytest.raises(ValueError):
        stats.paired_ratio(before, after)
