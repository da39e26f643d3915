#include <cuda_bf16.h>

#include "goodput/primitives.cuh"

constexpr int COLUMNS = 8192, THREADS = 512;
constexpr int ROW = COLUMNS / 8;     // 16-byte vectors in a row of bf16
constexpr int MINE = ROW / THREADS;  // of which each thread owns 2: t and t + 512

struct Vec8 {
  uint4 raw;
  __device__ __nv_bfloat162& pair(int i) { return ((__nv_bfloat162*)&raw)[i]; }
};

__device__ __forceinline__ float squares(Vec8 v) {
  float sum = 0.f;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const float2 f = __bfloat1622float2(v.pair(i));
    sum += f.x * f.x + f.y * f.y;
  }
  return sum;
}

__device__ __forceinline__ uint4 scaled(Vec8 v, Vec8 gain, float r) {
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const float2 f = __bfloat1622float2(v.pair(i)), g = __bfloat1622float2(gain.pair(i));
    v.pair(i) = __floats2bfloat162_rn(f.x * r * g.x, f.y * r * g.y);
  }
  return v.raw;
}

// sum over the block; one barrier, so `partial` must be another one in the next call
__device__ __forceinline__ float block_sum(float v, float* partial) {
  v = warp_sum(v);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = v;
  __syncthreads();
  float sum = 0.f;
#pragma unroll
  for (int i = 0; i < THREADS / 32; i++) sum += partial[i];
  return sum;
}

// RMSNorm of rows blockIdx.x, blockIdx.x + gridDim.x, ...: load a row into shared memory, wait for it, compute, store.
extern "C" __global__ void __launch_bounds__(THREADS)
    async_row_ring(const uint4* x, const uint4* w, uint4* out, int rows, float eps) {
  extern __shared__ __align__(128) uint4 tile[];  // one row
  __shared__ float partial[2][THREADS / 32];
  const int t = threadIdx.x, blocks = gridDim.x;
  Vec8 gain[MINE], v[MINE];
#pragma unroll
  for (int j = 0; j < MINE; j++) gain[j].raw = w[t + j * THREADS];
  int turn = 0;
  for (int row = blockIdx.x; row < rows; row += blocks, turn++) {
#pragma unroll
    for (int j = 0; j < MINE; j++) tile[t + j * THREADS] = x[(size_t)row * ROW + t + j * THREADS];
    __syncthreads();
    float sum = 0.f;
#pragma unroll
    for (int j = 0; j < MINE; j++) {
      v[j].raw = tile[t + j * THREADS];
      sum += squares(v[j]);
    }
    const float r = rsqrtf(block_sum(sum, partial[turn % 2]) / COLUMNS + eps);
#pragma unroll
    for (int j = 0; j < MINE; j++) out[(size_t)row * ROW + t + j * THREADS] = scaled(v[j], gain[j], r);
  }
}
