// The course's device-side primitives on the CPU model: same names and contracts as the inline-PTX header for
// GPUs.
#pragma once
typedef unsigned int u32;
typedef unsigned long long u64;

extern "C" {
void emulator_cp_async(void* shared, const void* from, uint32_t bytes);
void emulator_cp_commit();
void emulator_cp_wait(uint32_t n);
void emulator_mbar_init(void* barrier, uint32_t arrivals);
void emulator_mbar_init_fence();
void emulator_mbar_arrive(void* barrier, uint32_t expect_bytes);
int emulator_mbar_try(void* barrier, uint32_t parity);
void emulator_mbar_wait(void* barrier, uint32_t parity);
void emulator_bulk_load(void* shared, const void* from, uint32_t bytes, void* barrier);
void emulator_bulk_store(void* to, const void* shared, uint32_t bytes);
void emulator_bulk_commit();
void emulator_bulk_wait(uint32_t n);
void emulator_async_fence();
void emulator_tma_load_2d(void* shared, const void* map, int c0, int c1, void* barrier);
}

EMULATOR_INLINE u32 smem_u32(const void* p) {
  return (u32)__cvta_generic_to_shared(p);
}
EMULATOR_INLINE float warp_sum(float v) {
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}
EMULATOR_INLINE float warp_max(float v) {
  for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
  return v;
}
#if __CUDA_ARCH__ >= 800
EMULATOR_INLINE void cp_async16(void* s, const void* g) {
  emulator_cp_async(s, g, 16);
}
EMULATOR_INLINE void cp_commit() {
  emulator_cp_commit();
}
template <int N>
EMULATOR_INLINE void cp_wait() {
  static_assert(N >= 0, "cp_wait<N> waits until at most N groups are pending");
  emulator_cp_wait(N);
}
#endif
#if __CUDA_ARCH__ >= 900
EMULATOR_INLINE void mbar_init(u64* b, u32 n) {
  emulator_mbar_init(b, n);
}
EMULATOR_INLINE void mbar_init_fence() {
  emulator_mbar_init_fence();
}
EMULATOR_INLINE void mbar_expect_tx(u64* b, u32 bytes) {
  emulator_mbar_arrive(b, bytes);
}
EMULATOR_INLINE void mbar_arrive(u64* b) {
  emulator_mbar_arrive(b, 0);
}
EMULATOR_INLINE bool mbar_try(u64* b, u32 parity) {
  return emulator_mbar_try(b, parity);
}
// on a GPU bounded by a trap; here a wait that can never end is recognised as such
EMULATOR_INLINE void mbar_wait(u64* b, u32 parity) {
  emulator_mbar_wait(b, parity);
}
EMULATOR_INLINE void bulk_g2s(void* s, const void* g, u32 bytes, u64* b) {
  emulator_bulk_load(s, g, bytes, b);
}
EMULATOR_INLINE void bulk_s2g(void* g, const void* s, u32 bytes) {
  emulator_bulk_store(g, s, bytes);
}
EMULATOR_INLINE void bulk_commit() {
  emulator_bulk_commit();
}
template <int N>
EMULATOR_INLINE void bulk_wait_read() {
  emulator_bulk_wait(N);
}
EMULATOR_INLINE void fence_async_proxy() {
  emulator_async_fence();
}
struct alignas(64) TensorMap {
  u64 opaque[16];
};
EMULATOR_INLINE void tma_load_2d(void* s, const TensorMap* m, int c0, int c1, u64* b) {
  emulator_tma_load_2d(s, m, c0, c1, b);
}
#endif
