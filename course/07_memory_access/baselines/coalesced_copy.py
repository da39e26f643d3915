"""Baseline of coalesced_copy: the records as they come, one thread per record."""

from ctypes import c_int64

import torch

from goodput.cuda import kernel, launch

SOURCE = include("coalesced_copy.cu")


def coalesced_copy_pack(records):  # (n, 8) float32 -> the same words in any order and shape
    """Arrange the records for the kernel; called once per shape, not timed."""
    if records.ndim != 2 or records.shape[1] != 8:
        raise ValueError(f"records must be (n, 8), got {tuple(records.shape)}")
    if records.dtype != torch.float32:
        raise TypeError(f"records must be float32, got {records.dtype}")
    return records


def coalesced_copy(packed, out):
    """out[i] = 2 * field 0 of record i; out (n) float32, packed what coalesced_copy_pack returned."""
    n = out.numel()
    if packed.dtype != torch.float32 or out.dtype != torch.float32:
        raise TypeError(f"packed and out must be float32, got {packed.dtype} and {out.dtype}")
    if n == 0 or packed.numel() != 8 * n:
        raise ValueError(f"packed must hold 8 words per element of out, got {packed.numel()} words for {n}")
    launch(kernel(SOURCE, "coalesced_copy"), (n + 255) // 256, 256, [packed, out, c_int64(n)])
