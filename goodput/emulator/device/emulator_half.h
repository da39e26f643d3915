// What __half and __nv_bfloat16 have in common: 16 bits, arithmetic in float rounded to nearest even. A
// product of two such numbers is exact in float, and a sum is rounded once to float and once to 16 bits,
// which gives the correctly rounded sum.
#pragma once

#define EMULATOR_HALF_TYPE(H, FROM, TO)                              \
  struct alignas(2) H {                                              \
    unsigned short __x;                                              \
    H() = default;                                                   \
    EMULATOR_INLINE H(float v) : __x(FROM(v)) {}                     \
    EMULATOR_INLINE H(double v) : __x(FROM((float)v)) {}             \
    EMULATOR_INLINE H(int v) : __x(FROM((float)v)) {}                \
    EMULATOR_INLINE H(unsigned v) : __x(FROM((float)v)) {}           \
    EMULATOR_INLINE H(long long v) : __x(FROM((float)v)) {}          \
    EMULATOR_INLINE H(unsigned long long v) : __x(FROM((float)v)) {} \
    EMULATOR_INLINE operator float() const { return TO(__x); }       \
  };                                                                 \
  struct H##_raw {                                                   \
    unsigned short x;                                                \
  };

#define EMULATOR_HALF2_TYPE(H, H2)                             \
  struct alignas(4) H2 {                                       \
    H x, y;                                                    \
    EMULATOR_COPIES(H2)                                        \
    EMULATOR_INLINE H2(const H& a, const H& b) : x(a), y(b) {} \
  };

#define EMULATOR_HALF_OPERATOR(H, H2, op)                     \
  EMULATOR_INLINE H operator op(const H& a, const H& b) {     \
    return H((float)a op(float) b);                           \
  }                                                           \
  EMULATOR_INLINE H& operator op## = (H & a, const H& b) {    \
    return a = a op b;                                        \
  }                                                           \
  EMULATOR_INLINE H2 operator op(const H2& a, const H2& b) {  \
    return H2(a.x op b.x, a.y op b.y);                        \
  }                                                           \
  EMULATOR_INLINE H2& operator op## = (H2 & a, const H2& b) { \
    return a = a op b;                                        \
  }
#define EMULATOR_HALF_COMPARISON(H, op, name, name2, H2)             \
  EMULATOR_INLINE bool operator op(const H& a, const H& b) {         \
    return (float)a op(float) b;                                     \
  }                                                                  \
  EMULATOR_INLINE bool name(H a, H b) {                              \
    return a op b;                                                   \
  }                                                                  \
  EMULATOR_INLINE H2 name2(H2 a, H2 b) {                             \
    return H2(H(a.x op b.x ? 1.f : 0.f), H(a.y op b.y ? 1.f : 0.f)); \
  }
#define EMULATOR_HALF_FUNCTION1(H, H2, name, expression) \
  EMULATOR_INLINE H h##name(H v) {                       \
    float a = v;                                         \
    return H((float)(expression));                       \
  }                                                      \
  EMULATOR_INLINE H2 h2##name(H2 v) {                    \
    return H2(h##name(v.x), h##name(v.y));               \
  }
#define EMULATOR_HALF_FUNCTION2(H, H2, name, expression) \
  EMULATOR_INLINE H __h##name(H p, H q) {                \
    float a = p, b = q;                                  \
    return H((float)(expression));                       \
  }                                                      \
  EMULATOR_INLINE H2 __h##name##2(H2 p, H2 q) {          \
    return H2(__h##name(p.x, q.x), __h##name(p.y, q.y)); \
  }

