"""Simulation answers: a policy. The trusted simulator runs here in the controller and asks the worker for each decision.

Scores are simulated seconds or requests, exact for a seed; visible seeds are the learner's to try, hidden ones are drawn from
`HIDDEN`. The mechanics are those of an analysis answer: the task's judge drives the simulator through `conversation.call`.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Any

from grader.checked import Checked
from grader.intake import Answer
from grader.kinds import analysis
from grader.session import Session
from grader.task import Task

HIDDEN = 5  # seeds beside the visible 0-2
FLOOR = 0.9  # no hidden seed may fall below this share of the threshold


def check(task: Task, answer: Answer, session: Session) -> Checked:
    return analysis.check(task, answer, session)


def score(
    conversation: Any, name: str, run: Callable[[int], float], threshold: float, seeds: Sequence[int]
) -> float:
    """Record one score case: the median over the hidden seeds must reach the threshold, and no seed fall below its floor.

    `run(seed)` returns the score, larger is better. Returns the median.
    """
    scores = [run(seed) for seed in seeds]
    median, worst = statistics.median(scores), min(scores)
    ok = median >= threshold and worst >= FLOOR * threshold
    conversation.case(name, ok, "score too low", score=median, needed=threshold, worst=worst)
    conversation.facts[name] = median
    return median


def hidden_seeds(conversation: Any) -> list[int]:
    """Seeds nobody has seen, different in every verdict; a simulation's threshold must hold for all of them."""
    return [conversation.seed % 1_000_003 + 1000 + i for i in range(HIDDEN)]
