// out (N, M) = transpose of x (M, N), as in tiled_transpose: a block of 32 x 8 threads turns one tile of
// 32 x 32 words. Word w of shared memory lives in bank w % 32; a warp that asks one bank for two different
// words waits twice.
constexpr int TILE = 32;
constexpr int ROWS = 8;

extern "C" __global__ void conflict_free_tile(const float* __restrict__ x, float* __restrict__ out,
                                              int M, int N) {
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int column0 = blockIdx.x * TILE, row0 = blockIdx.y * TILE;  // corner of the tile in x
  // BEGIN SOLUTION
  // rows of 33 words: word (r, c) is in bank (r + c) % 32, so neither a row nor a column uses a bank twice
  __shared__ float tile[TILE][TILE + 1];
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
  // END SOLUTION
}
