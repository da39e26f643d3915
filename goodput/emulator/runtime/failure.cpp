// The first thing that goes wrong ends the process of its schedule: one JSON object on the report descriptor.
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>
#include "runtime.h"

namespace emulator {
static int report_fd = -1;
static uint64_t limit_ms;

void report_to(int fd) {
  report_fd = fd;
}

static void print_thread(const char* key, int thread) {
  if (thread == kNoThread) {
    dprintf(report_fd, ",\"%s\":null", key);
    return;
  }
  Dim i = {thread % block_dim.x, thread / block_dim.x % block_dim.y, thread / (block_dim.x * block_dim.y)};
  dprintf(report_fd, ",\"%s\":[%u,%u,%u]", key, i.x, i.y, i.z);
}

void fail(const char* kind, uint32_t pc, const Detail& d, const char* format, ...) {
  char text[600];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  for (char* c = text; *c; c++)
    if (*c == '"' || *c == '\\' || static_cast<unsigned char>(*c) < ' ') *c = '\'';
  fflush(stdout);
  dprintf(report_fd,
          "{\"failure\":{\"kind\":\"%s\",\"text\":\"%s\",\"launch\":%u,\"kernel\":%u,\"block\":[%u,%u,%u]",
          kind, text, launch_number, kernel_number, block_index.x, block_index.y, block_index.z);
  print_thread("thread", current_thread());
  print_thread("other_thread", d.other_thread);
  dprintf(report_fd,
          ",\"pc\":%u,\"other_pc\":%u,\"buffer\":%d,\"offset\":%lld,\"address\":%llu,\"access\":\"%s\"}}\n",
          pc, d.other_pc, d.buffer, static_cast<long long>(d.offset),
          static_cast<unsigned long long>(d.address), d.access);
  _exit(0);
}

void out_of_bounds(uintptr_t address, uint32_t bytes, bool write, uint32_t pc) {
  const Buffer* b = nearest_buffer(address);
  const char* verb = write ? "writes" : "reads";
  const char* access = write ? "write" : "read";
  if (!b)
    fail("out of bounds", pc, {.access = access}, "%s %u bytes at an address that belongs to no buffer", verb,
         bytes);
  int64_t offset = static_cast<int64_t>(address - b->begin);
  Detail d = {.buffer = static_cast<int>(b - buffers.data), .offset = offset, .access = access};
  if (offset < 0)
    fail("out of bounds", pc, d, "%s %u bytes, %lld bytes before the start of the buffer", verb, bytes,
         -static_cast<long long>(offset));
  fail("out of bounds", pc, d, "%s %u bytes at byte %lld of a buffer of %llu bytes", verb, bytes,
       static_cast<long long>(offset), static_cast<unsigned long long>(b->nbytes));
}

static void on_signal(int number, siginfo_t* info, void* context) {
  uintptr_t rip = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
  bool in_answer = rip >= reinterpret_cast<uintptr_t>(goodput_code_start) &&
                   rip < reinterpret_cast<uintptr_t>(goodput_code_end);
  uint32_t pc = in_answer ? static_cast<uint32_t>(rip)
                          : last_access;  // the runtime and the C library act for the answer
  uintptr_t address = reinterpret_cast<uintptr_t>(info->si_addr);
  if (number == SIGALRM)
    fail("timed out", pc, {}, "still running after %llu ms", static_cast<unsigned long long>(limit_ms));
  if (number == SIGFPE) fail("died", pc, {}, "integer division by zero");
  if (number != SIGSEGV && number != SIGBUS) fail("died", pc, {}, "signal %d", number);
  if (on_stack(address))
    fail("died", pc, {}, "the local arrays and calls of one thread need more than %zu KiB of stack",
         kStack / 1024);
  bool write = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & 2;
  const Buffer* b = nearest_buffer(address);
  if (b && address >= b->begin && address < b->end) fail("died", pc, {}, "signal %d inside a buffer", number);
  out_of_bounds(address, 1, write, pc);
}

void catch_signals(uint64_t timeout_ms) {
  limit_ms = timeout_ms;
  static char stack[64 * 1024];
  stack_t alternative = {};
  alternative.ss_sp = stack, alternative.ss_size = sizeof stack;
  sigaltstack(&alternative, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND;
  const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
  for (int number : numbers) sigaction(number, &action, nullptr);
  itimerval timer = {};
  timer.it_value.tv_sec = timeout_ms / 1000, timer.it_value.tv_usec = timeout_ms % 1000 * 1000;
  setitimer(ITIMER_REAL, &timer, nullptr);
}
}  // namespace emulator
