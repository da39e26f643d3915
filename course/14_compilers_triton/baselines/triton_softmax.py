"""Baseline of triton_softmax: five eager operations, each of which reads and writes memory."""

import torch


def triton_softmax(x, out):
    """out = softmax of every row of x; x (R, N) float32, out (R, N) float32 contiguous."""
    if x.dtype != torch.float32 or out.dtype != torch.float32:
        raise TypeError(f"x and out must be float32, got {x.dtype} and {out.dtype}")
    if x.ndim != 2 or x.shape != out.shape or not 1 <= x.shape[1] <= 16384:
        raise ValueError(
            f"x and out must be (R, N) with N up to 16384, got {tuple(x.shape)} and {tuple(out.shape)}"
        )
    largest = x.amax(1, keepdim=True)
    exponential = (x - largest).exp()
    torch.div(exponential, exponential.sum(1, keepdim=True), out=out)
