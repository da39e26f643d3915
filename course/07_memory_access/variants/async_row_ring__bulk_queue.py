"""The bulk ring, with rows handed out to whichever block is free."""

import torch

from goodput.cuda import compute_capability, kernel, launch, multiprocessors

SOURCE = include("async_row_ring__bulk_queue.cu")


def async_row_ring(x, w, out, eps):
    """out = x * rsqrt(mean(x^2, row) + eps) * w; x and out (R, 8192) bfloat16, w (8192) bfloat16."""
    if not x.dtype == w.dtype == out.dtype == torch.bfloat16:
        raise TypeError(f"x, w and out must be bfloat16, got {x.dtype}, {w.dtype}, {out.dtype}")
    if x.dim() != 2 or x.shape[1] != 8192 or out.shape != x.shape or w.shape != (8192,):
        shapes = [tuple(t.shape) for t in (x, w, out)]
        raise ValueError(f"x and out must be (R, 8192) and w (8192), got {shapes}")
    if not all(t.is_contiguous() and t.data_ptr() % 16 == 0 for t in (x, w, out)):
        raise ValueError("x, w and out must be contiguous and start on a multiple of 16 bytes")
    if x.shape[0] == 0:
        return
    # more than half of the shared memory of a multiprocessor: 228 KiB from 9.0 to 11.0, at most 164 KiB on the others
    smem = (120 if compute_capability()[0] in (9, 10, 11) else 96) * 1024
    args = [x, w, out, x.shape[0], float(eps)]
    launch(kernel(SOURCE, "async_row_ring"), multiprocessors(), 512, args, smem=smem)
