"""What the READMEs promise is so: their example, links and length, that they are twins, and how numbers get into them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools import readme_numbers

ROOT = Path(__file__).resolve().parents[1]
PAGES = [("README.md", "en"), ("README.es.md", "es")]


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def shape(text: str) -> list[str]:
    """Kinds of lines that both languages must have in the same order; code blocks with their commands."""
    kinds = [("#", "heading"), ("- ", "item"), ("| ", "row"), ("<!--", "place")]
    found = [kind for line in text.splitlines() for start, kind in kinds if line.startswith(start)]
    commands = re.findall(r"```\n(make .*?)```", text, re.DOTALL)
    return found + commands + sorted(re.findall(r"\]\(((?!README|exercises|notebooks)[^)]+)\)", text))


def test_both_readmes_have_the_same_shape():
    assert shape(page("README.md")) == shape(page("README.es.md"))


@pytest.mark.parametrize(("name", "lang"), PAGES)
def test_a_readme_is_read_in_minutes(name, lang):
    assert len(page(name).splitlines()) <= 150


@pytest.mark.parametrize(("name", "lang"), PAGES)
def test_links_of_a_readme_lead_somewhere(name, lang):
    paths = [link for link in re.findall(r"\]\(([^)#]+)\)", page(name)) if not link.startswith("http")]
    assert paths and [path for path in paths if not (ROOT / path).exists()] == []


@pytest.mark.slow
@pytest.mark.parametrize(("name", "lang"), PAGES)
def test_a_readme_shows_what_a_check_prints(name, lang, tmp_path):
    """The example is chapter 07's baseline for coalesced_copy, checked without a GPU."""
    sample = re.search(r"```text\n(.*?)```", page(name), re.DOTALL)
    assert sample
    code = "from grader import course; print(course.baseline(course.task('coalesced_copy')))"
    answer = tmp_path / "answer.py"
    answer.write_text(
        subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
    )
    command = ["check", "coalesced_copy", str(answer), "--device", "cpu", "--lang", lang]
    done = subprocess.run(
        [sys.executable, "-m", "grader.cli", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    for line in sample[1].splitlines():
        assert line in done.stdout.splitlines()


def test_recorded_numbers_become_tables_with_their_origin(tmp_path):
    file = tmp_path / readme_numbers.RECORDED
    file.parent.mkdir(parents=True)
    origin = {"date": "2026-11-30", "versions": {"torch": "2.11.0"}}
    solution = {"answer": "solution", "baseline_ms": 0.5, "ms": 0.2, "ratio": 2.5, "fraction": 0.62}
    exercises = [
        {"exercise": "coalesced_copy", **solution},
        {"exercise": "coalesced_copy", "answer": "variant float4"},
    ]
    verdicts = [
        {"exercise": "coalesced_copy", "answer": "baseline", "passed": 1, "slow": 996, "too_close": 3}
    ]
    results = {"exercises": {"value": exercises, **origin}, "verdicts": {"value": verdicts, **origin}}
    file.write_text(json.dumps({"schema": 1, "gpu": "NVIDIA H200", "results": results}))
    page = "<!-- numbers:h200 -->\nold\n<!-- /numbers -->\n<!-- numbers:verdicts -->\n<!-- /numbers -->\n"
    text = readme_numbers.filled(page, tmp_path, "es")
    assert "| `coalesced_copy` | 0,500 | 0,200 | 2,50× | 62 % |" in text
    assert "| `coalesced_copy`, línea base | 1000 | 1 | 3 |" in text
    assert text.count("NVIDIA H200, 2026-11-30, torch 2.11.0") == 2
    assert "old" not in text
    assert readme_numbers.filled(text, tmp_path, "es") == text
