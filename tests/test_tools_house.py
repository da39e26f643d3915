"""The house rules that a program can check: imports point one way, no room without a concept, files stay short."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
OURS = {"goodput", "grader", "tools", "course"}
MAY_IMPORT = {"goodput": set(), "grader": {"goodput"}, "tools": set()}
SHAPELESS = {"utils", "common", "lib"}
# The house style: past this a module says why, with a sentence that has "long because" in its docstring.
LONGEST = 300


def modules(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Top names of every absolute import in a file, inside functions too."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_imports_point_one_way(room):
    allowed = MAY_IMPORT[room] | {room}
    wrong = {str(path.relative_to(ROOT)): imported(path) & OURS - allowed for path in modules(room)}
    assert {path: names for path, names in wrong.items() if names} == {}


def test_lessons_and_answers_import_only_the_workbench_and_the_check():
    """A chapter's notebooks see goodput and grader.notebook; its contracts (tasks*.py) see the grader."""
    for path in modules("course"):
        allowed = {"goodput"} | (
            {"grader", "course"} if path.name.startswith(("tasks", "exercises")) else set()
        )
        assert imported(path) & OURS <= allowed, path.relative_to(ROOT)


def test_tools_do_not_load_torch():
    code = "import sys, tools.notebooks; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_no_module_is_named_after_nothing():
    found = [path for room in OURS for path in (ROOT / room).rglob("*") if path.stem in SHAPELESS]
    assert [str(path.relative_to(ROOT)) for path in found] == []


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_long_module_says_why(room):
    for path in modules(room):
        text = path.read_text(encoding="utf-8")
        if text.count("\n") > LONGEST:
            docstring = ast.get_docstring(ast.parse(text)) or ""
            assert "long because" in docstring.lower(), (
                f"{path.relative_to(ROOT)}: {text.count(chr(10))} lines"
            )


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_every_module_opens_with_what_it_does(room):
    texts = {path: path.read_text(encoding="utf-8") for path in modules(room)}
    silent = [path for path, text in texts.items() if text.strip() and not ast.get_docstring(ast.parse(text))]
    assert [str(path.relative_to(ROOT)) for path in silent] == []
