// Bits: floats as integers and back, conversions that saturate, counting, shuffling and packed products.
#pragma once

template <class To, class From>
EMULATOR_INLINE To emulator_bits(From v) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  To r;
  __builtin_memcpy(&r, &v, sizeof r);
  return r;
}
EMULATOR_INLINE int __float_as_int(float x) {
  return emulator_bits<int>(x);
}
EMULATOR_INLINE unsigned __float_as_uint(float x) {
  return emulator_bits<unsigned>(x);
}
EMULATOR_INLINE float __int_as_float(int x) {
  return emulator_bits<float>(x);
}
EMULATOR_INLINE float __uint_as_float(unsigned x) {
  return emulator_bits<float>(x);
}
EMULATOR_INLINE long long __double_as_longlong(double x) {
  return emulator_bits<long long>(x);
}
EMULATOR_INLINE double __longlong_as_double(long long x) {
  return emulator_bits<double>(x);
}

// A float outside the range of the integer saturates on a GPU, NaN becomes 0.
EMULATOR_INLINE int emulator_to_int(double x) {
  return x != x ? 0 : x <= INT_MIN ? INT_MIN : x >= INT_MAX ? INT_MAX : (int)x;
}
EMULATOR_INLINE int __float2int_rn(float x) {
  return emulator_to_int(rint((double)x));
}
EMULATOR_INLINE int __float2int_rz(float x) {
  return emulator_to_int(x);
}
EMULATOR_INLINE int __float2int_rd(float x) {
  return emulator_to_int(floor((double)x));
}
EMULATOR_INLINE int __float2int_ru(float x) {
  return emulator_to_int(ceil((double)x));
}
EMULATOR_INLINE unsigned __float2uint_rn(float x) {
  return x > 0 ? (x < 4294967295.f ? (unsigned)rint((double)x) : UINT_MAX) : 0;
}
EMULATOR_INLINE unsigned __float2uint_rz(float x) {
  return x > 0 ? (x < 4294967295.f ? (unsigned)x : UINT_MAX) : 0;
}
EMULATOR_INLINE float __int2float_rn(int x) {
  return (float)x;
}
EMULATOR_INLINE float __uint2float_rn(unsigned x) {
  return (float)x;
}

EMULATOR_INLINE int __popc(unsigned x) {
  return __builtin_popcount(x);
}
EMULATOR_INLINE int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
EMULATOR_INLINE int __clz(int x) {
  return x ? __builtin_clz((unsigned)x) : 32;
}
EMULATOR_INLINE int __clzll(long long x) {
  return x ? __builtin_clzll((unsigned long long)x) : 64;
}
EMULATOR_INLINE int __ffs(int x) {
  return __builtin_ffs(x);
}
EMULATOR_INLINE int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
EMULATOR_INLINE unsigned __brev(unsigned x) {
  unsigned r = 0;
  for (int k = 0; k < 32; k++) r |= (x >> k & 1) << (31 - k);
  return r;
}
EMULATOR_INLINE unsigned __byte_perm(unsigned x, unsigned y, unsigned s) {
  uint64_t both = (uint64_t)y << 32 | x;
  unsigned r = 0;
  for (int k = 0; k < 4; k++) {
    unsigned pick = s >> 4 * k & 15, byte = (unsigned)(both >> 8 * (pick & 7)) & 255;
    if (pick & 8) byte = byte & 128 ? 255 : 0;
    r |= byte << 8 * k;
  }
  return r;
}
EMULATOR_INLINE int __mulhi(int a, int b) {
  return (int)((long long)a * b >> 32);
}
EMULATOR_INLINE unsigned __umulhi(unsigned a, unsigned b) {
  return (unsigned)((unsigned long long)a * b >> 32);
}
EMULATOR_INLINE int __mul24(int a, int b) {
  return ((a << 8) >> 8) * ((b << 8) >> 8);
}
EMULATOR_INLINE unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned s) {
  return (unsigned)((((uint64_t)hi << 32 | lo) << (s & 31)) >> 32);
}
EMULATOR_INLINE unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned s) {
  return (unsigned)(((uint64_t)hi << 32 | lo) >> (s & 31));
}
EMULATOR_INLINE int __dp4a(int a, int b, int c) {
  for (int k = 0; k < 4; k++) c += (signed char)(a >> 8 * k) * (signed char)(b >> 8 * k);
  return c;
}
