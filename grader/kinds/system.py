"""System answers: files, processes and system calls for real, in a scratch folder on a real disk that always goes away.

The task's judge gets a `conversation` as for analysis answers plus `scratch` (the folder, bound read-write into the sandbox)
and `io()` (bytes and calls of the worker's whole process tree, read by the controller from /proc).
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path

from grader.checked import Checked
from grader.counters import Io, io_of
from grader.failures import FAILURES, explain
from grader.intake import Answer
from grader.kinds.analysis import Conversation, judge
from grader.limits import Limits
from grader.processes import Process
from grader.session import Session
from grader.task import Task


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
                judge(task, conversation)
                done.seconds["check"] = time.perf_counter() - began
                conversation.settle(done)
            except FAILURES as e:
                done.fail(explain(e))
            finally:
                done.printed = worker.printed()
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return done
