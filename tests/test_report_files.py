"""report.json, junit.xml and the exit code: what other programs read."""

import json
import xml.etree.ElementTree as ET

import jsonschema
import pytest
from report_sample import CEILINGS, CPU_MACHINE, CPU_VERDICTS, HOSTILE, VERDICTS, report, speed, verdict

from grader.report import UnreadableReport, load, to_json, write_all
from grader.report_exit import exit_code
from grader.report_junit import junit_xml
from grader.report_schema import SCHEMA_FILE, Report, schema_text
from grader.verdict import CaseResult, EvidenceResult


def test_the_schema_file_is_the_one_derived_from_the_models():
    assert SCHEMA_FILE.read_text(encoding="utf-8") == schema_text(), "python -m grader.report_schema"


def test_a_written_report_obeys_the_published_schema():
    jsonschema.validate(json.loads(to_json(report(ceilings=CEILINGS))), json.loads(SCHEMA_FILE.read_text()))


def test_a_report_is_read_back_as_it_was_written(tmp_path):
    original = report(ceilings=CEILINGS, problems=[("a.ipynb", "not json")])
    assert load(write_all(original, tmp_path)["report.json"]) == original


def test_three_whole_files_are_written_and_nothing_is_left_beside_them(tmp_path):
    for _ in range(2):
        write_all(report(), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["index.html", "junit.xml", "report.json"]


def test_a_failed_write_keeps_the_old_file(tmp_path, monkeypatch):
    before = write_all(report(), tmp_path)["report.json"].read_text()
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        write_all(report(CPU_VERDICTS), tmp_path)
    assert (tmp_path / "report.json").read_text() == before
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not a JSON file"),
        ("[]", "names no schema"),
        ('{"schema": "goodput/report/2"}', "this version reads 'goodput/report/1'"),
        ('{"schema": "goodput/report/1"}', "created"),
    ],
)
def test_what_is_not_a_report_of_this_version_is_refused_with_the_reason(tmp_path, text, said):
    path = tmp_path / "report.json"
    path.write_text(text)
    with pytest.raises(UnreadableReport, match=r"report\.json") as refused:
        load(path)
    assert said in str(refused.value)


def test_points_nobody_could_decide_leave_the_maximum():
    unavailable = report([verdict("a", "not_available"), verdict("b", "passed")]).totals
    assert (unavailable.earned, unavailable.possible, unavailable.not_available) == (8, 8, 8)
    held = report([verdict("a", "not_graded"), verdict("b", "review"), verdict("c", "incorrect")]).totals
    assert (held.earned, held.possible, held.held) == (0, 8, 16)
    without_gpu = report(CPU_VERDICTS, CPU_MACHINE).totals
    assert (without_gpu.earned, without_gpu.possible, without_gpu.not_available) == (12, 12, 12)


def test_isolation_of_the_report_is_the_weakest_of_its_exercises():
    assert (
        report([verdict("a", "passed"), verdict("b", "passed", isolation="process")]).isolation == "process"
    )
    assert report([verdict("a", "passed")]).isolation == "sandbox"


def test_numbers_that_json_lacks_do_not_reach_the_file():
    inf = float("inf")
    counted = (EvidenceResult("n", float("nan"), 1.0, None, None),)
    odd = verdict(
        "a", "incorrect", cases=(CaseResult("n", False, error=inf),), evidence=counted, speed=speed(inf, 0.1)
    )
    written = to_json(report([odd]))
    assert Report.model_validate(json.loads(written, parse_constant=pytest.fail)) == report([odd])


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [
        (("passed",), 0),
        (("passed", "unanswered", "not_available"), 0),
        (("unanswered",), 0),
        (("passed", "incorrect"), 1),
        (("slow",), 1),
        (("error",), 1),
        (("too_close",), 1),
        (("incorrect", "not_graded"), 1),
        (("passed", "not_graded"), 3),
        (("passed", "review"), 3),
        ((), 2),
    ],
)
def test_exit_code(outcomes, code):
    assert exit_code(report([verdict("a", outcome) for outcome in outcomes])) == code


def test_an_unusable_file_makes_the_exit_code_2_whatever_else_happened():
    assert exit_code(report([verdict("a", "incorrect")], problems=[("b.ipynb", "not json")])) == 2


def test_junit_counts_failures_errors_and_skips():
    root = ET.fromstring(junit_xml(report(problems=[("b.ipynb", "not json")]), "en"))
    assert {key: root.get(key) for key in ("tests", "failures", "errors", "skipped")} == {
        "tests": "13", "failures": "7", "errors": "3", "skipped": "2",
    }  # fmt: skip
    found = {case.get("name"): case for case in root.iter("testcase")}
    assert [child.tag for child in found["coalesced_copy"]] == ["system-out"]
    assert found["tiled_transpose"].find("failure").get("type") == "race"
    assert found["async_row_ring"].find("error") is not None
    assert found["tma_transpose"].find("skipped").get("message").startswith("It cannot be checked here")
    assert found["occupancy_plan"].find("skipped") is not None
    assert found["b.ipynb"].find("error") is not None


def test_hostile_output_keeps_junit_well_formed():
    text = junit_xml(report([verdict(HOSTILE, "error", output=HOSTILE + "]]>\x0b\ufffe\ud800")]), "es")
    assert "<script>" not in text
    text.encode("utf-8")
    assert "<script>" in next(ET.fromstring(text).iter("system-out")).text


def test_a_report_holds_its_sentences_in_both_languages():
    slow = next(e for e in report().exercises if e.name == "vector_dequant")
    assert "1,31×" in slow.message.es.headline
    assert "1.31×" in slow.message.en.headline


def test_every_outcome_is_in_the_sample():
    assert {v.outcome for v in VERDICTS} == {
        "passed", "incorrect", "slow", "too_close", "unanswered", "error", "not_available", "not_graded", "review",
    }  # fmt: skip
