// Finds conflicting accesses that nothing orders.
//
// Shared memory: vector clocks, one component per warp. A word remembers its last writer and two readers with
// their clocks; an access races when the other one's clock is not in the past of this warp. Block barriers
// and mbarriers join clocks. Two lanes of one warp are left to the schedules. A write that leaves the value
// as it was is no race anybody could see, so a conflicting write is settled one step later, when its value is
// known. Global memory: two blocks of one launch that write different values to one word, unless the writer
// used a fence.
#include "runtime.h"

namespace emulator {
bool tracing;

struct Word {
  uint32_t write_clock, read_clock[2], write_pc, read_pc[2];
  int16_t writer, reader[2];
  uint16_t fences;  // of the writer, at the write
  uint8_t bytes;    // that were written, as a mask
  bool atomic;
  uint8_t pending;  // an asynchronous copy: 1 fills the word, 2 reads it
  uint32_t filled;  // block_start of the block in which a bulk copy filled it
};
static Word words[kSharedWords];
static uint32_t clocks[kMaxWarps][kMaxWarps];
static uint32_t block_start;  // older clocks belong to blocks that have ended
static uint32_t now;

struct Settlement {
  uintptr_t address;
  uint32_t bytes, pc, other_pc;
  uint64_t value[2];
  int thread, other;
  const Buffer* buffer;  // null: shared memory
  uint32_t other_block, block;
  bool open, other_wrote;
};
static Settlement settlement;

// The first conflict between blocks waits until the launch has ended: an access out of bounds that comes
// later says more.
static Settlement between_blocks;
static Dim between_index;

static uint32_t* block_of_word;  // per global word: last writing block + 1, and which bytes
static uintptr_t global_begin;
static bool fenced;

void race_new_launch() {
  if (!buffers.size) return;
  global_begin = buffers[0].map_begin;
  uint64_t n = (buffers[buffers.size - 1].map_end - global_begin) / 4;
  free(block_of_word);
  block_of_word = static_cast<uint32_t*>(calloc(n, sizeof(uint32_t)));
  if (!block_of_word) fail("died", 0, {}, "not enough memory for race detection");
}

void race_new_block() {
  block_start = ++now;
  now++;
  for (unsigned w = 0; w < warps; w++)
    for (unsigned v = 0; v < warps; v++) clocks[w][v] = v == w ? now : block_start;
  fenced = false;
}

void race_block_barrier() {
  now++;
  for (unsigned w = 0; w < warps; w++)
    for (unsigned v = 0; v < warps; v++) clocks[w][v] = v == w ? now : now - 1;
}

void race_release(uint32_t* clock) {
  unsigned w = current_thread() / kWarp;
  for (unsigned v = 0; v < warps; v++)
    if (clock[v] < clocks[w][v]) clock[v] = clocks[w][v];
  clocks[w][w] = ++now;
}

void race_acquire(int thread, const uint32_t* clock) {
  unsigned w = thread / kWarp;
  for (unsigned v = 0; v < warps; v++)
    if (clocks[w][v] < clock[v]) clocks[w][v] = clock[v];
}

void race_fence() {
  fenced = true;
}

static bool ordered(unsigned thread, uint32_t clock, unsigned w) {  // is that access in the past of warp w?
  return clock <= block_start || thread / kWarp == w || clock <= clocks[w][thread / kWarp];
}

static void announce(const Settlement& s) {
  current = &fibers[s.thread];
  if (s.buffer)
    fail("race", s.pc,
         {.buffer = static_cast<int>(s.buffer - buffers.data),
          .offset = static_cast<int64_t>(s.address - s.buffer->begin)},
         "blocks %u and %u write different values to one place, and nothing orders them", s.other_block,
         s.block);
  fail(
      "race", s.pc, {.address = s.address, .other_thread = s.other, .other_pc = s.other_pc},
      s.other_wrote
          ? "two threads write different values to one word of shared memory with no barrier in between"
          : "a thread overwrites a word of shared memory that another one reads, with no barrier in between");
}

void race_settle() {
  if (!settlement.open) return;
  settlement.open = false;
  if (!memcmp(settlement.value, reinterpret_cast<void*>(settlement.address), settlement.bytes)) return;
  if (!settlement.buffer) announce(settlement);
  if (between_blocks.open) return;
  between_blocks = settlement, between_index = block_index;
  between_blocks.open = true, between_blocks.block = block_number;
}

void race_launch_end() {
  if (!between_blocks.open) return;
  block_index = between_index;
  announce(between_blocks);
}

static void open_settlement(const Settlement& s) {
  settlement = s;
  memcpy(settlement.value, reinterpret_cast<void*>(s.address), s.bytes);
  settlement.open = true;
}

static uint8_t byte_mask(uintptr_t word, uintptr_t address, uint32_t bytes) {
  uint8_t mask = 0;
  for (unsigned k = 0; k < 4; k++)
    if (word * 4 + k >= address && word * 4 + k < address + bytes) mask |= 1 << k;
  return mask;
}

void race_shared(uintptr_t address, uint32_t bytes, bool write, bool atomic, uint32_t pc) {
  int t = current_thread();
  unsigned w = t / kWarp;
  for (uintptr_t q = address / 4; q <= (address + bytes - 1) / 4; q++) {
    Word& s = words[shared_word(q * 4)];
    uint8_t mask = byte_mask(q, address, bytes);
    if (s.pending == 1 || (s.pending && write))
      fail("race", pc, {.address = address, .other_thread = s.writer, .other_pc = s.write_pc},
           s.pending == 1 ? "%s shared memory that an asynchronous copy is still filling: wait for its group "
                            "or barrier first"
                          : "%s shared memory that an asynchronous copy is still reading: wait for it first",
           write ? "writes" : "reads");
    bool written = s.write_clock > block_start;
    bool conflict =
        written && !(s.atomic && atomic) && s.bytes & mask && !ordered(s.writer, s.write_clock, w);
    if (!write) {
      if (!written && s.filled != block_start)
        count_uninitialised(pc);
      else if (conflict)
        fail("race", pc, {.address = address, .other_thread = s.writer, .other_pc = s.write_pc},
             "a thread reads a word of shared memory that another one writes, with no barrier in between");
      int slot = s.read_clock[0] <= block_start || s.reader[0] / kWarp == static_cast<int>(w) ? 0 : 1;
      s.read_clock[slot] = clocks[w][w], s.read_pc[slot] = pc, s.reader[slot] = static_cast<int16_t>(t);
      continue;
    }
    int reader = -1;
    for (int k = 0; k < 2; k++)
      if (!ordered(s.reader[k], s.read_clock[k], w)) reader = k;
    if (conflict || reader >= 0) {
      Settlement found = {.address = address, .bytes = bytes, .pc = pc};
      found.thread = t, found.other_wrote = conflict;
      found.other = conflict ? s.writer : s.reader[reader];
      found.other_pc = conflict ? s.write_pc : s.read_pc[reader];
      if (atomic)
        announce(
            found);  // the value of an atomic is not known here; mixing it with plain accesses is the mistake
      open_settlement(found);
    }
    s.write_clock = clocks[w][w], s.write_pc = pc, s.writer = static_cast<int16_t>(t);
    s.bytes = mask, s.atomic = atomic, s.fences = fibers[t].async_fences;
  }
}

void race_global(const Buffer* b, uintptr_t address, uint32_t bytes, uint32_t pc) {
  for (uintptr_t q = address / 4; q <= (address + bytes - 1) / 4; q++) {
    uint32_t& last = block_of_word[q - global_begin / 4];
    uint32_t mask = byte_mask(q, address, bytes), other = last >> 4;
    if (other && other != block_number + 1 && last & mask && !fenced) {
      Settlement found = {.address = address, .bytes = bytes, .pc = pc};
      found.thread = current_thread(), found.buffer = b, found.other_block = other - 1;
      open_settlement(found);
    }
    last = (block_number + 1) << 4 | (other == block_number + 1 ? (last & 15) | mask : mask);
  }
}

void race_pending(uintptr_t address, uint32_t bytes, bool fills, uint32_t pc) {
  int t = current_thread();
  unsigned w = t / kWarp;
  for (uintptr_t q = address / 4; q < (address + bytes) / 4; q++) {
    Word& s = words[shared_word(q * 4)];
    bool wrote = s.write_clock > block_start && !ordered(s.writer, s.write_clock, w);
    int reader = -1;
    for (int k = 0; k < 2 && fills; k++)
      if (!ordered(s.reader[k], s.read_clock[k], w)) reader = k;
    if (wrote || reader >= 0)
      fail("race", pc,
           {.address = q * 4,
            .other_thread = wrote ? s.writer : s.reader[reader],
            .other_pc = wrote ? s.write_pc : s.read_pc[reader]},
           "an asynchronous copy takes shared memory that another thread %s, with no barrier in between",
           wrote ? "writes" : "reads");
    if (!fills) {
      bool fence = s.write_clock <= block_start || s.writer < 0 || fibers[s.writer].async_fences != s.fences;
      if (!fence && !current->fenced_since_barrier)
        fail("race", pc, {.address = q * 4, .other_thread = s.writer, .other_pc = s.write_pc},
             "a bulk copy reads shared memory that was written without fence.proxy.async before the barrier");
    }
    if (s.pending && (fills || s.pending == 1))
      fail("race", pc, {.address = q * 4, .other_thread = s.writer, .other_pc = s.write_pc},
           "two asynchronous copies use one place in shared memory at the same time");
    s.pending = fills ? 1 : 2;
    if (fills) s.write_pc = pc, s.writer = static_cast<int16_t>(t);
  }
}

// The bytes of a copy have arrived. A thread that waited for its own copy has written them; after an mbarrier
// (no thread) whoever waits for it may read them.
void race_landed(uintptr_t address, uint32_t bytes, bool fills, int thread) {
  for (uintptr_t q = address / 4; q < (address + bytes) / 4; q++) {
    Word& s = words[shared_word(q * 4)];
    s.pending = 0;
    if (!fills) continue;
    s.read_clock[0] = s.read_clock[1] = 0;
    s.filled = block_start;
    s.bytes = 15, s.atomic = false;
    s.write_clock = thread == kNoThread ? 0 : clocks[thread / kWarp][thread / kWarp];
  }
}
}  // namespace emulator
