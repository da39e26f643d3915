"""Analysis answers: plain data in, plain data out, checked by the task's trusted judge.

The task's `judge(conversation)` calls the answer through `conversation.call(*arguments)` as often as it likes and returns
`Judgement`s; what the answer returns is plain data (numbers, text, lists, tuples, dicts), never an object of its own.
"""

from __future__ import annotations

import time
from typing import Any

from grader.checked import Checked
from grader.facts import Facts, settle
from grader.failures import FAILURES, Unanswered, explain, explain_error
from grader.intake import Answer
from grader.processes import AnswerError, Process
from grader.session import Session
from grader.task import Task
from grader.verdict import CaseResult, Diagnosis
from grader.worker import decode, encode

MAX_CALLS = 2_000_000  # decisions of a long simulation


class Conversation:
    """What a judge may do with an answer. `call` raises `Raised` with the exception's type when the answer raises."""

    def __init__(self, worker: Process, task: Task, session: Session):
        self._worker, self._task = worker, task
        self.device, self.gpu, self.seed = session.device, session.gpu, session.seed
        self.cases: list[CaseResult] = []
        self.facts: dict[str, Any] = {}
        self.diagnosis: Diagnosis | None = None
        self.call_seconds = 0.0
        self.calls = 0

    def call(self, *arguments: Any, name: str | None = None, timeout_s: float | None = None) -> Any:
        """The answer's function (or another of its functions, by name) on plain data."""
        self.calls += 1
        began = time.perf_counter()
        try:
            fields = {"name": name} if name else {}
            reply, _ = self._worker.ask("evaluate", timeout_s or self._task.limit_s, args=encode(list(arguments)), **fields)
        except AnswerError as e:
            raise Raised(e.error) from e
        finally:
            self.call_seconds += time.perf_counter() - began
        try:
            return decode(reply.get("value"))
        except (ValueError, TypeError, AttributeError, RecursionError) as e:
            raise Raised({"type": "TypeError", "text": "returned a malformed value", "bases": ["TypeError"]}) from e

    def case(self, name: str, ok: bool, diagnosis: str = "mismatch", about: str = "", error: float | None = None, **facts: Any) -> bool:
        """Record one case; the first failing one becomes the verdict's diagnosis."""
        found = None if ok else Diagnosis(diagnosis, {"case": name, **facts})
        self.cases.append(CaseResult(name, ok, about, error, found))
        if found is not None and self.diagnosis is None:
            self.diagnosis = found
        return ok


class Raised(Exception):
    """The answer raised: `bases` are the names of its exception's classes."""

    def __init__(self, error: dict[str, Any]):
        super().__init__(str(error.get("type")))
        self.error = error
        self.bases = [str(b) for b in error.get("bases", ())]
        if "NotImplementedError" in self.bases:
            raise Unanswered


def check(task: Task, answer: Answer, session: Session, flavour: str = "plain") -> Checked:
    from grader.kinds.cuda import load

    done = Checked()
    with session.worker(flavour, task.memory_mb) as worker:
        try:
            load(worker, task, answer)
            session.progress(task.name, "check")
            conversation = Conversation(worker, task, session)
            began = time.perf_counter()
            try:
                task.judge(conversation)
            except Raised as e:
                conversation.diagnosis = conversation.diagnosis or explain_error(e.error, "")
            done.seconds["check"] = time.perf_counter() - began
            done.cases = conversation.cases
            done.diagnosis = conversation.diagnosis
            if done.diagnosis is None:
                done.evidence, violated = settle(task.evidence, Facts(extra=conversation.facts), session.device)
                if violated is not None:
                    done.fail(violated)
        except FAILURES as e:
            done.fail(explain(e))
        finally:
            done.printed = worker.printed()
    return done
