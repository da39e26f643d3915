"""torch.profiler as a tidy table, and NVTX ranges.

`kernels(fn)` takes a callable and returns a pandas table: on a GPU one row per kernel, on a CPU one row per
operator (self time). Knows nothing of what `fn` computes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pandas

from goodput.clock import pick_device


def kernels(
    fn: Callable[[], Any], *, calls: int = 5, warmup: int = 2, device: str = "auto"
) -> pandas.DataFrame:
    """Profile `calls` calls of `fn` after `warmup` ones.

    Returns columns `kernel`, `calls` and `time_us` (both per call of `fn`) and `share` (of the time of all
    rows, 0 to 1), longest first. Copies and fills on the GPU count as kernels. `attrs["device"]` says where
    it ran.
    """
    import torch
    from torch.profiler import ProfilerActivity, profile

    where = pick_device(device)
    on_gpu = where == "cuda"
    for _ in range(warmup):
        fn()
    if on_gpu:
        torch.cuda.synchronize()
    activities = [ProfilerActivity.CPU, ProfilerActivity.CUDA] if on_gpu else [ProfilerActivity.CPU]
    with profile(activities=activities) as seen:
        for _ in range(calls):
            fn()
        if on_gpu:
            torch.cuda.synchronize()
    rows = []
    for event in seen.key_averages():
        ran_on_gpu = str(event.device_type).endswith("CUDA")
        if ran_on_gpu != on_gpu or getattr(event, "is_user_annotation", False):
            continue
        total_us = event.self_device_time_total if on_gpu else event.self_cpu_time_total
        if total_us > 0:
            rows.append((event.key, event.count / calls, total_us / calls))
    table = pandas.DataFrame(rows, columns=["kernel", "calls", "time_us"])
    table["share"] = table["time_us"] / table["time_us"].sum()
    table = table.sort_values("time_us", ascending=False, ignore_index=True)
    table.attrs["device"] = where
    return table


@contextmanager
def nvtx(name: str) -> Iterator[None]:
    """A named range on Nsight's timeline around a block; costs well under a microsecond when nobody is
    looking."""
    import nvtx as ranges

    with ranges.annotate(name):
        yield
