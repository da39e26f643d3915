// Reads n float4 `passes` times and leaves one sum per thread. __ldcg keeps the data out of L1, so that a buffer which fits
// in L2 measures L2 and a larger one measures memory. Four loads are in flight per thread before the first is used.
extern "C" __global__ void read_all(const float4* __restrict__ x, long long n, int passes, float* sums) {
  const long long first = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  const long long stride = gridDim.x * (long long)blockDim.x;
  float sum = 0.f;
  for (int pass = 0; pass < passes; ++pass) {
    long long i = first;
    for (; i + 3 * stride < n; i += 4 * stride) {
      const float4 a = __ldcg(x + i), b = __ldcg(x + i + stride);
      const float4 c = __ldcg(x + i + 2 * stride), d = __ldcg(x + i + 3 * stride);
      sum += (a.x + a.y + a.z + a.w) + (b.x + b.y + b.z + b.w);
      sum += (c.x + c.y + c.z + c.w) + (d.x + d.y + d.z + d.w);
    }
    for (; i < n; i += stride) {
      const float4 a = __ldcg(x + i);
      sum += a.x + a.y + a.z + a.w;
    }
  }
  sums[first] = sum;
}
