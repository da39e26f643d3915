"""Derivation: what a made-up chapter yields, and every way in which its sources can be wrong."""

from __future__ import annotations

import json

import nbformat
import pytest
import tools_chapter
from nbgrader.utils import compute_checksum
from tools_chapter import CHAPTER, edit

from tools.derive import derive
from tools.glossary import read_glossary
from tools.ipynb import dumps
from tools.problems import SourceError

NAME = f"course/{CHAPTER}"


@pytest.fixture
def folder(tmp_path):
    return tools_chapter.write(tmp_path)


def derived(folder):
    return derive(folder, read_glossary(folder.parent / "glossary.toml", "course/glossary.toml"))


def book(folder, room: str, lang: str):
    text = dumps(derived(folder).notebooks[f"{room}/{lang}/{CHAPTER}/exercises.ipynb"])
    return nbformat.reads(text, as_version=4)


def test_an_exercises_notebook_has_its_cells_in_order(folder):
    cells = book(folder, "exercises", "es").cells
    assert [cell.id for cell in cells if not cell.id.startswith("text-")] == [
        *("setup", "double-prompt", "double", "double-check"),
        *("scale_cuda-prompt", "scale_cuda", "scale_cuda-check"),
    ]
    assert cells[0].source == "# 3 · Un capítulo inventado"
    assert cells[-4].source == "## Extra"


def test_the_explanation_stands_after_the_check_and_in_the_solutions_only(folder):
    ids = [cell.id for cell in book(folder, "solutions", "en").cells]
    assert ids[ids.index("double-check") + 1] == "double-why"
    assert "double-why" not in [cell.id for cell in book(folder, "exercises", "en").cells]


def test_the_starter_differs_from_the_solution_in_its_hole_only(folder):
    for name, stub in (("double", "    # YOUR CODE HERE\n    raise NotImplementedError(\"double\")"),
                       ("scale_cuda", "    // YOUR CODE HERE")):  # fmt: skip
        solution = next(c.source for c in book(folder, "solutions", "es").cells if c.id == name)
        starter = next(c.source for c in book(folder, "exercises", "es").cells if c.id == name)
        before, rest = solution.split("    # BEGIN SOLUTION" if name == "double" else "    // BEGIN SOLUTION")
        assert starter.startswith(before + stub) and starter.endswith(rest.split("END SOLUTION")[1])
        assert "SOLUTION" not in starter


def test_hints_are_a_ladder_of_three_outside_the_notebooks(folder):
    hints = derived(folder).hints
    assert hints[f"exercises/es/{CHAPTER}/hints.json"]["double"][0] == "¿Qué es el doble?"
    assert list(hints[f"exercises/en/{CHAPTER}/hints.json"]) == ["double", "scale_cuda"]
    assert all(len(ladder) == 3 for ladder in hints[f"exercises/en/{CHAPTER}/hints.json"].values())
    for room in ("exercises", "solutions"):
        assert "What is twice?" not in dumps(
            derived(folder).notebooks[f"{room}/en/{CHAPTER}/exercises.ipynb"]
        )


def test_both_languages_share_the_checksums_of_every_nbgrader_cell(folder):
    for room in ("exercises", "solutions"):
        sums = [
            [
                (cell.id, compute_checksum(cell))
                for cell in book(folder, room, lang).cells
                if "nbgrader" in cell.metadata
            ]
            for lang in ("es", "en")
        ]
        assert sums[0] == sums[1] and len(sums[0]) == 5


def test_the_languages_differ_in_prose_and_in_the_name_of_the_language_only(folder):
    es, en = (json.loads(dumps(book(folder, "exercises", lang))) for lang in ("es", "en"))
    assert [cell["id"] for cell in es["cells"]] == [cell["id"] for cell in en["cells"]]
    for one, other in zip(es["cells"], en["cells"], strict=True):
        assert one["cell_type"] == "markdown" or one == other
        assert one["metadata"] == other["metadata"]
    assert es["metadata"] | {"goodput": None} == en["metadata"] | {"goodput": None}
    assert en["metadata"]["goodput"] == {"chapter": CHAPTER, "lang": "en", "source": f"{NAME}/exercises.py"}


