"""What lessons build on: a prediction shares the roof, counts match arithmetic, origins are named, lines carry their cost."""

from __future__ import annotations

import pytest
import torch

from goodput.cuda import kernel, launch
from goodput.cuda.errors import LaunchError
from goodput.emulator import count
from goodput.machine.ceiling import Ceiling, Ceilings
from goodput.recorded import Result
from goodput.roofline import position, predict
from goodput.show import COUNTED, listing, origin, stride_slider, table

SOURCE = """extern "C" __global__ void every(const float* x, float* out, int stride, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = x[stride * i];
  out[i] = v + 1.f;
}
"""
LOAD, STORE = 4, 5  # lines of SOURCE


def every(x, out, stride):
    launch(kernel(SOURCE, "every"), 1, out.numel(), [x, out, stride, out.numel()])


@pytest.fixture(scope="module")
def strided():
    x, out = torch.arange(256.0), torch.empty(32)
    return count(every, x=x, out=out, stride=8), x, out


@pytest.fixture
def ceilings():
    values = {
        name: Ceiling(name, value, 0.01, 20, "made up")
        for name, value in (("copy_gb_per_s", 1000.0), ("fp32_tflop_per_s", 50.0))
    }
    return Ceilings("cuda", "abc", "Some GPU", "2026-11-30T00:00:00+00:00", values, {})


def test_count_counts_sectors_and_computes_the_result(strided):
    counts, x, out = strided
    assert (counts.load_sectors_per_request, counts.store_sectors_per_request) == (32, 4)
    assert torch.equal(out, x[::8] + 1)


def test_count_refuses_views_and_reports_what_the_emulator_finds():
    x = torch.arange(512.0)
    with pytest.raises(ValueError, match="contiguous"):
        count(every, x=x[::2], out=torch.empty(32), stride=1)
    with pytest.raises(LaunchError, match="out of bounds"):
        count(every, x=torch.arange(32.0), out=torch.empty(32), stride=8)


def test_a_listing_puts_the_cost_beside_its_line_and_marks_waste(strided):
    shown = listing(SOURCE, strided[0], lang="en")
    assert shown.heads == ("line", "sectors per load", "sectors per store", "CUDA C++")
    assert shown.rows[LOAD - 1][1:3] == ("32", "") and shown.rows[STORE - 1][1:3] == ("", "4")
    assert shown.marked == {LOAD - 1}
    assert "&lt;" not in str(shown) and "&gt;=" in shown._repr_html_()


def test_a_prediction_is_the_roof_that_a_position_is_measured_against(ceilings):
    memory, compute = predict(1e9, 1e9, ceilings), predict(1e6, 1e12, ceilings)
    assert memory.ms == pytest.approx(1.0)
    assert compute.ms == pytest.approx(20.0)
    assert position(1e9, 1e9, memory.seconds, ceilings).fraction == pytest.approx(1.0)
    assert "el límite es la memoria (copia: 1000 GB/s)" in memory.sentence("es")
    assert "compute (50 TFLOP/s) is the limit" in compute.sentence("en")


def test_an_origin_names_each_source_once_in_the_readers_language():
    result = Result({"a": 1}, live=False, gpu="NVIDIA H200", date="2026-11-30")
    line = origin(COUNTED, result, result, lang="es")
    assert line.startswith("Contado ahora") and line.count("Grabado en NVIDIA H200") == 1
    assert "Recorded on NVIDIA H200" in origin(result, lang="en")


def test_a_table_ends_with_its_note():
    shown = table([{"a": 1.5}], note={"es": "De aquí.", "en": "From here."}, lang="es")
    assert str(shown).endswith("De aquí.") and "De aquí." in shown._repr_html_()


def test_the_slider_shows_one_of_its_strides_and_holds_no_script(strided):
    slider = stride_slider((1, 8), start=8, lang="en")
    assert slider.html.count("<svg") == 2 and slider.html.count("display:block") == 1
    assert "32 sectors: 1024 bytes travel to use 128 (12.5 %)" in slider.html
    assert "<script" not in slider.html and "http" not in slider.html
    with pytest.raises(ValueError, match="cannot start at 3"):
        stride_slider((1, 8), start=3)
