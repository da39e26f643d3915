"""Sentences of verdicts: every outcome, diagnosis and note has one in both languages, whatever facts are known."""

import re
from typing import get_args

import pytest
from report_sample import CPU_VERDICTS, HOSTILE, VERDICTS, cases, speed, verdict

from grader.messages import catalogue, note_sentence, outcome_label, sentences, why_not
from grader.numbers import LANGS, exact, fixed, number, percent
from grader.printable import one_line, plain, printable
from grader.task import Need, Text
from grader.verdict import DIAGNOSES, CaseResult, Diagnosis, EvidenceResult, Outcome
from grader.wording import fill, names

OUTCOMES = get_args(Outcome)
# Acronyms and names of the field; any other word in capitals would be shouting.
CAPITALS = {"GPU", "CPU", "CUDA", "MB", "GB", "NVIDIA", "JAX", "JSON", "E", "O", "DIRECT", "H200", "L2", "ID"}


def full_facts(name: str) -> dict:
    """Every fact that the templates of a diagnosis can use, with values of the kinds that occur."""
    templates = catalogue()["diagnosis"][name]
    known = {
        "index": (3, 17), "first": (12,), "threads": [(0, 1), (33, 1)], "thread": (5, 0, 0), "other_thread": (6, 0, 0),
        "got": 1.5, "want": 2.5, "error": 3.2e-5, "allowed": 1e-6, "access": "write", "buffer": "out", "case": "n = 33",
        "hint": {"es": "Mira el banco.", "en": "Look at the bank."}, "rule": Text("orden", "order"),
        "what": Text("archivos", "files"),
    }  # fmt: skip
    wanted = set().union(
        *(names(templates[part][lang]) for part in ("headline", "detail", "next") for lang in LANGS)
    )
    return {fact: known.get(fact, 7) for fact in wanted}


def written(v, lang) -> list[str]:
    message = sentences(v, lang)
    return [text for text in (message.headline, message.detail, message.next_step) if text]


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", DIAGNOSES)
@pytest.mark.parametrize("facts", ["full", "empty", "half"])
def test_every_diagnosis_reads_well_with_any_facts(name, lang, facts):
    known = full_facts(name) if facts != "empty" else {}
    if facts == "half":
        known = dict(sorted(known.items())[::2])
    for text in written(verdict("slug", "incorrect", diagnosis=Diagnosis(name, known)), lang):
        assert_calm(text)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_every_outcome_has_a_sentence_and_a_next_step(outcome, lang):
    for v in (
        verdict("slug", outcome),
        verdict("slug", outcome, cases=cases("n = 33"), speed=speed(1.7, 0.1)),
    ):
        message = sentences(v, lang)
        assert message.headline and message.next_step
        for text in written(v, lang):
            assert_calm(text)
    assert outcome_label(outcome, lang)


@pytest.mark.parametrize("lang", LANGS)
def test_every_note_need_and_refusal_is_a_calm_sentence(lang):
    for note in (*catalogue()["note"], *(f"needs {need}" for need in get_args(Need))):
        text = note_sentence(note, lang)
        assert text != note
        assert_calm(text)
    for key in catalogue()["cannot"]:
        for facts in ({}, {"reason": "bwrap is missing"}):
            message = why_not(key, facts, lang)
            assert_calm(message.headline)
            assert_calm(message.next_step)


def assert_calm(text: str) -> None:
    assert "…" not in text, f"a fact outside brackets: {text}"
    assert not re.search(r"[{}\[\]|!¡]", text), text
    assert not re.search(r"\.\.|  | \.|\(\)", text), text
    shouted = set(re.findall(r"\b[A-Z]{2,}\d*\b", re.sub(r"sm_\w+|\(O_DIRECT\)|`[^`]*`", "", text)))
    assert shouted <= CAPITALS, shouted - CAPITALS
    assert text[0] == text[0].upper() or not text[0].isalpha()


def test_twins_use_the_same_facts():
    for kind in ("outcome", "diagnosis", "cannot"):
        for name, templates in catalogue()[kind].items():
            for part in ("headline", "detail", "next"):
                assert names(templates[part]["es"]) == names(templates[part]["en"]), (kind, name, part)


def test_every_diagnosis_and_outcome_is_written_and_nothing_else():
    assert set(catalogue()["diagnosis"]) == set(DIAGNOSES)
    assert set(catalogue()["outcome"]) == set(OUTCOMES)


