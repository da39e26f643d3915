// out (N, M) = transpose of x (M, N), 32 x 8 threads per 32 x 32 words: reads along rows, writes down
// columns.
constexpr int TILE = 32;
constexpr int ROWS = 8;

extern "C" __global__ void tiled_transpose(const float* __restrict__ x, float* __restrict__ out,
                                           int M, int N) {
  const int column = blockIdx.x * TILE + threadIdx.x;
#pragma unroll
  for (int k = 0; k < TILE; k += ROWS) {
    const int row = blockIdx.y * TILE + threadIdx.y + k;
    if (row < M && column < N) out[(size_t)column * M + row] = x[(size_t)row * N + column];
  }
}
