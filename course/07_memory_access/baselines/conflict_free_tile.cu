// out (N, M) = transpose of x (M, N), through a tile of 32 rows of 32 words: a column of it lies in one bank.
constexpr int TILE = 32;
constexpr int ROWS = 8;

extern "C" __global__ void conflict_free_tile(const float* __restrict__ x, float* __restrict__ out,
                                              int M, int N) {
  __shared__ float tile[TILE][TILE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int column0 = blockIdx.x * TILE, row0 = blockIdx.y * TILE;
#pragma unroll
  for (int k = 0; k < TILE; k += ROWS) {
    const int row = row0 + ty + k, column = column0 + tx;
    if (row < M && column < N) tile[ty + k][tx] = x[(size_t)row * N + column];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < TILE; k += ROWS) {
    const int from = row0 + tx, to = column0 + ty + k;
    if (from < M && to < N) out[(size_t)to * M + from] = tile[tx][ty + k];
  }
}
