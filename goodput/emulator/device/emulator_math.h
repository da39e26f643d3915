// Mathematics in the global namespace, float and double overloads, and the fast variants (computed exactly
// here).
#pragma once

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define CUDART_INF_F __builtin_inff()
#define CUDART_NAN_F __builtin_nanf("")

extern "C" {
#define EMULATOR_MATH1(name) \
  double name(double);       \
  float name##f(float);
#define EMULATOR_MATH2(name)   \
  double name(double, double); \
  float name##f(float, float);
#define EMULATOR_ALL1(M)                                                                                     \
  M(sqrt)                                                                                                    \
  M(cbrt) M(exp) M(exp2) M(expm1) M(log) M(log2) M(log10) M(log1p) M(sin) M(cos) M(tan) M(asin) M(acos)      \
      M(atan) M(sinh) M(cosh) M(tanh) M(asinh) M(acosh) M(atanh) M(erf) M(erfc) M(tgamma) M(lgamma) M(floor) \
          M(ceil) M(trunc) M(round) M(rint) M(nearbyint) M(fabs)
#define EMULATOR_ALL2(M) M(pow) M(atan2) M(hypot) M(fmod) M(fmin) M(fmax) M(copysign) M(remainder) M(fdim)
EMULATOR_ALL1(EMULATOR_MATH1)
EMULATOR_ALL2(EMULATOR_MATH2)
double fma(double, double, double);
float fmaf(float, float, float);
double ldexp(double, int);
float ldexpf(float, int);
int abs(int);
long labs(long);
long long llabs(long long);
long lrintf(float);
long lrint(double);
long lroundf(float);
void sincosf(float, float*, float*);
void sincos(double, double*, double*);
}
#define EMULATOR_OVERLOAD1(name)        \
  EMULATOR_INLINE float name(float x) { \
    return name##f(x);                  \
  }
#define EMULATOR_OVERLOAD2(name)                 \
  EMULATOR_INLINE float name(float x, float y) { \
    return name##f(x, y);                        \
  }
EMULATOR_ALL1(EMULATOR_OVERLOAD1)
EMULATOR_ALL2(EMULATOR_OVERLOAD2)
EMULATOR_INLINE float fma(float a, float b, float c) {
  return fmaf(a, b, c);
}
EMULATOR_INLINE float ldexp(float x, int e) {
  return ldexpf(x, e);
}
EMULATOR_INLINE float abs(float x) {
  return fabsf(x);
}
EMULATOR_INLINE double abs(double x) {
  return fabs(x);
}
EMULATOR_INLINE long abs(long x) {
  return labs(x);
}
EMULATOR_INLINE long long abs(long long x) {
  return llabs(x);
}
EMULATOR_INLINE bool isnan(float x) {
  return __builtin_isnan(x);
}
EMULATOR_INLINE bool isnan(double x) {
  return __builtin_isnan(x);
}
EMULATOR_INLINE bool isinf(float x) {
  return __builtin_isinf(x);
}
EMULATOR_INLINE bool isinf(double x) {
  return __builtin_isinf(x);
}
EMULATOR_INLINE bool isfinite(float x) {
  return __builtin_isfinite(x);
}
EMULATOR_INLINE bool isfinite(double x) {
  return __builtin_isfinite(x);
}
EMULATOR_INLINE bool signbit(float x) {
  return __builtin_signbit(x);
}
EMULATOR_INLINE bool signbit(double x) {
  return __builtin_signbit(x);
}
EMULATOR_INLINE float rsqrtf(float x) {
  return 1.f / sqrtf(x);
}
EMULATOR_INLINE double rsqrt(double x) {
  return 1. / sqrt(x);
}
EMULATOR_INLINE float rsqrt(float x) {
  return rsqrtf(x);
}
EMULATOR_INLINE float normcdff(float x) {
  return 0.5f * erfcf(-x * 0.70710678f);
}

#define EMULATOR_MINMAX(T)          \
  EMULATOR_INLINE T min(T a, T b) { \
    return b < a ? b : a;           \
  }                                 \
  EMULATOR_INLINE T max(T a, T b) { \
    return b > a ? b : a;           \
  }
