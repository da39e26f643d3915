// out (N, M) = transpose of x (M, N). A block of 32 x 8 threads turns one tile of 32 x 32 words; block
// (bx, by) takes the columns of x from 32 * bx and the rows from 32 * by. The 32 threads with one
// threadIdx.y are a warp.
constexpr int TILE = 32;  // 32 neighbouring words are 128 bytes: 4 whole sectors per warp
constexpr int ROWS = 8;   // rows of the tile that the block handles at a time: 4 words per thread

extern "C" __global__ void tiled_transpose(const float* __restrict__ x, float* __restrict__ out,
                                           int M, int N) {
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int column0 = blockIdx.x * TILE, row0 = blockIdx.y * TILE;  // corner of the tile in x
  // BEGIN SOLUTION
  __shared__ float tile[TILE][TILE];
#pragma unroll
  for (int k = 0; k < TILE; k += ROWS) {
    const int row = row0 + ty + k, column = column0 + tx;
    if (row < M && column < N) tile[ty + k][tx] = x[(size_t)row * N + column];
  }
  // a thread reads back what other warps wrote
  __syncthreads();
#pragma unroll
  for (int k = 0; k < TILE; k += ROWS) {
    // tx runs along a row of out now, so the column of x belongs to ty
    const int from = row0 + tx, to = column0 + ty + k;
    if (from < M && to < N) out[(size_t)to * M + from] = tile[tx][ty + k];
  }
  // END SOLUTION
}
