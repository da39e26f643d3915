"""The page, the notebook card and the terminal: what people read, and what must never act on them."""

import io
import re
from html.parser import HTMLParser

import pytest
from report_sample import CEILINGS, CPU_MACHINE, CPU_VERDICTS, HOSTILE, VERDICTS, report, roof, speed, verdict
from rich.console import Console

from grader.numbers import LANGS
from grader.report import load, write_all
from grader.report_figures import ceiling_svg, interval_svg
from grader.report_html import html_page
from grader.report_notebook import notebook_html, notebook_text
from grader.report_records import exercise_record
from grader.report_terminal import Progress, line, print_report
from grader.verdict import CaseResult, EvidenceResult

VOID = {"meta", "input", "br", "wbr", "img", "link", "hr"}


class Page(HTMLParser):
    """Tags, attributes and visible text of a page; notes elements that are closed wrongly."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.open: list[tuple[str, str | None]] = []
        self.text: dict[str | None, str] = {"es": "", "en": "", None: ""}
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append((tag, attributes))
        if tag not in VOID:
            self.open.append((tag, attributes.get("lang") if tag != "html" else None))

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open and self.open[-1][0] == tag, (tag, self.open[-3:])
        self.open.pop()

    def handle_data(self, data):
        if not any(tag == "style" for tag, _ in self.open):
            lang = next((lang for _, lang in reversed(self.open) if lang), None)
            self.text[lang] += data


def assert_harmless(text: str) -> Page:
    page = Page(text)
    for tag, attributes in page.tags:
        assert tag not in {"script", "img", "iframe", "object", "embed", "link", "form", "base"}, tag
        assert not any(name.startswith("on") for name in attributes), attributes
        for name in ("href", "src", "action", "xlink:href"):
            assert attributes.get(name, "#").startswith("#"), attributes
    assert "url(" not in text and "@import" not in text
    assert not re.search(r"[\x00-\x08\x1b\u202e\ud800-\udfff]", text)
    return page


@pytest.fixture(scope="module")
def page():
    return Page(html_page(report(ceilings=CEILINGS), "es"))


@pytest.mark.parametrize("lang", LANGS)
def test_the_page_fetches_and_runs_nothing_and_is_well_formed(lang):
    text = html_page(report(ceilings=CEILINGS, problems=[(HOSTILE, HOSTILE)]), lang)
    assert_harmless(text)
    assert "default-src 'none'" in text
    assert f'id="lang-{lang}" checked' in text


def test_hostile_text_in_every_field_stays_text():
    hostile = verdict(
        HOSTILE, "incorrect", chapter=HOSTILE, output=HOSTILE, notes=(HOSTILE,), source_hash=HOSTILE, kind=HOSTILE,
        cases=(CaseResult(HOSTILE, False, HOSTILE),), evidence=(EvidenceResult(HOSTILE, 1.0, 0.0, None, False),),
        seconds={HOSTILE: 1.0}, speed=speed(1.2, 0.1, disturbed=(HOSTILE,)),
    )  # fmt: skip
    machine = {"cpu": HOSTILE, "gpu": {"name": HOSTILE, "driver": HOSTILE}, "torch": HOSTILE}
    assert_harmless(html_page(report([hostile], machine), "en"))
    for lang in LANGS:
        assert_harmless(notebook_html(hostile, lang))


def test_both_languages_are_on_the_page_each_with_its_own_numbers(page):
    assert "Correcto y a 2,58× la velocidad de la línea base" in page.text["es"]
    assert "Correct, and 2.58× as fast as the baseline" in page.text["en"]
    assert "Correcto" not in page.text["en"]
    assert "2.58×" not in page.text["es"]


def test_the_page_says_the_score_first_and_what_was_not_measured_and_why(page):
    text = html_page(report(CPU_VERDICTS, CPU_MACHINE), "es")
    seen = Page(text).text["es"]
    assert (
        seen.index("Informe de evaluación")
        < seen.index("Qué no se midió, y por qué")
        < seen.index("Capítulo")
    )
    assert "La velocidad no se midió: hace falta una GPU." in seen
    assert "AMD Ryzen 7 7840U" in "".join(Page(text).text.values())


def test_every_exercise_has_a_card_that_the_index_leads_to(page):
    targets = {a["id"] for tag, a in page.tags if tag == "article"}
    links = {a["href"].removeprefix("#") for tag, a in page.tags if tag == "a"}
    assert targets == links
    assert len(targets) == len(VERDICTS)


def test_a_page_can_be_made_again_from_the_json_alone(tmp_path):
    paths = write_all(report(ceilings=CEILINGS), tmp_path, "en")
    assert html_page(load(paths["report.json"]), "en") == paths["index.html"].read_text(encoding="utf-8")


def test_an_empty_run_still_makes_a_page():
    assert "No se encontró ningún ejercicio" in Page(html_page(report([]), "es")).text["es"]


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize(
    "one",
    [
        speed(1.0, 0.001),
        speed(1.0001, 0.0, 1.0, None),
        speed(1e4, 0.5),
        speed(0.01, 0.3),
        speed(0.82, 0.01, 0.8, None),
    ],
)
def test_the_interval_is_drawn_inside_its_frame(one, lang):
    record = exercise_record(verdict("a", "slow", speed=one)).speed
    drawn = interval_svg(record, "slow", lang)
    Page(drawn)
    xs = [float(x) for x in re.findall(r'(?:x|x1|x2|cx)="([-\d.]+)"', drawn)]
    assert all(0 <= x <= 360 for x in xs), xs


@pytest.mark.parametrize("fraction", [0.001, 0.62, 1.0, 1.07, 6.4])
def test_the_ceiling_bar_is_drawn_inside_its_frame(fraction):
    drawn = ceiling_svg(exercise_record(verdict("a", "passed", roofline=roof(fraction))).roofline, "es")
    Page(drawn)
    assert all(0 <= float(x) <= 360 for x in re.findall(r'(?:x|x1|x2|width)="([-\d.]+)"', drawn))


@pytest.mark.parametrize("lang", LANGS)
def test_the_notebook_card_and_its_plain_twin_say_the_same(lang):
    for v in VERDICTS:
        card = assert_harmless(notebook_html(v, lang)).text[lang]
        for part in notebook_text(v, lang).split("\n")[1:]:
            said = part.split(": ", 1)[-1]
            assert " ".join(said.split()) in " ".join(card.split()), part


def printed(terminal: bool, monkeypatch, lang="en", **environment) -> str:
    for name in ("CI", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    target = Console(file=io.StringIO(), force_terminal=terminal, width=100)
    print_report(report(), lang, target)
    return target.file.getvalue()


@pytest.mark.parametrize("environment", [{"CI": "true"}, {"TERM": "dumb"}])
def test_logs_and_dumb_terminals_get_one_plain_line_per_exercise(monkeypatch, environment):
    for terminal in (True, False):
        text = printed(terminal, monkeypatch, **environment)
        assert "\x1b" not in re.sub(r"\x1b\[0?m", "", text)
        lines = text.strip().split("\n")
        assert len(lines) == len(VERDICTS) + 1
        assert lines[0].startswith("✓ coalesced_copy: passed (8 / 8 · 2.58×).")
        assert lines[-1].endswith("Some answers do not pass yet. (exit code 1)")


def test_a_terminal_gets_a_table_and_advice_without_obeying_the_answer(monkeypatch):
    text = printed(True, monkeypatch, lang="es", TERM="xterm-256color")
    assert "ejercicio" in text and "código de salida 1" in text
    assert "[red]" in text  # shown, not interpreted as markup
    assert "\u202e" not in text


def test_a_line_says_what_happened_and_what_to_try():
    text = line(exercise_record(VERDICTS[2]), "es")
    assert text.startswith("✗ tiled_transpose: incorrecto (0 / 8). Dos hilos (0, 33)")
    assert text.endswith("entre la escritura y la lectura.")


def test_progress_in_a_log_is_one_line_per_finished_exercise():
    target = Console(file=io.StringIO(), force_terminal=False, width=80)
    with Progress(2, "es", target) as progress:
        for v in VERDICTS[:2]:
            progress.step(v.name, "compile")
            progress.done(v)
    lines = target.file.getvalue().strip().split("\n")
    assert [text[:22] for text in lines] == ["[1/2] ✓ coalesced_copy", "[2/2] ↓ vector_dequant"]


def test_progress_on_a_terminal_names_the_exercise_and_the_phase(monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    target = Console(file=io.StringIO(), force_terminal=True, width=100)
    with Progress(1, "es", target) as progress:
        progress.step("coalesced_copy", "race")
        progress.done(VERDICTS[0])
    assert "coalesced_copy · midiendo" in target.file.getvalue()
