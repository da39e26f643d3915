"""Chapter 05 and the grading of system answers: order measured as meant, data piece by piece, folders that always go."""

from __future__ import annotations

import fcntl
import importlib
import os
import random
import time
from pathlib import Path

import pytest
from grader_inside import need_sandbox

from grader import course, failures, scratch
from grader.controller import grade
from grader.intake import Answer
from grader.kinds import system
from grader.limits import Limits
from grader.messages import sentences
from grader.processes import AnswerDied
from grader.session import Session, open_session
from grader.task import Points, Task
from grader.worker import LENGTH, pieces
from grader.worker import Session as Worker

ORDER = importlib.import_module("course.05_storage_io.tasks_order")
COUNT = 10_000


@pytest.fixture(scope="module")
def session():
    need_sandbox()
    with open_session("cpu", "sandbox") as opened:
        yield opened


@pytest.fixture
def base(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("GOODPUT_SCRATCH", str(tmp_path))
    return tmp_path


def verdict_on(source: str, judge, session: Session):
    task = Task(
        name="f", chapter="05", kind="system", points=Points(4), core=True, minutes=1, cases=(), judge=judge
    )
    return grade(Answer("f", source), task, session, skip_unanswered_test=True)


def in_windows(count: int, shard: int, window: int, rng: random.Random, inside: bool = True) -> list[int]:
    shards = [list(range(at, min(at + shard, count))) for at in range(0, count, shard)]
    rng.shuffle(shards)
    order: list[int] = []
    for at in range(0, len(shards), window):
        chosen = [i for one in shards[at : at + window] for i in one]
        if inside:
            rng.shuffle(chosen)
        order += chosen
    return order


@pytest.mark.parametrize("shard, window", [(160, 4), (40, 16), (320, 1), (COUNT, 1)])
def test_shards_shuffled_outside_and_inside_count_as_shuffled(shard: int, window: int) -> None:
    orders = [in_windows(COUNT, shard, window, random.Random(seed)) for seed in range(20)]
    assert sorted(map(ORDER.displacement, orders))[10] > 1.2 * ORDER.DISPLACEMENT
    assert max(map(ORDER.correlation, orders)) < 0.75 * ORDER.CORRELATION


def test_the_written_order_does_not_count_as_shuffled() -> None:
    assert ORDER.displacement(range(COUNT)) == 0
    assert ORDER.correlation(range(COUNT)) == pytest.approx(1) == ORDER.correlation(range(COUNT)[::-1])


def test_shards_in_another_order_do_not_count_as_shuffled() -> None:
    assert (
        ORDER.correlation(in_windows(COUNT, 160, 4, random.Random(0), inside=False)) > 2 * ORDER.CORRELATION
    )


def test_samples_mixed_with_their_neighbours_only_do_not_count_as_shuffled() -> None:
    near = [i for at in range(0, COUNT, 500) for i in random.Random(at).sample(range(at, at + 500), 500)]
    assert ORDER.displacement(near) < ORDER.DISPLACEMENT / 2


def test_samples_are_read_one_by_one_as_they_are_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "packed"
    file.write_bytes(b"".join(LENGTH.pack(len(s)) + s for s in (b"", b"ab", b"\0" * 100_000)))
    with open(file, "rb", buffering=0) as stream:
        found = pieces(stream)
        assert (next(found), next(found), stream.tell()) == (b"", b"ab", 10)
        assert [len(s) for s in found] == [100_000]


def test_batches_are_bounded_and_the_iterator_is_asked_no_further_than_needed() -> None:
    worker, asked = Worker(), []

    def source():
        for number in range(10):
            asked.append(number)
            yield bytes(100)

    worker.function = source
    worker.iterate({"args": []}, b"", [])
    one = worker.take({"batch_bytes": 250, "batch_items": 100}, b"", [])
    assert (one["lengths"], one["ended"], len(one["body"]), asked) == ([100] * 3, False, 300, [0, 1, 2])
    two = worker.take({"batch_bytes": 1 << 20, "batch_items": 2}, b"", [])
    assert (len(two["lengths"]), two["ended"]) == (2, False)
    last = worker.take({"batch_bytes": 1 << 20, "batch_items": 100}, b"", [])
    assert (len(last["lengths"]), last["ended"]) == (5, True)


def test_what_is_not_bytes_is_refused_by_name() -> None:
    worker = Worker()
    worker.function = lambda: iter(["text"])
    worker.iterate({"args": []}, b"", [])
    with pytest.raises(TypeError, match="yielded a str"):
        worker.take({"batch_bytes": 1, "batch_items": 1}, b"", [])


@pytest.mark.parametrize("reply", [
    {}, {"lengths": [1]}, {"lengths": [1], "ended": 1}, {"lengths": "ab", "ended": True}, {"lengths": [-1, 3], "ended": True},
    {"lengths": [True, 1], "ended": True}, {"lengths": [1.0, 1], "ended": True}, {"lengths": [3], "ended": True},
    {"lengths": [], "ended": False}, {"lengths": [0] * (system.BATCH_ITEMS + 1) + [2], "ended": True},
])  # fmt: skip
def test_a_forged_batch_ends_the_answer(reply: dict) -> None:
    with pytest.raises(AnswerDied) as caught:
        system.batch(reply, 0 if reply.get("lengths") == [] else 2)
    assert failures.explain(caught.value).name == "died"


def test_data_goes_through_an_answer_and_its_process_forgets(session: Session, base: Path) -> None:
    def judge(c) -> None:
        folder = c.scratch / "d"
        folder.mkdir()
        items = [b"", b"a", b"bc" * 200_000, b"a"]
        c.feed(items, str(folder))
        c.case("same process", c.call(name="kept") == 4)
        c.fresh()
        c.case("another process", c.call(name="kept") == 0)
        before = c.io()
        c.case("same bytes", list(c.iterate(str(folder), name="g")) == items)
        c.case("counted", (c.io() - before).bytes_read >= 400_000)
        c.refuses("no folder", "/nowhere", raises=("FileNotFoundError",), function="g", by=c.drain)

    verdict = verdict_on("""
import os, json
seen = []
def kept(): return len(seen)
def f(samples, folder):
    for s in samples:
        with open(f"{folder}/{len(seen)}", "wb") as file: file.write(s)
        seen.append(s)
def g(folder):
    for name in sorted(os.listdir(folder)):
        with open(f"{folder}/{name}", "rb") as file: yield file.read()
""", judge, session)  # fmt: skip
    assert verdict.outcome == "passed", verdict.diagnosis
    assert list(base.iterdir()) == []


MESSES = {
    "killed": "os.kill(os.getpid(), 9)",
    "a deep tree": "for _ in range(1500):\n        os.mkdir('d'); os.chdir('d')\n    os._exit(3)",
    "closed folders": "os.makedirs('a/b/c'); os.chmod('a/b', 0); os.chmod('a', 0); os._exit(3)",
    "odd files": "os.mkfifo('p'); os.symlink('/etc', 'l'); os.symlink('l2', 'l2'); open('-rf', 'w'); os._exit(3)",
    "a child that goes on": "os.fork() or time.sleep(600); os._exit(3)",
}


@pytest.mark.parametrize("mess", MESSES.values(), ids=MESSES)
def test_nothing_is_left_of_an_answer_that_crashes(mess: str, session: Session, base: Path) -> None:
    source = f"import os, time\ndef f(folder):\n    os.chdir(folder)\n    {mess}\n"
    verdict = verdict_on(source, lambda c: c.call(str(c.scratch)), session)
    assert verdict.diagnosis is not None and verdict.diagnosis.name == "died"
    assert list(base.iterdir()) == []


@pytest.mark.parametrize("fill, what", [
    ("open(f'{folder}/big', 'wb').write(bytes(9 << 20))", "8 MB"),
    ("[open(f'{folder}/{i}', 'w').close() for i in range(101)]", "100 files"),
])  # fmt: skip
def test_a_folder_that_grows_beyond_its_bound_ends_the_answer(fill: str, what: str, session: Session, base: Path,
                                                              monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    for module in (scratch, system):
        monkeypatch.setattr(module, "LIMIT_MB", 8)
        monkeypatch.setattr(module, "LIMIT_ENTRIES", 100)
    monkeypatch.setattr(
        system, "Limits", lambda memory_mb, file_mb: Limits(memory_mb=memory_mb)
    )  # more for a single file
    source = f"import time\ndef f(folder):\n    {fill}\n    time.sleep(60)\n"
    verdict = verdict_on(source, lambda c: c.call(str(c.scratch)), session)
    assert verdict.diagnosis is not None and verdict.diagnosis.name == "rule broken"
    assert verdict.diagnosis.facts["rule"]["en"].endswith(what)
    assert list(base.iterdir()) == []


def test_an_answer_that_takes_the_place_of_our_folders_breaks_a_rule(session: Session, base: Path) -> None:
    def judge(c) -> None:
        c.call(str(c.scratch))
        (c.scratch / "next").mkdir()

    verdict = verdict_on("import os\ndef f(folder):\n    os.symlink('/', folder + '/next')\n", judge, session)
    assert verdict.diagnosis is not None and verdict.diagnosis.name == "rule broken"
    assert list(base.iterdir()) == []


def test_a_link_in_the_place_of_a_folder_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").write_text("keep me")
    (tmp_path / "folder").symlink_to(tmp_path / "precious")
    assert scratch.files(tmp_path / "folder") == {}
    assert scratch.files(tmp_path / "precious") == {tmp_path / "precious" / "file": 7}


def test_folders_of_graders_that_are_gone_are_swept_and_those_in_use_are_not(tmp_path: Path) -> None:
    old = time.time() - 2 * scratch.GRACE_S
    left, used, young = (tmp_path / f"{scratch.PREFIX}{name}" for name in ("left", "used", "young"))
    for folder in (left, used, young):
        folder.mkdir()
        (folder / "file").write_text("x")
    for folder in (left, used):
        os.utime(folder, (old, old))
    lock = os.open(used, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    scratch.sweep(tmp_path)
    os.close(lock)
    assert sorted(tmp_path.iterdir()) == sorted([used, young])


def test_every_wrong_answer_of_the_exercise_gets_a_sentence_with_its_number(
    session: Session, base: Path
) -> None:
    task = course.task("shard_shuffle")
    wrong = {w.mistake: w for w in course.wrong_answers(task)}
    for mistake in ("drops_remainder", "shares_whole_shards", "kept_in_memory"):
        verdict = grade(Answer(task.name, wrong[mistake].source), task, session, skip_unanswered_test=True)
        for lang in ("es", "en"):
            said = sentences(verdict, lang)
            text = " ".join((said.headline, said.detail, said.next_step))
            assert any(map(str.isdigit, text)) and ".." not in text, (mistake, text)
