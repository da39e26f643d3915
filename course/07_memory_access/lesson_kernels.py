"""The kernels that the lesson of this chapter compares: one function each, which launches it.

Every function reads its CUDA C++ from a file of this folder: `lesson/` (the short ones), `baselines/` and
`variants/`, and the solutions of the exercises beside this module. Arguments are tensors of the shapes in the
comments: on a GPU they run there, in CPU memory the emulator runs them. It checks no arguments, times nothing
and knows nothing of notebooks.
"""

from __future__ import annotations

from ctypes import c_int64
from functools import cache
from pathlib import Path

from goodput.cuda import Kernel, compute_capability, launch, multiprocessors, tensor_map
from goodput.cuda import kernel as find

HERE = Path(__file__).parent
EPSILON = 1e-6  # of the RMSNorm, as in most language models


@cache
def cuda(file: str) -> str:
    """The CUDA C++ of one file of this chapter, e.g. "baselines/tiled_transpose.cu"."""
    return (HERE / file).read_text()


@cache  # looking for a name in a source takes as long as a short kernel runs
def kernel(source: str, name: str) -> Kernel:
    return find(source, name)


def _blocks(threads: int) -> int:
    return (threads + 255) // 256


# Sections 1 and 2: which sectors a warp reads


def strided_read(x, out, stride):  # x (stride * n) f32, out (n) f32
    n = out.numel()
    source = kernel(cuda("lesson/strided_read.cu"), "strided_read")
    launch(source, _blocks(n), 256, [x, out, stride, c_int64(n)])


def records(packed, out):  # packed (n, 8) f32: one record after another; out (n) f32
    n = out.numel()
    source = kernel(cuda("baselines/coalesced_copy.cu"), "coalesced_copy")
    launch(source, _blocks(n), 256, [packed, out, c_int64(n)])


def planes(packed, out):  # packed (8, n) f32: one plane per field
    n = out.numel()
    source = kernel(cuda("coalesced_copy.cu"), "coalesced_copy")
    launch(source, _blocks(n), 256, [packed, out, c_int64(n)])


