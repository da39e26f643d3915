"""The derived notebooks and nbgrader agree: solutions/ is a source that nbgrader can release, exercises/ its release."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import nbformat
import pytest
import tools_chapter
from nbgrader.apps import NbGraderAPI
from nbgrader.nbgraderformat.v3 import MetadataValidatorV3
from tools_chapter import CHAPTER
from traitlets.config import Config

from tools.notebooks import main


@pytest.fixture
def root(tmp_path):
    tools_chapter.write(tmp_path)
    assert main([], tmp_path) == 0
    return tmp_path


def config(root) -> Config:
    """A course whose source directory is solutions/es; the explanations are taken out by their tag."""
    c = Config()
    c.CourseDirectory.root = str(root)
    c.CourseDirectory.course_id = "made_up"
    c.CourseDirectory.source_directory = "solutions/es"
    c.CourseDirectory.release_directory = "released"
    c.CourseDirectory.db_url = f"sqlite:///{root}/gradebook.db"
    c.ClearSolutions.code_stub = {"python": "# YOUR CODE HERE\nraise NotImplementedError()"}
    c.TagRemovePreprocessor.enabled = True
    c.TagRemovePreprocessor.remove_cell_tags = {"why"}
    c.GenerateAssignment.preprocessors = [
        "nbgrader.preprocessors.LockCells",
        "nbgrader.preprocessors.ClearSolutions",
        "nbconvert.preprocessors.TagRemovePreprocessor",
        "nbgrader.preprocessors.CheckCellMetadata",
        "nbgrader.preprocessors.ClearOutput",
    ]
    return c


def graded(notebook) -> list[tuple]:
    cells = [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
    keys = ("grade_id", "grade", "solution", "locked", "points")
    return [
        (*(cell.metadata.nbgrader.get(key) for key in keys), cell.metadata.get("editable")) for cell in cells
    ]


def test_nbgrader_releases_the_cells_and_points_that_we_derive(root, monkeypatch):
    # nbgrader calls `alembic` by name: it stands beside the interpreter, also where no environment is activated.
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    result = NbGraderAPI(config=config(root)).generate_assignment(CHAPTER)
    assert result["success"], result.get("error", "") + result.get("log", "")
    released = nbformat.read(root / f"released/{CHAPTER}/exercises.ipynb", 4)
    ours = nbformat.read(root / f"exercises/es/{CHAPTER}/exercises.ipynb", 4)
    assert graded(released) == graded(ours)
    assert [cell.id for cell in released.cells] == [cell.id for cell in ours.cells]
    assert "math.fsum" not in str(released) and "YOUR CODE HERE" in str(released)


@pytest.mark.parametrize("room", ["exercises", "solutions"])
@pytest.mark.parametrize("lang", ["es", "en"])
def test_the_metadata_is_valid_in_schema_3(root, room, lang):
    notebook = nbformat.read(root / f"{room}/{lang}/{CHAPTER}/exercises.ipynb", 4)
    MetadataValidatorV3().validate_nb(notebook)
    assert {
        cell.metadata.nbgrader.schema_version for cell in notebook.cells if "nbgrader" in cell.metadata
    } == {3}
