"""One warp per row, but its lanes still meet in shared memory instead of reading each other's registers."""

DIAGNOSIS = "technique not used"
EDITS = [
    (
        """#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    const Candidate other = {__shfl_xor_sync(0xffffffffu, top.value, offset),
                             __shfl_xor_sync(0xffffffffu, top.column, offset)};
    if (beats(other, top)) top = other;
  }
""",
        """  __shared__ float sums[8][32];
  __shared__ Candidate tops[8][32];
  const int warp = threadIdx.x / 32;
  for (int offset = 16; offset > 0; offset /= 2) {
    sums[warp][lane] = sum;
    tops[warp][lane] = top;
    __syncwarp();
    const Candidate other = tops[warp][lane ^ offset];
    sum += sums[warp][lane ^ offset];
    if (beats(other, top)) top = other;
    __syncwarp();
  }
""",
    ),
]
