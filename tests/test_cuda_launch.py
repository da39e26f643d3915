"""`launch` on CPU tensors runs the source on the emulator, and what goes wrong says where."""

import shutil

import pytest
import torch

from goodput.cuda import CompileError, LaunchError, compute_capability, kernel, launch, multiprocessors

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="the emulator needs g++")

SOURCE = """
__constant__ float taps[3];
extern "C" __global__ void add(const float* x, float* out, int n, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + by;
}
extern "C" __global__ void filtered(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = taps[0] * x[i] + taps[1] * x[i + 1] + taps[2] * x[i + 2];
}
extern "C" __global__ void past_the_end(float* out) { out[threadIdx.x] = 1; }
"""


def test_a_launch_on_cpu_tensors_writes_the_output():
    x, out = torch.arange(100.0), torch.zeros(100)
    launch(kernel(SOURCE, "add"), 4, 32, [x, out, 100, 0.5])
    assert torch.equal(out, torch.arange(100.0) + 0.5)


def test_views_are_written_where_they_lie():
    x, out = torch.arange(10.0), torch.zeros(4, 10)
    launch(kernel(SOURCE, "add"), 1, 32, [x[2:], out[1, 3:], 5, 1.0])
    assert torch.equal(out[1, 3:8], torch.arange(3.0, 8.0)) and out.count_nonzero() == 5


def test_an_output_may_be_its_input():
    x = torch.arange(8.0)
    launch(kernel(SOURCE, "add"), 1, 32, [x, x, 8, 1.0])
    assert torch.equal(x, torch.arange(1.0, 9.0))


def test_constants_are_filled_by_name():
    x, out, taps = torch.arange(34.0), torch.zeros(32), torch.tensor([1.0, 10.0, 100.0])
    launch(kernel(SOURCE, "filtered"), 1, 32, [x, out, 32], constants={"taps": taps})
    assert torch.equal(out, x[:-2] + 10 * x[1:-1] + 100 * x[2:])


def test_a_write_past_the_end_raises_with_the_line():
    with pytest.raises(LaunchError) as caught:
        launch(kernel(SOURCE, "past_the_end"), 1, 64, [torch.zeros(32)])
    assert caught.value.name == "out of bounds"
    assert caught.value.facts["line"] == 11 and caught.value.facts["kernel"] == "past_the_end"


def test_a_source_that_does_not_compile_raises_with_the_line():
    broken = 'extern "C" __global__ void f(float* x) {\n  x[0] = 1;\n  x[1] = wrong;\n}\n'
    with pytest.raises(CompileError) as caught:
        launch(kernel(broken, "f"), 1, 1, [torch.zeros(4)])
    assert [m.line for m in caught.value.messages if m.severity == "error"] == [3]


def test_the_machine_of_cpu_tensors_is_the_emulator():
    if not torch.cuda.is_available():
        assert multiprocessors() == 8 and compute_capability() == (9, 0)


def test_tensors_on_a_device_that_runs_nothing_are_refused():
    with pytest.raises(ValueError, match="use CUDA tensors, CPU tensors"):
        launch(kernel(SOURCE, "add"), 1, 32, [torch.empty(4, device="meta")])
