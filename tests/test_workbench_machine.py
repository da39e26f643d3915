"""Promises of goodput.machine: what is described, measured, cached, and what is said when something cannot be."""

import ctypes
import dataclasses
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import torch

from goodput import clock, machine
from goodput.machine import cache, cpu_probes, disk_probe, gpu_probes, probe
from goodput.machine.fingerprint import gpu_from_json

H200 = machine.Gpu("NVIDIA H200", (9, 0), 132, 62_914_560, 150_109_880_320, "580.159.04", 700)
HERE = machine.describe()
ROOT = Path(__file__).parents[1]


def some_ceilings(**values):
    found = {name: machine.Ceiling(name, value, 0.01, 20, "as told") for name, value in values.items()}
    return machine.Ceilings(
        "cpu", "0123456789ab", "a CPU", "2026-11-30T00:00:00+00:00", found, {"d2h": "no GPU"}
    )


@pytest.fixture(autouse=True)
def short_warm_up(monkeypatch):
    monkeypatch.setattr(clock, "WARMUP_S", 0.02)  # these tests look at what is measured, not at how steadily


@pytest.fixture
def cache_home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "goodput"


def test_the_description_is_of_this_machine():
    assert 1 <= HERE.cores <= (os.cpu_count() or 1)
    assert HERE.memory_bytes > 2**28
    assert HERE.torch == torch.__version__
    assert HERE.cuda == torch.version.cuda
    assert json.dumps(dataclasses.asdict(HERE))


def test_the_fingerprint_changes_with_what_influences_speed_only():
    def differs(**change):
        return dataclasses.replace(HERE, **change).fingerprint != HERE.fingerprint

    assert len(HERE.fingerprint) == 12
    assert differs(torch="0.0.1")
    assert differs(gpu=H200)
    assert differs(cores=HERE.cores + 1)
    assert not differs(memory_bytes=HERE.memory_bytes + 5 * 2**20)
    with_gpu = dataclasses.replace(HERE, gpu=H200)
    capped = dataclasses.replace(HERE, gpu=dataclasses.replace(H200, power_limit_watts=350))
    assert with_gpu.fingerprint != capped.fingerprint


def test_gpu_facts_survive_the_way_through_the_child_process():
    assert gpu_from_json(json.loads(json.dumps(dataclasses.asdict(H200)))) == H200