def test_points_are_summed_for_nbgrader_and_kept_apart_for_the_grader(folder):
    cells = {cell.id: cell for cell in book(folder, "exercises", "es").cells}
    assert cells["double-check"].metadata.nbgrader.points == 8
    assert cells["double-check"].metadata.goodput.points == [4, 4]
    assert cells["scale_cuda-check"].metadata.nbgrader.points == 7.5


def test_locked_cells_are_read_only_and_answers_cannot_be_deleted(folder):
    for cell in book(folder, "exercises", "es").cells:
        assert cell.metadata.deletable is False
        assert (cell.metadata.get("editable") is False) == (cell.id not in ("double", "scale_cuda"))


def test_derived_notebooks_are_valid_and_spelled_as_nbformat_spells_them(folder):
    everything = derived(folder)
    for notebook in (everything.lessons | everything.notebooks).values():
        text = dumps(notebook)
        parsed = nbformat.reads(text, as_version=4)
        nbformat.validate(parsed)
        assert nbformat.writes(parsed) + "\n" == text
        assert len({cell.id for cell in parsed.cells}) == len(parsed.cells)


def test_a_new_lesson_cell_does_not_rename_its_neighbours(folder):
    path = f"notebooks/es/{CHAPTER}.ipynb"
    before = [cell["id"] for cell in derived(folder).lessons[path]["cells"]]
    edit(folder / "chapter.py", "# %%\nn + 1", "# %%\nnew = 0\n# %%\nn + 1")
    after = [cell["id"] for cell in derived(folder).lessons[path]["cells"]]
    assert [cell for cell in after if cell in before] == before and len(after) == len(before) + 1
    assert before[1] == "sizes"


def test_equal_lesson_cells_get_different_ids(folder):
    edit(folder / "chapter.py", "n + 2", "n + 1")
    ids = [cell["id"] for cell in derived(folder).lessons[f"notebooks/es/{CHAPTER}.ipynb"]["cells"]]
    assert ids[-1] == ids[-2] + "-2"


WRONG = [
    (
        "double.py",
        'role="answer" id="double"',
        'role="answer" id="twice"',
        "id='twice' on the answer cell",
        "double.py",
    ),
    ("double.py", "check(double)\n", "check(double)  # now\n", "check cell with other text", "double.py"),
    ("double.py", 'points="4+4"', 'points="4+x"', "points='4+x'", "double.py"),
    ("double.py", 'points="4+4"', 'points="0"', "points='0'", "double.py"),
    ("double.py", ' points="4+4"', "", "points=None", "double.py"),
    ("double.py", "# ## 3.1 El doble", "# 3.1 El doble", "heading levels differ", "double.py"),
    ("double.py", "1,5 us", "15 us", "the number 15 stands only", "double.py"),
    ("double.py", "    # END SOLUTION\n", "", "without an END", "double.py"),
    ("double.py", "def double(x):", "def twice(x):", "does not define double", "double.py"),
    ("double.py", "import math", "%pip install x", "not valid Python", "double.py"),
    ("double.py", "# ¿Qué es el doble?", "# BEGIN SOLUTION", "a solution marker in prose", "double.py"),
    (
        "double.py",
        '# %% role="check"',
        '# %%\nx = 1\n# %% role="check"',
        "no role where check is expected",
        "double.py",
    ),
    ("scale_cuda.cu", "    // BEGIN SOLUTION\n", "", "without a BEGIN", "scale_cuda.cu"),
    ("scale_cuda.py", "scale_cuda.cu", "other.cu", "no such file", "scale_cuda.py"),
    ("exercises.py", "# # 3 · Un", "# Un", "does not start with its title", "exercises.py"),
    (
        "exercises.py",
        "from grader.notebook import check, hint",
        "x = 1",
        "without the grader",
        "exercises.py",
    ),
    ("exercises.py", "# %%\nfrom grader.notebook import check, hint\n", "", "0 code cells", "exercises.py"),
    (
        "exercises.py",
        '# %% include="double.py"',
        '# %%\nx = 1\n# %% include="double.py"',
        "2 code cells",
        "exercises.py",
    ),
    ("exercises.py", "double.py", "absent.py", "no such file", "exercises.py"),
    ("exercises.py", "double.py", "../double.py", "include='../double.py'", "exercises.py"),
    ("exercises.py", "double.py", "scale_cuda.py", "include='scale_cuda.py'", "exercises.py"),
    (
        "exercises.py",
        '# %% include="double.py"',
        '# %% include="double.py"\nx = 1',
        "text in a cell",
        "exercises.py",
    ),
    ("exercises.py", '# %% include="double.py"\n', "", "that exercises.py does not include", "double.py"),
    ("chapter.py", 'id="sizes"', 'role="answer"', "a lesson cell does not take", "chapter.py"),
    ("chapter.py", "n + 1", "# BEGIN SOLUTION\nn + 1", "a solution marker in a lesson", "chapter.py"),
    ("chapter.py", "# %%\nn + 1", '# %% id="sizes"\nn + 1', "a second time", "chapter.py"),
]


