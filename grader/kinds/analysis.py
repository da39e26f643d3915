"""Analysis answers: plain data in, plain data out, checked by the task's trusted judge.

The task's `judge(conversation)` calls the answer through `conversation.call(*arguments)` as often as it likes and returns
`Judgement`s; what the answer returns is plain data (numbers, text, lists, tuples, dicts), never an object of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from grader.checked import Checked
from grader.counters import io_of
from grader.facts import Facts, settle
from grader.failures import FAILURES, Unanswered, explain, explain_error
from grader.intake import Answer
from grader.judge import conclude
from grader.processes import AnswerError, AnswerTimeout, Process
from grader.session import Session
from grader.task import Task
from grader.verdict import CaseResult, Diagnosis
from grader.worker import decode, encode

CHECK_FIRST = {"es": "Comprueba los argumentos antes de empezar a trabajar con ellos",
               "en": "Check the arguments before you start to work with them"}  # fmt: skip

# of all calls together: thousands of decisions, each just within its limit, must end too
CONVERSATION_LIMIT_S = 300.0


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
        reply, _ = self._ask("evaluate", timeout_s, args=encode(list(arguments)), name=name)
        try:
            return decode(reply.get("value"))
        except (ValueError, TypeError, AttributeError, RecursionError) as e:
            raise Raised(
                {"type": "TypeError", "text": "returned a malformed value", "bases": ["TypeError"]}
            ) from e

    def _ask(self, op: str, timeout_s: float | None = None, **fields: Any) -> tuple[dict[str, Any], bytes]:
        """One request to the worker within the limit of a call and of all calls together."""
        self.calls += 1
        left_s = CONVERSATION_LIMIT_S - self.call_seconds
        if left_s <= 0:
            raise AnswerTimeout(CONVERSATION_LIMIT_S)
        began = time.perf_counter()
        try:
            return self._worker.ask(op, min(timeout_s or self._task.limit_s, left_s), **fields)
        except AnswerError as e:
            raise Raised(e.error) from e
        finally:
            self.call_seconds += time.perf_counter() - began

    def cpu_s(self) -> float:
        """CPU seconds that the answer's process tree has used so far."""
        return io_of(self._worker.popen.pid).cpu_s

    def case(self, name: str, ok: bool, diagnosis: str = "mismatch", about: str = "", error: float | None = None,
             **facts: Any) -> bool:  # fmt: skip
        """Record one case; the first failing one becomes the verdict's diagnosis (see judge.conclude for `about`)."""
        found = None if ok else Diagnosis(diagnosis, {"case": name} | facts)
        self.cases.append(CaseResult(name, ok, about, error, found))
        return ok

    def refuses(self, name: str, *arguments: Any, raises: tuple[str, ...] = ("ValueError",),
                function: str | None = None, by: Callable[..., Any] | None = None,
                hint: dict[str, str] | None = None) -> bool:  # fmt: skip
        """Record one unusable input: the call (`by`: another way to call) must raise one of the named exceptions."""
        got = "nothing"
        try:
            (by or self.call)(*arguments, name=function)
        except Raised as e:
            if any(one in e.bases for one in raises):
                return self.case(f"bad input: {name}", True)
            got = str(e.error.get("type"))[:80]
        facts = {"case": name, "want": " or ".join(raises), "got": got, "hint": hint or CHECK_FIRST}
        return self.case(f"bad input: {name}", False, "bad input accepted", **facts)

    def settle(self, done: Checked) -> None:
        """The cases so far and what they mean together; then the evidence, if all is well."""
        done.cases = self.cases
        done.diagnosis = self.diagnosis or conclude(self.cases)
        if done.diagnosis is None:
            done.evidence, violated = settle(self._task.evidence, Facts(extra=self.facts), self.device)
            if violated is not None:
                done.fail(violated)


class Raised(Exception):
    """The answer raised: `bases` are the names of its exception's classes."""

    def __init__(self, error: dict[str, Any]):
        super().__init__(str(error.get("type")))
        self.error = error
        self.bases = [str(b) for b in error.get("bases", ())]
        if "NotImplementedError" in self.bases:
            raise Unanswered


def judge(task: Task, conversation: Conversation) -> None:
    """Let the task's judge talk to the answer. An exception that it did not expect counts unless a case failed before."""
    assert task.judge is not None
    try:
        task.judge(conversation)
    except Raised as e:
        if all(c.ok for c in conversation.cases):
            conversation.diagnosis = explain_error(e.error, "")


def check(task: Task, answer: Answer, session: Session, flavour: str = "plain") -> Checked:
    from grader.kinds.cuda import load

    done = Checked()
    with session.worker(flavour, task.memory_mb) as worker:
        try:
            load(worker, task, answer)
            session.progress(task.name, "check")
            conversation = Conversation(worker, task, session)
            began = time.perf_counter()
            judge(task, conversation)
            done.seconds["check"] = time.perf_counter() - began
            conversation.settle(done)
        except FAILURES as e:
            done.fail(explain(e))
        finally:
            done.printed = worker.printed()
    return done
