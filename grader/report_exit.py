"""Report -> the exit code of the command line.

0  every answered exercise passed
1  something failed
2  unusable input: a file that could not be read, or nothing to grade
3  could not be graded: the machine or the grader, or it waits for a person

Unusable input comes first because the rest of the report is then incomplete; a failure comes before "could not be graded"
because running again does not change it. `too_close` is 1: the exercise lacks a pass, although it is not recorded as a failure
and loses no point for correctness. `review` is 3. `unanswered` and `not_available` alone are 0.
"""

from __future__ import annotations

from typing import Literal

from grader.report_schema import Report

_LACKS_A_PASS = frozenset({"incorrect", "slow", "too_close", "error"})
_UNDECIDED = frozenset({"not_graded", "review"})


def exit_code(report: Report) -> Literal[0, 1, 2, 3]:
    outcomes = {exercise.outcome for exercise in report.exercises}
    if report.problems or not report.exercises:
        return 2
    if outcomes & _LACKS_A_PASS:
        return 1
    return 3 if outcomes & _UNDECIDED else 0
