"""System answers: files, processes and system calls for real, in a scratch folder on a real disk that always goes away.

The task's judge gets a `conversation` as for analysis answers plus `scratch` (the folder, bound read-write into the sandbox),
`feed` and `iterate` for data that goes through an answer piece by piece, `fresh` to forget what the answer's process knows,
and what the kernel counts about its whole process tree, read by the controller from /proc: `io()` and `peak_mb()`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from grader.checked import Checked
from grader.counters import Io, forget_peak, io_of, peak_memory_mb
from grader.failures import FAILURES, explain
from grader.intake import Answer
from grader.kinds.analysis import Conversation, judge
from grader.kinds.cuda import load
from grader.limits import Limits
from grader.processes import OUTPUT_LIMIT, AnswerDied, Process, fields_of
from grader.scratch import LIMIT_ENTRIES, LIMIT_MB, Scratch
from grader.session import Session
from grader.task import Task
from grader.verdict import Diagnosis
from grader.worker import LENGTH, encode

# small beside the memory that an answer is allowed, large beside the cost of a message
BATCH_BYTES = 256 << 10
BATCH_ITEMS = 4096
LARGEST_ITEM = 64 << 20  # bytes; three times the largest sample of the course
UNUSABLE = {
    "es": "la respuesta cerró, movió o sustituyó su carpeta",
    "en": "the answer closed, moved or replaced its folder",
}


class SystemConversation(Conversation):
    """A conversation whose process gets the answer with the first request, and another one with the first after `fresh`."""

    def __init__(
        self, start: Callable[[], Process], answer: Answer, task: Task, session: Session, scratch: Scratch
    ):
        self._start, self._answer, self._folder = start, answer, scratch
        self._running = ExitStack()
        self._printed: list[str] = []
        self._loaded = False
        super().__init__(self._started(), task, session)

    @property
    def scratch(self) -> Path:
        return self._folder.folder

    def _started(self) -> Process:
        worker = self._running.enter_context(self._start())
        self._running.enter_context(self._folder.watch(worker))
        return worker

    def _ready(self) -> Process:
        if not self._loaded:
            if self._worker.closed:
                self._worker = self._started()
            load(self._worker, self._task, self._answer)
            self._loaded = True
        return self._worker

    def _ask(self, op: str, timeout_s: float | None = None, **fields: Any) -> tuple[dict[str, Any], bytes]:
        self._ready()
        return super()._ask(op, timeout_s, **fields)

    def fresh(self) -> None:
        """End the answer's processes; the next request starts one that knows nothing. In between nothing of it runs."""
        self._printed.append(self._worker.printed())
        self._running.close()
        self._loaded = False

    def printed(self) -> str:
        """What the answer printed in all of its processes, to be asked after the last `fresh`."""
        return "".join(self._printed)[:OUTPUT_LIMIT]

    def feed(self, items: Iterable[bytes], *arguments: Any, name: str | None = None) -> None:
        """Call a function of the answer with an iterable over these items, which it gets one by one, and plain data."""
        with os.fdopen(os.memfd_create("feed"), "wb") as file:
            for item in items:
                file.write(LENGTH.pack(len(item)) + item)
            file.flush()
            os.lseek(file.fileno(), 0, os.SEEK_SET)  # the worker's descriptor shares the position
            self._ask("feed", fds=(file.fileno(),), args=encode(list(arguments)), name=name)

    def iterate(self, *arguments: Any, name: str | None = None) -> Iterator[bytes]:
        """Call a function of the answer and yield the bytes objects that it yields. One iteration at a time.

        They arrive in batches, so the answer may be ahead by BATCH_BYTES or one item. Only a caller that stops ends an
        answer that yields for ever.
        """
        self._ask("iterate", args=encode(list(arguments)), name=name)
        ended = False
        while not ended:
            reply, body = self._ask("take", max_body=BATCH_BYTES + LARGEST_ITEM, batch_bytes=BATCH_BYTES,
                                    batch_items=BATCH_ITEMS)  # fmt: skip
            lengths, ended = batch(reply, len(body))
            offset = 0
            for length in lengths:
                yield body[offset : offset + length]
                offset += length

    def drain(self, *arguments: Any, name: str | None = None) -> None:
        """Iterate to the end and keep nothing: for `refuses(..., by=conversation.drain)`."""
        for _ in self.iterate(*arguments, name=name):
            pass

    def io(self) -> Io:
        """Counts of the answer's process tree since it started, our own part of it (imports) included: take differences."""
        return io_of(self._ready().popen.pid)

    def forget_peak(self) -> None:
        forget_peak(self._ready().popen.pid)

    def peak_mb(self) -> float:
        """The most memory since `forget_peak`, in MiB, of the processes that still live; mapped pages of files count."""
        return peak_memory_mb(self._ready().popen.pid)


def batch(reply: dict[str, Any], body_bytes: int) -> tuple[list[int], bool]:
    """Lengths and "ended" of a reply to `take`, checked: they come from a process that the answer may have taken over."""
    found = fields_of(reply, lengths=list, ended=bool)
    lengths, ended = found["lengths"], found["ended"]
    if (
        any(type(n) is not int or n < 0 for n in lengths)
        or sum(lengths) != body_bytes
        or len(lengths) > BATCH_ITEMS
    ):
        raise AnswerDied("a batch of other lengths than its body")
    if not lengths and not ended:
        raise AnswerDied("an empty batch before the end")
    return lengths, ended


def overrun(scratch: Scratch) -> Diagnosis | None:
    """What the answer did to its folder when the watch ended it."""
    if scratch.overrun is None:
        return None
    es = en = f"{LIMIT_MB} MB"
    if scratch.overrun == "files":
        es, en = f"{LIMIT_ENTRIES} archivos", f"{LIMIT_ENTRIES} files"
    rule = {"es": f"la carpeta creció a más de {es}", "en": f"the folder grew beyond {en}"}
    return Diagnosis("rule broken", {"rule": rule})


def check(task: Task, answer: Answer, session: Session) -> Checked:
    done = Checked()
    limits = Limits(memory_mb=task.memory_mb, file_mb=LIMIT_MB)
    with Scratch.open() as scratch:

        def start() -> Process:
            return Process("plain", session.level, limits=limits, writable=[str(scratch.folder)])

        conversation = SystemConversation(start, answer, task, session, scratch)
        try:
            session.progress(task.name, "check")
            began = time.perf_counter()
            judge(task, conversation)
            done.seconds["check"] = time.perf_counter() - began
            conversation.settle(done)
        except FAILURES as e:
            done.fail(overrun(scratch) or explain(e))
        except (PermissionError, FileExistsError, FileNotFoundError, NotADirectoryError):
            # our own calls in the folder, on what the answer left there
            done.fail(Diagnosis("rule broken", {"rule": UNUSABLE}))
        finally:
            conversation.fresh()
            done.printed = conversation.printed()
    return done
