"""Counts are those of a GPU profiler: sectors and wavefronts per warp-level request, per kernel and per line."""

import numpy as np
import pytest
from emulating import f32, i64, one, poisoned

SOURCE = r"""
struct P8 { float x, y, z, w, a, b, c, d; };
extern "C" __global__ void aos(const P8* p, float* out, long long n) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = p[i].x * 2.f;
}
extern "C" __global__ void soa(const float* x, float* out, long long n) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] * 2.f;
}
extern "C" __global__ void saxpy_chunk(const float* x, float* y, long long n, int per) {
  long long b = ((long long)blockIdx.x * blockDim.x + threadIdx.x) * per;
  for (int i = 0; i < per; i++)
    if (b + i < n) y[b + i] = 2.f * x[b + i] + y[b + i];
}
extern "C" __global__ void dequant_scalar(const unsigned char* q, float* y, long long n, float s, float z) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = ((float)q[i] - z) * s;
}
extern "C" __global__ void dequant_vec(const unsigned* q, float4* y, long long n4, float s, float z) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n4) return;
  unsigned v = q[i];
  y[i] = make_float4(((float)(v & 255) - z) * s, ((float)((v >> 8) & 255) - z) * s, ((float)((v >> 16) & 255) - z) * s,
                     ((float)(v >> 24) - z) * s);
}
extern "C" __global__ void rowsum_warp(const float* x, float* out, int cols, int rows) {
  int r = blockIdx.x * 8 + (threadIdx.x >> 5), l = threadIdx.x & 31;
  if (r >= rows) return;
  const float4* p = (const float4*)(x + (size_t)r * cols);
  float v = 0;
#pragma unroll 4
  for (int i = l; i < cols / 4; i += 32) {
    float4 f = __ldg(p + i);
    v += f.x + f.y + f.z + f.w;
  }
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  if (l == 0) out[r] = v;
}
template <int PAD> __device__ void column(const float* x, float* y) {
  __shared__ float t[32][32 + PAD];
  int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  for (int r = w; r < 32; r += 8) t[r][lane] = x[r * 32 + lane];
  __syncthreads();
  for (int c = w; c < 32; c += 8) y[c * 32 + lane] = t[lane][c];
}
extern "C" __global__ void pad0(const float* x, float* y) { column<0>(x, y); }
extern "C" __global__ void pad1(const float* x, float* y) { column<1>(x, y); }
extern "C" __global__ void pad2(const float* x, float* y) { column<2>(x, y); }
extern "C" __global__ void wide_shared(const float4* x, float4* y) {
  __shared__ float4 s[64];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x ^ 1];
}
extern "C" __global__ void uniform(const float* x, float* y) { y[threadIdx.x] = x[0]; }
__constant__ float k[32] = {1.f};
extern "C" __global__ void constant_by_lane(float* y) { y[threadIdx.x] = k[threadIdx.x & 31]; }
extern "C" __global__ void constant_uniform(float* y, int i) { y[threadIdx.x] = k[i]; }
extern "C" __global__ void uninitialised(float* y) {
  __shared__ float s[64];
  if (threadIdx.x < 60) s[threadIdx.x] = 1;
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x];
}
"""
N = 1 << 12
rng = np.random.default_rng(3)
x, y = rng.standard_normal((2, N)).astype(f32)
GRID = N // 256


def counts(kernel, grid, block, args, **arrays):
    got = one(SOURCE, kernel, grid, block, args, arrays)
    assert got.failure is None, got.failure
    return got.counts


def test_one_field_of_a_32_byte_record_costs_32_sectors_and_a_plane_costs_4():
    c = counts("aos", GRID, 256, ["r", "y", i64(N)], r=rng.standard_normal((N, 8)).astype(f32), y=y)
    assert (c.load_sectors_per_request, c.store_sectors_per_request) == (32, 4)
    assert c.load_sectors_ideal_per_request == 4
    c = counts("soa", GRID, 256, ["x", "y", i64(N)], x=x, y=y)
    assert (c.load_sectors_per_request, c.store_sectors_per_request) == (4, 4)


