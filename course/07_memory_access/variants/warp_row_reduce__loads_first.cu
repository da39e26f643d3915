struct Candidate {
  float value;
  int column;
};

__device__ __forceinline__ bool beats(Candidate a, Candidate b) {
  const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
  if (a_nan || b_nan) return a_nan && (!b_nan || a.column < b.column);
  return a.value > b.value || (a.value == b.value && a.column < b.column);
}

constexpr int AHEAD = 8;  // 16-byte loads of a lane in flight: a row of 1024 floats is asked for before anything is used

// One warp per row, every load of a 4 KiB stretch first; the four words of a vector keep four independent chains, so that
// neither a sum nor a comparison waits for its neighbour's.
extern "C" __global__ void __launch_bounds__(256)
    warp_row_reduce(const float* __restrict__ x, float* total, int* best, int rows, int columns) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float* p = x + (size_t)row * columns;
  const float lowest = __int_as_float(0xff800000);  // -inf
  float sum[4] = {0.f, 0.f, 0.f, 0.f};
  Candidate top[4] = {{lowest, 0}, {lowest, 0}, {lowest, 0}, {lowest, 0}};
  auto take = [&](int chain, float v, int column) {
    sum[chain] += v;
    if (!(v <= top[chain].value) && top[chain].value == top[chain].value) top[chain] = {v, column};
  };
  auto take4 = [&](float4 v, int column) {
    take(0, v.x, column);
    take(1, v.y, column + 1);
    take(2, v.z, column + 2);
    take(3, v.w, column + 3);
  };

  const int head = min(columns, (int)(-(size_t)p % 16 / 4));
  const int quads = (columns - head) / 4;
  if (lane < head) take(0, p[lane], lane);
  const float4* body = (const float4*)(p + head);
  int q = lane;
  for (; q + 32 * (AHEAD - 1) < quads; q += 32 * AHEAD) {
    float4 v[AHEAD];
#pragma unroll
    for (int k = 0; k < AHEAD; k++) v[k] = __ldcs(body + q + 32 * k);  // read once: do not keep it in the caches
#pragma unroll
    for (int k = 0; k < AHEAD; k++) take4(v[k], head + 4 * (q + 32 * k));
  }
  for (; q < quads; q += 32) take4(body[q], head + 4 * q);
  const int last = head + 4 * quads + lane;
  if (last < columns) take(0, p[last], last);

#pragma unroll
  for (int chain = 1; chain < 4; chain++) {
    sum[0] += sum[chain];
    if (beats(top[chain], top[0])) top[0] = top[chain];
  }
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    sum[0] += __shfl_xor_sync(0xffffffffu, sum[0], offset);
    const Candidate other = {__shfl_xor_sync(0xffffffffu, top[0].value, offset),
                             __shfl_xor_sync(0xffffffffu, top[0].column, offset)};
    if (beats(other, top[0])) top[0] = other;
  }
  if (lane == 0) {
    total[row] = sum[0];
    best[row] = top[0].column;
  }
}
