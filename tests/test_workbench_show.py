"""Promises of goodput.show: counts are the textbook's, and every figure draws in both languages."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from goodput import language, show
from goodput.show.style import style

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(("stride", "sectors"), [(1, 4), (2, 8), (4, 16), (8, 32), (32, 32), (0, 1)])
def test_sectors_of_a_strided_request(stride, sectors):
    assert len(show.count_sectors(show.strided(stride)).sectors) == sectors


def test_a_misaligned_request_touches_one_more_sector():
    assert len(show.count_sectors(show.strided(1, first_byte=4)).sectors) == 5


def test_wide_loads_use_all_they_move():
    wide = show.count_sectors(show.strided(1, element_bytes=16), 16)
    assert (len(wide.sectors), wide.efficiency) == (16, 1.0)
    one_word_of_a_record = show.count_sectors(show.strided(8))
    assert one_word_of_a_record.efficiency == 0.125


def test_the_order_of_lanes_does_not_change_the_sectors():
    addresses = show.strided(1)
    shuffled = random.Random(3).sample(addresses, len(addresses))
    assert show.count_sectors(shuffled) == show.count_sectors(addresses)


@pytest.mark.parametrize(("addresses", "width"), [([0, 2], 4), ([0], 3)])
def test_impossible_accesses_are_refused(addresses, width):
    with pytest.raises(ValueError):
        show.count_sectors(addresses, width)


@pytest.mark.parametrize(("layout", "wavefronts"), [
    ({"pad": 0}, 32), ({"pad": 1}, 1), ({"pad": 2}, 2), ({"pad": 4}, 4), ({"xor": 31}, 1), ({"xor": 15}, 2),
])  # fmt: skip
@pytest.mark.parametrize("column", [0, 7, 31])
def test_wavefronts_of_a_column_read(layout, wavefronts, column):
    assert show.count_wavefronts(show.column_words(**layout, column=column)) == wavefronts


def test_lanes_that_read_the_same_word_do_not_conflict():
    assert show.count_wavefronts([5] * 32) == 1


ES_EN = {"es": "título", "en": "title"}
FIGURES = {
    "bars": lambda lang: show.bars(
        [(ES_EN, 3.0), ("b", 40.0)], unit="GB/s", title=ES_EN, ceiling=(ES_EN, 42.0), beside=["x", ES_EN], lang=lang
    ),
    "lines": lambda lang: show.lines(
        [(ES_EN, [1, 2, 4], [3, 2, 1]), ("b", [1, 2, 4], [3, 3, 3])],
        x_label=ES_EN, y_label="GB/s", title=ES_EN, log_x=True, log_y=True, lang=lang,
    ),
    "sector_map": lambda lang: show.sector_map({"2": show.strided(2), "32": show.strided(32)}, lang=lang),
    "narrow sector_map": lambda lang: show.sector_map(
        {"u8": show.strided(1, element_bytes=1)}, bytes_each=1, lang=lang
    ),
    "bank_map": lambda lang: show.bank_map(
        {"0": show.column_words(), "1": show.column_words(pad=1), "2": show.column_words(pad=2)}, lang=lang
    ),
}  # fmt: skip


@pytest.mark.parametrize("lang", ["es", "en"])
@pytest.mark.parametrize("name", FIGURES)
def test_figures_show_themselves_and_describe_themselves(name, lang):
    figure = FIGURES[name](lang)
    data, metadata = figure._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    assert data["text/plain"].strip()
    assert metadata["image/png"]["width"] <= 800, "wider than a notebook cell"
    canvas_px = 2 * metadata["image/png"]["width"]
    with style():
        renderer = figure.canvas.get_renderer()
        for text in figure.texts:
            assert text.get_window_extent(renderer).x1 <= canvas_px / 2, "a heading runs out of the picture"


def test_drawing_changes_no_global_setting():
    import matplotlib

    before = dict(matplotlib.rcParams)
    FIGURES["bars"]("en")
    assert dict(matplotlib.rcParams) == before


def test_only_show_imports_matplotlib():
    files = [*ROOT.glob("goodput/**/*.py"), *ROOT.glob("grader/**/*.py"), *ROOT.glob("tools/**/*.py")]
    importers = {
        str(f.relative_to(ROOT))
        for f in files
        if "import matplotlib" in (t := f.read_text()) or "from matplotlib" in t
    }
    assert importers
    assert all(name.startswith("goodput/show/") for name in importers)
    code = "import sys, goodput.roofline, goodput.recorded, goodput.clock; print('matplotlib' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert said.stdout.strip() == "False"


def test_a_table_writes_numbers_and_escapes_text():
    rows = [{"kernel": "<a>", "time_us": 1234.5678, "n": 3}, {"kernel": "b", "time_us": None, "n": 40}]
    found = show.table(
        rows, columns={"kernel": "kernel", "time_us": {"es": "µs", "en": "us"}, "n": "n"}, lang="es", mark=[1]
    )
    html = found._repr_html_()
    assert "&lt;a&gt;" in html and "<a>" not in html
    assert found.header == ("kernel", "µs", "n")
    assert found.rows == (("<a>", "1235", "3"), ("b", "–", "40"))
    assert found.numeric == (False, True, True)
    with pytest.raises(KeyError, match="no column 'x'"):
        show.table(rows, columns={"x": "x"})


def test_language_comes_from_choice_then_environment_then_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    (tmp_path / "notebooks" / "es").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert language.language() == "en"
    monkeypatch.chdir(tmp_path / "notebooks" / "es")
    assert language.language() == "es"
    monkeypatch.setenv("GOODPUT_LANG", "en")
    assert language.language() == "en"
    language.use_language("es")
    try:
        assert language.pick(ES_EN) == "título"
    finally:
        language.use_language(None)
    with pytest.raises(KeyError, match="'es' half"):
        language.pick({"en": "only"}, "es")
