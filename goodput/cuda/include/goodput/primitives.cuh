// Device-side primitives that CUDA C++ has no short spelling for, one PTX instruction each.
//
//   #include <goodput/primitives.cuh>
//
// Groups: warp reductions · cp.async (from sm_80) · mbarrier, bulk copy, tensor map, cluster, dependent launch (from sm_90).
// A kernel that uses them compiles in 0.1 s; <cuda/barrier> or <cooperative_groups.h> cost 1 to 5 s.
// Below the architecture that has an instruction its function does not exist, so the compiler names it.
// The emulator has functions of the same names; what this file promises, it must keep too.
#pragma once

typedef unsigned int u32;
typedef unsigned long long u64;

// Address of a shared-memory object as PTX wants it: 32 bits inside the shared window.
__device__ __forceinline__ u32 smem_u32(const void* p) {
  return (u32)__cvta_generic_to_shared(p);
}

// Sum and maximum over a full warp; every lane must call and every lane gets the result.
__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}
__device__ __forceinline__ float warp_max(float v) {
#pragma unroll
  for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
  return v;
}

#if __CUDA_ARCH__ >= 800
// ---- cp.async: each thread copies 16 bytes from global to shared memory without passing through registers.
// Both addresses are multiples of 16. Copies join the thread's open group; cp_commit closes it (an empty group counts);
// cp_wait<N> waits until at most N of this thread's groups are pending. Other threads see the data after a barrier.
__device__ __forceinline__ void cp_async16(void* shared, const void* global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(smem_u32(shared)), "l"(global) : "memory");
}
__device__ __forceinline__ void cp_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int N>
__device__ __forceinline__ void cp_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}
#endif

#if __CUDA_ARCH__ >= 900
// ---- mbarrier: a barrier in shared memory that counts arrivals and bytes. A phase ends when `arrivals` threads arrived and
// all expected bytes came; then the next phase begins. Phases alternate between parity 0 and 1, the first has parity 0.
__device__ __forceinline__ void mbar_init(u64* bar, u32 arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem_u32(bar)), "r"(arrivals) : "memory");
}
// Makes initialised barriers visible to the copy engine and the cluster; once, by the thread that initialised them.
__device__ __forceinline__ void mbar_init_fence() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
// One arrival that also announces how many bytes the copy engine will deliver in this phase.
__device__ __forceinline__ void mbar_expect_tx(u64* bar, u32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(smem_u32(bar)), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void mbar_arrive(u64* bar) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(smem_u32(bar)) : "memory");
}
// Arrive on the same barrier of another block of the cluster.
__device__ __forceinline__ void mbar_arrive_cluster(u64* bar, u32 block_rank) {
  u32 remote;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(smem_u32(bar)), "r"(block_rank));
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote) : "memory");
}
// Has the phase of this parity ended? May wait a short time before it answers.
__device__ __forceinline__ bool mbar_try(u64* bar, u32 parity) {
  u32 ended;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0,1,0,p; }"
               : "=r"(ended)
               : "r"(smem_u32(bar)), "r"(parity)
               : "memory");
  return ended;
}
// Waits for the end of the phase of this parity. Bounded: a wrong parity or byte count traps after 4e9 cycles (2 s at 2 GHz,
// a million times longer than any copy) instead of hanging the GPU.
__device__ __forceinline__ void mbar_wait(u64* bar, u32 parity) {
  if (mbar_try(bar, parity)) return;
  const long long start = clock64();
  while (!mbar_try(bar, parity))
    if (clock64() - start > 4000000000ll) asm volatile("trap;");
}

// ---- Bulk copies: one thread moves `bytes` (a multiple of 16, both addresses too). Into shared memory the barrier counts
// the bytes; out of it they form groups as with cp.async, and bulk_wait_read<N> says when the source may be overwritten.
__device__ __forceinline__ void bulk_g2s(void* shared, const void* global, u32 bytes, u64* bar) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          smem_u32(shared)),
      "l"(global), "r"(bytes), "r"(smem_u32(bar))
      : "memory");
}
__device__ __forceinline__ void bulk_s2g(void* global, const void* shared, u32 bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global),
               "r"(smem_u32(shared)), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void bulk_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
template <int N>
__device__ __forceinline__ void bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}
// Ordinary writes to shared memory become visible to the copy engine; by each writer, before the barrier that precedes
// the bulk copy out.
__device__ __forceinline__ void fence_async_proxy() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// ---- Tensor maps: what goodput.cuda.tensor_map describes. A kernel takes it as `const __grid_constant__ TensorMap map`.
struct alignas(64) TensorMap {
  u64 opaque[16];
};
// Fetches the box whose first element is (column, row); what lies outside the tensor arrives as zeros and counts as bytes.
// The destination is a multiple of 128 bytes, of 1024 with the 128-byte swizzle.
__device__ __forceinline__ void tma_load_2d(void* shared, const TensorMap* map, int column, int row, u64* bar) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
      "[%4];" ::"r"(smem_u32(shared)),
      "l"(map), "r"(column), "r"(row), "r"(smem_u32(bar))
      : "memory");
}
// The same into every block of the cluster whose bit is set in `blocks`, at the same offset; each block's barrier counts.
__device__ __forceinline__ void tma_load_2d_multicast(void* shared, const TensorMap* map, int column, int row,
                                                      u64* bar, unsigned short blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
      "[%1, {%2, %3}], [%4], %5;" ::"r"(smem_u32(shared)),
      "l"(map), "r"(column), "r"(row), "r"(smem_u32(bar)), "h"(blocks)
      : "memory");
}

// ---- Clusters: blocks that run together and reach each other's shared memory.
__device__ __forceinline__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}
__device__ __forceinline__ u32 cluster_rank() {
  u32 rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ __forceinline__ u32 cluster_size() {
  u32 size;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  return size;
}
// Write to the shared memory of another block: where `local` would be there.
__device__ __forceinline__ void dsmem_store(float* local, u32 block_rank, float v) {
  u32 remote;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(smem_u32(local)), "r"(block_rank));
  asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(remote), "f"(v) : "memory");
}

// ---- Programmatic dependent launch (launch(..., pdl=True)): wait for the previous kernel's data; let the next one start.
__device__ __forceinline__ void pdl_wait() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}
__device__ __forceinline__ void pdl_launch() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
#endif
