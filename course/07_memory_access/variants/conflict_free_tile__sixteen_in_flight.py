"""A padded tile of 64 x 64 words; each thread has sixteen loads in flight."""

import torch

from goodput.cuda import kernel, launch

SOURCE = include("conflict_free_tile__sixteen_in_flight.cu")


def conflict_free_tile(x, out):
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
    grid = ((N + 63) // 64, (M + 63) // 64)
    launch(kernel(SOURCE, "conflict_free_tile"), grid, (64, 4), [x, out, M, N])
