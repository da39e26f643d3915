// Atomics: the runtime checks and counts the access, then it happens in one piece, since threads switch only
// in calls.
#pragma once

template <class T, class F>
EMULATOR_INLINE T emulator_atomically(T* p, F f) {
  emulator_atomic((void*)p, sizeof(T));
  uint64_t bits = emulator_raw_load((const void*)p, sizeof(T));
  T old;
  __builtin_memcpy((void*)&old, &bits, sizeof(T));
  T value = f(old);
  bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  emulator_raw_store((void*)p, bits, sizeof(T));
  return old;
}
#define EMULATOR_ATOMIC(name, T, expression)   \
  EMULATOR_INLINE T name(T* p, T v) {          \
    return emulator_atomically(p, [v](T old) { \
      (void)old;                               \
      return (T)(expression);                  \
    });                                        \
  }                                            \
  EMULATOR_INLINE T name##_block(T* p, T v) {  \
    return name(p, v);                         \
  }
#define EMULATOR_INTEGER_ATOMICS(T)                                                 \
  EMULATOR_ATOMIC(atomicAdd, T, old + v)                                            \
  EMULATOR_ATOMIC(atomicMax, T, old > v ? old : v)                                  \
  EMULATOR_ATOMIC(atomicMin, T, old < v ? old : v)                                  \
  EMULATOR_ATOMIC(atomicExch, T, v)                                                 \
  EMULATOR_ATOMIC(atomicAnd, T, old& v)                                             \
  EMULATOR_ATOMIC(atomicOr, T, old | v)                                             \
  EMULATOR_ATOMIC(atomicXor, T, old ^ v)                                            \
  EMULATOR_INLINE T atomicCAS(T* p, T compare, T v) {                               \
    return emulator_atomically(p, [=](T old) { return old == compare ? v : old; }); \
  }
EMULATOR_INTEGER_ATOMICS(int)
EMULATOR_INTEGER_ATOMICS(unsigned)
EMULATOR_INTEGER_ATOMICS(unsigned long long)
EMULATOR_ATOMIC(atomicMax, long long, old > v ? old : v)
EMULATOR_ATOMIC(atomicMin, long long, old < v ? old : v)
EMULATOR_ATOMIC(atomicSub, int, old - v)
EMULATOR_ATOMIC(atomicSub, unsigned, old - v)
EMULATOR_ATOMIC(atomicInc, unsigned, old >= v ? 0 : old + 1)
EMULATOR_ATOMIC(atomicDec, unsigned, old == 0 || old > v ? v : old - 1)
EMULATOR_ATOMIC(atomicAdd, float, old + v)
EMULATOR_ATOMIC(atomicAdd, double, old + v)
EMULATOR_ATOMIC(atomicExch, float, v)
