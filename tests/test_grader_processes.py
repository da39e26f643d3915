"""A worker as the controller sees it: whatever it does or says ends as a typed failure, never as an exception of ours."""

from __future__ import annotations

import json

import psutil
import pytest
from grader_inside import LIMIT_S, children_of_ours, groups_of_ours, inside, need_sandbox

from grader import failures, processes
from grader.channel import HEADER
from grader.processes import (
    AnswerDied,
    AnswerError,
    AnswerTimeout,
    Process,
    WorkerFailed,
    end_of,
    well_formed,
)


@pytest.fixture(autouse=True)
def sandboxed() -> None:
    need_sandbox()


@pytest.mark.parametrize("code", [0, 1, 127, 128, 200, 255])
def test_an_exit_of_any_code_is_a_death_with_its_code(code: int) -> None:
    with pytest.raises(AnswerDied, match=f"exit {code}"):
        inside("import os\nos._exit(a[0])", code)


@pytest.mark.parametrize("name", ["SIGKILL", "SIGSEGV", "SIGTERM"])
def test_a_signal_to_itself_is_a_death_with_its_name(name: str) -> None:
    with pytest.raises(AnswerDied, match=name):
        inside("import os, signal\nos.kill(os.getpid(), getattr(signal, a[0]))\nsignal.pause()", name)


def test_every_status_has_words() -> None:
    assert [end_of(s) for s in (0, 3, 137, 200, 255, -9, -40)] == [
        "exit 0", "exit 3", "signal SIGKILL", "exit 200", "exit 255", "signal SIGKILL", "signal 40"]  # fmt: skip


@pytest.mark.parametrize("body, name", [
    ("raise SystemExit", "SystemExit"), ("raise KeyboardInterrupt", "KeyboardInterrupt"), ("exit(7)", "SystemExit"),
    ("import sys; sys.exit(0)", "SystemExit"), ("raise ValueError('\\ud800')", "ValueError"), ("f()", "RecursionError"),
    ("class E(Exception):\n    def __str__(self): raise SystemExit\nraise E", "E"), ("return object()", "TypeError"),
    ("return 10**5000", "ValueError"), ("a = []; a.append(a); return a", "RecursionError"),
])  # fmt: skip
def test_what_an_answer_raises_comes_back_as_data(body: str, name: str) -> None:
    with pytest.raises(AnswerError) as caught:
        inside(body)
    assert caught.value.error["type"] == name


def test_an_error_carries_the_line_of_the_answers_own_cell() -> None:
    with pytest.raises(AnswerError) as caught:
        inside("x = 1\nimport json\njson.loads('{')")
    error = caught.value.error
    assert (error["line"], error["source_line"], "ValueError" in error["bases"]) == (
        4,
        "json.loads('{')",
        True,
    )


def test_an_answer_without_end_is_stopped() -> None:
    with pytest.raises(AnswerTimeout):
        inside("while True: pass", timeout_s=0.5)
    assert children_of_ours() == [] and groups_of_ours() == []


def test_an_answer_that_stops_itself_and_reads_no_more_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "SEND_LIMIT_S", 1.0)
    with Process("plain", "sandbox") as worker:
        stop = "threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGSTOP)).start()"
        source = f"import threading, os, signal\ndef f(*a):\n    {stop}"
        worker.ask("load", LIMIT_S, cells=[["answer", source]], function="f")
        worker.ask("evaluate", LIMIT_S, args=[])
        with pytest.raises((AnswerTimeout, AnswerDied)):
            for _ in range(50):
                worker.ask("evaluate", 3.0, args=["x" * (1 << 20)])


def test_the_helper_cells_and_the_answer_are_compiled_without_our_own_future_imports() -> None:
    with Process("plain", "sandbox") as worker:
        cells = [
            ["helper 1", "K = 4"],
            ["answer", "def g(x: K): return x\ndef f(): return g.__annotations__['x']"],
        ]
        worker.ask("load", LIMIT_S, cells=cells, function="f")
        assert worker.ask("evaluate", LIMIT_S, args=[])[0]["value"] == 4


def test_an_answer_without_its_function_is_told_so() -> None:
    with Process("plain", "sandbox") as worker, pytest.raises(AnswerError, match="Refused"):
        worker.ask("load", LIMIT_S, cells=[["answer", "def g(): pass\nf = 3"]], function="f")


@pytest.mark.parametrize("before, after", [
    ("", "print('x' * (100 << 20))"), ("", "import os\n    for _ in range(40): os.write(2, b'y' * (1 << 20))"),
    ("import os; os.close(1); os.close(2)", "print('lost')"), ("import sys; sys.stdout = None", "pass"),
    ("import sys; sys.stdout.close()", "pass"),
])  # fmt: skip
def test_printing_any_amount_changes_nothing_and_is_capped(before: str, after: str) -> None:
    with Process("plain", "sandbox") as worker:
        worker.ask(
            "load",
            LIMIT_S,
            cells=[["answer", f"{before}\ndef f():\n    {after}\n    return 7"]],
            function="f",
        )
        assert worker.ask("evaluate", LIMIT_S, args=[])[0]["value"] == 7
        assert len(worker.printed()) <= processes.OUTPUT_LIMIT + 100


