"""Promises of goodput.profile: tidy tables from torch.profiler and Nsight Compute, and clear words when there are none."""

import csv
import io
import stat

import pytest
import torch

from goodput import profile
from goodput.profile import nsight

# Two launches of the AoS and SoA kernels of chapter 07, as Nsight Compute 2025.3 wrote them on an H200 (2026-11).
COLUMNS = ["ID", "Kernel Name", "Block Size", "Grid Size", *(m.name for m in profile.ACCESS_METRICS)]
UNITS = ["", "", "", "", "ns", *[""] * 8, "byte", "byte", "%", "%", "%", "register/thread"]
AOS = ["0", "aos_sum", "(256, 1, 1)", "(262144, 1, 1)", "538,144", "2,097,152", "67,108,864", "2,097,152", "8,388,608",
       "0", "0", "0", "0", "2,147,496,192", "265,301,248", "93.18", "12.11", "76.70", "16"]  # fmt: skip
SOA = ["1", "soa_sum", "(256, 1, 1)", "(262144, 1, 1)", "199,904", "2,097,152", "8,388,608", "2,097,152", "8,388,608",
       "0", "0", "0", "0", "268,440,576", "249,715,456", "53.87", "50.32", "71.07", "n/a"]  # fmt: skip


def report(*rows):
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows(rows)
    return (
        "==PROF== Connected to process 588\n" + text.getvalue() + "==PROF== Disconnected from process 588\n"
    )


def test_a_report_becomes_counts_and_the_ratios_of_the_lesson():
    table = profile.nsight.read_report(report(COLUMNS, UNITS, AOS, SOA), "", 0)
    assert list(table["kernel"]) == ["aos_sum", "soa_sum"]
    assert list(table["sectors_per_load"]) == [32, 4]
    assert table["dram_read_bytes"][0] == 2_147_496_192
    assert table["registers"].isna()[1], "a counter that this GPU lacks is absent, not zero"
    assert "wavefronts_per_shared_load" not in table, "no shared loads, no ratio"


def test_every_column_has_a_meaning_in_both_languages():
    for column in [m.column for m in profile.ACCESS_METRICS] + [
        "sectors_per_load",
        "wavefronts_per_shared_load",
    ]:
        assert profile.meaning(column, "es") != profile.meaning(column, "en")


def test_refused_counters_say_what_to_do():
    said = "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters"
    with pytest.raises(profile.CountersRefused, match="NVreg_RestrictProfilingToAdminUsers"):
        profile.nsight.read_report(said, "", 1)


def test_no_matching_kernel_is_an_error_with_the_output():
    with pytest.raises(profile.NcuFailed, match="no kernel") as failed:
        profile.nsight.read_report("==WARNING== No kernels were profiled.\n", "hello", 0)
    assert "hello" in failed.value.output


def test_a_missing_tool_is_named(monkeypatch):
    monkeypatch.setattr(nsight.shutil, "which", lambda _: None)
    monkeypatch.setattr(nsight, "_in_toolkit", lambda: None)
    with pytest.raises(profile.NcuMissing, match="Nsight Compute"):
        profile.ncu(["true"], "k")


def test_the_command_line_leaves_clocks_alone_and_keeps_the_report_apart(monkeypatch, tmp_path):
    """A stand-in for ncu that writes the recorded report where it is told to and prints on stdout as programs do."""
    stored, seen = tmp_path / "report.csv", tmp_path / "arguments"
    stored.write_text(report(COLUMNS, UNITS, AOS))
    tool = tmp_path / "ncu"
    tool.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" > {seen}\necho \'"ID" noise of the program\'\n'
        f'while [ "$1" != --log-file ]; do shift; done\ncp {stored} "$2"\n'
    )
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(nsight.shutil, "which", lambda _: str(tool))
    table = profile.ncu_python("print('hello')", "aos_.*", launches=1)
    assert list(table["kernel"]) == ["aos_sum"]
    asked = seen.read_text().splitlines()
    assert asked[asked.index("--clock-control") + 1] == "none"
    assert "regex:aos_.*" in asked


def test_a_program_that_hangs_is_stopped(monkeypatch, tmp_path):
    tool = tmp_path / "ncu"
    tool.write_text("#!/bin/sh\nexec sleep 60\n")
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(nsight.shutil, "which", lambda _: str(tool))
    with pytest.raises(profile.NcuFailed, match="no answer"):
        profile.ncu(["true"], "k", timeout_s=0.2)


def test_operators_of_a_callable_are_listed_longest_first():
    a = torch.randn(64, 64)
    table = profile.kernels(lambda: (a @ a).relu(), calls=3, device="cpu")
    assert {"kernel", "calls", "time_us", "share"} == set(table.columns)
    assert table["share"].sum() == pytest.approx(1.0)
    assert table["time_us"].is_monotonic_decreasing
    assert table.set_index("kernel")["calls"]["aten::mm"] == 1
    assert table.attrs["device"] == "cpu"


def test_a_range_can_be_marked_anywhere():
    with profile.nvtx("attention"):
        pass


@pytest.mark.gpu
def test_kernels_of_a_gpu_callable_are_kernels():
    a = torch.randn(1024, 1024, device="cuda")
    table = profile.kernels(lambda: torch.relu(a))
    assert table["kernel"].str.contains("elementwise").any()
    assert not table["kernel"].str.startswith("aten::").any()


@pytest.mark.gpu
def test_nsight_compute_counts_a_copy_here_or_says_why_not():
    source = "import torch; x = torch.randn(2**22, device='cuda'); y = x * 2; torch.cuda.synchronize()"
    try:
        table = profile.ncu_python(source, "vectorized_elementwise", launches=1)
    except (profile.NcuMissing, profile.CountersRefused) as reason:
        pytest.skip(str(reason))
    assert table["sectors_per_load"][0] == pytest.approx(16)  # float4 loads: 512 bytes a request