def test_numbers_are_written_as_the_language_does():
    v = verdict("slug", "slow", speed=speed(1.79, 0.01, threshold=2.0))
    assert "1,79×" in sentences(v, "es").headline
    assert "1.79×" in sentences(v, "en").headline
    assert number(1_048_576, "en") == "1,048,576"
    assert number(1_048_576, "es") == "1\u202f048\u202f576"
    assert number(3.14e-5, "es") == "3,1 × 10⁻⁵"
    assert number(0.031, "en") == "0.031"
    assert fixed(1.8, 2, "es") == "1,80"
    assert percent(0.823, "en") == "82%"


def test_two_float32_values_that_differ_are_written_differently():
    assert exact(1.0000001192092896, "en") != exact(1.0, "en")


def test_singular_and_plural_agree_with_the_number():
    one, many = ({"missing": n, "total": 9} for n in (1, 3))
    assert sentences(
        verdict("s", "incorrect", diagnosis=Diagnosis("not written", one)), "es"
    ).headline.startswith("1 elemento de 9 quedó")
    assert sentences(
        verdict("s", "incorrect", diagnosis=Diagnosis("not written", many)), "en"
    ).headline.startswith("3 elements of 9 were")


def test_too_close_says_how_much_is_missing():
    v = verdict("slug", "too_close", speed=speed(1.30, 0.02, threshold=1.31))
    assert "2,8" in sentences(v, "es").detail
    assert "2.8%" in sentences(v, "en").detail


def test_a_missing_technique_takes_its_count_and_bound_from_the_evidence():
    counted = (EvidenceResult("a", 4.0, 4.5, None, True), EvidenceResult("wavefronts", 2.0, 1.0, None, False))
    v = verdict("slug", "incorrect", evidence=counted, diagnosis=Diagnosis("technique not used"))
    assert sentences(v, "en").headline == "The count “wavefronts” is 2 and must be at most 1."


def test_the_bound_that_was_crossed_is_the_one_that_is_named():
    between = (EvidenceResult("copies in flight", 0.0, 8.0, 2.0, False),)
    v = verdict("slug", "incorrect", evidence=between, diagnosis=Diagnosis("technique not used"))
    assert sentences(v, "en").headline.endswith("is 0 and must be at least 2.")


def test_a_failing_case_speaks_when_the_verdict_has_no_diagnosis():
    failing = (
        CaseResult("n = 1", True),
        CaseResult("n = 33", False, diagnosis=Diagnosis("timed out", {"limit_s": 20.0})),
    )
    assert "20 s (case n = 33)" in sentences(verdict("slug", "incorrect", cases=failing), "en").headline


def test_a_pass_is_never_described_by_a_stray_diagnosis():
    v = verdict("slug", "passed", diagnosis=Diagnosis("race"))
    assert sentences(v, "en").headline == "Correct."


def test_an_error_that_is_not_finite_is_left_out():
    facts = {"index": (3,), "got": float("nan"), "want": 1.0, "error": float("inf"), "allowed": 1e-6}
    message = sentences(verdict("slug", "incorrect", diagnosis=Diagnosis("mismatch", facts)), "en")
    assert message.headline == "At index 3 there is NaN where 1 was expected."
    assert message.detail == ""


def test_hostile_facts_stay_text():
    assert fill("[a {x}|b]", {"x": "[{y}|z]"}, "en", {}) == "A [{y}|z]"
    for v in (*VERDICTS, *CPU_VERDICTS):
        for lang in LANGS:
            assert not re.search(r"[\x00-\x08\x1b\u202e]", "".join(written(v, lang)))


def test_printable_removes_what_a_terminal_or_xml_would_obey():
    assert printable(HOSTILE).startswith("<script>alert('x')</script>[red]&</details>")
    assert printable("a\ud800b\uffffc\x1b]0;title\x07d") == "abcd"
    assert printable("x" * 100_000, 1_000).count("x") == 1_000
    assert one_line("a\n\n  b") == "a b"


def test_plain_keeps_only_what_json_holds():
    assert plain({"a": float("nan"), "b": (1, 2.5, object), "c": Text("sí", "yes")})["a"] == "nan"
    assert plain(2**80) == str(2**80)
