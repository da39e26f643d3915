"""Planes read and written 16 bytes at a time in a grid-stride loop."""

from ctypes import c_int64

import torch

from goodput.cuda import kernel, launch, multiprocessors

SOURCE = include("coalesced_copy__float4.cu")


def coalesced_copy_pack(records):  # (n, 8) float32 -> the same words in any order and shape
    """Arrange the records for the kernel; called once per shape, not timed."""
    if records.ndim != 2 or records.shape[1] != 8:
        raise ValueError(f"records must be (n, 8), got {tuple(records.shape)}")
    if records.dtype != torch.float32:
        raise TypeError(f"records must be float32, got {records.dtype}")
    return records.t().contiguous()  # (8, n): one plane per field


def coalesced_copy(packed, out):
    """out[i] = 2 * field 0 of record i; out (n) float32, packed what coalesced_copy_pack returned."""
    n = out.numel()
    if packed.dtype != torch.float32 or out.dtype != torch.float32:
        raise TypeError(f"packed and out must be float32, got {packed.dtype} and {out.dtype}")
    if n == 0 or packed.numel() != 8 * n:
        raise ValueError(f"packed must hold 8 words per element of out, got {packed.numel()} words for {n}")
    # 8 blocks of 256 fill the 2048 threads of a multiprocessor; a small n needs fewer
    grid = min(8 * multiprocessors(), (n // 4 + 255) // 256 + 1)
    launch(kernel(SOURCE, "coalesced_copy"), grid, 256, [packed, out, c_int64(n)])
