// One word of padding per row: a column of the tile lies in 32 different banks.
extern "C" __global__ void __launch_bounds__(256) tma_transpose(const float* x, float* out, int M, int N) {
  __shared__ float tile[32][33];
  const int tx = threadIdx.x, ty = threadIdx.y, c0 = blockIdx.x * 32, r0 = blockIdx.y * 32;
#pragma unroll
  for (int k = ty; k < 32; k += 8)
    if (r0 + k < M && c0 + tx < N) tile[k][tx] = x[(size_t)(r0 + k) * N + c0 + tx];
  __syncthreads();
#pragma unroll
  for (int k = ty; k < 32; k += 8)
    if (c0 + k < N && r0 + tx < M) out[(size_t)(c0 + k) * M + r0 + tx] = tile[tx][k];
}
