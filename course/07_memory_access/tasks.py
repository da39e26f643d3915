"""The tasks of chapter 07 in the order of its notebook; each group of exercises has its own file."""

from __future__ import annotations

from grader.task import Task

from . import tasks_layout, tasks_pipelines, tasks_transpose

TASKS: tuple[Task, ...] = (*tasks_layout.TASKS, *tasks_transpose.TASKS, *tasks_pipelines.TASKS)
