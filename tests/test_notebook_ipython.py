"""Without Jupyter: one command of IPython, cells of a plain shell, and a plain program show the verdict as text."""

from __future__ import annotations

import subprocess
import sys

import pytest
from notebook_kernel import CHAPTER, SETUP, WAIT_S, environment

from grader import course

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
SOLUTION = course.solution(course.task("conflict_free_tile"))


def run(folder, *command):
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([sys.executable, *command], cwd=folder, env=environment(), capture_output=True, text=True,
                          timeout=3 * WAIT_S, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_one_command_of_ipython(tmp_path):
    """Everything in one cell that IPython does not even store, with the check inside it."""
    code = f"{SETUP}\n{SOLUTION}\ncheck(conflict_free_tile)"
    shown = run(tmp_path / "es" / CHAPTER, "-m", "IPython", "--no-banner", "--colors=NoColor", "-c", code)
    assert "✓ superado: conflict_free_tile" in shown and "\x1b[K" not in shown


def test_cells_of_a_plain_shell(tmp_path):
    program = tmp_path / "cells.py"
    program.write_text(
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        f"for cell in {[SETUP, SOLUTION, 'check(conflict_free_tile)', 'hint(conflict_free_tile)']!r}:\n"
        "    shell.run_cell(cell, store_history=True).raise_error()\n"
    )
    shown = run(tmp_path / "en" / CHAPTER, str(program))
    assert "✓ passed: conflict_free_tile" in shown and "Hint 1/3." in shown


def test_a_plain_program(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(f"{SOLUTION}\n{SETUP}\ncheck(conflict_free_tile, lang='en')\n")
    assert "✓ passed: conflict_free_tile" in run(tmp_path, str(program))
