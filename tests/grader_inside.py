"""Runs a piece of hostile Python in a worker of its own and brings back what it saw or how it ended."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path
from typing import Any

import psutil
import pytest

from grader import sandbox
from grader.limits import Limits
from grader.processes import Process
from grader.worker import decode, encode

LIMIT_S = 60.0  # of a step that ends by itself; generous, since the machine may be busy


def need_sandbox() -> None:
    try:
        sandbox.available()
    except sandbox.SandboxUnavailable as e:
        pytest.skip(f"no sandbox here: {e.reason}")


def inside(body: str, *arguments: Any, level: sandbox.Level = "sandbox", limits: Limits | None = None,
           timeout_s: float = LIMIT_S) -> Any:  # fmt: skip
    """The result of a function with this body; `a` holds the arguments."""
    source = "def f(*a):\n" + textwrap.indent(textwrap.dedent(body), "    ")
    with Process("plain", level, limits=limits) as worker:
        worker.ask("load", LIMIT_S, cells=[["answer", source]], function="f")
        reply, _ = worker.ask("evaluate", timeout_s, args=encode(list(arguments)))
        return decode(reply["value"])


def children_of_ours() -> list[str]:
    """Command lines of the processes below this one that could be a worker's."""
    found = psutil.Process().children(recursive=True)
    lines = [" ".join(p.cmdline()) for p in found if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]
    return [line for line in lines if "grader." in line or "bwrap" in line or "/program" in line]


def groups_of_ours() -> list[str]:
    return [str(p) for p in Path("/sys/fs/cgroup").glob(f"**/goodput-{os.getpid()}-*")]


def running_with(text: str) -> list[str]:
    """Command lines of any process on the machine that hold the text."""
    found = []
    for process in psutil.process_iter():
        try:
            line = " ".join(process.cmdline())
        except psutil.Error:
            continue
        if text in line and process.pid != os.getpid():
            found.append(line)
    return found
