// out[i] = (q[i] - zero) * scale, for any n. q starts on a 4-byte boundary and out on a 16-byte boundary.
// One thread per four neighbouring bytes, in blocks of 256; the last thread may have fewer than four.
extern "C" __global__ void vector_dequant(const unsigned char* __restrict__ q, float* __restrict__ out,
                                          float scale, float zero, long long n) {
  const long long quad = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  // BEGIN SOLUTION
  const long long first = 4 * quad;
  if (first + 4 <= n) {
    const uchar4 b = reinterpret_cast<const uchar4*>(q)[quad];
    // neighbouring lanes store neighbouring 16 bytes: a warp's store fills 512 bytes, 16 whole sectors
    reinterpret_cast<float4*>(out)[quad] =
        make_float4((b.x - zero) * scale, (b.y - zero) * scale, (b.z - zero) * scale, (b.w - zero) * scale);
  } else {
    // a vector access here would run past the end: at most three bytes, one by one
#pragma unroll 1
    for (long long i = first; i < n; ++i) out[i] = (q[i] - zero) * scale;
  }
  // END SOLUTION
}
