"""Asynchronous copies: the right pipelines compute the right thing, and each way of waiting wrongly is found."""

import numpy as np
import pytest
from emulating import call, execute, f32, one, poisoned

from goodput.cuda.plan import MapArg

RING = """
#include <goodput/primitives.cuh>
// One block adds up rows of 512 floats, a ring of STAGES rows ahead; each thread reads back what it copied itself.
template <int STAGES, int WAIT, bool COMMIT_ALWAYS>
__device__ void ring(const float4* x, float4* out, int rows) {
  extern __shared__ __align__(128) float4 stage[];
  auto fetch = [&](int row) {
    if (row < rows) cp_async16(&stage[row % STAGES * 128 + threadIdx.x], &x[row * 128 + threadIdx.x]);
    if (row < rows || COMMIT_ALWAYS) cp_commit();
  };
  for (int row = 0; row < STAGES - 1; row++) fetch(row);
  float4 sum = make_float4(0, 0, 0, 0);
  for (int row = 0; row < rows; row++) {
    fetch(row + STAGES - 1);
    cp_wait<WAIT>();
    float4 v = stage[row % STAGES * 128 + threadIdx.x];
    sum = make_float4(sum.x + v.x, sum.y + v.y, sum.z + v.z, sum.w + v.w);
  }
  out[threadIdx.x] = sum;
}
extern "C" __global__ void right(const float4* x, float4* out, int rows) { ring<4, 3, true>(x, out, rows); }
extern "C" __global__ void one_too_few(const float4* x, float4* out, int rows) { ring<4, 4, true>(x, out, rows); }
extern "C" __global__ void wait_for_all(const float4* x, float4* out, int rows) { ring<4, 0, true>(x, out, rows); }
extern "C" __global__ void last_rows(const float4* x, float4* out, int rows) { ring<4, 3, false>(x, out, rows); }
extern "C" __global__ void neighbour(const float4* x, float4* out, int rows) {  // reads what another warp copied
  __shared__ float4 s[128];
  cp_async16(&s[threadIdx.x], &x[threadIdx.x]);
  cp_commit();
  cp_wait<0>();
  out[threadIdx.x] = s[threadIdx.x ^ 32];
}
"""
BULK = """
#include <goodput/primitives.cuh>
extern "C" __global__ void bulk(const float* x, float* out, int rows) {
  __shared__ __align__(128) float stage[2][256];
  __shared__ u64 full[2];
  if (threadIdx.x == 0) {
    for (int s = 0; s < 2; s++) mbar_init(&full[s], 1);
    mbar_init_fence();
  }
  __syncthreads();
  auto fetch = [&](int row) {
    if (row >= rows || threadIdx.x) return;
    mbar_expect_tx(&full[row % 2], 1024);
    bulk_g2s(stage[row % 2], x + row * 256, 1024, &full[row % 2]);
  };
  fetch(0);
  fetch(1);
  float sum = 0;
  for (int row = 0; row < rows; row++) {
    mbar_wait(&full[row % 2], row / 2 & 1);
    sum += stage[row % 2][threadIdx.x];
    __syncthreads();
    fetch(row + 2);
  }
  out[threadIdx.x] = sum;
}
"""
TURN = """
#include <goodput/primitives.cuh>
// box = 32 columns (128 B, 128-byte swizzle) x 128 rows: 16-byte chunk c of row r lies at chunk c ^ (r & 7)
extern "C" __global__ void __launch_bounds__(256)
    turn(const __grid_constant__ TensorMap map, float* out, int M, int N) {
  __shared__ __align__(1024) float4 t[128 * 8];
  __shared__ u64 bar;
  if (threadIdx.x == 0) {
    mbar_init(&bar, 1);
    mbar_init_fence();
  }
  __syncthreads();
  const int c0 = blockIdx.x * 32, r0 = blockIdx.y * 128;
  if (threadIdx.x == 0) {
    mbar_expect_tx(&bar, 128 * 128);
    tma_load_2d(t, &map, c0, r0, &bar);
  }
  mbar_wait(&bar, 0);
  const int lane = threadIdx.x & 31, chunk = threadIdx.x >> 5;
  for (int q = 0; q < 4; q++) {
    int r = q * 32 + lane;
    float4 v = t[r * 8 + (chunk ^ (r & 7))];
    size_t o = (size_t)(c0 + chunk * 4) * M + r0 + r;
    if (r0 + r < M) {
      if (c0 + chunk * 4 + 0 < N) out[o] = v.x;
      if (c0 + chunk * 4 + 1 < N) out[o + M] = v.y;
      if (c0 + chunk * 4 + 2 < N) out[o + 2 * (size_t)M] = v.z;
      if (c0 + chunk * 4 + 3 < N) out[o + 3 * (size_t)M] = v.w;
    }
  }
}
"""
STORE = """
#include <goodput/primitives.cuh>
extern "C" __global__ void store(const float* x, float* out, int n) {
  __shared__ __align__(128) float s[128];
  s[threadIdx.x] = 2 * x[threadIdx.x];
  fence_async_proxy();
  __syncthreads();
  if (threadIdx.x == 0) {
    bulk_s2g(out, s, 512);
    bulk_commit();
    bulk_wait_read<0>();
  }
  __syncthreads();
  s[threadIdx.x] = 0;
}
"""
x = np.random.default_rng(5).standard_normal((9, 512)).astype(f32)


