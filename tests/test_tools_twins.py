"""Twins: the two languages of a cell say the same thing, and the Spanish one follows the glossary."""

from __future__ import annotations

import pytest

from tools.glossary import read_glossary
from tools.problems import SourceError
from tools.prose import meanings
from tools.source import Cell
from tools.twins import Twin, compare, pair

GLOSSARY = """
[terms]
"shared memory" = "memoria compartida"
"thread" = "hilo"
[keep]
warp = ["urdimbre"]
batch = ["lote"]
"""


@pytest.fixture
def glossary(tmp_path):
    (tmp_path / "glossary.toml").write_text(GLOSSARY, encoding="utf-8")
    return read_glossary(tmp_path / "glossary.toml", "course/glossary.toml")


def prose(lang: str, text: str, line: int = 1, **options) -> Cell:
    return Cell("course/03/a.py", line, line + 1, "markdown", text, lang, **options)


def differences(es: str, en: str, glossary) -> list[str]:
    return [problem.what for problem in compare(Twin(prose("es", es), prose("en", en, 50)), glossary)]


AGREE = [
    ("Usa `a + b`\ny `c`.", "Use `c` and\n`a +\nb`."),
    ("``un `literal` ``", "``un `literal` ``"),
    ("Tarda 1,5 ms", "Takes 1.5 ms"),
    ("Tarda 1.5 ms", "Takes 1.5 ms"),
    ("Mueve 4.235 GB", "Moves 4,235 GB"),
    ("Mueve 4\u202f235 GB", "Moves 4,235 GB"),
    ("Mueve 1.048.576", "Moves 1,048,576"),
    ("Son 1.234,50 y 0,50", "They are 1,234.5 and 0.5"),
    ("Versión 12.6.3 de fp16", "Version 12.6.3 of fp16"),
    ("Dos pasos", "Two steps"),
    ("$t = \\frac{\\text{bytes leídos}}{1{,}5}$", "$t=\\frac{\\text{bytes read}}{1.5}$"),
    ("$$\na^2\n$$", "$$a^2$$"),
    ("Cuesta 3 \\$ y 4 \\$", "It costs \\$3 and \\$4"),
    (
        "[guía](https://a.org/x) y [otra](../es/05.ipynb)",
        "[the other](../en/05.ipynb), [guide](https://a.org/x)",
    ),
    ("![banco](figures/banks.es.svg)", "![bank](figures/banks.en.svg)"),
    ("Ver https://a.org/x.", "See https://a.org/x"),
    ("```python\nx = 1\n```", "```python\nx = 1\n```"),
    ("```text\nfaltan 3\n```", "```text\n3 missing\n```"),
    ("## Título\n\n### Parte", "## Title\n\n### Part"),
    ("## `kernel_name` · Nsight Compute", "## `kernel_name` · Nsight Compute"),
]


@pytest.mark.parametrize(("es", "en"), AGREE)
def test_twins_that_say_the_same_agree(es, en, glossary):
    assert differences(es, en, glossary) == []


DIFFER = [
    (
        "Usa `a`",
        "Use `b`",
        ["inline code `a` stands only in the es cell", "inline code `b` stands only in the en cell"],
    ),
    (
        "Son 15",
        "They are 1.5",
        ["the number 15 stands only in the es cell", "the number 1.5 stands only in the en cell"],
    ),
    ("Son 2", "They are two", ["the number 2 stands only in the es cell"]),
    (
        "$a$",
        "$b$",
        ["the formula $a$ stands only in the es cell", "the formula $b$ stands only in the en cell"],
    ),
    ("texto ![x](a.svg)", "text", ["the image ![x](a.svg) stands only in the es cell"]),
    ("## T", "### T", ["heading levels differ: es [2], en [3]"]),
    (
        "```python\nx = 1\n```",
        "```python\nx = 2\n```",
        ["the python block differs between es and en (line 50)"],
    ),
    ("```text\na\n```", "nothing", ["fenced blocks differ in number or kind"]),
    ("This was never put into Spanish", "This was never put into Spanish", ["the two texts are the same"]),
]


@pytest.mark.parametrize(("es", "en", "what"), DIFFER)
def test_a_difference_is_named(es, en, what, glossary):
    assert differences(es, en, glossary) == what


