"""Launches, memory and errors on a real GPU, through torch tensors and through the driver alone."""

import subprocess
import sys

import pytest
import torch

from goodput.cuda import LaunchError, compute_capability, kernel, launch, multiprocessors, record, tensor_map
from goodput.cuda.nvrtc import architecture, compile_cubin

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU"),
]
FROM_HOPPER = pytest.mark.skipif(
    not torch.cuda.is_available() or torch.cuda.get_device_capability() < (9, 0),
    reason="needs compute capability 9.0",
)

SOURCE = r"""
#include <goodput/primitives.cuh>
__constant__ float taps[3];
extern "C" __global__ void add(const float* x, float* out, int n, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + by;
}
extern "C" __global__ void wide(const float* x, double* out, long long n, double by, unsigned long long far) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + by + (far >> 40);
}
extern "C" __global__ void filtered(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = taps[0] * x[i] + taps[1] * x[i + 1] + taps[2] * x[i + 2];
}
extern "C" __global__ void through_shared(const float* x, float* out, int n) {
  extern __shared__ float tile[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = x[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = tile[n - 1 - i];
}
extern "C" __global__ void __launch_bounds__(64) small_blocks(float* x) { x[threadIdx.x] += 1; }
extern "C" __global__ void never_ready(float* x) {
#if __CUDA_ARCH__ >= 900
  __shared__ u64 bar;
  if (threadIdx.x == 0) { mbar_init(&bar, 2); mbar_init_fence(); }
  __syncthreads();
  if (threadIdx.x == 0) mbar_expect_tx(&bar, 16);
  mbar_wait(&bar, 0);
  x[threadIdx.x] = 1;
#endif
}
extern "C" __global__ void far_away(float* x) { x[(1ll << 40) + threadIdx.x] = 1; }
"""
TRANSPOSE = r"""
#include <goodput/primitives.cuh>
extern "C" __global__ void __launch_bounds__(256)
transpose(const __grid_constant__ TensorMap map, float* out, int rows, int columns) {
  __shared__ __align__(1024) float4 t[128 * 8];
  __shared__ u64 bar;
  if (threadIdx.x == 0) { mbar_init(&bar, 1); mbar_init_fence(); }
  __syncthreads();
  int c0 = blockIdx.x * 32, r0 = blockIdx.y * 128;
  if (threadIdx.x == 0) { mbar_expect_tx(&bar, 128 * 128); tma_load_2d(t, &map, c0, r0, &bar); }
  mbar_wait(&bar, 0);
  int lane = threadIdx.x & 31, chunk = threadIdx.x >> 5;
  for (int q = 0; q < 4; q++) {
    int r = q * 32 + lane;
    float4 v = t[r * 8 + (chunk ^ (r & 7))];
    float w[4] = {v.x, v.y, v.z, v.w};
    for (int j = 0; j < 4; j++)
      if (r0 + r < rows && c0 + chunk * 4 + j < columns) out[(size_t)(c0 + chunk * 4 + j) * rows + r0 + r] = w[j];
  }
}
extern "C" __global__ void ranks(int* out) {
  cluster_sync();
  if (threadIdx.x == 0) out[blockIdx.x] = cluster_rank() + 100 * cluster_size();
}
extern "C" __global__ void dependent(const float* x, float* out, int n) {
  pdl_launch();
  pdl_wait();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + 1;
}
"""


def gpu(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, device="cuda")


def test_a_launch_on_gpu_tensors_writes_the_output():
    x, out = gpu(1000), torch.full((1000,), torch.nan, device="cuda")
    launch(kernel(SOURCE, "add"), 4, 256, [x, out, 1000, 0.5])
    assert torch.equal(out, x + 0.5)


def test_views_are_written_where_they_lie():
    x, out = gpu(10), torch.zeros(4, 10, device="cuda")
    launch(kernel(SOURCE, "add"), 1, 32, [x[2:], out[1, 3:], 5, 1.0])
    assert torch.equal(out[1, 3:8], x[2:7] + 1) and out.count_nonzero() == 5


def test_numbers_arrive_with_the_width_that_the_kernel_declares():
    import ctypes

    x, out = gpu(32), torch.zeros(32, dtype=torch.float64, device="cuda")
    numbers = [ctypes.c_int64(32), ctypes.c_double(0.1), ctypes.c_uint64(3 << 40)]
    launch(kernel(SOURCE, "wide"), 1, 32, [x, out, *numbers])
    assert torch.equal(out, x.double() + 0.1 + 3)


