// __half and __half2 on the CPU model.
#pragma once
#include "emulator_half.h"

EMULATOR_INLINE unsigned short emulator_to_half(float v) {
  unsigned bits = __float_as_uint(v), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return 0x7fff;
  if (magnitude >= 0x477ff000) return (unsigned short)(sign | 0x7c00);  // 65520 and above round to infinity
  if (magnitude < 0x38800000) {  // below 2^-14: a denormal, in steps of 2^-24
    float scaled = fabsf(v) * 16777216.f;
    return (unsigned short)(sign | (unsigned)rintf(scaled));
  }
  unsigned rebased = magnitude - (112u << 23);
  return (unsigned short)(sign | ((rebased + 0xfff + (rebased >> 13 & 1)) >> 13));
}
EMULATOR_INLINE float emulator_from_half(unsigned short x) {
  unsigned sign = (unsigned)(x & 0x8000) << 16, magnitude = x & 0x7fff;
  if (magnitude >= 0x7c00) return __uint_as_float(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
  if (magnitude < 0x400) {
    float v = (float)magnitude * (1.f / 16777216.f);
    return sign ? -v : v;
  }
  return __uint_as_float(sign | ((magnitude << 13) + (112u << 23)));
}

EMULATOR_HALF_TYPE(__half, emulator_to_half, emulator_from_half)
EMULATOR_HALF2_TYPE(__half, __half2)
typedef __half half;
typedef __half2 half2;
EMULATOR_HALF_ARITHMETIC(__half, __half2)

EMULATOR_INLINE float __half2float(__half v) {
  return v;
}
EMULATOR_INLINE __half __float2half(float v) {
  return __half(v);
}
EMULATOR_INLINE __half __float2half_rn(float v) {
  return __half(v);
}
EMULATOR_INLINE __half __double2half(double v) {
  return __half(v);
}
EMULATOR_INLINE __half __int2half_rn(int v) {
  return __half(v);
}
EMULATOR_INLINE __half __ushort2half_rn(unsigned short v) {
  return __half((float)v);
}
EMULATOR_INLINE int __half2int_rn(__half v) {
  return __float2int_rn(v);
}
EMULATOR_INLINE __half2 __floats2half2_rn(float x, float y) {
  return __half2(__half(x), __half(y));
}
EMULATOR_INLINE __half2 __float22half2_rn(float2 v) {
  return __floats2half2_rn(v.x, v.y);
}
EMULATOR_INLINE __half2 __float2half2_rn(float v) {
  return __floats2half2_rn(v, v);
}
EMULATOR_INLINE float2 __half22float2(__half2 v) {
  return make_float2(v.x, v.y);
}
EMULATOR_INLINE __half2 __half2half2(__half v) {
  return __half2(v, v);
}
EMULATOR_INLINE __half2 __halves2half2(__half x, __half y) {
  return __half2(x, y);
}
EMULATOR_INLINE __half2 make_half2(__half x, __half y) {
  return __half2(x, y);
}
EMULATOR_INLINE __half __low2half(__half2 v) {
  return v.x;
}
EMULATOR_INLINE __half __high2half(__half2 v) {
  return v.y;
}
EMULATOR_INLINE float __low2float(__half2 v) {
  return v.x;
}
EMULATOR_INLINE float __high2float(__half2 v) {
  return v.y;
}
EMULATOR_INLINE unsigned short __half_as_ushort(__half v) {
  return v.__x;
}
EMULATOR_INLINE short __half_as_short(__half v) {
  return (short)v.__x;
}
EMULATOR_INLINE __half __ushort_as_half(unsigned short x) {
  __half r;
  r.__x = x;
  return r;
}
EMULATOR_INLINE __half __short_as_half(short x) {
  return __ushort_as_half((unsigned short)x);
}