#define EMULATOR_HALF_ARITHMETIC(H, H2)                             \
  EMULATOR_HALF_OPERATOR(H, H2, +)                                  \
  EMULATOR_HALF_OPERATOR(H, H2, -)                                  \
  EMULATOR_HALF_OPERATOR(H, H2, *)                                  \
  EMULATOR_HALF_OPERATOR(H, H2, /)                                  \
  EMULATOR_INLINE H operator-(const H& a) {                         \
    H r;                                                            \
    r.__x = a.__x ^ 0x8000;                                         \
    return r;                                                       \
  }                                                                 \
  EMULATOR_INLINE H2 operator-(const H2& a) {                       \
    return H2(-a.x, -a.y);                                          \
  }                                                                 \
  EMULATOR_HALF_COMPARISON(H, ==, __heq, __heq2, H2)                \
  EMULATOR_HALF_COMPARISON(H, !=, __hne, __hne2, H2)                \
  EMULATOR_HALF_COMPARISON(H, <, __hlt, __hlt2, H2)                 \
  EMULATOR_HALF_COMPARISON(H, <=, __hle, __hle2, H2)                \
  EMULATOR_HALF_COMPARISON(H, >, __hgt, __hgt2, H2)                 \
  EMULATOR_HALF_COMPARISON(H, >=, __hge, __hge2, H2)                \
  EMULATOR_HALF_FUNCTION2(H, H2, add, a + b)                        \
  EMULATOR_HALF_FUNCTION2(H, H2, add_rn, a + b)                     \
  EMULATOR_HALF_FUNCTION2(H, H2, sub, a - b)                        \
  EMULATOR_HALF_FUNCTION2(H, H2, mul, a* b)                         \
  EMULATOR_HALF_FUNCTION2(H, H2, max, fmaxf(a, b))                  \
  EMULATOR_HALF_FUNCTION2(H, H2, min, fminf(a, b))                  \
  EMULATOR_INLINE H __hdiv(H a, H b) {                              \
    return a / b;                                                   \
  }                                                                 \
  EMULATOR_INLINE H2 __h2div(H2 a, H2 b) {                          \
    return a / b;                                                   \
  }                                                                 \
  EMULATOR_INLINE H __hneg(H a) {                                   \
    return -a;                                                      \
  }                                                                 \
  EMULATOR_INLINE H2 __hneg2(H2 a) {                                \
    return -a;                                                      \
  }                                                                 \
  EMULATOR_INLINE H __habs(H a) {                                   \
    H r;                                                            \
    r.__x = a.__x & 0x7fff;                                         \
    return r;                                                       \
  }                                                                 \
  EMULATOR_INLINE H2 __habs2(H2 a) {                                \
    return H2(__habs(a.x), __habs(a.y));                            \
  }                                                                 \
  EMULATOR_INLINE bool __hisnan(H a) {                              \
    return isnan((float)a);                                         \
  }                                                                 \
  EMULATOR_INLINE H __hfma(H a, H b, H c) {                         \
    return H((float)((double)a * (double)b + (double)c));           \
  }                                                                 \
  EMULATOR_INLINE H2 __hfma2(H2 a, H2 b, H2 c) {                    \
    return H2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));        \
  }                                                                 \
  EMULATOR_INLINE H __hfma_relu(H a, H b, H c) {                    \
    H r = __hfma(a, b, c);                                          \
    return (float)r > 0 ? r : H(0.f);                               \
  }                                                                 \
  EMULATOR_HALF_FUNCTION1(H, H2, sqrt, sqrtf(a))                    \
  EMULATOR_HALF_FUNCTION1(H, H2, rsqrt, rsqrtf(a))                  \
  EMULATOR_HALF_FUNCTION1(H, H2, rcp, 1.f / a)                      \
  EMULATOR_HALF_FUNCTION1(H, H2, exp, expf(a))                      \
  EMULATOR_HALF_FUNCTION1(H, H2, exp2, exp2f(a))                    \
  EMULATOR_HALF_FUNCTION1(H, H2, log, logf(a))                      \
  EMULATOR_HALF_FUNCTION1(H, H2, log2, log2f(a))                    \
  EMULATOR_HALF_FUNCTION1(H, H2, sin, sinf(a))                      \
  EMULATOR_HALF_FUNCTION1(H, H2, cos, cosf(a))                      \
  EMULATOR_INLINE H atomicAdd(H* p, H v) {                          \
    return emulator_atomically(p, [v](H old) { return old + v; });  \
  }                                                                 \
  EMULATOR_INLINE H2 atomicAdd(H2* p, H2 v) {                       \
    return emulator_atomically(p, [v](H2 old) { return old + v; }); \
  }
