struct Candidate {
  float value;
  int column;
};

__device__ __forceinline__ bool beats(Candidate a, Candidate b) {
  const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
  if (a_nan || b_nan) return a_nan && (!b_nan || a.column < b.column);
  return a.value > b.value || (a.value == b.value && a.column < b.column);
}

// One block per row; the 256 partial results meet in shared memory, halving eight times with a barrier each.
extern "C" __global__ void __launch_bounds__(256)
    warp_row_reduce(const float* __restrict__ x, float* total, int* best, int columns) {
  __shared__ float sums[256];
  __shared__ float values[256];
  __shared__ int indices[256];
  const int t = threadIdx.x;
  const float* p = x + (size_t)blockIdx.x * columns;

  float sum = 0.f;
  Candidate top = {__int_as_float(0xff800000), 0};  // -inf at column 0: the right answer if nothing beats it
  for (int c = t; c < columns; c += 256) {
    const float v = p[c];
    sum += v;
    if (!(v <= top.value) && top.value == top.value) top = {v, c};
  }
  sums[t] = sum;
  values[t] = top.value;
  indices[t] = top.column;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) {
      sums[t] += sums[t + half];
      const Candidate mine = {values[t], indices[t]}, other = {values[t + half], indices[t + half]};
      if (beats(other, mine)) {
        values[t] = other.value;
        indices[t] = other.column;
      }
    }
    __syncthreads();
  }
  if (t == 0) {
    total[blockIdx.x] = sums[0];
    best[blockIdx.x] = indices[0];
  }
}
