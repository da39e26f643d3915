"""The set-up keeps its promises without touching this environment: what is fresh, what pip said, which torch, whose copy."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools import environment, install, lab, make_help, pip, setup_text, stamp, torch_build

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A checkout with a finished environment that holds no packages."""
    for name in ("pyproject.toml", "constraints.txt"):
        (tmp_path / name).write_text("torch==2.13.0\n")
    venv = tmp_path / ".venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").symlink_to(sys.executable)
    (venv / "pyvenv.cfg").write_text(f"command = python -m venv {venv}\n")
    for name, path in (
        ("ROOT", tmp_path),
        ("VENV", venv),
        ("PYTHON", venv / "bin" / "python"),
        ("STAMP", venv / "goodput.stamp"),
        ("UNFINISHED", venv / "goodput.unfinished"),
    ):
        monkeypatch.setattr(stamp, name, path)
    monkeypatch.setattr(torch_build, "ROOT", tmp_path)
    for name in ("PYTHON", "EXTRAS", "TORCH_INDEX", "ALLOW_CUDA_WHEELS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_an_environment_is_fresh_until_what_it_depends_on_changes(folder, monkeypatch):
    assert not stamp.fresh()
    stamp.write({"lab", "test"})
    assert stamp.fresh()
    monkeypatch.setenv("EXTRAS", "jax")
    assert not stamp.fresh()
    stamp.write({"lab", "test", "jax"})
    assert stamp.fresh()
    (folder / "constraints.txt").write_text("torch==2.14.0\n")
    assert not stamp.fresh()


def test_another_python_version_asks_for_another_environment(folder, monkeypatch):
    stamp.write(set())
    (stamp.VENV / "lib" / "python3.99").mkdir(parents=True)
    assert stamp.fresh()
    monkeypatch.setenv("PYTHON", "python3")
    assert not stamp.fresh()


def test_an_environment_that_was_cut_off_while_packages_were_written_is_made_anew(folder):
    assert install._usable()
    install._mark_unfinished("Collecting numpy")
    assert install._usable()
    install._mark_unfinished("Installing collected packages: numpy, torch")
    assert not install._usable()


def test_a_folder_of_the_user_called_venv_is_not_removed(folder):
    (stamp.VENV / "pyvenv.cfg").unlink()
    with pytest.raises(setup_text.Stop):
        install._virtual_environment(sys.executable, pip.Clock())
    assert (stamp.VENV / "bin" / "python").exists()


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("Downloading torch-2.13.0-cp312-cp312-manylinux_2_28_x86_64.whl (526.6 MB)", 526.6),
        ("Downloading https://host/path/torch-2.13.0-cp312-cp312-linux.whl (2.1 GB)", 2100),
        ("Downloading comm-0.2.3-py3-none-any.whl (7.3 kB)", None),
        ("Collecting torch==2.13.0", None),
    ],
)
def test_the_size_of_a_download_is_read_before_it_comes(line, found):
    announced = pip.download(line)
    assert (announced and announced[1]) == found


@pytest.mark.parametrize(
    ("gpu", "versions", "brings_cuda", "arguments"),
    [
        (False, ["2.13.0+cpu", "2.13.0"], None, ["torch==2.13.0+cpu"]),
        (False, ["2.13.0"], False, ["torch==2.13.0"]),
        (False, ["2.13.0"], True, None),
        (False, ["2.12.0"], None, None),
        (True, ["2.13.0+cpu", "2.13.0"], None, ["torch==2.13.0,!=2.13.0+cpu"]),
    ],
)
def test_cuda_wheels_come_only_to_a_gpu(folder, monkeypatch, gpu, versions, brings_cuda, arguments):
    monkeypatch.setattr(torch_build, "gpu_present", lambda: gpu)
    monkeypatch.setattr(torch_build, "_versions", lambda python: versions)
    monkeypatch.setattr(torch_build, "_brings_cuda", lambda *_: brings_cuda)
    if arguments is None:
        with pytest.raises(setup_text.Stop, match=r"2\.13\.0"):
            torch_build.requirement(Path("python"), folder / "log", pip.Clock(), 0)
    else:
        assert torch_build.requirement(Path("python"), folder / "log", pip.Clock(), 0) == arguments


def test_pips_own_reason_ends_a_failed_set_up(folder):
    with open(os.devnull) as lock, pytest.raises(setup_text.Stop, match="no-such-option"):
        log = folder / "build" / "setup.log"
        pip.run(Path(sys.executable), ["install", "--no-such-option"], log, pip.Clock(), lock.fileno())


@pytest.mark.parametrize("name", setup_text.TEXTS)
def test_both_languages_are_given_the_same_facts(name):
    spanish, english = (set(re.findall(r"{(\w+)", text)) for text in setup_text.TEXTS[name])
    assert spanish == english


def test_what_grading_needs_is_importable_where_the_tests_run():
    assert environment.current() == sys.executable


def test_the_copy_of_a_learner_is_never_overwritten(tmp_path):
    for lang in ("es", "en"):
        book = tmp_path / "exercises" / lang / "07_memory_access" / "exercises.ipynb"
        book.parent.mkdir(parents=True)
        book.write_text(json.dumps({"cells": [lang]}))
    mine = tmp_path / "work" / "es" / "07_memory_access" / "exercises.ipynb"
    assert lab.copy_missing(tmp_path, "es") == [mine]
    mine.write_text("my answer")
    assert lab.copy_missing(tmp_path, "es") == []
    assert mine.read_text() == "my answer"
    assert not (tmp_path / "work" / "en").exists()


@pytest.mark.parametrize("lang", ["es", "en"])
def test_help_tells_of_every_target(lang):
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.search(r"\.PHONY: (.*)", makefile)[1].split()) - {"help"}
    told = {line.split()[1] for line in make_help.help_lines(makefile, lang) if line.startswith("  make ")}
    assert told == targets


def test_every_recipe_is_one_line():
    recipes = re.findall(r"^[a-z]+:[^\n=]*\n((?:\t[^\n]*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert recipes and all(recipe.count("\n") == 1 for recipe in recipes)


def test_an_unsupported_python_is_told_so_in_one_sentence():
    code = "import sys; sys.version_info = (3, 9, 0); from tools import install; install.interpreter()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHON": "x"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "3.9" in done.stderr.splitlines()[-1]
