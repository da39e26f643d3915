"""What a run does where the machine lacks something, and what its exit code says."""

from __future__ import annotations

from dataclasses import replace

import pytest
from grader_inside import need_sandbox
from typer.testing import CliRunner

from goodput import emulator
from grader import cli, controller, course, run, sandbox, session
from grader.controller import grade, is_starter, source_hash
from grader.intake import Answer
from grader.kinds import analysis
from grader.report_exit import exit_code
from grader.session import CannotGrade, choose_level, open_session
from grader.task import Points, Task


def no_sandbox() -> None:
    raise sandbox.SandboxUnavailable("user namespaces are off")


def data_task(
    judge=lambda conversation: conversation.case("one", conversation.call(3) == 9, got=1), **fields
) -> Task:
    return Task(**{"name": "square", "chapter": "07", "kind": "analysis", "points": Points(4), "core": True, "minutes": 1,
                   "cases": (), "judge": judge, **fields})  # fmt: skip


RIGHT = Answer("square", "def square(x):\n    return x * x")


def test_no_sandbox_is_refused_where_one_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "available", no_sandbox)
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(CannotGrade) as caught:
        choose_level("sandbox")
    assert (caught.value.key, caught.value.facts) == ("no sandbox", {"reason": "user namespaces are off"})
    assert (choose_level("auto"), choose_level("process")) == ("process", "process")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(CannotGrade):
        choose_level("auto")


def test_no_gpu_is_refused_where_one_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "gpu_unusable", lambda: "no CUDA device is visible")
    with pytest.raises(CannotGrade) as caught, open_session("cuda", "process"):
        pass
    assert (caught.value.key, caught.value.facts) == ("no gpu", {"reason": "no CUDA device is visible"})
    with open_session("auto", "process") as opened:
        assert opened.device == "cpu"


def test_no_compiler_is_refused_and_not_a_failure_of_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    need_sandbox()

    def missing(*_: object, **__: object) -> None:
        raise emulator.EmulatorUnavailable("g++ is not installed")

    monkeypatch.setattr(emulator, "build", missing)
    task = course.task("vector_dequant")
    with open_session("cpu", "sandbox") as opened, pytest.raises(CannotGrade) as caught:
        grade(Answer(task.name, course.solution(task)), task, opened)
    assert (caught.value.key, caught.value.facts) == ("no emulator", {"reason": "g++ is not installed"})


def test_the_command_line_leaves_with_3_and_a_remedy_where_it_cannot_grade(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sandbox, "available", no_sandbox)
    done = CliRunner().invoke(cli.app, ["grade", "--from", "exercises", "--chapter", "07", "--isolation", "sandbox",
                                        "--lang", "en"])  # fmt: skip
    assert done.exit_code == 3 and "user namespaces are off" in done.output
    monkeypatch.setattr(session, "gpu_unusable", lambda: "no CUDA device is visible")
    done = CliRunner().invoke(cli.app, ["grade", "--from", "exercises", "--chapter", "07", "--device", "cuda",
                                        "--isolation", "process", "--lang", "en"])  # fmt: skip
    assert done.exit_code == 3 and "no CUDA device is visible" in done.output


def test_the_command_line_leaves_with_2_on_unusable_input_and_0_on_starters(tmp_path) -> None:
    runner = CliRunner()
    (tmp_path / "cut.ipynb").write_text("{")
    out = ["--out", str(tmp_path / "out"), "--isolation", "process", "--device", "cpu"]
    assert runner.invoke(cli.app, ["grade", str(tmp_path / "cut.ipynb"), *out]).exit_code == 2
    assert runner.invoke(cli.app, ["grade", str(tmp_path / "none"), *out]).exit_code == 2
    assert runner.invoke(cli.app, ["grade", "--chapter", "99", *out]).exit_code == 2
    assert runner.invoke(cli.app, ["grade", "--from", "exercises", "--chapter", "07", *out]).exit_code == 0
    assert {p.name for p in (tmp_path / "out").iterdir()} == {"report.json", "junit.xml", "index.html"}


def test_a_correct_answer_passes_and_a_wrong_one_does_not() -> None:
    need_sandbox()
    with open_session("cpu", "sandbox") as opened:
        good = grade(RIGHT, data_task(), opened, skip_unanswered_test=True)
        wrong = grade(
            replace(RIGHT, source="def square(x): return x"), data_task(), opened, skip_unanswered_test=True
        )
    assert (good.outcome, good.earned, wrong.outcome, wrong.earned) == ("passed", 4, "incorrect", 0)
    assert wrong.diagnosis.name == "mismatch"


def test_a_conversation_ends_although_every_call_is_within_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    need_sandbox()
    monkeypatch.setattr(analysis, "CONVERSATION_LIMIT_S", 0.5)

    def endless(conversation) -> None:
        while True:
            conversation.call(3)

    slow = replace(RIGHT, source="import time\ndef square(x): time.sleep(0.1)")
    with open_session("cpu", "sandbox") as opened:
        verdict = grade(slow, data_task(endless), opened, skip_unanswered_test=True)
    assert (verdict.outcome, verdict.diagnosis.name) == ("incorrect", "timed out")


def test_a_fault_of_the_grader_costs_one_job_its_verdict_and_the_others_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    need_sandbox()
    monkeypatch.setattr(controller, "is_starter", lambda answer, task: False)

    def broken(answer, task, opened, **more):
        if answer.source == "boom":
            raise RuntimeError("a bug of ours")
        return grade(answer, task, opened, **more)

    monkeypatch.setattr(run, "grade", broken)
    jobs = [
        run.Job("a.ipynb", data_task(), replace(RIGHT, source="boom")),
        run.Job("b.ipynb", data_task(), RIGHT),
    ]
    with open_session("cpu", "sandbox") as opened:
        made = run.grade_all(run.Collected(tuple(jobs), ()), [opened])
    assert [e.outcome for e in made.exercises] == ["not_graded", "passed"]
    assert made.exercises[0].notes == ["grader fault: RuntimeError"] and exit_code(made) == 3


def test_a_refusal_of_the_machine_still_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise CannotGrade("no emulator", reason="x")

    monkeypatch.setattr(run, "grade", refuse)
    with open_session("cpu", "process") as opened, pytest.raises(CannotGrade):
        run.grade_all(run.Collected((run.Job("a", data_task(), RIGHT),), ()), [opened])


def test_a_starter_is_one_in_any_white_space_and_nothing_else() -> None:
    for task in course.tasks("07_memory_access"):
        starter = course.starter(task)
        assert is_starter(Answer(task.name, starter), task) and is_starter(Answer(task.name, None), task)
        assert is_starter(Answer(task.name, "\n\n" + starter.replace("\n", "  \n") + "\t"), task)
        assert not is_starter(Answer(task.name, course.solution(task)), task)
        assert not is_starter(Answer(task.name, starter + "\nx = 1"), task)
        assert not is_starter(Answer(task.name, ""), task)


def test_the_hash_of_an_answer_covers_its_helper_cells() -> None:
    hashes = {source_hash(a) for a in (RIGHT, replace(RIGHT, helpers=("K = 1",)), replace(RIGHT, helpers=("K = 2",)),
                                       replace(RIGHT, source=None), replace(RIGHT, source="\ud800"))}  # fmt: skip
    assert len(hashes) == 5
