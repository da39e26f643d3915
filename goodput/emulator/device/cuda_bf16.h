// __nv_bfloat16 and __nv_bfloat162 on the CPU model.
#pragma once
#include "emulator_half.h"

EMULATOR_INLINE unsigned short emulator_to_bf16(float v) {
  unsigned bits = __float_as_uint(v);
  if (v != v) return 0x7fff;
  return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
EMULATOR_INLINE float emulator_from_bf16(unsigned short x) {
  return __uint_as_float((unsigned)x << 16);
}

EMULATOR_HALF_TYPE(__nv_bfloat16, emulator_to_bf16, emulator_from_bf16)
EMULATOR_HALF2_TYPE(__nv_bfloat16, __nv_bfloat162)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
EMULATOR_HALF_ARITHMETIC(__nv_bfloat16, __nv_bfloat162)

EMULATOR_INLINE float __bfloat162float(__nv_bfloat16 v) {
  return v;
}
EMULATOR_INLINE __nv_bfloat16 __float2bfloat16(float v) {
  return __nv_bfloat16(v);
}
EMULATOR_INLINE __nv_bfloat16 __float2bfloat16_rn(float v) {
  return __nv_bfloat16(v);
}
EMULATOR_INLINE __nv_bfloat16 __float2bfloat16_rz(float v) {
  __nv_bfloat16 r;
  r.__x = v != v ? 0x7fff : (unsigned short)(__float_as_uint(v) >> 16);
  return r;
}
EMULATOR_INLINE __nv_bfloat16 __double2bfloat16(double v) {
  return __nv_bfloat16(v);
}
EMULATOR_INLINE __nv_bfloat16 __int2bfloat16_rn(int v) {
  return __nv_bfloat16(v);
}
EMULATOR_INLINE int __bfloat162int_rn(__nv_bfloat16 v) {
  return __float2int_rn(v);
}
EMULATOR_INLINE __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return __nv_bfloat162(__nv_bfloat16(x), __nv_bfloat16(y));
}
EMULATOR_INLINE __nv_bfloat162 __float22bfloat162_rn(float2 v) {
  return __floats2bfloat162_rn(v.x, v.y);
}
EMULATOR_INLINE __nv_bfloat162 __float2bfloat162_rn(float v) {
  return __floats2bfloat162_rn(v, v);
}
EMULATOR_INLINE float2 __bfloat1622float2(__nv_bfloat162 v) {
  return make_float2(v.x, v.y);
}
EMULATOR_INLINE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 v) {
  return __nv_bfloat162(v, v);
}
EMULATOR_INLINE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
  return __nv_bfloat162(x, y);
}
EMULATOR_INLINE __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
  return __nv_bfloat162(x, y);
}
EMULATOR_INLINE __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) {
  return v.x;
}
EMULATOR_INLINE __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) {
  return v.y;
}
EMULATOR_INLINE float __low2float(__nv_bfloat162 v) {
  return v.x;
}
EMULATOR_INLINE float __high2float(__nv_bfloat162 v) {
  return v.y;
}
EMULATOR_INLINE unsigned short __bfloat16_as_ushort(__nv_bfloat16 v) {
  return v.__x;
}
EMULATOR_INLINE short __bfloat16_as_short(__nv_bfloat16 v) {
  return (short)v.__x;
}
EMULATOR_INLINE __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) {
  __nv_bfloat16 r;
  r.__x = x;
  return r;
}
EMULATOR_INLINE __nv_bfloat16 __short_as_bfloat16(short x) {
  return __ushort_as_bfloat16((unsigned short)x);
}
#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)
