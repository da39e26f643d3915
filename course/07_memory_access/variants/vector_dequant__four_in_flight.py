"""One quad of bytes per load and four loads in flight per thread."""

from ctypes import c_int64

import torch

from goodput.cuda import kernel, launch

SOURCE = include("vector_dequant__four_in_flight.cu")


def vector_dequant(q, out, scale, zero):
    """out[i] = (q[i] - zero) * scale; q (n) uint8, out (n) float32."""
    n = q.numel()
    if q.dtype != torch.uint8 or out.dtype != torch.float32:
        raise TypeError(f"q must be uint8 and out float32, got {q.dtype} and {out.dtype}")
    if n == 0 or q.shape != (n,) or out.shape != (n,) or not (q.is_contiguous() and out.is_contiguous()):
        raise ValueError(f"q and out must be contiguous (n), got {tuple(q.shape)} and {tuple(out.shape)}")
    if q.data_ptr() % 4 or out.data_ptr() % 16:
        raise ValueError("q must start on a multiple of 4 bytes and out on a multiple of 16")
    blocks = (n + 4095) // 4096  # 256 threads, four quads of bytes each
    args = [q, out, float(scale), float(zero), c_int64(n)]
    launch(kernel(SOURCE, "vector_dequant"), blocks, 256, args)
