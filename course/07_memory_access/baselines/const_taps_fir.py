"""Baseline of const_taps_fir: signal and taps through plain pointers."""

import torch

from goodput.cuda import kernel, launch

SOURCE = include("const_taps_fir.cu")


def const_taps_fir(x, taps, out):
    """out[i] = sum over k of taps[k] * x[i + k]; x (n) float32, taps (17) float32, out (n - 16) float32."""
    if not x.dtype == taps.dtype == out.dtype == torch.float32:
        raise TypeError(f"x, taps and out must be float32, got {x.dtype}, {taps.dtype}, {out.dtype}")
    if x.dim() != 1 or x.numel() < 17 or taps.shape != (17,) or out.shape != (x.numel() - 16,):
        shapes = [tuple(t.shape) for t in (x, taps, out)]
        raise ValueError(f"x must be (n) with n >= 17, taps (17) and out (n - 16), got {shapes}")
    if not all(t.is_contiguous() for t in (x, taps, out)):
        raise ValueError("x, taps and out must be contiguous")
    outputs = out.numel()
    launch(kernel(SOURCE, "const_taps_fir"), (outputs + 255) // 256, 256, [x, taps, out, outputs])