@pytest.mark.parametrize(
    ("es", "en", "count"),
    [
        ("Son 1,024", "They are 1.024", 0),
        ("Son 4 235", "They are 4,235", 3),
        ("[x](https://a.org)", "[x](https://b.org)", 2),
        ("```text\nfaltan 3\n```", "```text\n4 missing\n```", 2),
    ],
)
def test_numbers_and_links_are_compared_by_what_they_mean(es, en, count, glossary):
    assert len(differences(es, en, glossary)) == count


@pytest.mark.parametrize(
    ("written", "lang", "values"),
    [
        ("1,5", "es", {"1.5"}),
        ("1,024", "es", {"1024", "1.024"}),
        ("1,024", "en", {"1024"}),
        ("1.024", "en", {"1.024"}),
        ("0.541", "es", {"0.541"}),
        ("0,541", "en", {"0.541"}),
        ("100", "es", {"100"}),
    ],
)
def test_a_number_means_what_its_language_allows(written, lang, values):
    assert meanings(written, lang) == values


def test_a_difference_is_reported_at_its_line_with_the_place_of_the_twin(glossary):
    twin = Twin(prose("es", "uno\n\n`dos` `tres`", 10), prose("en", "one\n\n`dos`", 20))
    (problem,) = compare(twin, glossary)
    assert (problem.path, problem.line) == ("course/03/a.py", 13) and "line 20" in problem.repair


@pytest.mark.parametrize(
    ("es", "en", "what"),
    [
        ("Usa shared\nmemory", "x", '"shared memory" in a Spanish cell'),
        ("Dos Threads", "x", '"Threads" in a Spanish cell'),
        ("Una urdimbre", "x", '"urdimbre" for "warp"'),
        ("Por lotes", "x", '"lotes" for "batch"'),
        ("Un grupo", "A warp", '"warp" stands in the English cell but not in the Spanish one'),
    ],
)
def test_a_breach_of_the_glossary_is_named(es, en, what, glossary):
    assert differences(es, en, glossary) == [what]


@pytest.mark.parametrize(
    ("es", "en"),
    [
        ("La memoria compartida (*shared memory*)", "Shared memory"),
        ("La sección «Shared memory»", 'The section "Shared memory"'),
        ("El hilo `thread`", "The thread `thread`"),
        ("Dos warps", "Two warps"),
        ("Los subprocesos multithreaded", "Multithreaded"),
    ],
)
def test_terms_in_parentheses_quotations_and_code_are_exempt(es, en, glossary):
    assert differences(es, en, glossary) == []


ES, EN, CODE = prose("es", "a"), prose("en", "b", 5), Cell("course/03/a.py", 9, 10, "code", "x")


def test_adjacent_prose_cells_are_paired_and_code_is_left_alone():
    assert pair([ES, EN, CODE, ES, EN]) == [Twin(ES, EN), CODE, Twin(ES, EN)]


@pytest.mark.parametrize(
    ("cells", "what"),
    [
        ([ES], "a Spanish cell without its English twin"),
        ([ES, CODE, EN], "a Spanish cell without its English twin"),
        ([ES, ES, EN], "a Spanish cell without its English twin"),
        ([EN], "an English cell without its Spanish twin"),
        ([EN, ES], "an English cell without its Spanish twin"),
        ([prose("es", "a", role="hint"), EN], "twins of different role or id: hint and prose"),
        ([prose("es", "a", id="x"), EN], "twins of different role or id: prose x and prose"),
    ],
)
def test_a_cell_without_its_twin_is_refused(cells, what):
    with pytest.raises(SourceError) as caught:
        pair(cells)
    assert caught.value.problems[0].what == what


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[terms", "TOML"),
        ("[terms]\n", "tables"),
        ("[terms]\nx = 1\n[keep]\n", "no Spanish form"),
        ('[terms]\nx = "y"\n[keep]\nx = []\n', "no Spanish form"),
        ("[terms]\n[keep]\nx = 1\n", "'x'"),
    ],
)
def test_a_wrong_glossary_is_refused(tmp_path, text, what):
    (tmp_path / "g.toml").write_text(text)
    with pytest.raises(SourceError, match=what):
        read_glossary(tmp_path / "g.toml", "g.toml")
