"""Baseline of vector_dequant: one byte per thread."""

from ctypes import c_int64

import torch

from goodput.cuda import kernel, launch

SOURCE = include("vector_dequant.cu")


def vector_dequant(q, out, scale, zero):
    """out[i] = (q[i] - zero) * scale; q (n) uint8, out (n) float32."""
    n = q.numel()
    if q.dtype != torch.uint8 or out.dtype != torch.float32:
        raise TypeError(f"q must be uint8 and out float32, got {q.dtype} and {out.dtype}")
    if n == 0 or q.shape != (n,) or out.shape != (n,) or not (q.is_contiguous() and out.is_contiguous()):
        raise ValueError(f"q and out must be contiguous (n), got {tuple(q.shape)} and {tuple(out.shape)}")
    args = [q, out, float(scale), float(zero), c_int64(n)]
    launch(kernel(SOURCE, "vector_dequant"), (n + 255) // 256, 256, args)
