"""The emulator computes what a GPU computes: indices, shared memory, shuffles, votes, atomics, constants, globals."""

import numpy as np
import pytest
from emulating import call, execute, f32, i64, one, poisoned

from goodput.cuda.plan import Constant

SOURCE = r"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__constant__ float taps[17];
__device__ int calls;
__device__ float4 table[4];

extern "C" __global__ void saxpy(const float* x, float* y, long long n, float a) {
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x)
    y[i] = a * x[i] + y[i];
}
extern "C" __global__ void __launch_bounds__(256) rowsum_tree(const float* x, float* out, int cols) {
  __shared__ float s[256];
  const float* p = x + (size_t)blockIdx.x * cols;
  float v = 0;
  for (int i = threadIdx.x; i < cols; i += 256) v += p[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int o = 128; o; o >>= 1) {
    if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
extern "C" __global__ void argmax(const float* x, int* out, int cols) {  // one warp per row, first index wins
  const float* p = x + blockIdx.x * cols;
  float v = -INFINITY;
  int k = cols;
  for (int i = threadIdx.x; i < cols; i += 32)
    if (p[i] > v) v = p[i], k = i;
  for (int o = 16; o; o >>= 1) {
    float w = __shfl_xor_sync(0xffffffffu, v, o);
    int j = __shfl_xor_sync(0xffffffffu, k, o);
    if (w > v || (w == v && j < k)) v = w, k = j;
  }
  if (threadIdx.x == 0) out[blockIdx.x] = k;
}
extern "C" __global__ void compact(const float* x, float* out, int* count, int n, float limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  bool keep = i < n && x[i] > limit;
  unsigned vote = __ballot_sync(0xffffffffu, keep);
  int base = 0;
  if (lane == 0 && vote) base = atomicAdd(count, __popc(vote));
  base = __shfl_sync(0xffffffffu, base, 0);
  if (keep) out[base + __popc(vote & ((1u << lane) - 1))] = x[i];
}
extern "C" __global__ void slots(const int* expert, int* slot, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, e = expert[i];
  unsigned peers = __match_any_sync(0xffffffffu, e);
  int leader = __ffs(peers) - 1, base = 0;
  if (lane == leader) base = atomicAdd(&count[e], __popc(peers));
  slot[i] = __shfl_sync(0xffffffffu, base, leader) + __popc(peers & ((1u << lane) - 1));
}
extern "C" __global__ void histogram(const unsigned* key, unsigned* bins, int n, int nb) {
  extern __shared__ __align__(16) unsigned local[];
  for (int b = threadIdx.x; b < nb; b += blockDim.x) local[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[key[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < nb; b += blockDim.x)
    if (local[b]) atomicAdd(&bins[b], local[b]);
}
extern "C" __global__ void permute(const uint4* in, uint4* out, int S, int H, int D8) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= S * H * D8) return;
  int d = i % D8, s = i / D8 % S, h = i / (D8 * S);
  out[i] = in[(s * H + h) * D8 + d];
}
extern "C" __global__ void fir(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 16 >= n) return;
  float s = 0;
  for (int k = 0; k < 17; k++) s += taps[k] * x[i + k];
  y[i] = s;
}
extern "C" __global__ void count_calls(int* out) {
  if (threadIdx.x == 0) out[0] = ++calls;
}
extern "C" __global__ void tiles(const float* x, float* out) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  float v = x[block.thread_rank()];
  for (int o = tile.size() / 2; o; o /= 2) v += tile.shfl_down(v, o);
  if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = v;
  auto warp = cg::tiled_partition<32>(block);
  float best = cg::reduce(warp, x[block.thread_rank()], cg::greater<float>());
  block.sync();
  if (block.thread_rank() == 0) out[block.size() / 8] = best;
}
extern "C" __global__ void grid3(int* out) {
  dim3 g = gridDim;
  int b = blockIdx.x + g.x * (blockIdx.y + g.y * blockIdx.z);
  int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[b * blockDim.x * blockDim.y * blockDim.z + t] = b * 1000 + t;
}
extern "C" __global__ void votes(int* out) {
  int t = threadIdx.x;
  out[t] = __syncthreads_count(t % 3 == 0) * 100 + __syncthreads_or(t == 5) * 10 + __syncthreads_and(t < 1000);
}
"""
rng = np.random.default_rng(7)


def test_grid_stride_saxpy_of_a_size_that_is_no_multiple_of_the_block():
    x, y = rng.standard_normal((2, 4099)).astype(f32)
    got = one(SOURCE, "saxpy", 4, 256, ["x", "y", i64(4099), 2.0], {"x": x, "y": y}, inputs=["x"])
    assert np.array_equal(got["y"], 2 * x + y)


def test_shared_memory_tree_sums_rows():
    x = rng.standard_normal((8, 1000)).astype(f32)
    got = one(SOURCE, "rowsum_tree", 8, 256, ["x", "o", 1000], {"x": x, "o": poisoned(8)}, inputs=["x"])
    assert np.allclose(got["o"], x.sum(1, dtype=np.float64), atol=1e-4)


def test_shuffles_find_the_first_maximum():
    x = rng.integers(0, 5, (8, 200)).astype(f32)
    got = one(SOURCE, "argmax", 8, 32, ["x", "o", 200], {"x": x, "o": np.full(8, -1, np.int32)})
    assert np.array_equal(got["o"], x.argmax(1))


@pytest.mark.parametrize("schedule", ["forward", "backward", "shuffled"])
def test_order_free_results_are_checked_one_schedule_at_a_time(schedule):
    x = rng.standard_normal(1000).astype(f32)
    arrays = {"x": x, "out": poisoned(1000), "count": np.zeros(1, np.int32)}
    got = one(SOURCE, "compact", 4, 256, ["x", "out", "count", 1000, 0.5], arrays, schedules=[schedule])
    assert np.array_equal(np.sort(got["out"][: got["count"][0]]), np.sort(x[x > 0.5]))


def test_match_any_gives_every_token_its_own_slot():
    expert = rng.integers(0, 8, 1024, dtype=np.int32)
    arrays = {"e": expert, "slot": np.zeros(1024, np.int32), "count": np.zeros(8, np.int32)}
    got = one(SOURCE, "slots", 4, 256, ["e", "slot", "count", 1024], arrays, schedules=["shuffled"])
    for e in range(8):
        assert np.array_equal(np.sort(got["slot"][expert == e]), np.arange(got["count"][e]))


def test_dynamic_shared_memory_and_atomics_build_a_histogram():
    key = rng.integers(0, 512, 5000).astype(np.uint32)
    arrays = {"k": key, "b": np.zeros(512, np.uint32)}
    got = one(SOURCE, "histogram", 3, 256, ["k", "b", 5000, 512], arrays, smem=2048)
    assert np.array_equal(got["b"], np.bincount(key, minlength=512))
    assert got.counts.shared_atomic_operations == 5000


def test_16_byte_copies_permute_16_bit_data():
    S, H, D = 33, 5, 16
    h = rng.integers(0, 65536, (S, H, D)).astype(np.uint16)
    got = one(
        SOURCE, "permute", 2, 256, ["h", "o", S, H, D // 8], {"h": h, "o": np.zeros((H, S, D), np.uint16)}
    )
    assert np.array_equal(got["o"], h.transpose(1, 0, 2))


def test_constants_are_filled_by_name():
    x, taps = rng.standard_normal(100).astype(f32), rng.standard_normal(17).astype(f32)
    launch = call(SOURCE, "fir", 1, 128, ["x", "y", 100], constants={"taps": Constant("taps", 0, 68)})
    got = execute(SOURCE, ["fir"], [launch], {"x": x, "y": poisoned(84), "taps": taps}, inputs=["x", "taps"])
    assert np.allclose(got["y"], np.correlate(x, taps), atol=1e-5)
    assert got.counts.constant_words_per_request == 1


def test_filling_an_unknown_constant_is_a_failed_launch():
    launch = call(SOURCE, "fir", 1, 128, ["x", "x", 100], constants={"weights": Constant("x", 0, 68)})
    got = execute(SOURCE, ["fir"], [launch], {"x": poisoned(100)})
    assert got.failure.kind == "launch failed" and "weights" in got.failure.text


def test_device_variables_persist_between_launches_and_not_between_schedules():
    launches = [call(SOURCE, "count_calls", 1, 32, [name]) for name in ("first", "second")]
    arrays = {name: np.zeros(1, np.int32) for name in ("first", "second")}
    got = execute(SOURCE, ["count_calls"], launches, arrays)
    assert (got["first"][0], got["second"][0]) == (1, 2)


def test_tiles_of_cooperative_groups_reduce_their_own_threads():
    x = rng.standard_normal(64).astype(f32)
    got = one(SOURCE, "tiles", 1, 64, ["x", "o"], {"x": x, "o": poisoned(9)})
    assert np.allclose(got["o"][:8], x.reshape(8, 8).sum(1), atol=1e-5) and got["o"][8] == x[:32].max()


def test_three_dimensional_grids_and_blocks():
    got = one(SOURCE, "grid3", (2, 3, 2), (3, 4, 5), ["o"], {"o": np.zeros((12, 60), np.int32)})
    assert np.array_equal(got["o"], np.arange(12)[:, None] * 1000 + np.arange(60))


def test_block_votes_count_all_threads():
    got = one(SOURCE, "votes", 1, 100, ["o"], {"o": np.zeros(100, np.int32)})
    assert (got["o"] == 34 * 100 + 10 + 1).all()
