// out (N, M) = transpose of x (M, N), a padded tile of 64 x 64 words and 64 x 4 threads: sixteen words per
// thread. All sixteen loads go to registers before the first word goes to shared memory, so that they are in
// flight together; written in one loop, the bounds test of each word could hold back the next load.
constexpr int TILE = 64;
constexpr int ROWS = 4;
constexpr int WORDS = TILE / ROWS;  // per thread

// at least 4 blocks per multiprocessor: 64 registers per thread, room for sixteen words and their addresses
extern "C" __global__ void __launch_bounds__(TILE * ROWS, 4)
    conflict_free_tile(const float* __restrict__ x, float* __restrict__ out, int M, int N) {
  __shared__ float tile[TILE][TILE + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int column0 = blockIdx.x * TILE, row0 = blockIdx.y * TILE;
  float v[WORDS];
#pragma unroll
  for (int k = 0; k < WORDS; ++k) {
    const int row = row0 + ty + k * ROWS, column = column0 + tx;
    v[k] = row < M && column < N ? x[(size_t)row * N + column] : 0.f;
  }
#pragma unroll
  for (int k = 0; k < WORDS; ++k) tile[ty + k * ROWS][tx] = v[k];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < WORDS; ++k) {
    const int from = row0 + tx, to = column0 + ty + k * ROWS;
    if (from < M && to < N) out[(size_t)to * M + from] = tile[tx][ty + k * ROWS];
  }
}