def test_describing_imports_no_torch_and_starts_no_driver():
    """A process that describes the machine must still be able to fork workers, and to start fast."""
    code = (
        "import sys; from goodput import machine; machine.describe(); "
        "print(sorted({'torch', 'scipy', 'cuda.bindings'} & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert said.stdout.strip() == "[]"


def test_ceilings_survive_the_cache(cache_home):
    kept = some_ceilings(copy_gb_per_s=9.0, fp32_gflop_per_s=80.0)
    path = cache.store(kept)
    assert path.parent == cache_home == machine.cache_folder()
    assert cache.load("0123456789ab", "cpu") == kept
    assert list(cache_home.iterdir()) == [path], "no temporary file stays"


def test_there_are_no_ceilings_before_anything_was_measured(cache_home):
    assert machine.ceilings("cpu") is None


@pytest.mark.parametrize("damage", [
    "{", "[]", '{"schema": 99}', "not json",
    lambda good: good.replace('"value": 9.0', '"value": -9.0'),
    lambda good: good.replace('"value": 9.0', '"value": NaN'),
    lambda good: good.replace('"value": 9.0', '"value": "9"'),
    lambda good: good.replace("0123456789ab", "another"),
])  # fmt: skip
def test_a_damaged_cache_is_reported_in_one_sentence_and_not_used(cache_home, damage):
    path = cache.store(some_ceilings(copy_gb_per_s=9.0))
    path.write_text(damage(path.read_text()) if callable(damage) else damage)
    with pytest.warns(UserWarning, match=r"cannot be used .* measured again\.$") as said:
        assert cache.load("0123456789ab", "cpu") is None
    assert len(said) == 1


def test_a_missing_ceiling_says_why():
    known = some_ceilings(copy_gb_per_s=9.0)
    assert known.get("d2h") is None
    with pytest.raises(machine.CeilingUnknown, match="no GPU"):
        known["d2h"]
    with pytest.raises(machine.CeilingUnknown, match="fp8"):
        known.flop_per_s("fp8")


def test_rates_come_out_in_base_units():
    known = some_ceilings(copy_gb_per_s=9.0, fp32_gflop_per_s=80.0, bf16_tflop_per_s=2.0)
    assert known.bytes_per_s("copy") == 9e9
    assert known.flop_per_s("fp32") == 80e9
    assert known.precisions == ("fp32", "bf16")


def test_one_failing_probe_stops_no_other_and_leaves_its_reason():
    def refuses(name):
        raise probe.Unavailable("no such link")

    def breaks(name):
        raise RuntimeError("CUDA error: out of memory\nlong trace")

    seen = []
    values, absent = probe.run(
        [("a_us", refuses), ("b_us", breaks), ("c_us", lambda n: probe.from_values(n, [3.0, 1.0, 2.0], "s"))],
        lambda *what: seen.append(what),
    )
    assert absent == {"a_us": "no such link", "b_us": "RuntimeError: CUDA error: out of memory"}
    assert values["c_us"].value == 2.0
    assert seen == [("a_us", 1, 3), ("b_us", 2, 3), ("c_us", 3, 3)]


def test_copy_buffers_are_five_times_l2_and_within_a_quarter_of_the_memory():
    assert gpu_probes.copy_buffer_bytes(H200, H200.memory_bytes) == 2**30
    big_cache = dataclasses.replace(H200, l2_bytes=2**29)
    assert gpu_probes.copy_buffer_bytes(big_cache, H200.memory_bytes) == 5 * 2**29
    small = dataclasses.replace(H200, l2_bytes=4 * 2**20, memory_bytes=4 * 2**30)
    assert gpu_probes.copy_buffer_bytes(small, 4 * 2**30) == 2**29
    with pytest.raises(probe.Unavailable, match="5 x L2"):
        gpu_probes.copy_buffer_bytes(H200, 2**28)


def test_host_copy_buffers_are_four_times_the_last_level_cache_or_refused():
    roomy = dataclasses.replace(HERE, last_level_cache_bytes=2**25, memory_bytes=2**34)
    assert cpu_probes.copy_buffer_bytes(roomy) == 2**27
    with pytest.raises(probe.Unavailable, match="quarter of the memory"):
        cpu_probes.copy_buffer_bytes(dataclasses.replace(roomy, memory_bytes=2**29))


def test_host_probes_measure_for_real():
    copied = cpu_probes.copy("copy_gb_per_s", 2**20, windows=3)
    multiplied = cpu_probes.matmul("fp32_gflop_per_s", 64, windows=3)
    sent = cpu_probes.loopback("loopback_gb_per_s", 2**21, windows=3)
    assert sent.value > 0 and sent.samples == 3
    assert copied.value > 0 and "read + bytes written" in copied.shape
    assert multiplied.value > 0 and "64 x 64 x 64" in multiplied.shape


@pytest.fixture
def on_disk():
    """A folder on a disk: the default temporary folder may be memory."""
    for base in (tempfile.gettempdir(), str(Path.home()), str(Path(__file__).parent)):
        if disk_probe.file_system(Path(base)) not in disk_probe.IN_MEMORY and os.access(base, os.W_OK):
            with tempfile.TemporaryDirectory(dir=base) as folder:
                yield Path(folder)
            return
    pytest.skip("every writable folder here is in memory")


def test_the_disk_probe_measures_and_leaves_nothing(on_disk):
    found = disk_probe.disk_rates(on_disk, 5 * disk_probe.CHUNK_BYTES)
    assert len(found.write_mb_per_s) == len(found.read_mb_per_s) == disk_probe.PARTS
    assert min(found.write_mb_per_s + found.read_mb_per_s) > 0
    assert list(on_disk.iterdir()) == []


def test_the_disk_probe_leaves_nothing_when_it_fails(on_disk, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        disk_probe.disk_rates(on_disk, 5 * disk_probe.CHUNK_BYTES)
    assert list(on_disk.iterdir()) == []


def test_a_disk_in_memory_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(disk_probe, "file_system", lambda _: "tmpfs")
    with pytest.raises(probe.Unavailable, match="memory"):
        disk_probe.disk_rates(tmp_path, 2**24)


def test_calibrate_stores_what_ceilings_then_reads(cache_home, monkeypatch):
    tiny = [("copy_gb_per_s", lambda name: cpu_probes.copy(name, 2**18, windows=2))]
    monkeypatch.setattr(cpu_probes, "probes", lambda *_: tiny)
    measured = machine.calibrate("cpu")
    assert machine.ceilings("cpu") == measured == machine.ensure("cpu")
    assert (measured.machine, measured.name) == (HERE.fingerprint, HERE.cpu)


def test_fp32_precision_is_put_back():
    before = torch.backends.cuda.matmul.fp32_precision
    with pytest.raises(RuntimeError), gpu_probes.fp32_products_in("tf32"):
        assert torch.backends.cuda.matmul.fp32_precision == "tf32"
        raise RuntimeError
    assert torch.backends.cuda.matmul.fp32_precision == before


def test_the_read_probe_reads_everything_exactly_passes_times():
    from goodput.cuda import kernel, launch

    x = torch.arange(4 * 1037, dtype=torch.float32) % 7  # small integers: every order of additions is exact
    sums = torch.full((2 * 64,), float("nan"))
    arguments = [x, ctypes.c_int64(1037), 3, sums]
    launch(kernel(gpu_probes.SOURCE.read_text(), "read_all"), 2, 64, arguments)
    assert sums.sum() == 3 * x.sum()


@pytest.mark.gpu
def test_gpu_ceilings_are_ordered_as_hardware_is(cache_home):
    found = machine.calibrate("cuda")
    assert found.get("copy_gb_per_s"), found.absent
    assert found["l2_gb_per_s"] > found["read_gb_per_s"] > 0.8 * found["copy_gb_per_s"]
    assert found["copy_gb_per_s"] > found["h2d_gb_per_s"]
    assert found.precisions[0] == "fp32"
    assert found["launch_us"] < found["round_trip_us"]
