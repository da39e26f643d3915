"""__half and __nv_bfloat16 round to nearest even and compute like the real ones, over all 65536 bit patterns."""

import numpy as np
import torch
from emulating import f32, one

SOURCE = r"""
#include <cuda_bf16.h>
#include <cuda_fp16.h>
extern "C" __global__ void to_float(const __nv_bfloat16* b, const __half* h, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __bfloat162float(b[i]), out[n + i] = __half2float(h[i]);
}
extern "C" __global__ void from_float(const float* x, __nv_bfloat16* b, __half* h, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = __float2bfloat16(x[i]), h[i] = __float2half(x[i]);
}
extern "C" __global__ void arithmetic(const __nv_bfloat162* a, const __nv_bfloat162* b, __nv_bfloat162* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = a[i] + b[i], out[n + i] = __hmul2(a[i], b[i]), out[2 * n + i] = __hfma2(a[i], b[i], a[i]);
  float2 f = __bfloat1622float2(a[i]);
  out[3 * n + i] = __floats2bfloat162_rn(f.y, f.x);
}
extern "C" __global__ void vectors(const uint4* x, uint4* y) {
  union { uint4 raw; __half2 h[4]; } v;
  v.raw = x[threadIdx.x];
  for (int k = 0; k < 4; k++) v.h[k] = __hadd2(v.h[k], __halves2half2(__half(1), __half(2.f)));
  y[threadIdx.x] = v.raw;
}
"""
rng = np.random.default_rng(11)


def as_torch(a: np.ndarray, dtype: torch.dtype) -> torch.Tensor:
    return torch.from_numpy(a.view(np.int16).copy()).view(dtype)


def test_every_bit_pattern_converts_to_float():
    bits = np.arange(65536, dtype=np.uint16)
    got = one(
        SOURCE,
        "to_float",
        64,
        1024,
        ["b", "h", "o", 65536],
        {"b": bits, "h": bits, "o": np.zeros((2, 65536), f32)},
    )
    for row, dtype in zip(got["o"], (torch.bfloat16, torch.float16), strict=True):
        want = as_torch(bits, dtype).float().numpy()
        assert np.array_equal(row, want, equal_nan=True)


def test_floats_round_to_nearest_even():
    n = 20000
    halves = as_torch(rng.integers(0, 65536, n).astype(np.uint16), torch.float16).float().numpy()
    ties = np.nextafter(halves, np.inf, dtype=f32) / 2 + np.nextafter(halves, -np.inf, dtype=f32) / 2
    x = np.concatenate(
        [rng.integers(0, 2**32, n, dtype=np.uint32).view(f32), halves, ties, halves * f32(1 + 2**-11)]
    )
    x = np.concatenate(
        [x, f32([65519.9, 65520, 65536, 1e-8, 2.98e-8, 3.4e38, np.inf, -np.inf, 0, -0.0])]
    ).astype(f32)
    x = x[~np.isnan(x)]
    zeros = np.zeros(len(x), np.uint16)
    got = one(
        SOURCE,
        "from_float",
        -(-len(x) // 512),
        512,
        ["x", "b", "h", len(x)],
        {"x": x, "b": zeros, "h": zeros},
    )
    for name, dtype in (("b", torch.bfloat16), ("h", torch.float16)):
        want = torch.from_numpy(x).to(dtype).view(torch.int16).numpy().view(np.uint16)
        assert np.array_equal(got[name], want), name


def test_pairs_add_multiply_and_fuse():
    a, b = (torch.randn(512, dtype=torch.float32).bfloat16() for _ in range(2))
    arrays = {
        "a": a.view(torch.int16).numpy(),
        "b": b.view(torch.int16).numpy(),
        "o": np.zeros((4, 512), np.int16),
    }
    got = one(SOURCE, "arithmetic", 1, 256, ["a", "b", "o", 256], arrays)
    rows = [as_torch(row, torch.bfloat16) for row in got["o"]]
    fused = (a.double() * b.double() + a.double()).bfloat16()
    for have, want in zip(rows, (a + b, a * b, fused, a.view(-1, 2).flip(1).reshape(-1)), strict=True):
        assert torch.equal(have, want)


def test_pairs_live_in_the_words_of_a_16_byte_vector():
    x = rng.standard_normal(256).astype(np.float16)
    got = one(SOURCE, "vectors", 1, 32, ["x", "y"], {"x": x, "y": np.zeros_like(x)})
    assert np.array_equal(got["y"], x + np.tile(np.float16([1, 2]), 128))
    assert got.counts.widest_access_bytes == 16 and got.counts.load_sectors_per_request == 16
