// out[i] = (q[i] - zero) * scale, 16 bytes per load *and* per store.
// A thread that loads 16 bytes owns 64 bytes of output; if it stored them itself, the 32 stores of an
// instruction would lie 64 bytes apart and touch 32 half-used sectors. So each pair of lanes first swaps half
// of its bytes: then every store instruction writes, per pair, one whole 32-byte sector.
//
//   the eight quads (4 bytes each) of a pair:   lane a loaded 0 1 2 3, lane b loaded 4 5 6 7
//   store 0: a writes 0, b writes 1    store 1: a 2, b 3    store 2: a 4, b 5    store 3: a 6, b 7
__device__ __forceinline__ float4 dequantise(unsigned bytes, float scale, float zero) {
  return make_float4(((bytes & 255u) - zero) * scale, ((bytes >> 8 & 255u) - zero) * scale,
                     ((bytes >> 16 & 255u) - zero) * scale, ((bytes >> 24) - zero) * scale);
}

extern "C" __global__ void vector_dequant(const unsigned char* __restrict__ q, float* __restrict__ out,
                                          float scale, float zero, long long n) {
  const long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  const long long vectors = n / 16;
  const bool inside = thread < vectors;  // all lanes stay for the shuffles, also those without a vector
  const uint4 own = inside ? reinterpret_cast<const uint4*>(q)[thread] : make_uint4(0, 0, 0, 0);
  const bool odd = threadIdx.x & 1;
  const unsigned near = __shfl_xor_sync(0xffffffffu, odd ? own.x : own.y, 1);  // a gets 4, b gets 1
  const unsigned far = __shfl_xor_sync(0xffffffffu, odd ? own.z : own.w, 1);   // a gets 6, b gets 3

  const long long pair = thread & ~1ll;  // the even lane's vector; its eight quads start at 4 * pair
  float4* quads = reinterpret_cast<float4*>(out) + 4 * pair + odd;
  if (pair + 1 < vectors) {
    quads[0] = dequantise(odd ? near : own.x, scale, zero);
    quads[2] = dequantise(odd ? far : own.z, scale, zero);
    quads[4] = dequantise(odd ? own.y : near, scale, zero);
    quads[6] = dequantise(odd ? own.w : far, scale, zero);
  } else if (!odd) {
    // the last pair is incomplete: fewer than 32 bytes are left, its even lane writes them one by one
#pragma unroll 1
    for (long long i = 16 * pair; i < n; ++i) out[i] = (q[i] - zero) * scale;
  }
}
