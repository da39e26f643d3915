"""Promises of goodput.recorded: live on a GPU, else the labelled record; records merge and are never half written."""

import json
import threading

import pytest

from goodput import recorded as module
from goodput.recorded import NotRecorded, record, recorded, slug


@pytest.fixture
def chapter(tmp_path):
    (tmp_path / "recorded").mkdir()
    return tmp_path


@pytest.fixture
def no_gpu(monkeypatch):
    monkeypatch.setattr(module, "_gpu_has", lambda capability: False)


@pytest.fixture
def a_gpu(monkeypatch):
    """A stand-in that only says its name and capability; nothing is measured with it."""
    monkeypatch.setattr(module, "_gpu_has", lambda capability: capability <= (8, 0))
    monkeypatch.setattr(module, "_gpu_name", lambda: "NVIDIA A100-SXM4-80GB")


def never():
    raise AssertionError("the live function must not run here")


def test_without_a_gpu_the_record_is_shown_with_gpu_and_date(chapter, no_gpu):
    record(chapter, {"curve": {"x": [1, 2], "y": [3.5, 4.5]}}, gpu="NVIDIA H200")
    shown = recorded(chapter).run("curve", never)
    assert shown.value == {"x": [1, 2], "y": [3.5, 4.5]}
    assert not shown.live
    assert shown.label_in("es").startswith(f"Grabado en NVIDIA H200 el {shown.date}")
    assert shown.label_in("en").startswith(f"Recorded on NVIDIA H200 on {shown.date}")


def test_on_a_gpu_the_live_value_is_shown_and_looks_like_a_record(chapter, a_gpu):
    shown = recorded(chapter).run("curve", lambda: {1: (2, 3)})
    assert shown.live
    assert shown.value == {"1": [2, 3]}, "cells must behave alike live and recorded"
    assert shown.label_in("es") == "Medido ahora en NVIDIA A100-SXM4-80GB."
    assert list(chapter.glob("recorded/*")) == [], "nothing is recorded unless asked"


def test_a_gpu_without_the_needed_instructions_shows_the_record(chapter, a_gpu):
    record(chapter, {"tma": 1}, gpu="NVIDIA H200")
    assert recorded(chapter).run("tma", never, capability=(9, 0)).gpu == "NVIDIA H200"


def test_a_live_run_is_written_when_asked(chapter, a_gpu, monkeypatch):
    monkeypatch.setenv("GOODPUT_RECORD", "1")
    recorded(chapter).run("curve", lambda: [1.0])
    content = json.loads((chapter / "recorded" / "a100_sxm4_80gb.json").read_text())
    assert content["schema"] == 1
    assert content["gpu"] == "NVIDIA A100-SXM4-80GB"
    entry = content["results"]["curve"]
    assert entry["value"] == [1.0]
    assert entry["versions"]["torch"]
    assert len(entry["date"]) == 10


def test_results_from_elsewhere_never_carry_the_versions_of_this_machine(chapter):
    record(chapter, {"unknown": 1}, gpu="NVIDIA H200")
    record(chapter, {"known": 1}, gpu="NVIDIA H200", versions={"torch": "2.11.0"}, date="2026-11-04")
    assert recorded(chapter).stored("unknown").versions == {}
    assert (
        recorded(chapter).stored("known").label_in("en")
        == "Recorded on NVIDIA H200 on 2026-11-04 (torch 2.11.0)."
    )


def test_a_missing_key_names_what_there_is(chapter, no_gpu):
    record(chapter, {"one": 1, "two": 2}, gpu="NVIDIA H200")
    with pytest.raises(NotRecorded, match=r"'three'.*one, two.*GOODPUT_RECORD=1") as missing:
        recorded(chapter).run("three", never)
    assert missing.value.known == ("one", "two")


def test_recording_keeps_what_others_recorded(chapter):
    writers = [
        threading.Thread(target=record, args=(chapter, {f"key{i}": i}), kwargs={"gpu": "NVIDIA H200"})
        for i in range(8)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    content = json.loads((chapter / "recorded" / "h200.json").read_text())
    assert {key: entry["value"] for key, entry in content["results"].items()} == {
        f"key{i}": i for i in range(8)
    }
    assert [path.name for path in (chapter / "recorded").iterdir()] == ["h200.json"]


def test_the_newest_of_several_gpus_is_shown(chapter, no_gpu):
    for gpu, date in (
        ("NVIDIA H200", "2026-11-30"),
        ("NVIDIA B200", "2027-02-01"),
        ("NVIDIA A100", "2026-01-01"),
    ):
        record(chapter, {"k": gpu}, gpu=gpu, date=date)
    assert recorded(chapter).stored("k").value == "NVIDIA B200"


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, object()])
def test_what_json_cannot_hold_is_refused_by_name(chapter, value):
    with pytest.raises((TypeError, ValueError), match="'curve' must be plain data"):
        record(chapter, {"curve": value}, gpu="NVIDIA H200")


def test_a_damaged_record_is_named(chapter):
    (chapter / "recorded" / "h200.json").write_text('{"schema": 1')
    with pytest.raises(ValueError, match=r"h200\.json is damaged"):
        recorded(chapter).stored("k")


def test_chapters_are_found_by_name_and_unknown_ones_refused():
    assert recorded("07_memory_access").chapter.name == "07_memory_access"
    with pytest.raises(FileNotFoundError, match="99_nothing"):
        recorded("99_nothing")


def test_file_names_of_gpus():
    assert slug("NVIDIA H200") == "h200"
    assert slug("NVIDIA GeForce RTX 4090") == "rtx_4090"
    with pytest.raises(ValueError, match="no name"):
        slug("NVIDIA")
