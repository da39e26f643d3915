"""Each planted mistake is found and named, with thread, block, buffer and line where they are known."""

import re

import numpy as np
import pytest
from emulating import call, execute, f32, i64, one, poisoned

# kernel -> (body, kind, part of the text); `// here` marks the line that must be named
BODIES = {
    "missing_barrier": (
        """
  __shared__ float s[256];
  s[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
  for (int q = 128; q; q >>= 1) {
    if (threadIdx.x < q) s[threadIdx.x] += s[threadIdx.x + q];  // other
    __syncthreads();
  }
  if (threadIdx.x == 0) o[blockIdx.x] = s[0];""",
        "race",
        "no barrier",
    ),
    "divergent_barrier": (
        """
  __shared__ float s[256];
  s[threadIdx.x] = x[threadIdx.x];
  if (threadIdx.x < 100) {
    __syncthreads();
    s[0] += __shfl_xor_sync(~0u, s[1], 1);
  } else
    s[threadIdx.x] += __shfl_xor_sync(~0u, 1.f, 1);  // here
  if (threadIdx.x == 0) o[blockIdx.x] = s[0];""",
        "deadlock",
        "100 of 256 threads wait at __syncthreads",
    ),
    "read_past_end": (
        """
  int i = blockIdx.x * 256 + threadIdx.x;
  float v = x[i + 1];  // here
  if (v > -1e30f && i < 4) o[i] = v;""",
        "out of bounds",
        "reads 4 bytes at byte 4096",
    ),
    "read_before_start": (
        """
  int i = blockIdx.x * 256 + threadIdx.x;
  float v = x[i - 1];  // here
  if (v > -1e30f && i < 4) o[i] = v;""",
        "out of bounds",
        "4 bytes before the start",
    ),
    "write_past_end": (
        "\n  if (threadIdx.x == 0) o[blockIdx.x + 1] = x[0];  // here",
        "out of bounds",
        "writes 4 bytes at byte 16",
    ),
    "write_before_start": (
        "\n  if (threadIdx.x == 0) o[(int)blockIdx.x - 1] = x[0];  // here",
        "out of bounds",
        "before the start",
    ),
    "wild_pointer": (
        "\n  if (threadIdx.x == 0) o[blockIdx.x] = ((const float*)8)[0];  // here",
        "out of bounds",
        "belongs to no buffer",
    ),
    "block_race": ("\n  if (threadIdx.x == 0) o[0] = (float)blockIdx.x;  // here", "race", "blocks 0 and 1"),
    "same_warp_race": (
        """
  __shared__ float s[32];
  if (threadIdx.x >= 32) return;
  s[threadIdx.x] = x[threadIdx.x];
  float v = s[threadIdx.x ^ 1];
  if (threadIdx.x == 0) o[blockIdx.x] = v;""",
        "race",
        "order in which threads run",
    ),
    "lane_not_in_mask": (
        """
  float v = x[threadIdx.x];
  v += __shfl_xor_sync(0xffff, v, 1);  // here
  o[blockIdx.x] = v;""",
        "not in mask",
        "lane 16",
    ),
    "different_intrinsics": (
        """
  float v = x[threadIdx.x];
  if (threadIdx.x & 1) v = __shfl_xor_sync(~0u, v, 2); else v = __ballot_sync(~0u, v > 0);
  if (threadIdx.x == 0) o[blockIdx.x] = v;""",
        "deadlock",
        "different warp intrinsics",
    ),
    "endless_loop": ("\n  while (n) n -= x[0] > 1e30f;  // here\n  o[0] = 1;", "timed out", ""),
    "trap": ("\n  if (blockIdx.x == 2 && threadIdx.x == 7) __trap();  // here", "launch failed", "trap"),
    "assertion": ("\n  assert(n == 3);  // here", "launch failed", "assertion failed: n == 3"),
    "misaligned": (
        "\n  float4 v = *(const float4*)(x + 1);  // here\n  o[0] = v.x;",
        "launch failed",
        "misaligned",
    ),
    "too_much_stack": (
        "\n  float v[40000];\n  for (int i = 0; i < 40000; i++) v[i] = x[i & 1023] + i;\n  o[0] = v[n];",
        "died",
        "128 KiB",
    ),
    "division_by_zero": ("\n  o[0] = threadIdx.x / (n - 1024);  // here", "died", "division by zero"),
    "input_written": (
        "\n  if (threadIdx.x == 0) ((float*)x)[blockIdx.x] = 0;  // here",
        "input modified",
        "input",
    ),
    "shared_too_small": (
        """
  extern __shared__ float ring[];
  ring[threadIdx.x] = x[threadIdx.x];  // here
  __syncthreads();
  o[0] = ring[n & 1];""",
        "out of bounds",
        "the launch asked for 512",
    ),
}
SOURCE = "\n".join(
    f'extern "C" __global__ void {name}(const float* x, float* o, int n) {{{body}\n}}'
    for name, (body, *_) in BODIES.items()
)
INPUT = np.random.default_rng(1).standard_normal(1024).astype(f32)


