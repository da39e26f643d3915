// mbarriers, and the bulk and tensor copies that complete on them: arrivals and bytes are counted, a wait
// whose bytes never add up fails as the bounded wait of the GPU header does.
#include <stdio.h>
#include "async.h"

namespace emulator {
constexpr uint32_t kMaxArrivals = (1u << 20) - 1;  // PTX: the range of an mbarrier's count

struct Barrier {
  uintptr_t at;
  uint32_t expected, phase;
  int64_t pending, bytes;
  uint32_t init_pc, expect_pc;  // where it was set up, where it was last told to expect bytes
  int owner;
  bool fenced;
  Vec<Copy> copies;
  uint32_t arrived[kMaxWarps],
      completed[kMaxWarps];  // clocks of the phase that runs, of the last one that ended
};
static Vec<Barrier> barriers;

void async_new_block() {
  for (Barrier& b : barriers) {
    for (Copy& c : b.copies)
      if (tracing) race_landed(c.to, c.bytes, true, kNoThread);  // nobody waited: the block has ended
    free(b.copies.data);
  }
  barriers.size = 0;
}

static Barrier* find(uintptr_t at) {
  for (Barrier& b : barriers)
    if (b.at == at) return &b;
  return nullptr;
}

static Barrier& barrier_at(const void* p, uint32_t pc) {
  Barrier* b = find(reinterpret_cast<uintptr_t>(p));
  if (!b)
    fail("race", pc, {.address = reinterpret_cast<uintptr_t>(p)},
         "an mbarrier is used before mbar_init has run: initialise it in one thread, then __syncthreads");
  return *b;
}

static void complete_if_done(Barrier& b) {
  if (b.pending || b.bytes) return;
  b.phase ^= 1;
  b.pending = b.expected;
  memcpy(b.completed, b.arrived, sizeof b.completed);
  events++;
}

static void land_on(Barrier& b) {
  for (Copy& c : b.copies) {
    land(c, true, kNoThread);
    b.bytes -= c.bytes;
  }
  b.copies.size = 0;
  if (b.pending == 0 && b.bytes < 0)
    fail("launch failed", b.expect_pc ? b.expect_pc : b.init_pc, {.address = b.at},
         "trap: copies deliver %lld bytes more than the mbarrier was told to expect",
         -static_cast<long long>(b.bytes));
  complete_if_done(b);
}

static bool phase_done(Barrier& b, uint32_t parity) {
  if (b.phase == (parity & 1) && b.pending == 0) land_on(b);
  return b.phase != (parity & 1);
}

static void arrive(Barrier& b, uint64_t expect, uint32_t pc) {
  if (b.pending == 0) land_on(b);  // the phase before this arrival had all it needs
  if (b.pending <= 0)
    fail("launch failed", pc, {.address = b.at},
         "trap: a thread arrives at an mbarrier whose phase is full and still waits for %lld bytes",
         static_cast<long long>(b.bytes));
  if (tracing) race_release(b.arrived);
  b.bytes += expect;
  if (expect) b.expect_pc = pc;
  b.pending--;
  events++;
  if (b.copies.size == 0) complete_if_done(b);
}

static unsigned bulk_in_flight() {
  unsigned n = 0;
  for (Barrier& b : barriers) n += b.copies.size;
  return n;
}

static void passed(int thread, const Barrier& b) {
  if (!tracing) return;
  race_acquire(thread, b.completed);
  count_in_flight(true, bulk_in_flight());
}

bool mbarrier_ready(Fiber* f) {
  Barrier* b = find(f->barrier);
  if (!b || !phase_done(*b, f->parity)) return false;
  passed(thread_of(f), *b);
  return true;
}

const char* describe_mbarrier(uintptr_t address) {
  static char text[160];
  Barrier* b = find(address);
  if (!b) return "it was never initialised";
  int64_t missing = b->bytes;
  for (Copy& c : b->copies) missing -= c.bytes;
  snprintf(text, sizeof text, "its phase still misses %lld arrivals and %lld bytes",
           static_cast<long long>(b->pending), static_cast<long long>(missing));
  return text;
}

static void add_bulk(void* to, Copy c, void* barrier) {
  Barrier& b = barrier_at(barrier, c.pc);
  if (!b.fenced)
    fail("race", c.pc, {.address = b.at, .other_thread = b.owner, .other_pc = b.init_pc},
         "the copy engine may not see this mbarrier: mbar_init_fence() is missing after mbar_init");
  if (space_of(reinterpret_cast<uintptr_t>(to)) != Space::shared)
    fail("launch failed", c.pc, {}, "the target of a bulk copy must lie in shared memory");
  events++;
  if (b.pending == 0) land_on(b);
  if (eager()) {
    land(c, true, kNoThread);
    b.bytes -= c.bytes;
    if (b.pending == 0 && b.bytes >= 0) complete_if_done(b);
    return;
  }
  if (tracing) race_pending(c.to, c.bytes, true, c.pc);
  b.copies.push(c);
}
}  // namespace emulator

