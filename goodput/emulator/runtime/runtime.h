// What the parts of the CPU model of a GPU share: threads as fibers, buffers, the failure report, the hooks
// between them.
//
// main.cpp reads the request and forks one process per schedule; memory.cpp holds the buffers; fibers.cpp
// runs the threads of a block; access.cpp receives every load and store; race.cpp and counts.cpp judge and
// count them; async.cpp, mbarrier.cpp and tensor_map.cpp hold copies that have been issued and have not
// landed; failure.cpp reports. Only plain C library calls: the process must start in a millisecond.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

namespace emulator {

constexpr unsigned kWarp = 32, kMaxThreads = 1024, kMaxWarps = 32;
constexpr size_t kDynamicShared = 256 * 1024;  // above what any GPU offers a block (227 KiB on 9.0)
constexpr size_t kStack =
    128 * 1024;  // per thread: local arrays and g++'s frames; GPU local memory is rarely > 1 KiB
constexpr int kNoThread = -1;

struct Dim {
  uint32_t x, y, z;
};

// Growable array of plain records; the C++ library would cost start-up time.
template <class T>
struct Vec {
  T* data = nullptr;
  uint32_t size = 0, capacity = 0;
  T& operator[](uint32_t i) { return data[i]; }
  T* begin() { return data; }
  T* end() { return data + size; }
  T& push(const T& value) {
    if (size == capacity) {
      capacity = capacity ? 2 * capacity : 16;
      data = static_cast<T*>(realloc(data, capacity * sizeof(T)));
      if (!data) abort();
    }
    data[size] = value;
    return data[size++];
  }
};

enum class State : uint8_t { runnable, at_block_barrier, at_warp_barrier, at_mbarrier, finished };

// An asynchronous copy that has been issued and has not landed.
struct Copy {
  uintptr_t to, from;
  uint32_t bytes, pc, group;
  int32_t thread;
  int32_t c0, c1;   // tensor coordinates, when `map` is set
  const void* map;  // the tensor map, or null for plain bytes
};

struct CopyQueue {
  Vec<Copy> copies;
  uint32_t head;   // first copy that has not landed
  uint32_t group;  // number of the open group = groups committed so far
  uint32_t done;   // groups that a wait has found complete, empty ones included
};

struct Fiber {
  void* sp;
  Dim index;
  State state;
  uint32_t pc;  // where it waits, in the answer's code
  uint32_t mask;
  int op, source;
  uint64_t value, result;
  uintptr_t barrier;  // the mbarrier it waits for
  uint32_t parity;
  uint32_t atomics;       // since it last gave way
  uint16_t async_fences;  // fence.proxy.async executed
  bool fenced_since_barrier;
  CopyQueue loads, stores;  // cp.async; bulk stores
};

struct Buffer {
  uintptr_t begin, end;          // the bytes the kernel may touch
  uintptr_t map_begin, map_end;  // the mapped pages around them
  uint64_t nbytes, input_offset, output_offset;
  bool writable;
};
constexpr uint64_t kNone = ~0ull;  // no bytes given (poison instead) or none wanted back

enum class Schedule : uint32_t { forward, backward, shuffled };

enum class Space : uint8_t { local, global, shared, constant, other };

// The block that runs now.
extern Fiber fibers[kMaxThreads];
extern Fiber* current;  // null between threads
extern unsigned threads, warps;
extern Dim block_index, block_dim, grid_dim;
extern uint32_t block_number, launch_number, kernel_number;
extern Schedule schedule;
extern bool tracing;          // counts and race detection: in the first schedule only
extern uint32_t last_access;  // where the answer last touched memory
extern uint64_t events;       // anything that could let a waiting thread go on
extern uint32_t smem_bytes;   // dynamic shared memory of this launch
extern Vec<Buffer> buffers;

inline int thread_of(const Fiber* f) {
  return static_cast<int>(f - fibers);
}
inline int current_thread() {
  return current ? thread_of(current) : kNoThread;
}

// stacks.cpp
void make_stacks();
bool on_stack(uintptr_t address);

// fibers.cpp
void run_block(void (*kernel)(void**), void** arguments);
void wait_in(State state, uint32_t pc);
uint64_t random_bits();

// memory.cpp
void map_buffers(int input_fd);
const Buffer* buffer_at(uintptr_t address);       // by page: also for addresses just outside its bytes
const Buffer* nearest_buffer(uintptr_t address);  // for the report of a stray address
bool in_arena(uintptr_t address);
void check_red_zones();
void return_buffers(int output_fd, uint64_t base);
void poison_shared();
Space space_of(uintptr_t address);
void add_constant_range(uintptr_t address, uint64_t nbytes);
uint32_t shared_word(uintptr_t address);  // index into tables over static and dynamic shared memory
constexpr uint32_t kSharedWords = (64 * 1024 + kDynamicShared) / 4;
void check_range(uintptr_t address, uint64_t bytes, bool write, uint32_t pc, const char* what);

// race.cpp: happens-before between warps
void race_new_launch();
void race_launch_end();
void race_new_block();
void race_block_barrier();
void race_release(uint32_t* clock);  // the current thread's past becomes visible through this clock
void race_acquire(int thread, const uint32_t* clock);
void race_shared(uintptr_t address, uint32_t bytes, bool write, bool atomic, uint32_t pc);
void race_global(const Buffer* buffer, uintptr_t address, uint32_t bytes, uint32_t pc);
void race_settle();  // a write that met another thread's access: did it change the value?
void race_pending(uintptr_t address, uint32_t bytes, bool fills,
                  uint32_t pc);  // an asynchronous copy takes the range
void race_landed(uintptr_t address, uint32_t bytes, bool fills, int thread);
void race_fence();

// counts.cpp
void count_access(uint32_t pc, uintptr_t address, uint32_t bytes, Space space,
                  int kind);  // kind: 0 load, 1 store, 2 atomic
void count_epoch_end();  // at a block barrier and at the end of a block: lanes that have not come will not
                         // come
void count_in_flight(bool bulk, unsigned groups);
void count_uninitialised(uint32_t pc);
void make_counts(uint32_t nkernels);
void write_counts(int fd);

// async.cpp, mbarrier.cpp, tensor_map.cpp
void async_new_block();
void async_thread_end();
bool mbarrier_ready(Fiber* f);
const char* describe_mbarrier(uintptr_t address);
void encode_tensor_map(void* to, uintptr_t base, uint32_t item, uint64_t columns, uint64_t rows,
                       uint64_t stride, uint32_t box0, uint32_t box1, uint32_t swizzle);

// failure.cpp
struct Detail {
  int buffer = -1;
  int64_t offset = 0;
  uintptr_t address = 0;  // in shared memory or a device variable: the reader looks the name up
  int other_thread = kNoThread;
  uint32_t other_pc = 0;
  const char* access = "";
};
void report_to(int fd);
void catch_signals(uint64_t timeout_ms);
[[noreturn]] void fail(const char* kind, uint32_t pc, const Detail& detail, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
[[noreturn]] void out_of_bounds(uintptr_t address, uint32_t bytes, bool write, uint32_t pc);

}  // namespace emulator

extern "C" {
extern char goodput_shared_start[], goodput_shared_end[];  // layout.ld
extern char goodput_device_start[], goodput_device_end[];
extern char goodput_code_start[], goodput_code_end[];
extern char emulator_dynamic_shared[];  // memory.cpp
}

#define EMULATOR_CALLER (static_cast<uint32_t>(reinterpret_cast<uintptr_t>(__builtin_return_address(0))) - 1)
