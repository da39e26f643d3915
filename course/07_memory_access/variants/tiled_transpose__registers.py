"""No shared memory: each thread turns 4 x 4 words in registers; every access touches whole sectors."""

import torch

from goodput.cuda import kernel, launch

SOURCE = include("tiled_transpose__registers.cu")


def tiled_transpose(x, out):
    """out = transpose of x; x (M, N) float32, out (N, M) float32, both contiguous, in different memory."""
    if x.dtype != torch.float32 or out.dtype != torch.float32:
        raise TypeError(f"x and out must be float32, got {x.dtype} and {out.dtype}")
    if x.ndim != 2 or x.numel() == 0 or out.shape != (x.shape[1], x.shape[0]):
        raise ValueError(f"x must be (M, N) and out (N, M), got {tuple(x.shape)} and {tuple(out.shape)}")
    if not (x.is_contiguous() and out.is_contiguous()):
        raise ValueError("x and out must be contiguous")
    starts, ends = (x.data_ptr(), out.data_ptr()), (x.data_ptr() + x.nbytes, out.data_ptr() + out.nbytes)
    if max(starts) < min(ends) and not x.is_meta:  # meta tensors have no addresses
        raise ValueError("x and out overlap: a block would read what another has written already")
    M, N = x.shape
    if M % 4 == 0 and N % 4 == 0 and x.data_ptr() % 16 == 0 and out.data_ptr() % 16 == 0:
        grid = ((N + 63) // 64, (M + 63) // 64)
        launch(kernel(SOURCE, "tiled_transpose"), grid, 256, [x, out, M, N])
    else:
        grid = ((N + 31) // 32, (M + 31) // 32)
        launch(kernel(SOURCE, "any_shape"), grid, (32, 8), [x, out, M, N])