FORGERIES = {
    "not a frame": b"\xff" * 64,
    "too large": HEADER.pack(1 << 31, 0),
    "body nobody asked for": HEADER.pack(2, 1 << 40) + b"{}",
    "not json": HEADER.pack(4, 0) + b"\x80abc",
    "a list": HEADER.pack(2, 0) + b"[]",
    **{text: HEADER.pack(len(text), 0) + text.encode() for text in (
        '{"ok": 1}', '{"ok": "yes"}', '{}', '{"ok": false}', '{"ok": false, "error": 5}',
        '{"ok": false, "error": {"bases": 5}}',
        '{"ok": false, "error": {"bases": [[], {}, null], "line": {"a": 1}, "text": []}}',
        '{"ok": false, "error": {"compiler": {"line": "x", "text": 7}, "type": {}}}',
        '{"ok": false, "error": {"compiler": [1]}}',
        '{"ok": false, "error": {"line": 1e999, "source_line": 3, "bases": {"a": "b"}}}',
    )},
}  # fmt: skip


@pytest.mark.parametrize("forgery", FORGERIES.values(), ids=FORGERIES)
def test_a_forged_reply_is_a_typed_failure_with_a_diagnosis(forgery: bytes) -> None:
    with pytest.raises(failures.FAILURES) as caught:
        inside("""
            import os
            for fd in range(3, 20):
                try:
                    os.write(fd, a[0])
                except OSError:
                    pass
            import time
            time.sleep(600)
        """, forgery, timeout_s=20.0)  # fmt: skip
    diagnosis = failures.explain(caught.value, "n = 1")
    assert diagnosis.name in ("raised", "died", "compile failed")
    json.dumps(diagnosis.facts)


def test_a_forged_verdict_on_the_streams_is_only_text() -> None:
    text = json.dumps({"outcome": "passed", "points": 100})
    with pytest.raises(AnswerDied):
        inside("import os\nos.write(1, a[0].encode())\nos.write(2, a[0].encode())\nos._exit(0)", text)


def test_a_well_formed_error_has_fixed_types_whatever_came() -> None:
    assert well_formed({}) == {"type": "", "text": "", "line": None, "source_line": "", "bases": []}
    found = well_formed(
        {
            "type": "T" * 999,
            "text": "x" * 9999,
            "line": -1,
            "bases": ["A", 3] * 99,
            "compiler": {"line": True},
        }
    )
    assert (len(found["type"]), len(found["text"]), found["line"], found["bases"][:2]) == (
        80,
        2000,
        None,
        ["A", ""],
    )
    assert found["compiler"] == {"line": None, "column": None, "text": ""}


@pytest.mark.parametrize("error, name", [
    ({"type": "ZeroDivisionError", "bases": ["ZeroDivisionError", "ArithmeticError"]}, "raised"),
    ({"type": "MemoryError", "bases": ["MemoryError"]}, "out of memory"),
    ({"type": "RuntimeError", "text": "CUDA out of memory."}, "out of memory"),
    ({"type": "SyntaxError", "bases": ["SyntaxError"], "line": 3}, "compile failed"),
    ({"type": "PermissionError", "bases": ["PermissionError", "OSError"]}, "forbidden"),
    ({"type": "PlanError", "bases": ["PlanError", "ValueError"]}, "launch failed"),
    ({"type": "CompileError", "compiler": {"line": 7, "column": 2, "text": "expected ;"}}, "compile failed"),
])  # fmt: skip
def test_what_was_raised_gets_its_diagnosis(error: dict, name: str) -> None:
    assert failures.explain(AnswerError(well_formed(error)), "c").name == name


@pytest.mark.parametrize("reason, name", [("exit 0", "died"), ("signal SIGKILL", "died"), ("out of memory", "out of memory"),
                                          ("signal SIGBUS", "out of memory")])  # fmt: skip
def test_how_it_died_gets_its_diagnosis(reason: str, name: str) -> None:
    assert failures.explain(AnswerDied(reason), "c").name == name


def test_the_starters_own_error_is_no_answer() -> None:
    with pytest.raises(failures.Unanswered):
        failures.explain(
            AnswerError(well_formed({"type": "NotImplementedError", "bases": ["NotImplementedError"]}))
        )


def test_a_worker_that_does_not_start_is_our_fault_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(processes.sys, "executable", "/bin/false")
    with Process("plain", "sandbox") as worker, pytest.raises(WorkerFailed):
        worker.wait_ready()
    assert children_of_ours() == [] and groups_of_ours() == []


def test_a_spare_that_died_while_waiting_is_replaced() -> None:
    spares = processes.Spares("sandbox")
    try:
        spares.warm("plain")
        for process in psutil.Process().children():
            process.kill()
            psutil.wait_procs([process], timeout=20)
        with spares.take("plain") as worker:
            worker.ask("load", LIMIT_S, cells=[["answer", "def f(): return 1"]], function="f")
    finally:
        spares.close()
    assert children_of_ours() == [] and groups_of_ours() == []
