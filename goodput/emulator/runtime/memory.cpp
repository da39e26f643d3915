// Device buffers with unmapped pages on both sides, shared memory, and the question which of them an address
// belongs to.
//
// In the forward schedule a buffer starts on a page, so that alignment and sectors are those of a GPU
// allocation and the page in front is unmapped; in the others its end touches the unmapped page behind it.
// Bytes between the buffer and its pages are red zones with a NaN pattern, checked after every launch.
// Instrumented accesses are checked to the byte besides.
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "runtime.h"

extern "C" {
alignas(4096) char emulator_dynamic_shared[emulator::kDynamicShared];
}

namespace emulator {
constexpr uintptr_t kPage = 4096;
constexpr uintptr_t kGuard =
    64 * kPage;  // a stride that is off by a row or two of a small case still lands here
constexpr uint16_t kRedZone = 0xffb5;  // NaN in float, half and bfloat16 alike

Vec<Buffer> buffers;
uint32_t smem_bytes;
static uintptr_t arena, arena_end;
static uint16_t* buffer_of_page;  // index into buffers + 1

struct Range {
  uintptr_t begin, end;
};
static Vec<Range> constants;

static uintptr_t round_up(uintptr_t v, uintptr_t to) {
  return (v + to - 1) / to * to;
}

void map_buffers(int input_fd) {
  uintptr_t total = kGuard;
  for (Buffer& b : buffers) total += round_up(b.nbytes + 16, kPage) + kGuard;
  void* p = mmap(nullptr, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  buffer_of_page = static_cast<uint16_t*>(calloc(total / kPage + 1, sizeof(uint16_t)));
  if (p == MAP_FAILED || !buffer_of_page)
    fail("died", 0, {}, "not enough memory for the buffers of this case");
  arena = reinterpret_cast<uintptr_t>(p), arena_end = arena + total;
  uintptr_t at = arena + kGuard;
  for (uint32_t i = 0; i < buffers.size; i++) {
    Buffer& b = buffers[i];
    b.map_begin = at, b.map_end = at + round_up(b.nbytes + 16, kPage);
    if (schedule == Schedule::forward)
      b.begin = b.map_begin;
    else {
      b.map_end = b.map_begin + round_up(b.nbytes ? b.nbytes : 1, kPage);
      b.begin = (b.map_end - b.nbytes) / 16 * 16;  // vector accesses need 16
    }
    b.end = b.begin + b.nbytes;
    for (uintptr_t q = b.map_begin - kGuard / 2; q < b.map_end + kGuard / 2; q += kPage)
      buffer_of_page[(q - arena) / kPage] = static_cast<uint16_t>(i + 1);
    at += round_up(b.nbytes + 16, kPage) + kGuard;
    if (mprotect(reinterpret_cast<void*>(b.map_begin), b.map_end - b.map_begin, PROT_READ | PROT_WRITE))
      fail("died", 0, {}, "not enough memory for the buffers of this case");
    for (uintptr_t q = b.map_begin; q + 2 <= b.begin; q += 2) *reinterpret_cast<uint16_t*>(q) = kRedZone;
    for (uintptr_t q = b.end + (b.end & 1); q + 2 <= b.map_end; q += 2)
      *reinterpret_cast<uint16_t*>(q) = kRedZone;
    char* to = reinterpret_cast<char*>(b.begin);
    if (b.input_offset == kNone) {
      memset(to, 0xff, b.nbytes);  // scratch is never zero by luck
      continue;
    }
    for (uint64_t done = 0; done < b.nbytes;) {
      ssize_t n = pread(input_fd, to + done, b.nbytes - done, b.input_offset + done);
      if (n <= 0) fail("died", 0, {}, "the input data is shorter than announced");
      done += n;
    }
  }
}

bool in_arena(uintptr_t address) {
  return address - arena < arena_end - arena;
}

const Buffer* buffer_at(uintptr_t address) {
  uint16_t i = buffer_of_page[(address - arena) / kPage];
  return i ? &buffers[i - 1] : nullptr;
}

const Buffer* nearest_buffer(uintptr_t address) {
  return in_arena(address) ? buffer_at(address) : nullptr;
}

static bool intact(uintptr_t begin, uintptr_t end) {
  for (uintptr_t q = begin; q + 2 <= end; q += 2)
    if (*reinterpret_cast<uint16_t*>(q) != kRedZone) return false;
  return true;
}

void check_red_zones() {
  for (uint32_t i = 0; i < buffers.size; i++) {
    const Buffer& b = buffers[i];
    if (!intact(b.map_begin, b.begin))
      fail("out of bounds", 0, {.buffer = static_cast<int>(i), .offset = -1},
           "a write landed before the start of the buffer");
    if (!intact(b.end + (b.end & 1), b.map_end))
      fail("out of bounds", 0, {.buffer = static_cast<int>(i), .offset = static_cast<int64_t>(b.nbytes)},
           "a write landed behind the end of the buffer");
  }
}

void return_buffers(int output_fd, uint64_t base) {
  for (Buffer& b : buffers) {
    if (b.output_offset == kNone) continue;
    const char* from = reinterpret_cast<const char*>(b.begin);
    for (uint64_t done = 0; done < b.nbytes;) {
      ssize_t n = pwrite(output_fd, from + done, b.nbytes - done, base + b.output_offset + done);
      if (n <= 0) fail("died", 0, {}, "the outputs could not be written back");
      done += n;
    }
  }
}

void poison_shared() {
  memset(goodput_shared_start, 0xff,
         goodput_shared_end - goodput_shared_start);  // NaN: unwritten shared memory shows
  memset(emulator_dynamic_shared, 0xff, smem_bytes);
}

void add_constant_range(uintptr_t address, uint64_t nbytes) {
  constants.push({address, address + nbytes});
}

static uintptr_t of(const char* symbol) {
  return reinterpret_cast<uintptr_t>(symbol);
}

Space space_of(uintptr_t a) {
  if (on_stack(a)) return Space::local;
  if (in_arena(a)) return Space::global;
  if (a - of(goodput_shared_start) < of(goodput_shared_end) - of(goodput_shared_start)) return Space::shared;
  if (a - of(emulator_dynamic_shared) < kDynamicShared) return Space::shared;
  if (a - of(goodput_device_start) < of(goodput_device_end) - of(goodput_device_start)) {
    for (Range& r : constants)
      if (a >= r.begin && a < r.end) return Space::constant;
    return Space::global;
  }
  return Space::other;
}

uint32_t shared_word(uintptr_t a) {
  if (a - of(emulator_dynamic_shared) < kDynamicShared)
    return 64 * 1024 / 4 + static_cast<uint32_t>(a - of(emulator_dynamic_shared)) / 4;
  return static_cast<uint32_t>(a - of(goodput_shared_start)) / 4 % (64 * 1024 / 4);
}

void check_range(uintptr_t a, uint64_t bytes, bool write, uint32_t pc, const char* what) {
  if (a % 16 || bytes % 16)
    fail("launch failed", pc, {},
         "misaligned address: %s needs addresses and sizes that are multiples of 16 bytes", what);
  if (!in_arena(a)) return;
  const Buffer* b = buffer_at(a);
  if (!b || a < b->begin || a + bytes > b->end) out_of_bounds(a, static_cast<uint32_t>(bytes), write, pc);
  if (write && !b->writable)
    fail("input modified", pc,
         {.buffer = static_cast<int>(b - buffers.data), .offset = static_cast<int64_t>(a - b->begin)},
         "%s writes into an input", what);
}
}  // namespace emulator
