"""The race keeps its promised error rates on a clock whose truth is known."""

import math

import pytest
from simulated_clock import SimulatedWindows

from grader.race import LOOKS, Noise, decide, half_width, race

NOISE = Noise(s0=0.002, g=0.002, source="simulated")
THRESHOLD = 1.5


def outcomes(relative, count, **faults):
    """Decisions for answers whose true ratio is `relative` x threshold."""
    return [
        race(SimulatedWindows(THRESHOLD * relative, seed, **faults), THRESHOLD, NOISE).decision
        for seed in range(count)
    ]


@pytest.mark.parametrize(
    "faults", [{}, {"session_sd": 0.001}, {"outliers": 0.01}, {"drift": 1e-4}, {"round_sd": 0.02}]
)
def test_answers_well_above_pass_and_well_below_never_do(faults):
    assert set(outcomes(1.10, 60, **faults)) == {"passed"}
    assert "passed" not in outcomes(0.95, 60, **faults)


def test_frequent_interruptions_cost_a_decision_but_never_turn_it():
    assert set(outcomes(1.10, 60, outliers=0.05)) <= {"passed", "too_close"}
    assert set(outcomes(0.95, 60, outliers=0.05)) <= {"slow", "too_close"}


def test_false_pass_at_five_percent_below_stays_under_one_in_a_thousand():
    assert outcomes(0.95, 1000).count("passed") <= 1


def test_an_answer_at_the_threshold_is_called_neither_way_often():
    seen = outcomes(1.0, 200)
    assert seen.count("too_close") >= 190
    assert seen.count("passed") <= 2 and seen.count("slow") <= 2


def test_the_same_truth_never_gets_both_pass_and_fail():
    for relative in (0.97, 0.99, 1.01, 1.03):
        assert not {"passed", "slow"} <= set(outcomes(relative, 60, session_sd=0.001))


def test_four_blocks_that_agree_by_luck_do_not_shrink_the_interval_below_the_floor():
    assert half_width([0.4, 0.4, 0.4, 0.4], NOISE) > 0.003


def test_clear_cases_stop_at_the_first_look_and_close_ones_use_the_last():
    assert len(race(SimulatedWindows(3.0, 1), THRESHOLD, NOISE).blocks) == LOOKS[0]
    assert len(race(SimulatedWindows(THRESHOLD, 1), THRESHOLD, NOISE).blocks) == LOOKS[-1]


def test_disturbance_is_reported_and_does_not_change_the_decision():
    result = race(SimulatedWindows(3.0, 1, faults=("thermal",)), THRESHOLD, NOISE)
    assert result.disturbed == ("thermal",) and result.decision == "passed"


def test_bounds_are_around_the_ratio():
    decision, low, high = decide([math.log(1.6)] * 4, 1.5, NOISE)
    assert decision == "passed" and low < 1.6 < high
