// Reads the request (64-bit words, see request.py), runs the launches once per schedule, each in a process of
// its own.
//
// program REQUEST_FD INPUT_FD OUTPUT_FD; each schedule has its own report descriptor and its own part of the
// output.
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runtime.h"

// Written by the translation unit of the answer: how to call each kernel, and what its parameters are.
struct KernelEntry {
  void (*call)(void**);
  uint32_t nparameters;
  const unsigned char* parameters;  // two bytes each: kind (p pointer, i integer, f float, o other), size
};
extern "C" const KernelEntry emulator_kernels[];
extern "C" const uint32_t emulator_nkernels;

namespace emulator {
constexpr uint64_t kMagic = 0x31747570646f6f67;  // "goodput1"
constexpr unsigned kMaxSchedules = 8, kMaxArguments = 64;

static const uint64_t* cursor;
static const uint64_t* request_end;

static uint64_t next() {
  if (cursor == request_end) _exit(3);
  return *cursor++;
}

static void read_dim(Dim& d) {
  d.x = next(), d.y = next(), d.z = next();
}

enum ArgumentTag : uint64_t { kBuffer, kScalar, kMap };

struct alignas(64) Argument {
  char bytes[128];
};
static Argument storage[kMaxArguments];

static void check_parameter(const KernelEntry& k, unsigned i, char kind, unsigned size) {
  char wanted = k.parameters[2 * i];
  unsigned wanted_size = k.parameters[2 * i + 1];
  if (wanted == kind && wanted_size == size) return;
  auto name = [](char c) {
    return c == 'p' ? "pointer" : c == 'i' ? "integer" : c == 'f' ? "floating-point number" : "struct";
  };
  fail("launch failed", 0, {},
       "argument %u of the launch is a %u-byte %s, the kernel's parameter is a %u-byte %s", i, size,
       name(kind), wanted_size, name(wanted));
}

static void read_arguments(const KernelEntry& k, void** arguments) {
  uint64_t n = next();
  if (n > kMaxArguments) _exit(3);
  if (n != k.nparameters)
    fail("launch failed", 0, {}, "the launch passes %u arguments, the kernel takes %u",
         static_cast<unsigned>(n), k.nparameters);
  for (unsigned i = 0; i < n; i++) {
    arguments[i] = storage[i].bytes;
    uint64_t tag = next();
    if (tag == kBuffer) {
      const Buffer& b = buffers[next()];
      uint64_t address = b.begin + next();
      check_parameter(k, i, 'p', 8);
      memcpy(storage[i].bytes, &address, 8);
    } else if (tag == kScalar) {
      uint64_t kind = next(), size = next(), bits = next();
      check_parameter(k, i, static_cast<char>(kind), static_cast<unsigned>(size));
      memcpy(storage[i].bytes, &bits, 8);
    } else {
      const Buffer& b = buffers[next()];
      uint64_t base = b.begin + next();
      uint64_t f[7];
      for (uint64_t& v : f) v = next();
      check_parameter(k, i, 'o', 128);
      encode_tensor_map(storage[i].bytes, base, f[0], f[1], f[2], f[3], f[4], f[5], f[6]);
    }
  }
}

static void launch() {
  kernel_number = next();
  read_dim(grid_dim), read_dim(block_dim);
  smem_bytes = next();
  const KernelEntry& k = emulator_kernels[kernel_number];
  threads = block_dim.x * block_dim.y * block_dim.z, warps = (threads + kWarp - 1) / kWarp;
  void* arguments[kMaxArguments];
  read_arguments(k, arguments);
  for (uint64_t n = next(); n; n--) {
    char* to = reinterpret_cast<char*>(next());
    const Buffer& b = buffers[next()];
    uint64_t offset = next();
    memcpy(to, reinterpret_cast<const char*>(b.begin) + offset, next());
  }
  if (tracing) race_new_launch();
  uint32_t blocks = grid_dim.x * grid_dim.y * grid_dim.z;
  uint32_t* order = static_cast<uint32_t*>(malloc(blocks * sizeof(uint32_t)));
  if (!order) abort();
  for (uint32_t q = 0; q < blocks; q++) order[q] = schedule == Schedule::backward ? blocks - 1 - q : q;
  for (uint32_t q = blocks - 1; schedule == Schedule::shuffled && q > 0; q--) {
    uint32_t j = random_bits() % (q + 1), i = order[q];
    order[q] = order[j], order[j] = i;
  }
  for (uint32_t q = 0; q < blocks; q++) {
    uint32_t i = block_number = order[q];
    block_index = {i % grid_dim.x, i / grid_dim.x % grid_dim.y, i / (grid_dim.x * grid_dim.y)};
    poison_shared();
    async_new_block();
    if (tracing) race_new_block();
    run_block(k.call, arguments);
    if (tracing) count_epoch_end();
  }
  free(order);
  check_red_zones();
  if (tracing) race_launch_end();
}

static void run_schedule(int input_fd, int output_fd, uint64_t output_base, int report_fd,
                         uint64_t timeout_ms) {
  report_to(report_fd);
  catch_signals(timeout_ms);
  make_stacks();
  make_counts(emulator_nkernels);
  map_buffers(input_fd);
  for (uint64_t n = next(); n; n--, launch_number++) launch();
  fflush(stdout);
  return_buffers(output_fd, output_base);
  write_counts(report_fd);
  _exit(0);
}

static int descriptor(const char* text) {
  return atoi(text);
}
}  // namespace emulator

int main(int argc, char** argv) {
  using namespace emulator;
  if (argc != 4) return 2;
  int request_fd = descriptor(argv[1]), input_fd = descriptor(argv[2]), output_fd = descriptor(argv[3]);
  struct stat info;
  if (fstat(request_fd, &info) || info.st_size < 32) return 3;
  void* p = mmap(nullptr, info.st_size, PROT_READ, MAP_PRIVATE, request_fd, 0);
  if (p == MAP_FAILED) return 3;
  cursor = static_cast<const uint64_t*>(p), request_end = cursor + info.st_size / 8;
  if (next() != kMagic) return 3;
  uint64_t timeout_ms = next(), trace = next(), nschedules = next();
  if (nschedules > kMaxSchedules) return 3;
  struct {
    uint64_t order, report_fd, output_base;
  } wanted[kMaxSchedules];
  for (uint64_t s = 0; s < nschedules; s++) wanted[s] = {next(), next(), next()};
  for (uint64_t n = next(); n; n--) {
    uint64_t address = next();
    add_constant_range(address, next());
  }
  for (uint64_t n = next(); n; n--) {
    Buffer b = {};
    b.nbytes = next(), b.input_offset = next(), b.output_offset = next(), b.writable = next();
    buffers.push(b);
  }
  pid_t children[kMaxSchedules];
  for (uint64_t s = 0; s < nschedules; s++) {
    if ((children[s] = fork())) continue;
    schedule = static_cast<Schedule>(wanted[s].order);
    tracing = trace && s == 0;
    if (s && !freopen("/dev/null", "w", stdout)) _exit(3);
    run_schedule(input_fd, output_fd, wanted[s].output_base, static_cast<int>(wanted[s].report_fd),
                 timeout_ms);
  }
  for (uint64_t s = 0; s < nschedules; s++) {
    int status = 0;
    if (children[s] < 0 || waitpid(children[s], &status, 0) != children[s]) return 3;
    if (WIFSIGNALED(status) || WEXITSTATUS(status))
      dprintf(static_cast<int>(wanted[s].report_fd), "\n{\"ended\":%d}\n",
              WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status));
  }
  return 0;
}