using namespace emulator;

extern "C" {
void emulator_give_way(uint32_t pc);

void emulator_async_fence() {
  current->async_fences++;
  current->fenced_since_barrier = true;
  for (Barrier& b : barriers)
    if (b.owner == current_thread()) b.fenced = true;
}

void emulator_mbar_init_fence() {
  for (Barrier& b : barriers)
    if (b.owner == current_thread()) b.fenced = true;
}

void emulator_mbar_init(void* p, uint32_t arrivals) {
  uint32_t pc = EMULATOR_CALLER;
  if (space_of(of(p)) != Space::shared || of(p) % 8)
    fail("launch failed", pc, {}, "an mbarrier must be an aligned 8-byte word of shared memory");
  if (!arrivals || arrivals > kMaxArrivals)
    fail("launch failed", pc, {}, "an mbarrier cannot expect %u arrivals", arrivals);
  Barrier* b = find(of(p));
  if (!b) b = &barriers.push({});
  Vec<Copy> copies = b->copies;
  *b = Barrier{};
  b->copies = copies, b->copies.size = 0;
  b->at = of(p), b->expected = arrivals, b->pending = arrivals, b->init_pc = pc, b->owner = current_thread();
  events++;
}

void emulator_mbar_arrive(void* p, uint32_t expect_bytes) {
  uint32_t pc = EMULATOR_CALLER;
  arrive(barrier_at(p, pc), expect_bytes, pc);
}

int emulator_mbar_try(void* p, uint32_t parity) {
  uint32_t pc = EMULATOR_CALLER;
  Barrier& b = barrier_at(p, pc);
  if (phase_done(b, parity)) {
    passed(current_thread(), b);
    events++;
    return 1;
  }
  emulator_give_way(pc);
  return 0;
}

void emulator_mbar_wait(void* p, uint32_t parity) {
  uint32_t pc = EMULATOR_CALLER;
  Barrier& b = barrier_at(p, pc);
  if (phase_done(b, parity)) {
    passed(current_thread(), b);
    return;
  }
  current->barrier = of(p), current->parity = parity;
  wait_in(State::at_mbarrier, pc);
}

void emulator_bulk_load(void* shared, const void* from, uint32_t bytes, void* barrier) {
  uint32_t pc = EMULATOR_CALLER;
  Copy c = {of(shared), of(from), bytes, pc, 0, current_thread(), 0, 0, nullptr};
  check_range(c.from, bytes, false, pc, "a bulk copy");
  check_range(c.to, bytes, true, pc, "a bulk copy");
  add_bulk(shared, c, barrier);
}

void emulator_tma_load_2d(void* shared, const void* map, int c0, int c1, void* barrier) {
  uint32_t pc = EMULATOR_CALLER;
  uint32_t bytes = box_bytes(map);
  if (!bytes) fail("launch failed", pc, {}, "tma_load_2d needs a tensor map made by goodput.cuda.tensor_map");
  if (of(shared) % 128)
    fail("launch failed", pc, {},
         "misaligned address: a tensor copy needs shared memory aligned to 128 bytes");
  Copy c = {of(shared), 0, bytes, pc, 0, current_thread(), c0, c1, map};
  add_bulk(shared, c, barrier);
}
}
