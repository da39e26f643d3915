"""The tasks of chapter 14 in the order of its notebook; each group of exercises has its own file."""

from __future__ import annotations

from grader.task import Task

from . import tasks_graphs, tasks_triton

TASKS: tuple[Task, ...] = (*tasks_graphs.TASKS, *tasks_triton.TASKS)
