#include "goodput/primitives.cuh"

constexpr int COLUMNS = 32, ROWS = 128;
constexpr int CHUNKS = COLUMNS * sizeof(float) / 16;

// Four rows by four columns per thread: the turn is finished in registers, and each store writes 16 bytes.
// Lane = 4 * group + chunk: a warp holds 8 groups of 4 rows and 4 chunks of 4 columns.
//  - reading, 8 consecutive lanes (one 128-byte pass of shared memory) see 2 groups and 4 chunks; their positions
//    chunk ^ (r & 7) are 8 different ones, so there is no conflict
//  - writing, the 8 lanes of one chunk fill one 128-byte line of out
extern "C" __global__ void __launch_bounds__(256, 8)
    tma_transpose(const __grid_constant__ TensorMap map, float* out, int M, int N) {
  __shared__ __align__(1024) float4 tile[ROWS * CHUNKS];
  __shared__ u64 arrived;
  const int c0 = blockIdx.x * COLUMNS, r0 = blockIdx.y * ROWS;
  if (threadIdx.x == 0) {
    mbar_init(&arrived, 1);
    mbar_init_fence();
    mbar_expect_tx(&arrived, ROWS * COLUMNS * sizeof(float));
    tma_load_2d(tile, &map, c0, r0, &arrived);
  }
  __syncthreads();  // nobody waits on a barrier that is not set up
  mbar_wait(&arrived, 0);

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int chunk = lane % 4 + 4 * (warp % 2), r = 4 * (lane / 4) + 32 * (warp / 2);
  const int c = c0 + 4 * chunk;
  float4 v[4];
#pragma unroll
  for (int k = 0; k < 4; k++) v[k] = tile[(r + k) * CHUNKS + (chunk ^ ((r + k) & 7))];
  float* o = out + (size_t)c * M + r0 + r;
  // rows of out start at a multiple of 16 bytes, and four rows of x are all inside or all outside
  if (M % 4 == 0 && (size_t)out % 16 == 0) {
    if (r0 + r >= M) return;
    if (c < N) *(float4*)o = make_float4(v[0].x, v[1].x, v[2].x, v[3].x);
    if (c + 1 < N) *(float4*)(o + M) = make_float4(v[0].y, v[1].y, v[2].y, v[3].y);
    if (c + 2 < N) *(float4*)(o + 2 * (size_t)M) = make_float4(v[0].z, v[1].z, v[2].z, v[3].z);
    if (c + 3 < N) *(float4*)(o + 3 * (size_t)M) = make_float4(v[0].w, v[1].w, v[2].w, v[3].w);
    return;
  }
#pragma unroll
  for (int k = 0; k < 4; k++) {
    if (r0 + r + k >= M) break;
    if (c < N) o[k] = v[k].x;
    if (c + 1 < N) o[k + M] = v[k].y;
    if (c + 2 < N) o[k + 2 * (size_t)M] = v[k].z;
    if (c + 3 < N) o[k + 3 * (size_t)M] = v[k].w;
  }
}