def test_a_chunk_per_thread_is_uncoalesced_on_both_sides():
    c = counts("saxpy_chunk", 1, 128, ["x", "y", i64(N), 32], x=x, y=y)
    assert (c.load_sectors_per_request, c.store_sectors_per_request) == (32, 32)


def test_a_warp_of_float4_stores_fills_its_16_sectors():
    q = rng.integers(0, 256, N, dtype=np.uint8)
    c = counts("dequant_scalar", GRID, 256, ["q", "y", i64(N), 0.5, 1.0], q=q, y=poisoned(N))
    assert (c.load_sectors_per_request, c.widest_access_bytes) == (1, 4)
    c = counts("dequant_vec", N // 1024, 256, ["q", "y", i64(N // 4), 0.5, 1.0], q=q, y=poisoned(N))
    assert (c.load_sectors_per_request, c.store_sectors_per_request) == (4, 16)
    assert c.store_sectors_ideal_per_request == 16 and c.widest_store_bytes == 16


def test_a_row_sum_in_registers_makes_no_shared_request():
    c = counts("rowsum_warp", 1, 256, ["x", "o", 512, 8], x=x, o=poisoned(8))
    assert c.load_sectors_per_request == 16 and c.shared_load_wavefronts_per_request is None


@pytest.mark.parametrize("pad, wavefronts", [(0, 32), (1, 1), (2, 2)])
def test_padding_moves_a_column_over_the_banks(pad, wavefronts):
    tile = x[:1024].reshape(32, 32)
    got = one(SOURCE, f"pad{pad}", 1, 256, ["x", "y"], {"x": tile, "y": np.zeros_like(tile)})
    assert np.array_equal(got["y"], tile.T)
    assert got.counts.shared_load_wavefronts_per_request == wavefronts
    assert got.counts.shared_store_wavefronts_per_request == 1


def test_conflict_free_16_byte_shared_accesses_count_as_one():
    c = counts("wide_shared", 1, 64, ["x", "y"], x=x[:256], y=poisoned(256))
    assert c.shared_load_wavefronts == 4 * c.shared_load_requests
    assert c.shared_load_wavefronts_per_request == c.shared_store_wavefronts_per_request == 1


def test_a_word_that_all_lanes_read_is_one_sector_and_ideal():
    c = counts("uniform", 1, 64, ["x", "y"], x=x, y=poisoned(64))
    assert c.load_sectors_per_request == c.load_sectors_ideal_per_request == 1


def test_constant_memory_indexed_by_lane_is_served_word_by_word():
    assert counts("constant_by_lane", 1, 64, ["y"], y=poisoned(64)).constant_words_per_request == 32
    assert counts("constant_uniform", 1, 64, ["y", 3], y=poisoned(64)).constant_words_per_request == 1


def test_counts_are_kept_by_line_and_by_kernel():
    c = counts("soa", GRID, 256, ["x", "y", i64(N)], x=x, y=y)
    line = 1 + SOURCE.split("\n").index("  if (i < n) out[i] = x[i] * 2.f;")
    assert c.by_line[line].load_requests == c.by_kernel["soa"].load_requests == N // 32
    assert c.by_kernel["aos"].load_requests == 0


def test_reads_of_shared_memory_that_nobody_wrote_are_counted_and_are_nan():
    got = one(SOURCE, "uninitialised", 1, 64, ["y"], {"y": np.zeros(64, f32)})
    assert got.counts.uninitialised_shared_reads == 4
    assert np.isnan(got["y"][60:]).all() and (got["y"][:60] == 1).all()


def test_counts_of_two_runs_add_up():
    c = counts("soa", GRID, 256, ["x", "y", i64(N)], x=x, y=y)
    twice = c + c
    assert twice.load_sectors == 2 * c.load_sectors and twice.load_sectors_per_request == 4
    assert twice.by_kernel["soa"].load_requests == 2 * c.load_requests and twice.widest_access_bytes == 4
