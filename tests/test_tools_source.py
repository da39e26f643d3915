"""Percent sources: cells know their lines, and what the course format does not have is refused with its line."""

from __future__ import annotations

import pytest

from tools.problems import SourceError
from tools.source import read_cells


def read(tmp_path, text: str):
    path = tmp_path / "a.py"
    path.write_text(text, encoding="utf-8")
    return read_cells(path, "course/03/a.py")


def test_cells_carry_kind_options_text_and_lines(tmp_path):
    prose, code = read(
        tmp_path, '\n# %% [markdown] lang="es" id="a"\n#\n# # Hola\n\n# %% tags=["parameters"]\n\nn = 1\n\n'
    )
    assert (prose.kind, prose.text, prose.lang, prose.id, prose.line, prose.first) == (
        "markdown",
        "# Hola",
        "es",
        "a",
        2,
        4,
    )
    assert (code.kind, code.text, code.tags, code.line, code.first) == (
        "code",
        "n = 1",
        ("parameters",),
        6,
        8,
    )


def test_a_marker_inside_a_string_is_text(tmp_path):
    (cell,) = read(tmp_path, "# %%\ns = '''\n# %% not a cell\n'''\n")
    assert "# %% not a cell" in cell.text


def test_magics_stand_in_comments_and_come_back(tmp_path):
    assert read(tmp_path, "# %%\n# %matplotlib inline\nx = 1\n")[0].text == "%matplotlib inline\nx = 1"


@pytest.mark.parametrize(
    ("text", "what", "line"),
    [
        ("x = 1\n# %%\ny\n", "text before", 1),
        ("x = 1\n", "no cell", 1),
        ('# %%\nx\n\n# %% [markdown] lang="es" twin="loose"\n# a\n', "unknown cell option twin", 4),
        ("# %% A title\nx\n", "unknown cell option title", 1),
        ("# %% lang=es\nx\n", "unknown cell option incorrectly_encoded_metadata", 1),
        ("# %% points=4\nx\n", "is not text", 1),
        ('# %% tags="parameters"\nx\n', "not of type 'array'", 0),
        ("# %% [markdown]\n# a\n", "without a language", 1),
        ('# %% [markdown] lang="fr"\n# a\n', "without a language", 1),
        ('# %% lang="es"\nx\n', "code cell with a language", 1),
        ('# %% [markdown] lang="es"\n"""\na\n"""\n', "not a comment", 1),
        ("# %% [raw]\n# a\n", "a raw cell", 1),
        ("# %%\n\n# %%\nx\n", "an empty cell", 1),
        ('# %% id="a b"\nx\n', "id='a b'", 1),
        ("# %%\nx = (\n", "not valid Python", 3),
        ("# %%\nif x:\n        a\n    b\n", "not valid Python", 4),
    ],
)
def test_what_the_format_does_not_have_is_refused_at_its_line(tmp_path, text, what, line):
    with pytest.raises(SourceError) as caught:
        read(tmp_path, text)
    (problem,) = caught.value.problems
    assert what in problem.what and problem.line == line and problem.path == "course/03/a.py"
    assert "repair: " in str(problem)


def test_a_missing_and_a_wrongly_encoded_file_are_refused(tmp_path):
    with pytest.raises(SourceError, match="does not exist"):
        read_cells(tmp_path / "absent.py", "absent.py")
    (tmp_path / "latin.py").write_bytes("# %%\n# ñ\n".encode("latin-1"))
    with pytest.raises(SourceError, match="UTF-8"):
        read_cells(tmp_path / "latin.py", "latin.py")
