// Tensor maps: what the launch writes into the 128 bytes of a TensorMap, and how a box of the matrix lands in
// shared memory.
#include "async.h"

namespace emulator {
struct TensorMapFields {
  uint64_t magic, base, item, columns, rows, stride, box0, box1, swizzle;
};
constexpr uint64_t kMagic = 0x70616d726f736e74;  // "tnsormap": an argument that is none is recognised

void encode_tensor_map(void* to, uintptr_t base, uint32_t item, uint64_t columns, uint64_t rows,
                       uint64_t stride, uint32_t box0, uint32_t box1, uint32_t swizzle) {
  TensorMapFields f = {kMagic, base, item, columns, rows, stride, box0, box1, swizzle};
  memset(to, 0, 128);
  memcpy(to, &f, sizeof f);
}

// Rows of the box follow each other in shared memory; a swizzle of 2^k chunks of 16 bytes exchanges the chunk
// number with bits of the 128-byte line number, taken from the address itself. Outside the matrix the box is
// filled with zeros.
void land_box(const Copy& c) {
  TensorMapFields f;
  memcpy(&f, c.map, sizeof f);
  uint64_t inner = f.box0 * f.item;
  for (uint64_t r = 0; r < f.box1; r++)
    for (uint64_t b = 0; b < inner; b++) {
      int64_t row = c.c1 + static_cast<int64_t>(r), column = c.c0 + static_cast<int64_t>(b / f.item);
      bool inside = row >= 0 && column >= 0 && row < static_cast<int64_t>(f.rows) &&
                    column < static_cast<int64_t>(f.columns);
      uintptr_t to = c.to + r * inner + b;
      if (f.swizzle) to ^= (to >> 7 & (f.swizzle / 16 - 1)) << 4;
      *reinterpret_cast<char*>(to) =
          inside ? *reinterpret_cast<const char*>(f.base + row * f.stride + column * f.item + b % f.item) : 0;
    }
}

uint32_t box_bytes(const void* map) {
  TensorMapFields f;
  memcpy(&f, map, sizeof f);
  return f.magic == kMagic ? static_cast<uint32_t>(f.box0 * f.item * f.box1) : 0;
}
}  // namespace emulator
