#include "goodput/primitives.cuh"

// One block per row: 256 partial sums meet in shared memory, halving eight times with a barrier each.
extern "C" __global__ void __launch_bounds__(256)
    row_sum_tree(const float* __restrict__ x, float* total, int columns) {
  __shared__ float partial[256];
  const int t = threadIdx.x;
  const float* row = x + (size_t)blockIdx.x * columns;
  float sum = 0.f;
  for (int c = t; c < columns; c += 256) sum += row[c];
  partial[t] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) partial[t] += partial[t + half];
    __syncthreads();
  }
  if (t == 0) total[blockIdx.x] = partial[0];
}

// One warp per row: every lane sums in a register, and five shuffles add up the 32 registers.
extern "C" __global__ void __launch_bounds__(256)
    row_sum_warp(const float* __restrict__ x, float* total, int rows, int columns) {
  const int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (r >= rows) return;
  const float4* row = (const float4*)(x + (size_t)r * columns);
  float sum = 0.f;
#pragma unroll 4
  for (int q = lane; q < columns / 4; q += 32) {
    const float4 v = row[q];
    sum += v.x + v.y + v.z + v.w;
  }
  sum = warp_sum(sum);
  if (lane == 0) total[r] = sum;
}
