"""System answers: files, processes and system calls for real, in a scratch folder on a real disk that always goes away.

The task's judge gets a `conversation` as for analysis answers plus `scratch` (the folder, bound read-write into the sandbox)
and `io()` (bytes and calls of the worker's whole process tree, read by the controller from /proc).
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.checked import Checked
from grader.facts import Facts, settle
from grader.failures import FAILURES, explain, explain_error
from grader.intake import Answer
from grader.limits import Limits
from grader.kinds.analysis import Conversation, Raised
from grader.processes import Process
from grader.session import Session
from grader.task import Task


@dataclass(frozen=True)
class Io:
    """Counters of /proc/<pid>/io, summed over the processes of the worker: what was asked for and what the disk moved."""

    read_calls: int
    write_calls: int
    bytes_read: int  # through read(2) and friends
    bytes_written: int
    disk_bytes_read: int
    cpu_s: float

    def __sub__(self, other: Io) -> Io:
        return Io(*(getattr(self, f) - getattr(other, f) for f in self.__dataclass_fields__))


def descendants(pid: int) -> list[int]:
    found, queue = [], [pid]
    while queue:
        current = queue.pop()
        found.append(current)
        try:
            for task in os.listdir(f"/proc/{current}/task"):
                queue += [int(c) for c in Path(f"/proc/{current}/task/{task}/children").read_text().split()]
        except OSError:
            continue
    return found


def io_of(pid: int) -> Io:
    totals = dict.fromkeys(("syscr", "syscw", "rchar", "wchar", "read_bytes"), 0)
    cpu = 0.0
    tick = os.sysconf("SC_CLK_TCK")
    for one in descendants(pid):
        try:
            for line in Path(f"/proc/{one}/io").read_text().splitlines():
                key, _, value = line.partition(":")
                if key in totals:
                    totals[key] += int(value)
            fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
            cpu += sum(int(fields[i]) for i in (11, 12, 13, 14)) / tick
        except OSError:
            continue
    return Io(totals["syscr"], totals["syscw"], totals["rchar"], totals["wchar"], totals["read_bytes"], cpu)


class SystemConversation(Conversation):
    def __init__(self, worker: Process, task: Task, session: Session, scratch: Path):
        super().__init__(worker, task, session)
        self.scratch = scratch

    def io(self) -> Io:
        return io_of(self._worker.popen.pid)


def check(task: Task, answer: Answer, session: Session) -> Checked:
    from grader.kinds.cuda import load

    done = Checked()
    base = os.environ.get("GOODPUT_SCRATCH") or tempfile.gettempdir()
    scratch = Path(tempfile.mkdtemp(prefix="goodput-scratch-", dir=base))
    scratch.chmod(0o777)
    limits = Limits(memory_mb=task.memory_mb, file_mb=2048)
    try:
        with Process("plain", session.level, limits=limits, writable=[str(scratch)]) as worker:
            try:
                load(worker, task, answer)
                session.progress(task.name, "check")
                conversation = SystemConversation(worker, task, session, scratch)
                began = time.perf_counter()
                _judge(task, conversation)
                done.seconds["check"] = time.perf_counter() - began
                _collect(task, session, conversation, done)
            except FAILURES as e:
                done.fail(explain(e))
            finally:
                done.printed = worker.printed()
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return done


def _judge(task: Task, conversation: Any) -> None:
    try:
        task.judge(conversation)
    except Raised as e:
        conversation.diagnosis = conversation.diagnosis or explain_error(e.error, "")


def _collect(task: Task, session: Session, conversation: Conversation, done: Checked) -> None:
    done.cases, done.diagnosis = conversation.cases, conversation.diagnosis
    if done.diagnosis is None:
        done.evidence, violated = settle(task.evidence, Facts(extra=conversation.facts), session.device)
        if violated is not None:
            done.fail(violated)
