// Each warp walks through the columns of a 32 x 32 tile: in every round its 32 lanes read one column. A row
// takes `pitch` words; word (r, c) lives at place c ^ (r & mask) of its row, so mask 0 leaves it where it is.
extern "C" __global__ void __launch_bounds__(256) column_reads(float* out, int pitch, int mask, int rounds) {
  extern __shared__ float tile[];
  const int row = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int r = warp; r < 32; r += 8) tile[r * pitch + (row ^ (r & mask))] = 32 * r + row;
  __syncthreads();
  float sum = 0.f;
  for (int k = 0; k < rounds; k++) sum += tile[row * pitch + (((k + warp) % 32) ^ (row & mask))];
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}
