// Runs the threads of one block as fibers, warp by warp, in one of three orders. Barriers, warp intrinsics
// and waits switch.
#include "stacks.h"

// The names that CUDA code uses; to the answer they are constants, which is what they are to one thread.
extern "C" {
emulator::Dim threadIdx, blockIdx, blockDim, gridDim;
}

namespace emulator {
Fiber fibers[kMaxThreads];
Fiber* current;
unsigned threads, warps;
Dim block_index, block_dim, grid_dim;
uint32_t block_number, launch_number, kernel_number;
Schedule schedule;
uint64_t events;

static void* scheduler_sp;
static void (*entry)(void**);
static void** entry_arguments;
static uint64_t random_state = 88172645463325252ull;
constexpr unsigned kIdleRounds =
    20000;  // rounds in which threads only polled: far beyond any wait that can still end

uint64_t random_bits() {  // xorshift: the same order in every run
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

void wait_in(State state, uint32_t pc) {
  current->state = state;
  current->pc = pc;
  emulator_switch(&current->sp, &scheduler_sp);
}

static void thread_main() {
  entry(entry_arguments);
  async_thread_end();
  events++;
  current->state = State::finished;
  emulator_switch(&current->sp, &scheduler_sp);
}

static void prepare(unsigned t) {
  Fiber& f = fibers[t];
  CopyQueue loads = f.loads, stores = f.stores;
  f = Fiber{};
  f.loads.copies = loads.copies, f.stores.copies = stores.copies;
  f.loads.copies.size = f.stores.copies.size = 0;
  f.index = {t % block_dim.x, t / block_dim.x % block_dim.y, t / (block_dim.x * block_dim.y)};
  f.sp = new_stack(t, &thread_main);
}

// Lets the lanes of a warp go that wait in the same intrinsic with the same mask, once all live lanes of the
// mask are there.
static bool release_warp(unsigned w) {
  bool released = false;
  Fiber* lane = fibers + w * kWarp;
  unsigned lanes = threads - w * kWarp < kWarp ? threads - w * kWarp : kWarp;
  for (unsigned l = 0; l < lanes; l++) {
    if (lane[l].state != State::at_warp_barrier) continue;
    uint32_t mask = lane[l].mask, here = 0;
    bool complete = true;
    for (unsigned k = 0; k < lanes && complete; k++) {
      if (!(mask >> k & 1) || lane[k].state == State::finished) continue;
      complete = lane[k].state == State::at_warp_barrier && lane[k].mask == mask;
      here |= 1u << k;
    }
    if (!complete) continue;
    uint32_t vote = 0;
    for (unsigned k = 0; k < lanes; k++)
      if (here >> k & 1 && lane[k].value) vote |= 1u << k;
    for (unsigned k = 0; k < lanes; k++) {
      if (!(here >> k & 1)) continue;
      Fiber& f = lane[k];
      if (f.op != lane[l].op)
        fail("deadlock", f.pc, {.other_thread = static_cast<int>(w * kWarp + l), .other_pc = lane[l].pc},
             "lanes of one warp meet in different warp intrinsics");
      if (f.op == 0)  // shuffle: a lane that is absent has no value to give
        f.result = here >> (f.source & 31) & 1 ? lane[f.source & 31].value : ~0ull;
      else if (f.op == 1)
        f.result = vote;
      else if (f.op == 2) {
        f.result = 0;
        for (unsigned j = 0; j < lanes; j++)
          if (here >> j & 1 && lane[j].value == f.value) f.result |= 1ull << j;
      }
    }
    for (unsigned k = 0; k < lanes; k++)
      if (here >> k & 1) lane[k].state = State::runnable;
    events++;
    released = true;
  }
  return released;
}

static bool release_mbarriers() {
  bool released = false;
  for (unsigned t = 0; t < threads; t++)
    if (fibers[t].state == State::at_mbarrier && mbarrier_ready(&fibers[t])) {
      fibers[t].state = State::runnable;
      released = true;
    }
  events += released;
  return released;
}

static int block_vote_value[3];

static bool release_block() {
  int all = 1, any = 0, count = 0;
  for (unsigned t = 0; t < threads; t++) {
    if (fibers[t].state == State::finished) continue;
    if (fibers[t].state != State::at_block_barrier) return false;
    count += fibers[t].value != 0;
    all &= fibers[t].value != 0;
    any |= fibers[t].value != 0;
  }
  block_vote_value[0] = count, block_vote_value[1] = all, block_vote_value[2] = any;
  for (unsigned t = 0; t < threads; t++)
    if (fibers[t].state == State::at_block_barrier) {
      fibers[t].state = State::runnable;
      fibers[t].fenced_since_barrier = false;
    }
  events++;
  if (tracing) {
    race_block_barrier();
    count_epoch_end();
  }
  return true;
}

[[noreturn]] static void stuck() {
  unsigned n[5] = {};
  const Fiber* at_mbarrier = nullptr;
  const Fiber* at_warp = nullptr;
  const Fiber* at_block = nullptr;
  for (unsigned t = 0; t < threads; t++) {
    n[static_cast<int>(fibers[t].state)]++;
    if (fibers[t].state == State::at_mbarrier && !at_mbarrier) at_mbarrier = &fibers[t];
    if (fibers[t].state == State::at_warp_barrier && !at_warp) at_warp = &fibers[t];
    if (fibers[t].state == State::at_block_barrier && !at_block) at_block = &fibers[t];
  }
  const Fiber* f = at_mbarrier ? at_mbarrier : at_warp ? at_warp : at_block;
  current = const_cast<Fiber*>(f);
  if (at_mbarrier)
    fail("launch failed", f->pc, {.address = f->barrier}, "trap: a wait on an mbarrier can never end: %s",
         describe_mbarrier(f->barrier));
  const Fiber* other = at_warp && at_block ? at_block : nullptr;
  fail("deadlock", f->pc,
       {.other_thread = other ? thread_of(other) : kNoThread, .other_pc = other ? other->pc : 0},
       "%u of %u threads wait at __syncthreads, %u wait in a warp intrinsic, %u have finished", n[1], threads,
       n[2], n[4]);
}

static void shuffle(uint16_t* order, unsigned n) {
  for (unsigned i = n - 1; i > 0; i--) {
    unsigned j = random_bits() % (i + 1);
    uint16_t t = order[i];
    order[i] = order[j], order[j] = t;
  }
}

static void resume(Fiber& f) {
  current = &f;
  threadIdx = f.index;
  emulator_switch(&scheduler_sp, &f.sp);
  if (tracing) race_settle();
  current = nullptr;
}

void run_block(void (*kernel)(void**), void** arguments) {
  entry = kernel, entry_arguments = arguments;
  blockIdx = block_index, blockDim = block_dim, gridDim = grid_dim;
  for (unsigned t = 0; t < threads; t++) prepare(t);
  uint16_t warp_order[kMaxWarps], lane_order[kWarp];
  bool backward = schedule == Schedule::backward, shuffled = schedule == Schedule::shuffled;
  for (unsigned w = 0; w < warps; w++) warp_order[w] = backward ? warps - 1 - w : w;
  for (unsigned l = 0; l < kWarp; l++) lane_order[l] = backward ? kWarp - 1 - l : l;
  for (unsigned idle = 0;;) {
    uint64_t before = events;
    bool ran = false;
    if (shuffled) shuffle(warp_order, warps);
    for (unsigned q = 0; q < warps; q++) {
      unsigned w = warp_order[q];
      do {
        if (shuffled) shuffle(lane_order, kWarp);
        for (unsigned l = 0; l < kWarp; l++) {
          unsigned t = w * kWarp + lane_order[l];
          if (t < threads && fibers[t].state == State::runnable) resume(fibers[t]), ran = true;
        }
      } while (release_warp(w) && !(shuffled && random_bits() & 1));
    }
    if (events != before) {
      idle = 0;
      bool live = false;
      for (unsigned t = 0; t < threads && !live; t++) live = fibers[t].state != State::finished;
      if (!live) return;
      continue;
    }
    if (release_block() || release_mbarriers()) continue;
    if (!ran) stuck();
    if (++idle > kIdleRounds) {
      for (unsigned t = 0; t < threads; t++)
        if (fibers[t].state == State::runnable) current = &fibers[t];
      fail("timed out", current->pc, {}, "threads poll for something that no other thread will ever do");
    }
  }
}
}  // namespace emulator

using namespace emulator;

extern "C" {

void emulator_block_barrier() {
  current->value = 0;
  wait_in(State::at_block_barrier, EMULATOR_CALLER);
}

int emulator_block_vote(int op, int value) {
  current->value = value != 0;
  wait_in(State::at_block_barrier, EMULATOR_CALLER);
  return block_vote_value[op];
}

uint64_t emulator_exchange(int op, uint32_t mask, uint64_t value, int source) {
  Fiber* f = current;
  unsigned lane = thread_of(f) % kWarp;
  if (!(mask >> lane & 1))
    fail("not in mask", EMULATOR_CALLER, {}, "lane %u calls a warp intrinsic whose mask 0x%08x leaves it out",
         lane, mask);
  f->mask = mask, f->op = op, f->value = value, f->source = source;
  wait_in(State::at_warp_barrier, EMULATOR_CALLER);
  return f->result;
}

void emulator_give_way(uint32_t pc) {
  wait_in(State::runnable, pc);
}

void emulator_trap(const char* why) {
  fail("launch failed", EMULATOR_CALLER, {}, "%s", why);
}
}
