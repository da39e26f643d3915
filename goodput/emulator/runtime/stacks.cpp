// One stack per thread with an unmapped page below it, and the context switch; see stacks.h.
#include "stacks.h"
#include <sys/mman.h>

#if !defined(__x86_64__)
#error \
    "goodput emulator: the context switch is written for x86-64; run the exercise on such a machine or on a GPU"
#endif

// ucontext would make a system call per switch
asm(R"(.text
.globl emulator_switch
.type emulator_switch,@function
emulator_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq (%rsi), %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
)");

namespace emulator {
static uintptr_t stacks;
static unsigned mapped_stacks;
constexpr size_t kGuard = 4096, kSlot = kStack + kGuard;

void make_stacks() {
  void* p = mmap(nullptr, kMaxThreads * kSlot, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) abort();
  stacks = reinterpret_cast<uintptr_t>(p);
}

bool on_stack(uintptr_t address) {
  return address - stacks < kMaxThreads * kSlot;
}

void* new_stack(unsigned t, void (*entry)()) {
  uintptr_t base = stacks + t * kSlot + kGuard;
  if (t >= mapped_stacks) {
    if (mprotect(reinterpret_cast<void*>(base), kStack, PROT_READ | PROT_WRITE)) abort();
    mapped_stacks = t + 1;
  }
  // staggered so that the tops of all stacks do not compete for one cache set
  uint64_t* s = reinterpret_cast<uint64_t*>(base + kStack - 56 - (t & 31) * 128);
  *s = 0;
  *--s = reinterpret_cast<uint64_t>(entry);
  for (int k = 0; k < 6; k++) *--s = 0;
  return s;
}
}  // namespace emulator
