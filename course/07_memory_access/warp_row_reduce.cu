struct Candidate {
  float value;
  int column;
};

// torch's order: NaN beats every number, then the larger value, then the lower column
__device__ __forceinline__ bool beats(Candidate a, Candidate b) {
  const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
  if (a_nan || b_nan) return a_nan && (!b_nan || a.column < b.column);
  return a.value > b.value || (a.value == b.value && a.column < b.column);
}

// One warp per row: the running sum and the running maximum never leave the warp's registers.
extern "C" __global__ void __launch_bounds__(256)
    warp_row_reduce(const float* __restrict__ x, float* total, int* best, int rows, int columns) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;  // rows are whole warps, so the shuffles below always find all 32 lanes
  const float* p = x + (size_t)row * columns;
  // columns % 4 != 0 puts most rows off the 16-byte grid: `head` single floats up to it, `quads` float4, then the rest
  const int head = min(columns, (int)(-(size_t)p % 16 / 4));
  const int quads = (columns - head) / 4;

  float sum = 0.f;
  Candidate top = {__int_as_float(0xff800000), 0};  // -inf at column 0: the right answer if nothing beats it
  // for a lane that meets its columns in ascending order, so that an equal value never replaces an earlier one
  auto take = [&](float v, int column) {
    sum += v;
    if (!(v <= top.value) && top.value == top.value) top = {v, column};  // !(<=) is true for NaN as well
  };
  // BEGIN SOLUTION
  if (lane < head) take(p[lane], lane);
  const float4* body = (const float4*)(p + head);
#pragma unroll 4
  for (int q = lane; q < quads; q += 32) {
    const float4 v = body[q];
    const int column = head + 4 * q;
    take(v.x, column);
    take(v.y, column + 1);
    take(v.z, column + 2);
    take(v.w, column + 3);
  }
  const int last = head + 4 * quads + lane;
  if (last < columns) take(p[last], last);

#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    const Candidate other = {__shfl_xor_sync(0xffffffffu, top.value, offset),
                             __shfl_xor_sync(0xffffffffu, top.column, offset)};
    if (beats(other, top)) top = other;
  }
  if (lane == 0) {
    total[row] = sum;
    best[row] = top.column;
  }
  // END SOLUTION
}
