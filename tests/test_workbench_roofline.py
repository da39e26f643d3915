"""Promises of goodput.roofline: positions follow the formula, and both pictures show every point."""

import itertools
import math
import xml.etree.ElementTree as ElementTree

import pytest

from goodput import roofline
from goodput.machine import Ceiling, Ceilings, CeilingUnknown
from goodput.roofline.layout import layout, place_labels, spread_apart


def told(device="cuda", **values):
    found = {name: Ceiling(name, value, 0.01, 20, "as told") for name, value in values.items()}
    return Ceilings(device, "0" * 12, "A <GPU> & more", "2026-11-30", found, {})


GPU = told(copy_gb_per_s=4000.0, read_gb_per_s=4400.0, fp32_tflop_per_s=50.0, bf16_tflop_per_s=800.0)


def test_a_call_at_the_copy_rate_is_at_the_memory_roof():
    at = roofline.position(4e9, 0, 1e-3, GPU, label="copy")
    assert (at.bound, at.ceiling, at.ceiling_value) == ("memory", "copy_gb_per_s", 4000.0)
    assert at.fraction == pytest.approx(1.0)
    assert at.gb_per_s == pytest.approx(4000.0)


def test_a_large_product_is_bound_by_compute_in_its_precision():
    at = roofline.position(1e6, 400e9, 1e-3, GPU, precision="bf16")
    assert (at.bound, at.ceiling) == ("compute", "bf16_tflop_per_s")
    assert at.fraction == pytest.approx(0.5)
    assert at.tflop_per_s == pytest.approx(400.0)


def test_times_of_mixed_precisions_add_up():
    at = roofline.position(0, {"bf16": 400e9, "fp32": 25e9}, 2e-3, GPU)
    assert at.fraction == pytest.approx((0.5e-3 + 0.5e-3) / 2e-3)
    assert at.intensity_flop_per_byte == math.inf


def test_the_ridge_is_where_both_roofs_meet():
    ridge = roofline.ridge_flop_per_byte(GPU, "fp32")
    assert ridge == pytest.approx(12.5)
    assert roofline.roof_flop_per_s(ridge / 2, GPU, "fp32") == pytest.approx(25e12)
    assert roofline.roof_flop_per_s(ridge * 2, GPU, "fp32") == pytest.approx(50e12)


@pytest.mark.parametrize("bad", [(0, 0, 1.0), (1, 1, 0.0), (-1, 1, 1.0)])
def test_impossible_measurements_are_refused(bad):
    with pytest.raises(ValueError, match="positive seconds"):
        roofline.position(*bad, GPU)


def test_an_unmeasured_precision_is_refused():
    with pytest.raises(CeilingUnknown, match="fp8"):
        roofline.position(1, 1, 1.0, GPU, precision="fp8")


POINTS = [
    roofline.position(8e9, 0, 5e-3, GPU, label="transpose"),
    roofline.position(4e9, 1e9, 1e-3, GPU, label="row <sum>", traffic="read"),
    roofline.position(4e8, 1.1e12, 1.6e-3, GPU, label="matmul", precision="bf16"),
    roofline.position(0, 1e12, 1e-1, GPU, label="registers", precision="fp32"),
]


def test_every_point_and_roof_lies_inside_the_picture():
    drawn = layout(POINTS, GPU)
    for dot in drawn.dots:
        assert drawn.x_range[0] < dot.x < drawn.x_range[1]
        assert drawn.y_range[0] < dot.y < drawn.y_range[1]
    assert drawn.highest < drawn.y_range[1]


@pytest.mark.parametrize("lang", ["es", "en"])
def test_the_svg_is_well_formed_and_names_everything(lang):
    text = roofline.svg(POINTS, GPU, lang)
    tree = ElementTree.fromstring(text)
    words = " ".join(tree.itertext())
    for expected in ("transpose 40%", "row <sum>", "matmul", "bf16 800", "A <GPU> & more"):
        assert expected in words
    assert ("sin FLOP" in words) == (lang == "es")
    assert "http" not in text.replace("http://www.w3.org/2000/svg", ""), "it must not load anything"
    assert len(tree.findall(".//{*}circle")) == len(POINTS)


@pytest.mark.parametrize("lang", ["es", "en"])
def test_the_notebook_figure_shows_itself_as_one_picture(lang):
    figure = roofline.plot(POINTS, GPU, lang)
    data, metadata = figure._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    assert metadata["image/png"]["width"] == 800
    assert "A <GPU> & more" in data["text/plain"]


def test_a_cpu_is_drawn_in_gflop_per_s():
    cpu = told("cpu", copy_gb_per_s=10.0, fp32_gflop_per_s=80.0)
    assert "GFLOP/s" in roofline.svg([roofline.position(1e9, 1e8, 0.2, cpu)], cpu, "en")


def test_labels_of_close_points_do_not_cover_each_other():
    dots = [(100.0 + 3 * i, 100.0 + 2 * i) for i in range(4)]
    corners = place_labels(dots, [60.0] * 4, 12, (0, 0, 300, 300), 5)
    boxes = [(x, y, x + 60, y + 12) for x, y in corners]
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_heights_are_spread_apart_and_keep_their_order():
    spread = spread_apart([10.0, 11.0, 12.0, 60.0], 8)
    gaps = [high - low for low, high in itertools.pairwise(spread)]
    assert min(gaps) == pytest.approx(8, abs=0.01)
    assert spread[3] == pytest.approx(60, abs=1)