EMULATOR_MINMAX(int)
EMULATOR_MINMAX(unsigned)
EMULATOR_MINMAX(long)
EMULATOR_MINMAX(unsigned long)
EMULATOR_MINMAX(long long)
EMULATOR_MINMAX(unsigned long long)
#define EMULATOR_MIXED(A, B, T)     \
  EMULATOR_INLINE T min(A a, B b) { \
    return min((T)a, (T)b);         \
  }                                 \
  EMULATOR_INLINE T max(A a, B b) { \
    return max((T)a, (T)b);         \
  }                                 \
  EMULATOR_INLINE T min(B a, A b) { \
    return min((T)a, (T)b);         \
  }                                 \
  EMULATOR_INLINE T max(B a, A b) { \
    return max((T)a, (T)b);         \
  }
EMULATOR_MIXED(int, unsigned, unsigned)
EMULATOR_MIXED(int, long, long)
EMULATOR_MIXED(int, long long, long long)
EMULATOR_MIXED(int, unsigned long, unsigned long)
EMULATOR_MIXED(int, unsigned long long, unsigned long long)
EMULATOR_MIXED(unsigned, long, long)
EMULATOR_MIXED(unsigned, long long, long long)
EMULATOR_MIXED(unsigned, unsigned long, unsigned long)
EMULATOR_MIXED(unsigned, unsigned long long, unsigned long long)
EMULATOR_MIXED(long, unsigned long, unsigned long)
EMULATOR_MIXED(long long, unsigned long long, unsigned long long)
EMULATOR_INLINE float min(float a, float b) {
  return fminf(a, b);
}
EMULATOR_INLINE float max(float a, float b) {
  return fmaxf(a, b);
}
EMULATOR_INLINE double min(double a, double b) {
  return fmin(a, b);
}
EMULATOR_INLINE double max(double a, double b) {
  return fmax(a, b);
}
EMULATOR_INLINE double min(float a, double b) {
  return fmin(a, b);
}
EMULATOR_INLINE double max(float a, double b) {
  return fmax(a, b);
}
EMULATOR_INLINE double min(double a, float b) {
  return fmin(a, b);
}
EMULATOR_INLINE double max(double a, float b) {
  return fmax(a, b);
}

EMULATOR_INLINE float __expf(float x) {
  return expf(x);
}
EMULATOR_INLINE float __exp10f(float x) {
  return powf(10.f, x);
}
EMULATOR_INLINE float exp10f(float x) {
  return powf(10.f, x);
}
EMULATOR_INLINE float __logf(float x) {
  return logf(x);
}
EMULATOR_INLINE float __log2f(float x) {
  return log2f(x);
}
EMULATOR_INLINE float __log10f(float x) {
  return log10f(x);
}
EMULATOR_INLINE float __sinf(float x) {
  return sinf(x);
}
EMULATOR_INLINE float __cosf(float x) {
  return cosf(x);
}
EMULATOR_INLINE float __tanf(float x) {
  return tanf(x);
}
EMULATOR_INLINE void __sincosf(float x, float* s, float* c) {
  sincosf(x, s, c);
}
EMULATOR_INLINE float __powf(float x, float y) {
  return powf(x, y);
}
EMULATOR_INLINE float __fdividef(float a, float b) {
  return a / b;
}
EMULATOR_INLINE float fdividef(float a, float b) {
  return a / b;
}
EMULATOR_INLINE float __frcp_rn(float x) {
  return 1.f / x;
}
EMULATOR_INLINE float __fsqrt_rn(float x) {
  return sqrtf(x);
}
EMULATOR_INLINE float __frsqrt_rn(float x) {
  return rsqrtf(x);
}
EMULATOR_INLINE float __fadd_rn(float a, float b) {
  return a + b;
}
EMULATOR_INLINE float __fsub_rn(float a, float b) {
  return a - b;
}
EMULATOR_INLINE float __fmul_rn(float a, float b) {
  return a * b;
}
EMULATOR_INLINE float __fdiv_rn(float a, float b) {
  return a / b;
}
EMULATOR_INLINE float __fmaf_rn(float a, float b, float c) {
  return fmaf(a, b, c);
}
EMULATOR_INLINE float __saturatef(float x) {
  return x > 0 ? (x < 1 ? x : 1) : 0;
}

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
