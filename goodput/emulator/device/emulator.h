// CUDA C++ for the CPU model: included before the first line of an answer. The names an answer may use
// without an include; everything that needs to know about other threads is a call into the runtime. No C++
// library header: NVRTC has none either, and they would cost most of the build time.
#pragma once
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define GOODPUT_EMULATOR 1
#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __forceinline__ inline
#define __inline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __maxnreg__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define alignas(n) __attribute__((aligned(n)))
#define __shared__ static __attribute__((section("goodput_shared")))
#define __restrict__
#define __assume(condition)
#define EMULATOR_INLINE inline __attribute__((always_inline))

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef unsigned char emulator_u8 __attribute__((may_alias));
typedef unsigned short emulator_u16 __attribute__((may_alias));
typedef unsigned int emulator_u32 __attribute__((may_alias));
typedef unsigned long long emulator_u64 __attribute__((may_alias));
typedef float emulator_v16 __attribute__((vector_size(16), may_alias));

#include "emulator_vectors.h"

extern "C" {
extern const uint3 threadIdx, blockIdx;
extern const emulator_dim3 blockDim, gridDim;
extern char emulator_dynamic_shared[];
void emulator_block_barrier();
int emulator_block_vote(int op, int value);
uint64_t emulator_exchange(int op, uint32_t mask, uint64_t value, int source);
void emulator_atomic(void* p, uint32_t bytes);
uint64_t emulator_raw_load(const void* p, uint32_t bytes);
void emulator_raw_store(void* p, uint64_t value, uint32_t bytes);
void emulator_memory_fence();
void emulator_trap(const char* why);
int printf(const char*, ...);
void* memcpy(void*, const void*, size_t);
void* memset(void*, int, size_t);
}
static const int warpSize = 32;

#include "emulator_atomics.h"
#include "emulator_math.h"
#include "emulator_bits.h"
#include "emulator_warp.h"

#undef assert
#define assert(condition) ((condition) ? (void)0 : emulator_trap("assertion failed: " #condition))
EMULATOR_INLINE void __trap() {
  emulator_trap("trap: the kernel called __trap()");
}
EMULATOR_INLINE void __brkpt() {}
EMULATOR_INLINE void __nanosleep(unsigned) {}
EMULATOR_INLINE long long clock64() {
  return 0;
}
EMULATOR_INLINE int clock() {
  return 0;
}

EMULATOR_INLINE void __threadfence() {
  emulator_memory_fence();
}
EMULATOR_INLINE void __threadfence_system() {
  emulator_memory_fence();
}
EMULATOR_INLINE void __threadfence_block() {}

// Cache hints change no result.
#define EMULATOR_LOAD(name)            \
  template <class T>                   \
  EMULATOR_INLINE T name(const T* p) { \
    return *p;                         \
  }
#define EMULATOR_STORE(name)                 \
  template <class T>                         \
  EMULATOR_INLINE void name(T* p, T value) { \
    *p = value;                              \
  }
EMULATOR_LOAD(__ldg)
EMULATOR_LOAD(__ldca)
EMULATOR_LOAD(__ldcg)
EMULATOR_LOAD(__ldcs)
EMULATOR_LOAD(__ldcv)
EMULATOR_LOAD(__ldlu)
EMULATOR_STORE(__stcg)
EMULATOR_STORE(__stcs)
EMULATOR_STORE(__stwb)
EMULATOR_STORE(__stwt)
EMULATOR_INLINE size_t __cvta_generic_to_shared(const void* p) {
  return (size_t)p;
}
EMULATOR_INLINE void* __cvta_shared_to_generic(size_t p) {
  return (void*)p;
}
EMULATOR_INLINE unsigned __isShared(const void* p) {
  return (size_t)p < (size_t)1 << 32;
}

namespace emulator_call {
template <class T>
struct bare {
  typedef T type;
};
template <class T>
struct bare<const T> {
  typedef T type;
};
template <class T>
struct kind {
  enum { value = __is_class(T) ? 'o' : 'i' };
};
template <class T>
struct kind<T*> {
  enum { value = 'p' };
};
template <>
struct kind<float> {
  enum { value = 'f' };
};
template <>
struct kind<double> {
  enum { value = 'f' };
};
template <unsigned... I>
struct sequence {};
template <class... A, unsigned... I>
inline void apply(void (*f)(A...), void** a, sequence<I...>) {
  f(*(typename bare<A>::type*)a[I]...);
}
template <class... A>
inline void call(void (*f)(A...), void** a) {
  apply(f, a, sequence<__integer_pack(sizeof...(A))...>{});
}
template <class... A>
struct Described {
  unsigned char bytes[2 * sizeof...(A) + 1];
  constexpr Described() : bytes() {
    const unsigned char all[] = {(unsigned char)kind<typename bare<A>::type>::value..., 0},
                        sizes[] = {(unsigned char)sizeof(A)..., 0};
    for (unsigned i = 0; i < sizeof...(A); i++) bytes[2 * i] = all[i], bytes[2 * i + 1] = sizes[i];
  }
};
template <class... A>
struct Table {
  static constexpr Described<A...> described{};
};
template <class... A>
constexpr Described<A...> Table<A...>::described;
struct Entry {
  void (*call)(void**);
  unsigned nparameters;
  const unsigned char* parameters;
};
template <class... A>
constexpr Entry entry(void (*thunk)(void**), void (*)(A...)) {
  return {thunk, sizeof...(A), Table<A...>::described.bytes};
}
}  // namespace emulator_call

#define asm _Pragma("GCC error \"inline PTX cannot run on the CPU model: use goodput/primitives.cuh\"")
#define __asm__ asm
#define __asm asm
