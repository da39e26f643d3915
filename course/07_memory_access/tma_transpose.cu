#include "goodput/primitives.cuh"

constexpr int COLUMNS = 32, ROWS = 128;              // the box of the tensor map: 128 bytes wide, 128 rows high
constexpr int CHUNKS = COLUMNS * sizeof(float) / 16;  // 16-byte chunks in a row of the box

// out[c][r] = x[r][c], x is (M, N). Block (bx, by) fetches columns 32 bx .. and rows 128 by .. of x.
extern "C" __global__ void __launch_bounds__(256)
    tma_transpose(const __grid_constant__ TensorMap map, float* out, int M, int N) {
  __shared__ __align__(1024) float4 tile[ROWS * CHUNKS];  // the 128-byte swizzle repeats every 8 rows: 1024 bytes
  __shared__ u64 arrived;
  const int c0 = blockIdx.x * COLUMNS, r0 = blockIdx.y * ROWS;
  // BEGIN SOLUTION
  if (threadIdx.x == 0) {
    mbar_init(&arrived, 1);
    mbar_init_fence();  // the copy engine must see the barrier before it counts bytes on it
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    mbar_expect_tx(&arrived, ROWS * COLUMNS * sizeof(float));  // all of the box: what lies outside x arrives as zeros
    tma_load_2d(tile, &map, c0, r0, &arrived);
  }
  mbar_wait(&arrived, 0);

  // a warp takes one chunk of 32 rows: its four stores are 32 neighbours each in a row of out
  const int lane = threadIdx.x % 32, chunk = threadIdx.x / 32, c = c0 + 4 * chunk;
#pragma unroll
  for (int q = 0; q < ROWS; q += 32) {
    const int r = q + lane;
    const float4 v = tile[r * CHUNKS + (chunk ^ (r & 7))];
    if (r0 + r >= M) continue;
    float* o = out + (size_t)c * M + r0 + r;
    if (c < N) o[0] = v.x;
    if (c + 1 < N) o[M] = v.y;
    if (c + 2 < N) o[2 * (size_t)M] = v.z;
    if (c + 3 < N) o[3 * (size_t)M] = v.w;
  }
  // END SOLUTION
}
