// Counts what a warp asks of memory, per kernel and per place in the code, with the quantities of a GPU
// profiler.
//
// Threads run one after another, so the lanes of one warp-level request come at different times: the n-th
// execution of one instruction by each lane since the last block barrier belongs together. A request is
// counted when all lanes have come, or at the barrier, when the missing ones will not come.
#include <stdio.h>
#include "runtime.h"

namespace emulator {
constexpr uint32_t kSites = 4096;  // places in one kernel; a course kernel has some dozens
constexpr uint32_t kInstances =
    1 << 16;                       // executions per thread between two barriers; later ones are not counted
constexpr unsigned kFlights = 17;  // 0 to 15 groups in flight, 16 or more

struct Request {
  uint32_t mask;
  uint8_t bytes;
  Space space;
  uintptr_t address[kWarp];
};

struct Site {
  uint32_t pc;
  uint8_t kind, widest;
  bool dirty;
  uint64_t requests, lanes, sectors, ideal_sectors;  // global
  uint64_t shared_requests, shared_lanes, wavefronts, ideal_wavefronts;
  uint64_t constant_requests, constant_words;
  uint32_t* instances;  // per thread
  Vec<Request*> waiting[kMaxWarps];
};

struct KernelCounts {
  Site* sites[kSites];
  Vec<Site*> used;
  uint64_t in_flight[2][kFlights];
  uint64_t uninitialised, uncounted, blocks;
  uint32_t uninitialised_pc;
};

static KernelCounts* kernels;
static uint32_t nkernels_;
static Vec<Request*> spare;

void make_counts(uint32_t nkernels) {
  nkernels_ = nkernels;
  kernels = static_cast<KernelCounts*>(calloc(nkernels, sizeof(KernelCounts)));
  if (!kernels) abort();
}

static Site* site_at(KernelCounts& k, uint32_t pc, int kind) {
  uint32_t i = (pc * 2654435761u >> 16 ^ kind * 97) % kSites;
  for (uint32_t tries = 0; tries < kSites; tries++, i = (i + 1) % kSites) {
    Site*& s = k.sites[i];
    if (!s) {
      s = static_cast<Site*>(calloc(1, sizeof(Site)));
      s->pc = pc, s->kind = static_cast<uint8_t>(kind);
      s->instances = static_cast<uint32_t*>(calloc(kMaxThreads, sizeof(uint32_t)));
      k.used.push(s);
    }
    if (s->pc == pc && s->kind == kind) return s;
  }
  return nullptr;
}

// Distinct values of `keys`, which are mostly in order already; sorts them.
static unsigned distinct(uintptr_t* keys, unsigned n) {
  for (unsigned i = 1; i < n; i++) {
    uintptr_t v = keys[i];
    unsigned j = i;
    for (; j > 0 && keys[j - 1] > v; j--) keys[j] = keys[j - 1];
    keys[j] = v;
  }
  unsigned out = 0;
  for (unsigned i = 0; i < n; i++)
    if (i == 0 || keys[i] != keys[i - 1]) out++;
  return out;
}

// Shared memory has 32 banks of 4 bytes. 8-byte accesses go by half warps, 16-byte ones by quarter warps.
static void count_wavefronts(Site& s, const Request& r) {
  unsigned groups = r.bytes >= 16 ? 4 : r.bytes == 8 ? 2 : 1, lanes = kWarp / groups;
  for (unsigned g = 0; g < groups; g++) {
    uintptr_t words[kWarp * 4];
    unsigned n = 0;
    for (unsigned l = g * lanes; l < (g + 1) * lanes; l++)
      if (r.mask >> l & 1)
        for (uintptr_t q = r.address[l] / 4; q <= (r.address[l] + r.bytes - 1) / 4; q++) words[n++] = q;
    if (!n) continue;
    distinct(words, n);
    unsigned load[32] = {}, worst = 0;
    for (unsigned i = 0; i < n; i++)
      if (i == 0 || words[i] != words[i - 1]) {
        unsigned& b = load[words[i] % 32];
        if (++b > worst) worst = b;
      }
    s.wavefronts += worst;
    s.ideal_wavefronts++;
  }
}

static void account(Site& s, const Request& r) {
  uintptr_t keys[kWarp];
  unsigned n = 0;
  if (r.space == Space::shared) {
    s.shared_requests++, s.shared_lanes += __builtin_popcount(r.mask);
    count_wavefronts(s, r);
    return;
  }
  for (unsigned l = 0; l < kWarp; l++)
    if (r.mask >> l & 1) keys[n++] = r.address[l];
  unsigned addresses = distinct(keys, n);
  if (r.space == Space::constant) {
    s.constant_requests++, s.constant_words += addresses;
    return;
  }
  for (unsigned i = 0; i < n; i++) keys[i] /= 32;
  s.requests++, s.lanes += n;
  s.sectors += distinct(keys, n);
  s.ideal_sectors += (addresses * r.bytes + 31) / 32;
  if (r.bytes > s.widest) s.widest = r.bytes;
}

void count_access(uint32_t pc, uintptr_t address, uint32_t bytes, Space space, int kind) {
  KernelCounts& k = kernels[kernel_number];
  unsigned t = current_thread(), w = t / kWarp, lane = t % kWarp;
  Site* s = site_at(k, pc, kind);
  if (!s || s->instances[t] >= kInstances) {
    k.uncounted++;
    return;
  }
  uint32_t n = s->instances[t]++;
  s->dirty = true;
  Vec<Request*>& waiting = s->waiting[w];
  while (waiting.size <= n) waiting.push(nullptr);
  Request*& r = waiting[n];
  if (!r) {
    if (spare.size)
      r = spare[--spare.size];
    else if (!(r = static_cast<Request*>(malloc(sizeof(Request)))))
      abort();
    r->mask = 0, r->bytes = static_cast<uint8_t>(bytes), r->space = space;
  }
  r->mask |= 1u << lane;
  r->address[lane] = address;
  unsigned left = threads - w * kWarp;
  if (r->mask != (left >= kWarp ? ~0u : (1u << left) - 1)) return;
  account(*s, *r);
  spare.push(r);
  r = nullptr;
}

void count_epoch_end() {
  for (Site* s : kernels[kernel_number].used) {
    if (!s->dirty) continue;
    s->dirty = false;
    memset(s->instances, 0, threads * sizeof(uint32_t));
    for (unsigned w = 0; w < warps; w++) {
      for (Request* r : s->waiting[w])
        if (r) account(*s, *r), spare.push(r);
      s->waiting[w].size = 0;
    }
  }
}

void count_in_flight(bool bulk, unsigned groups) {
  kernels[kernel_number].in_flight[bulk][groups < kFlights ? groups : kFlights - 1]++;
}

void count_uninitialised(uint32_t pc) {
  KernelCounts& k = kernels[kernel_number];
  if (!k.uninitialised++) k.uninitialised_pc = pc;
}

static void print(int fd, const uint64_t* values, unsigned n) {
  dprintf(fd, "[");
  for (unsigned i = 0; i < n; i++)
    dprintf(fd, "%s%llu", i ? "," : "", static_cast<unsigned long long>(values[i]));
  dprintf(fd, "]");
}

void write_counts(int fd) {
  dprintf(fd, "{\"kernels\":[");
  for (uint32_t i = 0; i < nkernels_ && tracing; i++) {
    KernelCounts& k = kernels[i];
    dprintf(fd, "%s{\"uninitialised\":%llu,\"uninitialised_pc\":%u,\"uncounted\":%llu,\"in_flight\":",
            i ? "," : "", static_cast<unsigned long long>(k.uninitialised), k.uninitialised_pc,
            static_cast<unsigned long long>(k.uncounted));
    print(fd, k.in_flight[0], kFlights);
    dprintf(fd, ",\"bulk_in_flight\":");
    print(fd, k.in_flight[1], kFlights);
    dprintf(fd, ",\"sites\":[");
    bool first = true;
    for (Site* s : k.used) {
      const uint64_t values[] = {s->pc & 0x1ffffffu, s->kind,       s->widest,           s->requests,
                                 s->lanes,           s->sectors,    s->ideal_sectors,    s->shared_requests,
                                 s->shared_lanes,    s->wavefronts, s->ideal_wavefronts, s->constant_requests,
                                 s->constant_words};
      dprintf(fd, "%s", first ? "" : ",");
      print(fd, values, sizeof values / sizeof *values);
      first = false;
    }
    dprintf(fd, "]}");
  }
  dprintf(fd, "]}\n");
}
}  // namespace emulator