@pytest.mark.parametrize(
    ("file", "old", "new", "what", "where"), WRONG, ids=[f"{row[0]}: {row[3]}" for row in WRONG]
)
def test_a_wrong_source_stops_the_build_and_says_where(folder, file, old, new, what, where):
    edit(folder / file, old, new)
    with pytest.raises(SourceError) as caught:
        derived(folder)
    found = [problem for problem in caught.value.problems if what in problem.what]
    assert found, [str(problem) for problem in caught.value.problems]
    assert found[0].path == f"{NAME}/{where}" and found[0].repair


def test_cells_in_the_wrong_number_stop_the_build(folder):
    text = (folder / "double.py").read_text()
    why = text.index('\n# %% [markdown] role="why" lang="es"')
    (folder / "double.py").write_text(text[:why])
    with pytest.raises(SourceError, match="no why cell after this one"):
        derived(folder)
    (folder / "double.py").write_text(text + text[why:])
    with pytest.raises(SourceError, match="where the file should end is expected"):
        derived(folder)


def test_problems_of_all_files_are_reported_at_once(folder):
    edit(folder / "double.py", "1,5 us", "15 us")
    edit(folder / "scale_cuda.py", 'points="7.5"', 'points=""')
    edit(folder / "chapter.py", "# # A lesson", "# ## A lesson")
    with pytest.raises(SourceError) as caught:
        derived(folder)
    assert {problem.path.split("/")[-1] for problem in caught.value.problems} == {
        *("double.py", "scale_cuda.py", "chapter.py"),
    }


def test_a_slug_is_unique_in_the_course(folder):
    other = folder.parent / "04_other"
    other.mkdir()
    (other / "double.py").write_text("")
    with pytest.raises(SourceError, match="also stands in 04_other"):
        derived(folder)


def test_a_cuda_file_that_nothing_includes_is_reported(folder):
    (folder / "left.cu").write_text("x")
    with pytest.raises(SourceError, match="a CUDA file that no answer includes"):
        derived(folder)


def test_a_chapter_without_sources_is_reported(folder):
    (folder / "chapter.py").unlink()
    (folder / "exercises.py").unlink()
    with pytest.raises(SourceError, match="a chapter without sources"):
        derived(folder)


def test_a_slug_too_long_is_refused(folder):
    long = "x" * 33
    (folder / "double.py").rename(folder / f"{long}.py")
    edit(folder / "exercises.py", "double.py", f"{long}.py")
    with pytest.raises(SourceError, match="cannot be the name of an exercise"):
        derived(folder)