def test_launches_follow_torchs_current_stream():
    x = torch.zeros(1 << 24, device="cuda")
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(20):
            x.add_(1)
            launch(kernel(SOURCE, "add"), (1 << 24) // 256, 256, [x, x, 1 << 24, 1.0])
    torch.cuda.current_stream().wait_stream(stream)
    assert bool((x == 40).all())


def test_a_launch_can_be_captured_in_a_graph():
    x = torch.zeros(64, device="cuda")
    launch(kernel(SOURCE, "add"), 1, 64, [x, x, 64, 1.0])
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        launch(kernel(SOURCE, "add"), 1, 64, [x, x, 64, 1.0])
    graph.replay()
    graph.replay()
    assert bool((x == 3).all())


def test_constants_are_filled_in_stream_order():
    x, out = torch.arange(34.0, device="cuda"), torch.zeros(3, 32, device="cuda")
    for row, taps in enumerate(([1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0])):
        values = torch.tensor(taps, device="cuda")
        launch(kernel(SOURCE, "filtered"), 1, 32, [x, out[row], 32], constants={"taps": values})
    assert torch.equal(out, torch.stack([x[:-2], x[1:-1], x[2:]]))


def test_more_than_48_kib_of_shared_memory_can_be_had():
    for n in (15_000, 1_000, 16_000):
        x, out = gpu(n), torch.zeros(n, device="cuda")
        launch(kernel(SOURCE, "through_shared"), 1, 256, [x, out, n], smem=4 * n)
        assert torch.equal(out, x.flip(0))


@FROM_HOPPER
@pytest.mark.parametrize("shape", [(128, 32), (1000, 1036), (129, 36), (1, 4)])
def test_a_tensor_map_feeds_the_copy_engine(shape):
    x = gpu(*shape)
    rows, columns = shape
    out = torch.full((columns, rows), torch.nan, device="cuda")
    grid = (-(-columns // 32), -(-rows // 128))
    launch(kernel(TRANSPOSE, "transpose"), grid, 256, [tensor_map(x, (32, 128)), out, rows, columns])
    assert torch.equal(out, x.T)


@FROM_HOPPER
def test_clusters_have_the_size_that_was_asked_for():
    out = torch.zeros(32, dtype=torch.int32, device="cuda")
    for size in (1, 2, 8, 16):
        launch(kernel(TRANSPOSE, "ranks"), 32, 32, [out], cluster=size)
        assert out.tolist() == [100 * size + i % size for i in range(32)]


@FROM_HOPPER
def test_dependent_launches_see_their_predecessors_data():
    x, y, n = torch.zeros(1 << 20, device="cuda"), torch.zeros(1 << 20, device="cuda"), 1 << 20
    for _ in range(10):
        launch(kernel(TRANSPOSE, "dependent"), n // 256, 256, [x, y, n], pdl=True)
        launch(kernel(TRANSPOSE, "dependent"), n // 256, 256, [y, x, n], pdl=True)
    assert bool((x == 20).all())


def test_a_cooperative_grid_synchronises():
    source = r"""
#include <cooperative_groups.h>
extern "C" __global__ void twice(int* x, int* out) {
  auto grid = cooperative_groups::this_grid();
  if (threadIdx.x == 0) atomicAdd(x, 1);
  grid.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = *(volatile int*)x;
}
"""
    blocks = multiprocessors()
    x, out = (
        torch.zeros(1, dtype=torch.int32, device="cuda"),
        torch.zeros(blocks, dtype=torch.int32, device="cuda"),
    )
    launch(kernel(source, "twice"), blocks, 64, [x, out], cooperative=True)
    assert bool((out == blocks).all())
    with pytest.raises(LaunchError, match="launch fewer and loop"):
        launch(kernel(source, "twice"), 100 * blocks, 1024, [x, out], cooperative=True)


def test_a_kernel_launches_a_kernel():
    source = """#include <cuda_device_runtime_api.h>
extern "C" __global__ void child(float* x) { x[threadIdx.x] = threadIdx.x; }
extern "C" __global__ void parent(float* x) { child<<<1, 32, 0, cudaStreamFireAndForget>>>(x); }
"""
    x = torch.zeros(32, device="cuda")
    launch(kernel(source, "parent", rdc=True), 1, 1, [x])
    assert torch.equal(x, torch.arange(32.0, device="cuda"))


REFUSED = {
    "an argument too few": (lambda x: launch(kernel(SOURCE, "add"), 1, 32, [x, x, 4]), "takes 4 arguments, launch passes 3"),
    "an argument too wide": (lambda x: launch(kernel(SOURCE, "add"), 1, 32, [x, x, x, 1.0]), "argument 2 of add has 4 bytes"),
    "a block too large": (lambda x: launch(kernel(SOURCE, "small_blocks"), 1, 1024, [x]), "use a smaller block"),
    "shared memory": (lambda x: launch(kernel(SOURCE, "add"), 1, 32, [x, x, 4, 1.0], smem=250_000), "smaller tile"),
    "an unknown constant": (
        lambda x: launch(kernel(SOURCE, "filtered"), 1, 32, [x, x, 4], constants={"tap": x[:3]}), "no variable"
    ),
    "a constant too large": (
        lambda x: launch(kernel(SOURCE, "filtered"), 1, 32, [x, x, 4], constants={"taps": x[:4]}), "holds 12 bytes"
    ),
    "no extern C": (
        lambda x: launch(kernel("__global__ void f(float* x) { x[0] = 1; }", "f"), 1, 1, [x]), 'write extern "C" before'
    ),
}  # fmt: skip


@pytest.mark.parametrize(("call", "sentence"), REFUSED.values(), ids=REFUSED)
def test_a_launch_that_does_not_fit_the_kernel_is_refused_before_it_runs(call, sentence):
    x = gpu(16384)
    with pytest.raises(LaunchError, match=sentence):
        call(x)
    assert torch.isfinite(x).all()


def test_the_machine_is_the_gpu():
    properties = torch.cuda.get_device_properties(0)
    assert multiprocessors() == properties.multi_processor_count
    assert compute_capability() == (properties.major, properties.minor)


DRIVER = """
import sys
sys.path.insert(0, "tests")
from test_cuda_gpu import SOURCE
from goodput.cuda.driver import Device
from goodput.cuda.errors import LaunchError
from goodput.cuda.module import Module
from goodput.cuda.nvrtc import architecture, compile_cubin
from goodput.cuda.plan import Buffer, Launch, Scalar
from goodput.cuda.prepared import Prepared

device = Device(0, own_context=True)
module = Module(device, compile_cubin(SOURCE, architecture(device.capability)).cubin)

def prepared(name, *args, **addresses):
    return Prepared(device, [Launch(SOURCE, name, (1, 1, 1), (32, 1, 1), args)], {SOURCE: module}, addresses)
"""


def in_a_process(code: str, **how) -> str:
    done = subprocess.run(
        [sys.executable, "-c", DRIVER + code], capture_output=True, text=True, timeout=120, **how
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_prepared_launches_run_again_and_again_without_torch():
    told = in_a_process("""
import struct
x = device.alloc(128)
device.to_device(x, struct.pack("<32f", *range(32)))
step = prepared("add", Buffer("x"), Buffer("x"), Scalar("i32", 32), Scalar("f32", 1.0), x=x)
with device.timed() as timing:
    for _ in range(100):
        step.run()
assert timing.elapsed_ms() > 0
print(struct.unpack("<32f", device.to_host(x, 128)) == tuple(float(i + 100) for i in range(32)))
device.fill(x, 64, 0xFF)
device.copy(x + 64, x, 64)
print(device.to_host(x, 128) == bytearray(b"\\xff" * 128), device.memory()[1] > 0, device.name)
device.free(x)
module.unload()
device.close()
""")
    assert told.split()[:3] == ["True", "True", "True"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("far_away", {"CUDA_ERROR_ILLEGAL_ADDRESS"}),
        ("never_ready", {"CUDA_ERROR_LAUNCH_FAILED", "CUDA_ERROR_ILLEGAL_INSTRUCTION"}),
    ],
)
def test_a_kernel_that_fails_is_named_at_the_next_synchronisation(name, expected):
    if name == "never_ready" and compute_capability() < (9, 0):
        pytest.skip("needs compute capability 9.0")
    told = in_a_process(f"""
x = device.alloc(4096)
prepared({name!r}, Buffer("x"), x=x).run()
try:
    device.synchronize()
except LaunchError as error:
    print(error.name)
""")
    assert told.strip() in expected


def test_memory_is_shared_with_another_process():
    from goodput.cuda.driver import Device

    torch.zeros(1, device="cuda")
    device = Device(0)
    address = device.alloc_for_export(1 << 20)
    device.to_device(address, b"before")
    told = in_a_process(f"""
shared = device.open(bytes.fromhex({device.export(address).hex()!r}))
print(bytes(device.to_host(shared, 6)).decode())
device.to_device(shared, b"after!")
device.synchronize()
device.close_import(shared)
""")
    assert told.strip() == "before" and device.to_host(address, 6) == b"after!"
    device.free(address)


def test_what_is_inspected_is_what_runs():
    arch = architecture(compute_capability())
    assert compile_cubin(SOURCE, arch).cubin == compile_cubin(SOURCE, arch).cubin


def test_a_recorded_plan_does_on_the_gpu_what_the_live_call_does():
    from goodput.cuda.driver import Device
    from goodput.cuda.module import Module
    from goodput.cuda.prepared import Prepared

    def answer(x, out):
        middle = torch.empty_like(x)
        launch(kernel(SOURCE, "add"), 4, 256, [x, middle, 1000, 1.0])
        launch(kernel(SOURCE, "add"), 4, 256, [middle[10:], out, 990, 1.0])

    x, live, replayed = gpu(1000), torch.zeros(990, device="cuda"), torch.zeros(990, device="cuda")
    answer(x, live)
    plan = record(answer, {"x": x.to("meta"), "out": live.to("meta")})
    device = Device(0)
    module = Module(device, compile_cubin(SOURCE, architecture(device.capability)).cubin)
    scratch = {name: device.alloc(nbytes) for name, nbytes in plan.scratch.items()}
    addresses = {"x": x.data_ptr(), "out": replayed.data_ptr(), **scratch}
    Prepared(device, plan.launches, {SOURCE: module}, addresses).run()
    device.synchronize()
    assert torch.equal(live, x[10:] + 2) and torch.equal(replayed, live)
    for address in scratch.values():
        device.free(address)
