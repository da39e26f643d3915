// uint3, dim3, float4 and their kin. Copies of 2- and 4-component types are one access of the full width, as
// on a GPU: a volatile access is neither split nor narrowed by g++, so that widths and sectors can be
// counted.
#pragma once

template <unsigned N>
struct emulator_copy;
template <>
struct emulator_copy<1> {
  typedef emulator_u8 word;
};
template <>
struct emulator_copy<2> {
  typedef emulator_u16 word;
};
template <>
struct emulator_copy<4> {
  typedef emulator_u32 word;
};
template <>
struct emulator_copy<8> {
  typedef emulator_u64 word;
};
template <>
struct emulator_copy<16> {
  typedef emulator_v16 word;
};
template <unsigned N>
struct emulator_copy {
  typedef emulator_v16 word;
};  // 32 bytes: two accesses

#define EMULATOR_COPIES(N)                                       \
  N() = default;                                                 \
  EMULATOR_INLINE N(const N& o) {                                \
    *this = o;                                                   \
  }                                                              \
  EMULATOR_INLINE N& operator=(const N& o) {                     \
    typedef emulator_copy<sizeof(N)>::word word;                 \
    for (unsigned k = 0; k < sizeof(N) / sizeof(word); k++)      \
      ((volatile word*)this)[k] = ((const volatile word*)&o)[k]; \
    return *this;                                                \
  }

#define EMULATOR_1(T, N)            \
  struct N {                        \
    T x;                            \
  };                                \
  EMULATOR_INLINE N make_##N(T x) { \
    return {x};                     \
  }
#define EMULATOR_2(T, N, bytes)                           \
  struct alignas(bytes) N {                               \
    T x, y;                                               \
    EMULATOR_COPIES(N)                                    \
    EMULATOR_INLINE constexpr N(T a, T b) : x(a), y(b) {} \
  };                                                      \
  EMULATOR_INLINE N make_##N(T x, T y) {                  \
    return N(x, y);                                       \
  }
#define EMULATOR_3(T, N)                      \
  struct N {                                  \
    T x, y, z;                                \
  };                                          \
  EMULATOR_INLINE N make_##N(T x, T y, T z) { \
    return {x, y, z};                         \
  }
#define EMULATOR_4(T, N, bytes)                                                 \
  struct alignas(bytes) N {                                                     \
    T x, y, z, w;                                                               \
    EMULATOR_COPIES(N)                                                          \
    EMULATOR_INLINE constexpr N(T a, T b, T c, T d) : x(a), y(b), z(c), w(d) {} \
  };                                                                            \
  EMULATOR_INLINE N make_##N(T x, T y, T z, T w) {                              \
    return N(x, y, z, w);                                                       \
  }
#define EMULATOR_VECTORS(T, N)       \
  EMULATOR_1(T, N##1)                \
  EMULATOR_2(T, N##2, 2 * sizeof(T)) \
  EMULATOR_3(T, N##3)                \
  EMULATOR_4(T, N##4, (sizeof(T) > 4 ? 16 : 4 * sizeof(T)))

EMULATOR_VECTORS(signed char, char)
EMULATOR_VECTORS(unsigned char, uchar)
EMULATOR_VECTORS(short, short)
EMULATOR_VECTORS(unsigned short, ushort)
EMULATOR_VECTORS(int, int)
EMULATOR_VECTORS(unsigned int, uint)
EMULATOR_VECTORS(long, long)
EMULATOR_VECTORS(unsigned long, ulong)
EMULATOR_VECTORS(long long, longlong)
EMULATOR_VECTORS(unsigned long long, ulonglong)
EMULATOR_VECTORS(float, float)
EMULATOR_VECTORS(double, double)

struct emulator_dim3 {  // blockDim and gridDim; trivial, so that reading one is reading a constant
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
  constexpr dim3(const emulator_dim3& d) : x(d.x), y(d.y), z(d.z) {}
  constexpr dim3(const uint3& d) : x(d.x), y(d.y), z(d.z) {}
};
