// The hooks that g++ -fsanitize=thread plants before every load and store of the answer; libtsan itself is
// not linked.
#include "runtime.h"

namespace emulator {
uint32_t last_access;

static inline void access(uintptr_t address, uint32_t bytes, bool write, uint32_t pc) {
  if (!current) return;
  last_access = pc;
  Space space = space_of(address);
  if (space == Space::local || space == Space::other) return;
  if (tracing) race_settle();
  if (address & (bytes - 1))
    fail("launch failed", pc, {},
         "misaligned address: a %u-byte access needs an address that is a multiple of %u", bytes, bytes);
  if (space == Space::shared) {
    uintptr_t offset = address - reinterpret_cast<uintptr_t>(emulator_dynamic_shared);
    if (offset < kDynamicShared && offset + bytes > smem_bytes)
      fail("out of bounds", pc, {}, "%s byte %zu of dynamic shared memory; the launch asked for %u bytes",
           write ? "writes" : "reads", static_cast<size_t>(offset), smem_bytes);
    if (tracing) race_shared(address, bytes, write, false, pc);
  } else if (in_arena(address)) {
    const Buffer* b = buffer_at(address);
    if (!b || address < b->begin || address + bytes > b->end) out_of_bounds(address, bytes, write, pc);
    if (write) {
      if (!b->writable)
        fail("input modified", pc,
             {.buffer = static_cast<int>(b - buffers.data),
              .offset = static_cast<int64_t>(address - b->begin)},
             "writes into an input");
      if (tracing) race_global(b, address, bytes, pc);
    }
  } else if (write && space == Space::constant)
    fail("launch failed", pc, {.address = address}, "writes to __constant__ memory");
  if (tracing) count_access(pc, address, bytes, space, write);
}

// A struct without a vector type: the GPU moves it in words.
static void access_range(uintptr_t address, size_t bytes, bool write, uint32_t pc) {
  uint32_t step = address % 4 || bytes % 4 ? 1 : 4;
  for (size_t k = 0; k < bytes; k += step)
    access(address + k, step, write, pc + (static_cast<uint32_t>(k / step) << 25));
}
}  // namespace emulator

using namespace emulator;

#define HOOK(name, bytes, write)                                                 \
  void name(void* address) {                                                     \
    access(reinterpret_cast<uintptr_t>(address), bytes, write, EMULATOR_CALLER); \
  }
#define HOOKS(bytes)                               \
  HOOK(__tsan_read##bytes, bytes, false)           \
  HOOK(__tsan_write##bytes, bytes, true)           \
  HOOK(__tsan_unaligned_read##bytes, bytes, false) \
  HOOK(__tsan_unaligned_write##bytes, bytes, true)

extern "C" {
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)
void __tsan_read_range(void* address, size_t bytes) {
  access_range(reinterpret_cast<uintptr_t>(address), bytes, false, EMULATOR_CALLER);
}
void __tsan_write_range(void* address, size_t bytes) {
  access_range(reinterpret_cast<uintptr_t>(address), bytes, true, EMULATOR_CALLER);
}
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

void emulator_give_way(uint32_t pc);

// Before an atomic: the same checks, counted apart; now and then the others get a turn, so that a spin lock
// can open.
void emulator_atomic(void* p, uint32_t bytes) {
  uint32_t pc = EMULATOR_CALLER;
  uintptr_t address = reinterpret_cast<uintptr_t>(p);
  Space space = space_of(address);
  if (tracing) race_settle();
  if (address % bytes) fail("launch failed", pc, {}, "misaligned address: an atomic of %u bytes", bytes);
  if (in_arena(address)) {
    const Buffer* b = buffer_at(address);
    if (!b || address < b->begin || address + bytes > b->end) out_of_bounds(address, bytes, true, pc);
    if (!b->writable)
      fail("input modified", pc,
           {.buffer = static_cast<int>(b - buffers.data), .offset = static_cast<int64_t>(address - b->begin)},
           "an atomic writes into an input");
  }
  if (tracing) {
    if (space == Space::shared) race_shared(address, bytes, true, true, pc);
    count_access(pc, address, bytes, space, 2);
  }
  if (++current->atomics % 64 == 0) emulator_give_way(pc);
}

uint64_t emulator_raw_load(const void* p, uint32_t bytes) {
  uint64_t value = 0;
  memcpy(&value, p, bytes);
  return value;
}

void emulator_raw_store(void* p, uint64_t value, uint32_t bytes) {
  memcpy(p, &value, bytes);
}

// A store whose address is taken apart by the intrinsic (__stcg and the like) needs no hook of its own: g++
// plants one.
void emulator_memory_fence() {
  if (tracing) race_fence();
}
}