def wide_planes(packed, out):  # the same planes, 16 bytes per access
    n = out.numel()
    source = kernel(cuda("variants/coalesced_copy__float4.cu"), "coalesced_copy")
    grid = min(8 * multiprocessors(), _blocks(n // 4) + 1)
    launch(source, grid, 256, [packed, out, c_int64(n)])


# Section 3: how wide an access is


def copy_4(x, out):  # both (n) f32
    n = out.numel()
    launch(kernel(cuda("lesson/plain_copy.cu"), "copy_4"), _blocks(n), 256, [x, out, c_int64(n)])


def copy_16(x, out):  # both (n) f32, n % 4 == 0
    n = out.numel() // 4
    launch(kernel(cuda("lesson/plain_copy.cu"), "copy_16"), _blocks(n), 256, [x, out, c_int64(n)])


def dequant_bytes(q, out, scale, zero):  # q (n) u8, out (n) f32
    n = out.numel()
    source = kernel(cuda("baselines/vector_dequant.cu"), "vector_dequant")
    launch(source, _blocks(n), 256, [q, out, scale, zero, c_int64(n)])


def dequant_quads(q, out, scale, zero):
    n = out.numel()
    source = kernel(cuda("vector_dequant.cu"), "vector_dequant")
    launch(source, _blocks((n + 3) // 4), 256, [q, out, scale, zero, c_int64(n)])


# Sections 4 and 5: turning a tile


def transpose_naive(x, out):  # x (M, N) f32, out (N, M) f32
    _transpose("baselines/tiled_transpose.cu", "tiled_transpose", x, out)


def transpose_tile(x, out):
    _transpose("tiled_transpose.cu", "tiled_transpose", x, out)


def transpose_padded(x, out):
    _transpose("conflict_free_tile.cu", "conflict_free_tile", x, out)


def transpose_swizzled(x, out):
    _transpose("variants/conflict_free_tile__swizzle.cu", "conflict_free_tile", x, out)


def _transpose(file: str, name: str, x, out) -> None:
    M, N = x.shape
    launch(kernel(cuda(file), name), ((N + 31) // 32, (M + 31) // 32), (32, 8), [x, out, M, N])


def transpose_tma(x, out):  # N % 4 == 0; compute capability 9.0
    M, N = x.shape
    tiles = tensor_map(x, box=(32, 128), swizzle=128)
    grid = ((N + 31) // 32, (M + 127) // 128)
    launch(kernel(cuda("tma_transpose.cu"), "tma_transpose"), grid, 256, [tiles, out, M, N])


def column_reads(out, pad, mask, rounds):  # out (256 * blocks) f32
    source, pitch = kernel(cuda("lesson/column_reads.cu"), "column_reads"), 32 + pad
    launch(source, out.numel() // 256, 256, [out, pitch, mask, rounds], smem=32 * pitch * 4)


# Section 6: where partial sums meet


def row_sum_tree(x, total):  # x (R, C) f32, total (R) f32
    rows, columns = x.shape
    launch(kernel(cuda("lesson/row_sum.cu"), "row_sum_tree"), rows, 256, [x, total, columns])


def row_sum_warp(x, total):  # C % 4 == 0
    rows, columns = x.shape
    launch(kernel(cuda("lesson/row_sum.cu"), "row_sum_warp"), (rows + 7) // 8, 256, [x, total, rows, columns])


# Section 7: data that all lanes read together


def fir_plain(x, taps, out):  # x (n) f32, taps (17) f32, out (n - 16) f32
    source = kernel(cuda("baselines/const_taps_fir.cu"), "const_taps_fir")
    launch(source, _blocks(out.numel()), 256, [x, taps, out, out.numel()])


def fir_read_only(x, taps, out):
    source = kernel(cuda("lesson/fir_read_only.cu"), "fir_read_only")
    launch(source, _blocks(out.numel()), 256, [x, taps, out, out.numel()])


def fir_constant(x, taps, out):
    source = kernel(cuda("const_taps_fir.cu"), "const_taps_fir")
    launch(source, _blocks(out.numel()), 256, [x, taps, out, out.numel()], constants={"c_taps": taps})


def fir_window(x, taps, out):
    source = kernel(cuda("variants/const_taps_fir__register_window.cu"), "const_taps_fir")
    grid = _blocks((out.numel() + 3) // 4)
    launch(source, grid, 256, [x, out, out.numel()], constants={"c_taps": taps})


# Section 8: rows on their way while others are computed. x and out (R, 8192) bf16, w (8192) bf16


def norm_waits(x, w, out):
    _one_block_per_multiprocessor("baselines/async_row_ring.cu", x, w, out)


def norm_ring(x, w, out):  # compute capability 8.0
    _one_block_per_multiprocessor("async_row_ring.cu", x, w, out)


def norm_bulk_ring(x, w, out):  # compute capability 9.0
    _one_block_per_multiprocessor("variants/async_row_ring__bulk_ring.cu", x, w, out)


def _one_block_per_multiprocessor(file: str, x, w, out) -> None:
    # more than half of a multiprocessor's shared memory, so that a second block does not fit: 228 KiB from
    # compute capability 9.0 to 11.0, at most 164 KiB on the others
    smem = (120 if compute_capability()[0] in (9, 10, 11) else 96) * 1024
    args = [x, w, out, x.shape[0], EPSILON]
    launch(kernel(cuda(file), "async_row_ring"), multiprocessors(), 512, args, smem=smem)


def norm_full_occupancy(x, w, out):
    source = kernel(cuda("variants/async_row_ring__full_occupancy.cu"), "async_row_ring")
    launch(source, x.shape[0], 512, [x, w, out, EPSILON])
