// out (N, M) = transpose of x (M, N), without shared memory: each thread turns 4 x 4 words in its registers.
//
// A thread loads four float4, one from each of four rows, and stores four float4, one to each of four rows of
// out. What matters is that every instruction of the warp touches whole sectors:
//   load:  4 lanes side by side = 64 bytes of a row, 8 rows    -> 16 sectors, the fewest for 512 bytes
//   store: 8 lanes side by side = 128 bytes of a row of out, 4 rows -> 16 sectors
// float4 needs rows that start on 16 bytes, so M and N must be multiples of 4; `any_shape` serves the others.
constexpr int SIDE = 64;  // words of x per block and direction; 8 warps, each 16 columns x 32 rows

extern "C" __global__ void tiled_transpose(const float* __restrict__ x, float* __restrict__ out,
                                           int M, int N) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const int column = blockIdx.x * SIDE + (warp & 3) * 16 + (lane & 3) * 4;
  const int row = blockIdx.y * SIDE + (warp >> 2) * 32 + (lane >> 2) * 4;
  if (row >= M || column >= N) return;
  float4 v[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) v[k] = *reinterpret_cast<const float4*>(x + (size_t)(row + k) * N + column);
  float* to = out + (size_t)column * M + row;
  *reinterpret_cast<float4*>(to) = make_float4(v[0].x, v[1].x, v[2].x, v[3].x);
  *reinterpret_cast<float4*>(to + (size_t)M) = make_float4(v[0].y, v[1].y, v[2].y, v[3].y);
  *reinterpret_cast<float4*>(to + 2 * (size_t)M) = make_float4(v[0].z, v[1].z, v[2].z, v[3].z);
  *reinterpret_cast<float4*>(to + 3 * (size_t)M) = make_float4(v[0].w, v[1].w, v[2].w, v[3].w);
}

// the padded 32 x 32 tile, for rows that do not start on 16 bytes
extern "C" __global__ void any_shape(const float* __restrict__ x, float* __restrict__ out, int M, int N) {
  __shared__ float tile[32][33];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int column0 = blockIdx.x * 32, row0 = blockIdx.y * 32;
#pragma unroll
  for (int k = 0; k < 32; k += 8) {
    const int row = row0 + ty + k, column = column0 + tx;
    if (row < M && column < N) tile[ty + k][tx] = x[(size_t)row * N + column];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 32; k += 8) {
    const int from = row0 + tx, to = column0 + ty + k;
    if (from < M && to < N) out[(size_t)to * M + from] = tile[tx][ty + k];
  }
}
