"""Report -> one self-contained HTML page in both languages.

No script, no fetch: the languages are switched with CSS, figures are inline SVG, and a content-security policy forbids
everything but the page's own style. Everything that comes from an answer is escaped by the template engine. Takes a report
and the language to open in; returns text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from grader.messages import note_sentence, outcome_label, term
from grader.numbers import LANGS, Lang, exact, fixed, number, percent
from grader.report_exit import exit_code
from grader.report_figures import ceiling_svg, interval_svg
from grader.report_roofline import roofline_svg
from grader.report_schema import ExerciseRecord, Report
from grader.words import GLYPH, TONE, about_name, label_of, time_name, word

# Notes that say something was not measured; the others are about the notebook or the run.
NOT_MEASURED = frozenset(
    {
        "speed needs a gpu",
        "cpu model",
        "interpreter",
        "compiled only",
        "no ceiling",
        "par not measured",
        "evidence not read",
    }
)


@dataclass
class Unmeasured:
    """One reason, and the exercises it holds for."""

    es: str
    en: str
    names: list[str] = field(default_factory=list)


def html_page(report: Report, lang: Lang) -> str:
    """The page, opening in `lang`, with the other language one click away."""
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            report=report,
            lang=lang,
            exit_code=exit_code(report),
            unmeasured=unmeasured(report),
            rooflines={each: Markup(drawn) for each in LANGS if (drawn := roofline_svg(report, each))},
            machine=machine_facts(report.machine),
            chapters=list(dict.fromkeys(exercise.chapter for exercise in report.exercises)),
        )
    )


def unmeasured(report: Report) -> list[Unmeasured]:
    """What this run could not measure, one entry per reason, in the order of the exercises."""
    found: dict[str, Unmeasured] = {}
    for exercise in report.exercises:
        reasons = [
            (note_sentence(n, "es"), note_sentence(n, "en")) for n in exercise.notes if n in NOT_MEASURED
        ]
        if exercise.outcome in ("not_available", "not_graded"):
            reasons.append((exercise.message.es.headline, exercise.message.en.headline))
        for es, en in reasons:
            found.setdefault(en, Unmeasured(es, en)).names.append(exercise.name)
    return list(found.values())


def machine_facts(machine: dict[str, Any]) -> list[tuple[str, str]]:
    """(key of words.toml, text) of what a reader wants to know of `dataclasses.asdict(goodput.machine.describe())`."""
    gpu = machine.get("gpu")
    gpu = gpu.get("name") if isinstance(gpu, dict) else gpu
    memory = machine.get("memory_bytes")
    facts = [
        ("gpu", gpu or "–"),
        ("cpu", machine.get("cpu")),
        ("cores", machine.get("cores")),
        ("memory", f"{memory / 2**30:.0f} GiB" if isinstance(memory, int | float) else None),
        ("software", _software(machine)),
    ]
    return [(key, str(fact)) for key, fact in facts if fact]


def _software(machine: dict[str, Any]) -> str:
    gpu = machine.get("gpu")
    driver = gpu.get("driver") if isinstance(gpu, dict) else machine.get("driver")
    names = {"python": "Python", "torch": "PyTorch", "triton": "Triton", "cuda": "CUDA"}
    found = [f"{name} {machine[key]}" for key, name in names.items() if machine.get(key)]
    return " · ".join([*found, *([f"driver {driver}"] if driver else [])])


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "both": both,
        "w": lambda key: both(word(key, "es"), word(key, "en")),
        "outcome_name": lambda outcome: both(outcome_label(outcome, "es"), outcome_label(outcome, "en")),
        "label": lambda exercise: both(label_of(exercise, "es"), label_of(exercise, "en")),
        "term": lambda text: both(term(text, "es"), term(text, "en")),
        "time_name": lambda name: both(time_name(name, "es"), time_name(name, "en")),
        "num": lambda value: _twin(number, value),
        "exact": lambda value: _twin(exact, value),
        "fixed": lambda value, decimals: both(fixed(value, decimals, "es"), fixed(value, decimals, "en")),
        "percent": lambda share: _twin(percent, share),
        "about": lambda kind: both(about_name(kind, "es"), about_name(kind, "en")),
        "breakable": breakable,
        "figures": figures,
        "point_value": lambda value: _twin(number, int(value) if float(value).is_integer() else value),
        "glyph": GLYPH,
        "tone": TONE,
        "langs": LANGS,
    }
    return environment


def both(es: str, en: str) -> Markup:
    """The text in both languages, of which the page shows one; once where they do not differ."""
    if es == en:
        return escape(es)
    return Markup('<span lang="es">{}</span><span lang="en">{}</span>').format(es, en)


def breakable(name: str) -> Markup:
    """A slug that may break over lines after its underscores."""
    return Markup("_<wbr>").join(name.split("_"))


def figures(exercise: ExerciseRecord, lang: Lang) -> list[tuple[str, Markup]]:
    """(heading, SVG) of an exercise; the SVG escapes its own labels, which are numbers and our words."""
    drawn = []
    if exercise.speed:
        drawn.append(("speed", Markup(interval_svg(exercise.speed, exercise.outcome, lang))))
    if exercise.roofline:
        drawn.append(("roofline", Markup(ceiling_svg(exercise.roofline, lang))))
    return drawn


def _twin(write: Any, value: float) -> Markup:
    return both(write(value, "es"), write(value, "en"))
