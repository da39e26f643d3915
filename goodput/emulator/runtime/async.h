// What the two kinds of asynchronous copies share.
#pragma once
#include "runtime.h"

namespace emulator {
bool eager();                                      // copies land when they are issued
void land(const Copy& c, bool fills, int thread);  // async.cpp: into shared memory (fills) or out of it
void land_box(const Copy& c);                      // tensor_map.cpp
uint32_t box_bytes(const void* map);               // 0: not a tensor map

inline uintptr_t of(const void* p) {
  return reinterpret_cast<uintptr_t>(p);
}
}  // namespace emulator
