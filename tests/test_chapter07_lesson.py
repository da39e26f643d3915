"""The lesson of chapter 07: runs without a GPU, draws what it counts, says where every number comes from."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[1]
CHAPTER = ROOT / "course" / "07_memory_access"
LANGUAGES = ("es", "en")
SLUGS = (
    "coalesced_copy", "vector_dequant", "tiled_transpose", "conflict_free_tile", "warp_row_reduce", "const_taps_fir",
    "async_row_ring", "tma_transpose",
)  # fmt: skip
CHECKLIST = [
    "L07-02",
    "L07-03",
    "L07-12",
    "L08-01",
    "L08-02",
    "L08-03",
    "L08-04",
    "L08-05",
    "L08-10",
    "L08-12",
]
SECTIONS = ("sectors", "layout", "width", "tile", "banks", "shuffles", "read-only", "prefetch")
# How the workbench names where a number comes from (goodput.show.origin, goodput.recorded).
ORIGIN = re.compile(
    r"Counted just now|Contado ahora|Read just now|Leído ahora|Calculated just now|Calculado ahora|"
    r"Measured just now|Medido ahora|Recorded on NVIDIA|Grabado en NVIDIA"
)


def lesson(lang: str):
    return nbformat.read(ROOT / "notebooks" / lang / f"{CHAPTER.name}.ipynb", 4)


def code_cells(notebook) -> list:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def prose(notebook) -> str:
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def said(output) -> str:
    """Everything of an output that is text, also what stands for a picture."""
    data = output.get("data", {})
    return " ".join(
        [output.get("text", ""), *(str(data[kind]) for kind in sorted(data) if kind.startswith("text/"))]
    )


def figures(notebook) -> list[str]:
    return [
        cell.id
        for cell in code_cells(notebook)
        for output in cell.outputs
        if "image/png" in output.get("data", {})
    ]


def without_origin(notebook) -> list[str]:
    """Cells with an output that shows digits and does not say where they come from."""
    return [
        cell.id
        for cell in code_cells(notebook)
        for output in cell.outputs
        if re.search(r"\d", said(output)) and not ORIGIN.search(said(output))
    ]


@pytest.fixture(scope="module")
def executed():
    """The Spanish lesson, run from top to bottom as a machine without a GPU runs it."""
    notebook = lesson("es")
    for cell in code_cells(notebook):
        cell.outputs = []
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    client = NotebookClient(
        notebook, timeout=120, resources={"metadata": {"path": str(ROOT / "notebooks" / "es")}}
    )
    client.execute(env=os.environ | {"PYTHONPATH": path, "CUDA_VISIBLE_DEVICES": "", "MPLBACKEND": "agg"})
    return notebook


@pytest.mark.slow
def test_it_runs_without_a_gpu_and_draws_its_figures(executed):
    outputs = [output for cell in code_cells(executed) for output in cell.outputs]
    assert [output for output in outputs if output.output_type == "error"] == []
    assert len(figures(executed)) >= 6


@pytest.mark.slow
def test_every_number_that_it_shows_is_live_or_labelled_as_recorded(executed):
    assert without_origin(executed) == []
    counted = [
        cell.id for cell in code_cells(executed) if any("Contado ahora" in said(o) for o in cell.outputs)
    ]
    assert len(counted) >= len(SECTIONS), "each section counts something on this machine"


@pytest.mark.slow
def test_its_counts_are_those_of_the_committed_lesson(executed):
    """Tables hold counts and recorded times only: where they differ, the committed outputs are older than their sources."""

    def tables(notebook):
        return {c.id: said(o) for c in code_cells(notebook) for o in c.outputs if "<table" in said(o)}

    was_live = any("Medido ahora" in said(o) for c in code_cells(lesson("es")) for o in c.outputs)
    if was_live:
        pytest.skip("the committed lesson was run on a GPU: its times are not recorded ones")
    assert tables(executed) == tables(lesson("es"))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_committed_lesson_carries_labelled_outputs(lang):
    notebook = lesson(lang)
    assert [cell.id for cell in code_cells(notebook) if not cell.outputs] == []
    assert len(figures(notebook)) >= 6
    assert without_origin(notebook) == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_figures_of_each_language_are_in_that_language(lang):
    word = {"es": re.compile(r"\bCuatro kernels\b"), "en": re.compile(r"\bFour kernels\b")}[lang]
    first = next(cell for cell in code_cells(lesson(lang)) if cell.id == "suspects-figure")
    assert word.search(said(first.outputs[0]))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_measured_number_is_typed_into_prose(lang):
    """The question that the lesson opens with is the one exception."""
    text = re.sub(r"[«“].*?[»”]", "", prose(lesson(lang)), flags=re.DOTALL)
    assert re.findall(r"\d[\d.,]*\s*(?:ms|µs|GB/s|TFLOP/s|GFLOP)\b", text) == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_exercise_and_checklist_entry_of_the_chapter_is_named(lang):
    text = prose(lesson(lang))
    assert [slug for slug in SLUGS if f"`{slug}`" not in text] == []
    assert [entry for entry in CHECKLIST if entry not in text] == []


@pytest.mark.parametrize("section", SECTIONS)
def test_a_prediction_stands_before_the_measurement(section):
    ids = [cell.id for cell in lesson("en").cells]
    first_picture = next(
        i for i, name in enumerate(ids) if name in figures(lesson("en")) and name.startswith(section)
    )
    assert ids.index(section) < ids.index(f"{section}-prediction") < first_picture


def test_every_experiment_has_a_labelled_record(monkeypatch):
    monkeypatch.syspath_prepend(str(CHAPTER))
    import measure

    stored = json.loads((CHAPTER / "recorded" / "h200.json").read_text())["results"]
    assert [name for name in (*measure.EXPERIMENTS, "counters") if name not in stored] == []
    for name in (*measure.EXPERIMENTS, "counters"):
        assert stored[name]["date"] and stored[name]["versions"]["torch"], name
        assert name == "ceilings" or set(stored[name]["value"]["method"]) == {"es", "en"}, name


@pytest.mark.gpu
def test_what_is_timed_on_a_gpu_was_compared_with_torch_first(monkeypatch):
    monkeypatch.syspath_prepend(str(CHAPTER))
    import lesson_kernels
    import measure

    found = measure.layout()
    assert set(found["ms"]) == {"records", "planes", "wide_planes"} and min(found["ms"].values()) > 0
    monkeypatch.setattr(lesson_kernels, "planes", lambda packed, out: out.zero_())
    with pytest.raises(RuntimeError, match="planes does not compute"):
        measure.layout()
    sys.modules.pop("measure")