def changed(source: str, old: str, new: str) -> str:
    assert source.count(old) == 1
    return source.replace(old, new)


def ring(kernel: str):
    return one(RING, kernel, 1, 128, ["x", "o", 9], {"x": x, "o": poisoned(512)}, inputs=["x"], smem=4 * 2048)


def bulk(old="", new="", rows=9):
    source = changed(BULK, old, new) if old else BULK
    return one(
        source, "bulk", 1, 256, ["x", "o", rows], {"x": x[:, :256].copy(), "o": poisoned(256)}, inputs=["x"]
    )


def turn(M: int, N: int, old="", new=""):
    source = changed(TURN, old, new) if old else TURN
    tile = np.arange(1, M * N + 1, dtype=f32).reshape(M, N)
    tensor_map = MapArg("x", 0, "float32", (N, M), (4 * N,), (32, 128), 128)
    launch = call(source, "turn", (-(-N // 32), -(-M // 128)), 256, [tensor_map, "o", M, N])
    return tile, execute(source, ["turn"], [launch], {"x": tile, "o": poisoned(N, M)}, inputs=["x"])


def test_a_ring_of_four_stages_keeps_three_rows_in_flight():
    got = ring("right")
    assert np.allclose(got["o"], x.sum(0), atol=1e-5)
    assert got.counts.min_groups_in_flight == got.counts.typical_groups_in_flight == 3
    assert got.counts.load_sectors_per_request == 16 and got.counts.widest_load_bytes == 16


def test_waiting_for_everything_is_right_and_leaves_nothing_in_flight():
    got = ring("wait_for_all")
    assert np.allclose(got["o"], x.sum(0), atol=1e-5) and got.counts.typical_groups_in_flight == 0


@pytest.mark.parametrize("kernel", ["one_too_few", "last_rows"])
def test_reading_a_row_whose_group_was_not_waited_for_is_a_race(kernel):
    failure = ring(kernel).failure
    assert failure.kind == "race" and "still filling" in failure.text
    assert "float4 v = stage" in RING.split("\n")[failure.line - 1]
    assert "cp_async16" in RING.split("\n")[failure.other_line - 1]


def test_reading_what_another_warp_copied_needs_a_barrier():
    failure = ring("neighbour").failure
    assert failure.kind == "race" and failure.buffer == "s"


def test_a_ring_of_bulk_copies_adds_up():
    got = bulk()
    assert np.allclose(got["o"], x[:, :256].sum(0), atol=1e-5)
    assert got.counts.typical_bulk_copies_in_flight == 1


@pytest.mark.parametrize("bytes_", ["512", "2048"])
def test_a_wrong_transaction_count_traps(bytes_):
    failure = bulk(
        "mbar_expect_tx(&full[row % 2], 1024)", f"mbar_expect_tx(&full[row % 2], {bytes_})"
    ).failure
    assert failure.kind == "launch failed" and "trap" in failure.text and "bytes" in failure.text


@pytest.mark.parametrize(
    "old, new, kind, text",
    [
        ("    mbar_init_fence();\n", "", "race", "mbar_init_fence"),
        ("    mbar_wait(&full[row % 2], row / 2 & 1);\n", "", "race", "still filling"),
        ("row / 2 & 1", "0", "race", "still filling"),
        # a thread that runs two phases ahead leaves the others waiting for one that is over
        (
            "    __syncthreads();\n    fetch(row + 2);",
            "    fetch(row + 2);",
            "launch failed",
            "can never end",
        ),
        ("  }\n  __syncthreads();\n  auto", "  }\n  auto", "race", "mbar_init"),
        ("mbar_init(&full[s], 1)", "mbar_init(&full[s], 2)", "launch failed", "misses 1 arrivals"),
        ("    mbar_wait(", "    if (threadIdx.x == 0) mbar_wait(", "race", ""),
    ],
    ids=[
        "no init fence",
        "no wait",
        "wrong phase",
        "early refill",
        "no barrier after init",
        "arrivals",
        "one waits",
    ],
)
def test_a_wrong_pipeline_is_found(old, new, kind, text):
    failure = bulk(old, new).failure
    assert failure is not None and failure.kind == kind and text in failure.text, failure


@pytest.mark.parametrize("shape", [(128, 32), (129, 36), (1, 4), (300, 68)])
def test_a_swizzled_tile_is_turned(shape):
    tile, got = turn(*shape)
    assert np.array_equal(got["o"], tile.T)


def test_the_swizzle_is_real_and_keeps_reads_of_a_column_free_of_conflicts():
    tile, got = turn(128, 32)
    assert got.counts.shared_load_wavefronts_per_request == 1
    tile, got = turn(128, 32, "(chunk ^ (r & 7))", "chunk")
    assert np.array_equal(got["o"][:4, 0], tile.T[:4, 0]) and not np.array_equal(got["o"], tile.T)


def test_the_box_is_zero_outside_the_matrix():
    source = changed(TURN, "if (r0 + r < M) {", "if (r0 + r < 128) {")
    tile = np.ones((3, 4), f32)
    launch = call(
        source, "turn", 1, 256, [MapArg("x", 0, "float32", (4, 3), (16,), (32, 128), 128), "o", 128, 32]
    )
    got = execute(source, ["turn"], [launch], {"x": tile, "o": poisoned(32, 128)}, inputs=["x"])
    assert got["o"].sum() == 12 and (got["o"][:4, :3] == 1).all()


@pytest.mark.parametrize(
    "old, new, kind",
    [
        ("    mbar_init_fence();\n", "", "race"),
        ("mbar_expect_tx(&bar, 128 * 128)", "mbar_expect_tx(&bar, 128 * 36)", "launch failed"),
        ("  mbar_wait(&bar, 0);\n", "", "race"),
        ("if (r0 + r < M) {", "{", "out of bounds"),
        ("__align__(1024) float4 t[128 * 8]", "__align__(16) float4 q[1], t[128 * 8]", "launch failed"),
    ],
    ids=["no init fence", "transaction count", "no wait", "rows not tested", "tile not aligned"],
)
def test_a_wrong_tensor_copy_is_found(old, new, kind):
    _, got = turn(129, 36, old, new)
    assert got.failure is not None and got.failure.kind == kind, got.failure


def test_a_bulk_store_writes_what_was_fenced():
    arrays = {"x": x[0, :128].copy(), "o": poisoned(128)}
    got = one(STORE, "store", 1, 128, ["x", "o", 128], arrays)
    assert np.array_equal(got["o"], 2 * x[0, :128])
    for old, text in (
        ("  fence_async_proxy();\n", "fence.proxy.async"),
        ("    bulk_wait_read<0>();\n", "still reading"),
    ):
        failure = one(changed(STORE, old, ""), "store", 1, 128, ["x", "o", 128], arrays).failure
        assert failure is not None and failure.kind == "race" and text in failure.text, failure
