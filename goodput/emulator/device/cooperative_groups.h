// Thread blocks and tiles of 1 to 32 threads on the CPU model; no grid or cluster groups.
#pragma once

namespace cooperative_groups {

class thread_block {
 public:
  static void sync() { emulator_block_barrier(); }
  static unsigned thread_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned size() { return num_threads(); }
  static dim3 thread_index() { return dim3(threadIdx); }
  static dim3 group_index() { return dim3(blockIdx); }
  static dim3 dim_threads() { return dim3(blockDim); }
  static dim3 group_dim() { return dim3(blockDim); }
};
EMULATOR_INLINE thread_block this_thread_block() {
  return {};
}

template <unsigned Size, class Parent = thread_block>
class thread_block_tile {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                "a tile has 1, 2, 4, 8, 16 or 32 threads here");

 public:
  EMULATOR_INLINE unsigned thread_rank() const { return emulator_lane() & (Size - 1); }
  static constexpr unsigned num_threads() { return Size; }
  static constexpr unsigned size() { return Size; }
  EMULATOR_INLINE unsigned meta_group_rank() const { return thread_block::thread_rank() / Size; }
  EMULATOR_INLINE unsigned meta_group_size() const { return (thread_block::num_threads() + Size - 1) / Size; }
  EMULATOR_INLINE void sync() const { __syncwarp(mask()); }
  template <class T>
  EMULATOR_INLINE T shfl(T v, int source) const {
    return __shfl_sync(mask(), v, source, Size);
  }
  template <class T>
  EMULATOR_INLINE T shfl_down(T v, unsigned delta) const {
    return __shfl_down_sync(mask(), v, delta, Size);
  }
  template <class T>
  EMULATOR_INLINE T shfl_up(T v, unsigned delta) const {
    return __shfl_up_sync(mask(), v, delta, Size);
  }
  template <class T>
  EMULATOR_INLINE T shfl_xor(T v, unsigned bits) const {
    return __shfl_xor_sync(mask(), v, bits, Size);
  }
  EMULATOR_INLINE int any(int p) const { return __any_sync(mask(), p); }
  EMULATOR_INLINE int all(int p) const { return __all_sync(mask(), p); }
  EMULATOR_INLINE unsigned ballot(int p) const { return __ballot_sync(mask(), p) >> first(); }
  template <class T>
  EMULATOR_INLINE unsigned match_any(T v) const {
    return __match_any_sync(mask(), v) >> first();
  }

 private:
  EMULATOR_INLINE unsigned first() const { return emulator_lane() & ~(Size - 1); }
  EMULATOR_INLINE unsigned mask() const { return (Size == 32 ? ~0u : (1u << Size % 32) - 1) << first(); }
};
template <unsigned Size, class Parent>
EMULATOR_INLINE thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return {};
}

template <class Group>
EMULATOR_INLINE void sync(const Group& g) {
  g.sync();
}

template <class T = void>
struct plus {
  EMULATOR_INLINE T operator()(T a, T b) const { return a + b; }
};
template <class T = void>
struct less {
  EMULATOR_INLINE T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T = void>
struct greater {
  EMULATOR_INLINE T operator()(T a, T b) const { return a < b ? b : a; }
};

// In <cooperative_groups/reduce.h> on a GPU; a butterfly, so that every lane has the result.
template <unsigned Size, class Parent, class T, class F>
EMULATOR_INLINE T reduce(const thread_block_tile<Size, Parent>& tile, T v, F f) {
  for (unsigned o = Size / 2; o; o /= 2) v = f(v, tile.shfl_xor(v, o));
  return v;
}
}  // namespace cooperative_groups
