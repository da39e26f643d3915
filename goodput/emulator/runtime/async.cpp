// Asynchronous copies and when they land: cp.async groups and bulk stores, which threads wait for by counting
// groups.
//
// In the forward and shuffled schedules a copy lands at the last moment that the waits of the kernel allow,
// in the backward one at once: a kernel that reads too early, or refills a stage too early, gets different
// results, and its words are marked as pending in between.
#include "async.h"

namespace emulator {
bool eager() {
  return schedule == Schedule::backward;
}

void land(const Copy& c, bool fills, int thread) {
  if (c.map)
    land_box(c);
  else
    memcpy(reinterpret_cast<void*>(c.to), reinterpret_cast<const void*>(c.from), c.bytes);
  if (tracing) race_landed(fills ? c.to : c.from, c.bytes, fills, thread);
}

static void land_groups(CopyQueue& q, uint32_t before, bool fills) {
  while (q.head < q.copies.size && q.copies[q.head].group < before) {
    land(q.copies[q.head], fills, current_thread());
    q.head++;
  }
}

static void issue(CopyQueue& q, Copy c, bool fills) {
  events++;
  if (eager()) {
    land(c, fills, current_thread());
    return;
  }
  if (tracing) race_pending(fills ? c.to : c.from, c.bytes, fills, c.pc);
  c.group = q.group;
  q.copies.push(c);
}

void async_thread_end() {
  land_groups(current->loads, ~0u, true);
  land_groups(current->stores, ~0u, false);
}

}  // namespace emulator

using namespace emulator;

extern "C" {
void emulator_cp_async(void* shared, const void* from, uint32_t bytes) {
  uint32_t pc = EMULATOR_CALLER;
  Copy c = {of(shared), of(from), bytes, pc, 0, current_thread(), 0, 0, nullptr};
  if (space_of(c.to) != Space::shared)
    fail("launch failed", pc, {}, "the target of cp.async must lie in shared memory");
  check_range(c.from, bytes, false, pc, "cp.async");
  check_range(c.to, bytes, true, pc, "cp.async");
  if (tracing) count_access(pc, c.from, bytes, Space::global, 0);
  issue(current->loads, c, true);
}

void emulator_cp_commit() {
  current->loads.group++;
}

void emulator_cp_wait(uint32_t n) {
  CopyQueue& q = current->loads;
  if (q.group > n && q.done < q.group - n) land_groups(q, q.done = q.group - n, true);
  if (tracing) count_in_flight(false, q.group - q.done);
}

void emulator_bulk_store(void* to, const void* shared, uint32_t bytes) {
  uint32_t pc = EMULATOR_CALLER;
  Copy c = {of(to), of(shared), bytes, pc, 0, current_thread(), 0, 0, nullptr};
  if (space_of(c.from) != Space::shared)
    fail("launch failed", pc, {}, "the source of a bulk store must lie in shared memory");
  check_range(c.to, bytes, true, pc, "a bulk store");
  check_range(c.from, bytes, false, pc, "a bulk store");
  issue(current->stores, c, false);
}

void emulator_bulk_commit() {
  current->stores.group++;
}

void emulator_bulk_wait(uint32_t n) {
  CopyQueue& q = current->stores;
  if (q.group > n) land_groups(q, q.group - n, false);
}
}
