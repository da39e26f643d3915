// out[i] = (q[i] - zero) * scale. Each thread moves four quads, 256 quads apart, and asks for all of them
// before it uses the first: as coalesced as one quad per thread, with four loads in flight.
constexpr int BLOCK = 256;
constexpr int QUADS = 4;  // quads of bytes per thread

extern "C" __global__ void vector_dequant(const unsigned char* __restrict__ q, float* __restrict__ out,
                                          float scale, float zero, long long n) {
  const long long first = (long long)blockIdx.x * (BLOCK * QUADS) + threadIdx.x;
  const long long quads = n / 4;
  uchar4 b[QUADS];
#pragma unroll
  for (int k = 0; k < QUADS; ++k) {
    const long long quad = first + k * BLOCK;
    if (quad < quads) b[k] = reinterpret_cast<const uchar4*>(q)[quad];
  }
#pragma unroll
  for (int k = 0; k < QUADS; ++k) {
    const long long quad = first + k * BLOCK;
    if (quad < quads) {
      reinterpret_cast<float4*>(out)[quad] = make_float4((b[k].x - zero) * scale, (b[k].y - zero) * scale,
                                                         (b[k].z - zero) * scale, (b[k].w - zero) * scale);
    }
  }
  // the last n % 4 bytes, by the first threads of the grid
  const long long i = 4 * quads + first;
  if (blockIdx.x == 0 && i < n) out[i] = (q[i] - zero) * scale;
}
