"""Verdict -> sentences, in Spanish or English.

Takes a `Verdict` and a language; returns a `Message`: what happened with its number, where, and one thing to try next. The
sentences themselves stand in `messages.toml`; this module decides which one applies and gathers its facts. It judges
nothing: an outcome it is given is the outcome it describes.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from grader.numbers import Lang
from grader.printable import one_line
from grader.verdict import CaseResult, Diagnosis, EvidenceResult, Verdict
from grader.wording import fill

# These outcomes are not about a fault of the answer, so a diagnosis that came along does not speak for them.
_SPEAK_FOR_THEMSELVES = frozenset({"passed", "too_close", "unanswered", "not_available"})


@dataclass(frozen=True)
class Message:
    headline: str  # what happened, with its number
    detail: str  # where, or how far; may be empty
    next_step: str  # one thing to try


@cache
def catalogue() -> dict[str, Any]:
    """messages.toml, read once."""
    return tomllib.loads((Path(__file__).parent / "messages.toml").read_text(encoding="utf-8"))


def sentences(verdict: Verdict, lang: Lang) -> Message:
    """What happened, where, and what to try next. Never raises for a missing fact: the sentence says less."""
    diagnosis = spoken_diagnosis(verdict)
    templates = catalogue()["outcome"][verdict.outcome]
    if diagnosis is not None:
        templates = catalogue()["diagnosis"].get(diagnosis.name, templates)
    return _message(templates, _facts(verdict, diagnosis, lang), lang)


def outcome_label(outcome: str, lang: Lang, diagnosis: str | None = None) -> str:
    """The outcome in one or two words, for a table or a badge; some diagnoses have a fairer word for it."""
    own = catalogue()["diagnosis"].get(diagnosis, {}).get("label") if outcome == "incorrect" else None
    return (own or catalogue()["outcome"][outcome]["label"])[lang]


def verdict_label(verdict: Verdict, lang: Lang) -> str:
    return outcome_label(verdict.outcome, lang, verdict.diagnosis.name if verdict.diagnosis else None)


def term(word: str, lang: Lang) -> str:
    """A word that a record holds in English, in the language of the reader; unknown words stay as they are."""
    return catalogue()["term"].get(word, {}).get(lang, word)


def without_unit(ceiling: str) -> str:
    """copy_gb_per_s -> copy: what a measured ceiling is of, as the table [term] names it."""
    for unit in ("_gb_per_s", "_mb_per_s", "_tflop_per_s", "_gflop_per_s"):
        ceiling = ceiling.removesuffix(unit)
    return ceiling


def note_sentences(verdict: Verdict, lang: Lang) -> tuple[str, ...]:
    """One sentence for each note of the verdict; a need that the outcome already names is not said twice."""
    return tuple(
        note_sentence(note, lang)
        for note in verdict.notes
        if not (verdict.outcome == "not_available" and note.startswith("needs "))
    )


def note_sentence(note: str, lang: Lang) -> str:
    """The sentence of a note, which is a key or "key: text"; a key that messages.toml does not know is shown as it is."""
    if note.startswith("needs ") and (need := catalogue()["need"].get(note.removeprefix("needs "))):
        return {"es": f"Requiere {need['what']['es']}.", "en": f"It needs {need['what']['en']}."}[lang]
    key, _, text = note.partition(": ")
    if sentence := catalogue()["note"].get(key, {}).get(lang):
        return f"{sentence.rstrip('.')}: {one_line(text)}" if text else sentence
    return one_line(note)


def why_not(key: str, facts: Mapping[str, Any], lang: Lang) -> Message:
    """Why a whole run cannot start (`CannotGrade`); an unknown key is shown as it is."""
    templates = catalogue()["cannot"].get(key)
    if templates is None:
        return Message(key, "", "")
    return _message(templates, facts, lang)


def spoken_diagnosis(verdict: Verdict) -> Diagnosis | None:
    """The diagnosis that the message is about: the verdict's own, else that of the first case that failed."""
    if verdict.outcome in _SPEAK_FOR_THEMSELVES:
        return None
    if verdict.diagnosis is not None:
        return verdict.diagnosis
    return next(
        (case.diagnosis for case in verdict.cases if case.diagnosis is not None and not case.ok), None
    )


