// out[i] = (q[i] - zero) * scale, one byte per thread.
extern "C" __global__ void vector_dequant(const unsigned char* __restrict__ q, float* __restrict__ out,
                                          float scale, float zero, long long n) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (q[i] - zero) * scale;
}
