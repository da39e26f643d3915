"""Baseline of tma_transpose: the padded tile of conflict_free_tile."""

import torch

from goodput.cuda import kernel, launch

SOURCE = include("tma_transpose.cu")


def tma_transpose(x, out):
    """out = x.T, bit for bit; x (M, N) float32, out (N, M) float32."""
    if x.dtype != torch.float32 or out.dtype != torch.float32:
        raise TypeError(f"x and out must be float32, got {x.dtype} and {out.dtype}")
    if x.dim() != 2 or x.numel() == 0 or not x.is_contiguous():
        raise ValueError(f"x must be a contiguous (M, N) with elements, got {tuple(x.shape)}")
    M, N = x.shape
    if out.shape != (N, M) or not out.is_contiguous():
        raise ValueError(f"out must be a contiguous ({N}, {M}), got {tuple(out.shape)}")
    launch(kernel(SOURCE, "tma_transpose"), ((N + 31) // 32, (M + 31) // 32), (32, 8), [x, out, M, N])