def _message(templates: Mapping[str, Mapping[str, str]], facts: Mapping[str, Any], lang: Lang) -> Message:
    parts = (
        fill(templates[part][lang], facts, lang, catalogue()["term"])
        for part in ("headline", "detail", "next")
    )
    return Message(*parts)


def _facts(verdict: Verdict, diagnosis: Diagnosis | None, lang: Lang) -> dict[str, Any]:
    """What the verdict itself holds, overlaid by what the diagnosis says."""
    failing = [case for case in verdict.cases if not case.ok]
    facts: dict[str, Any] = {
        "name": verdict.name,
        "cases": len(verdict.cases) or None,
        "failed": len(failing) or None,
        "case": _case_of(failing, diagnosis),
        "earned": verdict.earned,
        "possible": verdict.possible,
        "unavailable": verdict.unavailable_fast or None,
    }
    if verdict.speed is not None:
        facts |= {key: value for key, value in asdict(verdict.speed).items() if key != "blocks"}
        if verdict.speed.par is None:  # raced against a copy of the same bytes, not against a baseline
            facts |= {"of_copy": verdict.speed.ratio, "of_copy_needed": verdict.speed.threshold}
        if 0 < verdict.speed.low < verdict.speed.threshold:
            # At least 0.1, the last digit that is shown: "0.0 % more" would read as nothing missing.
            facts["short"] = max(0.1, 100 * (verdict.speed.threshold / verdict.speed.low - 1))
    if verdict.roofline is not None:
        facts |= {key: value for key, value in asdict(verdict.roofline).items() if value}
    if diagnosis is not None and diagnosis.name == "technique not used":
        facts |= _violated(verdict.evidence, diagnosis)
    facts |= _need_of(verdict.notes, lang)
    own = {
        key: _pair(value)
        for key, value in (diagnosis.facts if diagnosis else {}).items()
        if value is not None
    }
    if isinstance(own.get("error"), float) and not math.isfinite(own["error"]):
        del own["error"]  # the element that is not finite says more than an error without a size
    facts |= own
    if isinstance(facts.get("ceiling"), str):
        facts["ceiling"] = without_unit(facts["ceiling"])
    return facts


def _case_of(failing: list[CaseResult], diagnosis: Diagnosis | None) -> str | None:
    same = [
        case for case in failing if diagnosis and case.diagnosis and case.diagnosis.name == diagnosis.name
    ]
    return (same or failing)[0].name if failing else None


def _violated(evidence: tuple[EvidenceResult, ...], diagnosis: Diagnosis) -> dict[str, Any]:
    """Name, value and bound of the count that the diagnosis is about: by name, else the first one out of bounds."""
    wanted = diagnosis.facts.get("name")
    found = [e for e in evidence if e.name == wanted] or [e for e in evidence if e.ok is False]
    facts: dict[str, Any] = {"name": None}  # the exercise's own name is not the name of a count
    if found and found[0].value is not None:
        facts |= asdict(found[0])
        if found[0].at_most is not None and found[0].at_least is not None:
            below = found[0].value < found[0].at_least
            facts["at_most" if below else "at_least"] = None  # only the bound that was crossed
    return facts


def _need_of(notes: tuple[str, ...], lang: Lang) -> dict[str, str]:
    for note in notes:
        if note.startswith("needs ") and (need := catalogue()["need"].get(note.removeprefix("needs "))):
            return {"need": need["what"][lang], "instead": need["instead"][lang]}
    return {}


def _pair(value: Any) -> Any:
    """A `Text` record as the {es, en} mapping that wording reads."""
    if not isinstance(value, Mapping) and hasattr(value, "es") and hasattr(value, "en"):
        return {"es": value.es, "en": value.en}
    return value
