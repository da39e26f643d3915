// Barriers, votes and shuffles. Lanes that wait in one intrinsic with one mask are let go together by the
// runtime; a value taken from a lane that is not there is a NaN pattern.
#pragma once

EMULATOR_INLINE void __syncthreads() {
  emulator_block_barrier();
}
EMULATOR_INLINE int __syncthreads_count(int p) {
  return emulator_block_vote(0, p);
}
EMULATOR_INLINE int __syncthreads_and(int p) {
  return emulator_block_vote(1, p);
}
EMULATOR_INLINE int __syncthreads_or(int p) {
  return emulator_block_vote(2, p);
}

EMULATOR_INLINE unsigned emulator_lane() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31;
}

template <class T>
EMULATOR_INLINE T emulator_shuffle(unsigned mask, T value, int source) {
  static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  bits = emulator_exchange(0, mask, bits, source);
  T result;
  __builtin_memcpy((void*)&result, &bits, sizeof(T));
  return result;
}
template <class T>
EMULATOR_INLINE T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  int lane = emulator_lane();
  return emulator_shuffle(mask, value, (lane & ~(width - 1)) | (source & (width - 1)));
}
template <class T>
EMULATOR_INLINE T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  int lane = emulator_lane(), source = lane ^ bits;
  return emulator_shuffle(mask, value, (source & ~(width - 1)) <= (lane & ~(width - 1)) ? source : lane);
}
template <class T>
EMULATOR_INLINE T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  int lane = emulator_lane(), source = lane + (int)delta;
  return emulator_shuffle(mask, value, (source & ~(width - 1)) == (lane & ~(width - 1)) ? source : lane);
}
template <class T>
EMULATOR_INLINE T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  int lane = emulator_lane(), source = lane - (int)delta;
  return emulator_shuffle(mask, value, source >= (lane & ~(width - 1)) ? source : lane);
}
EMULATOR_INLINE void __syncwarp(unsigned mask = 0xffffffffu) {
  emulator_exchange(3, mask, 0, 0);
}
EMULATOR_INLINE unsigned __ballot_sync(unsigned mask, int p) {
  return (unsigned)emulator_exchange(1, mask, p != 0, 0);
}
EMULATOR_INLINE int __any_sync(unsigned mask, int p) {
  return __ballot_sync(mask, p) != 0;
}
EMULATOR_INLINE int __all_sync(unsigned mask, int p) {
  return __ballot_sync(mask, !p) == 0;
}
template <class T>
EMULATOR_INLINE unsigned __match_any_sync(unsigned mask, T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "__match_any_sync compares 4 or 8 bytes");
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return (unsigned)emulator_exchange(2, mask, bits, 0);
}
template <class T, class F>
EMULATOR_INLINE T emulator_reduce(unsigned mask, T value, F f) {
  T result = value;
  for (unsigned k = 0; k < 32; k++) {  // every lane folds in the same order, from the lowest lane up
    T other = emulator_shuffle(mask, value, k);
    if (!(mask >> k & 1)) continue;
    result = mask & ((1u << k) - 1) ? f(result, other) : other;
  }
  return result;
}
#define EMULATOR_REDUCE(name, T, expression)                                       \
  EMULATOR_INLINE T name(unsigned mask, T value) {                                 \
    return emulator_reduce(mask, value, [](T a, T b) { return (T)(expression); }); \
  }
EMULATOR_REDUCE(__reduce_add_sync, int, a + b)
EMULATOR_REDUCE(__reduce_add_sync, unsigned, a + b)
EMULATOR_REDUCE(__reduce_min_sync, int, a < b ? a : b)
EMULATOR_REDUCE(__reduce_min_sync, unsigned, a < b ? a : b)
EMULATOR_REDUCE(__reduce_max_sync, int, a > b ? a : b)
EMULATOR_REDUCE(__reduce_max_sync, unsigned, a > b ? a : b)
EMULATOR_REDUCE(__reduce_and_sync, unsigned, a& b)
EMULATOR_REDUCE(__reduce_or_sync, unsigned, a | b)
EMULATOR_REDUCE(__reduce_xor_sync, unsigned, a ^ b)
