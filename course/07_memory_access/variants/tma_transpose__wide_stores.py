"""Four rows by four columns per thread: 16-byte loads and 16-byte stores."""

import torch

from goodput.cuda import kernel, launch, tensor_map

SOURCE = include("tma_transpose__wide_stores.cu")


def tma_transpose(x, out):
    """out = x.T, bit for bit; x (M, N) float32 with N % 4 == 0, out (N, M) float32."""
    if x.dtype != torch.float32 or out.dtype != torch.float32:
        raise TypeError(f"x and out must be float32, got {x.dtype} and {out.dtype}")
    if x.dim() != 2 or x.numel() == 0 or not x.is_contiguous():
        raise ValueError(f"x must be a contiguous (M, N) with elements, got {tuple(x.shape)}")
    M, N = x.shape
    if N % 4:
        raise ValueError(f"N must be a multiple of 4 (rows of 16 bytes), got {N}")
    if out.shape != (N, M) or not out.is_contiguous():
        raise ValueError(f"out must be a contiguous ({N}, {M}), got {tuple(out.shape)}")
    grid = ((N + 31) // 32, (M + 127) // 128)
    launch(kernel(SOURCE, "tma_transpose"), grid, 256, [tensor_map(x, box=(32, 128), swizzle=128), out, M, N])
