"""Eight 16-byte loads of a lane in flight, four independent chains."""

import torch

from goodput.cuda import kernel, launch

SOURCE = include("warp_row_reduce__loads_first.cu")


def warp_row_reduce(x, total, best):
    """total[r] = sum of row r, best[r] = column of its maximum; x (R, C) float32, total (R) float32, best (R) int32."""
    dtypes = (x.dtype, total.dtype, best.dtype)
    if dtypes != (torch.float32, torch.float32, torch.int32):
        raise TypeError(f"x and total must be float32 and best int32, got {dtypes}")
    if x.dim() != 2 or x.shape[1] == 0 or not total.shape == best.shape == x.shape[:1]:
        shapes = [tuple(t.shape) for t in (x, total, best)]
        raise ValueError(f"x must be (R, C) with C > 0, total and best (R), got {shapes}")
    if not all(t.is_contiguous() for t in (x, total, best)):
        raise ValueError("x, total and best must be contiguous")
    rows, columns = x.shape
    if rows == 0:
        return
    # 8 warps in a block, one row each
    launch(kernel(SOURCE, "warp_row_reduce"), (rows + 7) // 8, 256, [x, total, best, rows, columns])
