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