def marked_line(name: str, mark: str) -> int | None:
    start = SOURCE.index(f"void {name}(")
    end = SOURCE.index("\n}", start)
    found = SOURCE.find(f"// {mark}", start, end)
    return None if found < 0 else SOURCE.count("\n", 0, found) + 1


def planted(name: str, **options):
    arrays = {"x": INPUT, "o": poisoned(4)}
    return one(SOURCE, name, 4, 256, ["x", "o", 1024], arrays, inputs=["x"], smem=512, timeout_s=2, **options)


@pytest.mark.parametrize("name", BODIES)
def test_the_mistake_is_named(name):
    _, kind, text = BODIES[name]
    failure = planted(name).failure
    assert failure is not None and failure.kind == kind and text in failure.text, failure
    if marked_line(name, "here") is not None:
        assert failure.line == marked_line(name, "here"), failure


@pytest.mark.parametrize(
    "name", ["read_past_end", "write_past_end", "read_before_start", "write_before_start"]
)
@pytest.mark.parametrize("schedule", ["forward", "backward"])
def test_one_float_outside_is_seen_in_every_schedule_and_without_tracing(name, schedule):
    failure = planted(name, schedules=[schedule], trace=False).failure
    assert failure.kind == "out of bounds" and failure.buffer == ("x" if "read" in name else "o")
    assert failure.access == ("read" if "read" in name else "write")
    assert failure.offset in (-4, 16, 4096)


def test_a_buffer_of_odd_length_is_guarded_to_the_byte():
    source = """
extern "C" __global__ void at(const float* x, float* o, int i) { o[0] = x[i]; }
extern "C" __global__ void put(unsigned char* p, int i) { p[i] = 1; }"""
    for size in (1, 3, 33):
        arrays = {"x": np.ones(size, f32), "o": poisoned(1)}
        assert one(source, "at", 1, 1, ["x", "o", size - 1], arrays)["o"][0] == 1
        assert one(source, "at", 1, 1, ["x", "o", size], arrays).failure.kind == "out of bounds"
        assert one(source, "put", 1, 1, ["p", size], {"p": np.zeros(size, np.uint8)}).failure.offset == size


def test_a_race_names_both_threads_both_lines_and_the_variable():
    failure = planted("missing_barrier").failure
    assert {failure.thread, failure.other_thread} == {(0, 0, 0), (128, 0, 0)} and failure.buffer == "s"
    lines = {failure.line, failure.other_line}
    assert marked_line("missing_barrier", "other") in lines and None not in lines


def test_writing_one_value_from_many_threads_is_no_race():
    source = """
extern "C" __global__ void flag(float* o) {
  __shared__ int f;
  f = 1;
  __syncthreads();
  o[1] = 2;
  if (threadIdx.x == 0) o[0] = f;
}"""
    got = one(source, "flag", 3, 128, ["o"], {"o": poisoned(2)})
    assert got["o"].tolist() == [1, 2]


def test_a_grid_wide_sum_by_the_last_block_is_no_race():
    source = """
extern "C" __global__ void total(const float* x, float* part, float* out, unsigned* done) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = x[blockIdx.x];
    __threadfence();
    last = atomicAdd(done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x) return;
  float s = 0;
  for (unsigned b = 0; b < gridDim.x; b++) s += part[b];
  out[0] = s;
  done[0] = 0;
}"""
    arrays = {"x": INPUT, "part": poisoned(8), "out": poisoned(1), "done": np.zeros(1, np.uint32)}
    got = one(source, "total", 8, 64, ["x", "part", "out", "done"], arrays)
    assert abs(got["out"][0] - INPUT[:8].sum()) < 1e-5 and got["done"][0] == 0


def test_float_atomics_in_another_order_agree():
    source = """
extern "C" __global__ void add(const float* x, float* o) { atomicAdd(o, x[blockIdx.x * blockDim.x + threadIdx.x]); }"""
    got = one(source, "add", 8, 128, ["x", "o"], {"x": INPUT, "o": np.zeros(1, f32)})
    assert abs(got["o"][0] - INPUT.sum(dtype=np.float64)) < 1e-3
    assert got.counts.atomic_operations == 1024 and got.counts.atomic_requests == 32


@pytest.mark.parametrize(
    "args, text",
    [
        (["x", "o"], "2 arguments, the kernel takes 3"),
        (["x", "o", i64(3)], "argument 2 of the launch is a 8-byte integer"),
        (["x", "o", 1.0], "argument 2 of the launch is a 4-byte floating-point number"),
        (["x", 5, 3], "argument 1 of the launch is a 4-byte integer"),
    ],
)
def test_arguments_that_do_not_fit_the_kernel_are_refused(args, text):
    got = one(SOURCE, "trap", 1, 32, args, {"x": INPUT, "o": poisoned(4)})
    assert got.failure.kind == "launch failed" and re.search(re.escape(text), got.failure.text), got.failure


def test_clusters_are_refused_with_the_reason():
    launch = call(SOURCE, "trap", 2, 32, ["x", "o", 1], cluster=(2, 1, 1))
    failure = execute(SOURCE, ["trap"], [launch], {"x": INPUT, "o": poisoned(4)}).failure
    assert failure.kind == "not available" and "clusters need a GPU" in failure.text
