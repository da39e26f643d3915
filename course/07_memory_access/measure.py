"""Time and count on a GPU everything that the lesson of this chapter shows, in one call of about a minute:

    python course/07_memory_access/measure.py        # writes course/07_memory_access/recorded/<gpu>.json

The lesson calls the same functions, one per section, through `goodput.recorded`. Each returns plain data:
`method` (how it was timed, in both languages), `shape`, the `bytes` that must move and the `flop` of one call,
and `ms` per variant with its `spread` (interquartile range over median). Every variant is compared with torch
before it is timed. Needs a GPU; knows nothing of figures. Long because every section's experiment is here, a few
lines each, so that all share one check and one clock.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lesson_kernels as k
import torch

from goodput.clock import WINDOW_MS, sample
from goodput.cuda import compute_capability
from goodput.machine import Ceilings, describe, probe
from goodput.machine import ceilings as calibrated
from goodput.recorded import Recorded, Result, record, recorded

HERE = Path(__file__).parent
WINDOWS = 12  # per variant: about a quarter of a second with the warm-up
NEEDED = (
    "copy_gb_per_s",
    "read_gb_per_s",
    "l2_gb_per_s",
    "fp32_tflop_per_s",
)  # ceilings that the lesson draws
METHOD = {
    "es": f"Mediana de {WINDOWS} ventanas de {WINDOW_MS:g} ms con eventos CUDA, grafo de una llamada, mismos buffers.",
    "en": f"Median of {WINDOWS} windows of {WINDOW_MS:g} ms with CUDA events, graph of one call, same buffers.",
}

PROFILER_S = 75.0  # each launch is replayed a few times; the whole of this module is to stay below 100 s
COUNTER_METHOD = {
    "es": "Nsight Compute, un lanzamiento por kernel, relojes sin fijar.",
    "en": "Nsight Compute, one launch per kernel, clocks left alone.",
}


def ceilings() -> dict[str, Any]:
    """The calibrated ceilings of this GPU, or those that the lesson draws, measured now in a few seconds."""
    found = calibrated("cuda")
    if found is None or "copy_gb_per_s" not in found.values:
        from goodput.machine import gpu_probes

        machine = describe()
        assert machine.gpu is not None, "ceilings() is called where there is a GPU"
        values, absent = probe.run([p for p in gpu_probes.probes(machine) if p[0] in NEEDED], None)
        now = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())
        found = Ceilings("cuda", machine.fingerprint, machine.gpu.name, now, values, absent)
    return found.to_json()


def stride_curve() -> dict[str, Any]:
    """out[i] = 2 * x[stride * i] for strides 1 to 32."""
    strides = (1, 2, 4, 8, 16, 32)
    n = _fit(2**26, 4 * (max(strides) + 1))
    x, out = _randn(max(strides) * n), _empty(n)
    variants, expected = {}, {}
    for stride in strides:
        variants[str(stride)] = lambda stride=stride: k.strided_read(x, out, stride)
        expected[str(stride)] = lambda stride=stride: 2 * x[: stride * n : stride]
    return _timed(variants, out, expected, f"n = {n}", 8 * n, n)


def layout() -> dict[str, Any]:
    """2 * field 0 of records of 32 bytes: from records, from planes, from planes 16 bytes at a time."""
    n = _fit(2**26, 4 * 17)
    packed, out = _randn(n, 8), _empty(n)
    flat = packed.t().contiguous()
    variants = {
        "records": lambda: k.records(packed, out),
        "planes": lambda: k.planes(flat, out),
        "wide_planes": lambda: k.wide_planes(flat, out),
    }
    return _timed(variants, out, lambda: 2 * packed[:, 0], f"n = {n}", 8 * n, n)


def plain_copy() -> dict[str, Any]:
    n = _fit(2**28, 8)
    x, out = _randn(n), _empty(n)
    variants = {"copy_4": lambda: k.copy_4(x, out), "copy_16": lambda: k.copy_16(x, out)}
    return _timed(variants, out, lambda: x, f"n = {n}", 8 * n, 0)


def dequant() -> dict[str, Any]:
    n = _fit(2**28, 9)
    q, out = torch.randint(0, 256, (n,), dtype=torch.uint8, device="cuda"), _empty(n)
    variants = {
        "dequant_bytes": lambda: k.dequant_bytes(q, out, 0.25, 64.5),
        "dequant_quads": lambda: k.dequant_quads(q, out, 0.25, 64.5),
    }
    return _timed(variants, out, lambda: (q - 64.5) * 0.25, f"n = {n}", 5 * n, 2 * n)


def transpose() -> dict[str, Any]:
    rows = _fit(8192, 16384 * 12)
    x, out = _randn(rows, 16384), _empty(16384, rows)
    variants = {
        "transpose_naive": lambda: k.transpose_naive(x, out),
        "transpose_torch": lambda: out.copy_(x.t()),
        "transpose_tile": lambda: k.transpose_tile(x, out),
        "transpose_padded": lambda: k.transpose_padded(x, out),
        "transpose_swizzled": lambda: k.transpose_swizzled(x, out),
    }
    if compute_capability() >= (9, 0):
        variants["transpose_tma"] = lambda: k.transpose_tma(x, out)
    return _timed(variants, out, lambda: x.t(), f"{rows} x 16384", 8 * x.numel(), 0)


def banks() -> dict[str, Any]:
    """Column reads of a shared tile; nothing to compare with a memory ceiling, so bytes are 0."""
    rounds, blocks = 2000, 8 * torch.cuda.get_device_properties(0).multi_processor_count
    out = _empty(blocks * 256)
    lanes, warp = torch.arange(256, device="cuda") % 32, torch.arange(256, device="cuda") // 32
    turns = (torch.arange(rounds, device="cuda")[:, None] + warp) % 32
    expected = (32 * lanes + turns).float().cumsum(0)[-1].repeat(blocks)
    variants: dict[str, Callable[[], None]] = {
        f"pad_{pad}": lambda pad=pad: k.column_reads(out, pad, 0, rounds) for pad in (0, 1, 2, 4, 8)
    }
    variants["swizzle"] = lambda: k.column_reads(out, 0, 31, rounds)
    return _timed(variants, out, lambda: expected, f"{blocks} x 256, {rounds}", 0, rounds * out.numel())


def row_sum() -> dict[str, Any]:
    rows = _fit(262144, 4096)
    x, total = _randn(rows, 1024), _empty(rows)
    variants = {
        "row_sum_tree": lambda: k.row_sum_tree(x, total),
        "row_sum_warp": lambda: k.row_sum_warp(x, total),
    }
    return _timed(variants, total, lambda: x.sum(1), f"{rows} x 1024", 4 * (x.numel() + rows), x.numel())


def fir() -> dict[str, Any]:
    n = _fit(2**27, 12)
    x, taps, out = _randn(n), _randn(17), _empty(n - 16)
    variants = {
        "fir_plain": lambda: k.fir_plain(x, taps, out),
        "fir_read_only": lambda: k.fir_read_only(x, taps, out),
        "fir_constant": lambda: k.fir_constant(x, taps, out),
        "fir_window": lambda: k.fir_window(x, taps, out),
    }
    expected = sum(taps[i] * x[i : i + n - 16] for i in range(17))
    return _timed(variants, out, lambda: expected, f"n = {n}", 8 * n, 34 * n)


def norm() -> dict[str, Any]:
    rows = _fit(32768, 8192 * 20)
    x = torch.randn(rows, 8192, device="cuda", dtype=torch.bfloat16)
    w, out = torch.randn(8192, device="cuda", dtype=torch.bfloat16), torch.empty_like(x)
    variants = {"norm_waits": lambda: k.norm_waits(x, w, out)}
    if compute_capability() >= (8, 0):
        variants["norm_ring"] = lambda: k.norm_ring(x, w, out)
    if compute_capability() >= (9, 0):
        variants["norm_bulk_ring"] = lambda: k.norm_bulk_ring(x, w, out)
    variants["norm_full_occupancy"] = lambda: k.norm_full_occupancy(x, w, out)
    exact = x.float()
    expected = (exact * torch.rsqrt(exact.square().mean(1, keepdim=True) + k.EPSILON) * w.float()).bfloat16()
    del exact
    found = _timed(variants, out, lambda: expected, f"{rows} x 8192", 4 * x.numel(), 4 * x.numel(), rel=1e-2)
    return found | {
        "rows": rows,
        "multiprocessors": torch.cuda.get_device_properties(0).multi_processor_count,
    }


EXPERIMENTS: dict[str, Callable[[], dict[str, Any]]] = {
    f.__name__: f
    for f in (ceilings, stride_curve, layout, plain_copy, dequant, transpose, banks, row_sum, fir, norm)
}


def counters(results: Recorded) -> Result:
    """Hardware counters of the kernels in `profiled`, where Nsight Compute may read them; else the recorded ones."""
    from goodput.profile import CountersRefused, NcuFailed, NcuMissing

    try:
        return results.run("counters", hardware_counters)
    except (NcuMissing, CountersRefused, NcuFailed) as reason:
        print(reason)
        return results.stored("counters")


def hardware_counters() -> dict[str, Any]:
    """`kernels`: what Nsight Compute counts in one launch of each kernel of `profiled`."""
    from goodput.profile import NcuFailed, ncu_python  # with pandas, which timing does not need

    names = list(profiled())
    script = f"import sys; sys.path.append({str(HERE)!r}); import measure\nfor run in measure.profiled().values(): run()"
    ours = (
        "^(strided_read|coalesced_copy|copy_4|copy_16|vector_dequant|tiled_transpose|conflict_free_tile|column_reads|"
        "row_sum_tree|row_sum_warp)$"
    )
    table = ncu_python(script, ours, launches=len(names), timeout_s=PROFILER_S)
    if len(table) != len(names):
        raise NcuFailed(f"{len(table)} launches were profiled instead of {len(names)}", "")
    counts = table.drop(columns=["kernel", "grid", "block"]).to_dict("records")
    kept = {}
    for name, row in zip(names, counts, strict=True):
        kept[name] = {
            column: value for column, value in row.items() if value == value
        }  # NaN: no such counter here
    return {"method": COUNTER_METHOD, "kernels": kept}


def profiled() -> dict[str, Callable[[], None]]:
    """The launches that `hardware_counters` profiles, in order."""
    n = _fit(2**25, 4 * 18)  # as large as the timed ones, or what DRAM moves would hide in L2
    packed, out = _randn(n, 8), _empty(n)
    flat, x = packed.t().contiguous(), packed.view(-1)[:n]
    q = torch.zeros(n, dtype=torch.uint8, device="cuda")
    tile, turned = x.view(-1, 4096), out.view(4096, -1)
    total, sums = _empty(tile.shape[0]), _empty(256 * 64)
    everything = packed.view(-1)
    found: dict[str, Callable[[], None]] = {
        f"stride_{s}": lambda s=s: k.strided_read(everything, out[: 8 * n // s if s > 8 else n], s)
        for s in (1, 2, 4, 8, 16, 32)
    }
    found |= {f"pad_{pad}": lambda pad=pad: k.column_reads(sums, pad, 0, 200) for pad in (0, 1, 2, 4, 8)}
    return found | {
        "swizzle": lambda: k.column_reads(sums, 0, 31, 200),
        "records": lambda: k.records(packed, out),
        "planes": lambda: k.planes(flat, out),
        "wide_planes": lambda: k.wide_planes(flat, out),
        "copy_4": lambda: k.copy_4(x, out),
        "copy_16": lambda: k.copy_16(x, out),
        "dequant_bytes": lambda: k.dequant_bytes(q, out, 0.25, 64.5),
        "dequant_quads": lambda: k.dequant_quads(q, out, 0.25, 64.5),
        "transpose_naive": lambda: k.transpose_naive(tile, turned),
        "transpose_tile": lambda: k.transpose_tile(tile, turned),
        "transpose_padded": lambda: k.transpose_padded(tile, turned),
        "row_sum_tree": lambda: k.row_sum_tree(tile, total),
        "row_sum_warp": lambda: k.row_sum_warp(tile, total),
    }


def _timed(
    variants: dict[str, Callable[[], None]],
    out: torch.Tensor,
    expected: Any,
    shape: str,
    bytes_moved: float,
    flop: float,
    rel: float = 1e-4,
) -> dict[str, Any]:
    """Check and time every variant. `expected`: a function, or one per variant. `rel`: 1024 fp32 terms at most, unless
    outputs are bf16 (8 bits)."""
    ms, spread = {}, {}
    for name, run in variants.items():
        out.fill_(float("nan"))
        run()
        want = expected[name]() if isinstance(expected, dict) else expected()
        scale = want.float().abs().mean().item() or 1.0
        if not torch.allclose(out, want, rtol=rel, atol=rel * scale):
            raise RuntimeError(f"{name} does not compute what torch computes; its time would mean nothing")
        samples = sample(_captured(run), windows=WINDOWS, device="cuda")
        ms[name], spread[name] = samples.median_us / 1e3, samples.summary.spread
    return {"method": METHOD, "shape": shape, "bytes": bytes_moved, "flop": flop, "ms": ms, "spread": spread}


def _captured(run: Callable[[], None]) -> Callable[[], None]:
    """The launches of one call as a CUDA graph: preparing one in Python can take longer than a kernel of 0.2 ms runs."""
    graph = torch.cuda.CUDAGraph()
    # relaxed: preparing a launch asks the driver things that a strict capture refuses, and enqueues nothing else
    with torch.cuda.graph(graph, capture_error_mode="relaxed"):
        run()
    return graph.replay


def _fit(wanted: int, bytes_each: int) -> int:
    """`wanted`, halved until that many elements of `bytes_each` fit in half of the free memory."""
    free = torch.cuda.mem_get_info()[0]
    while wanted * bytes_each > free // 2:
        wanted //= 2
    return wanted


def _randn(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, device="cuda")


def _empty(*shape: int) -> torch.Tensor:
    return torch.empty(*shape, device="cuda")


def main() -> int:
    if not torch.cuda.is_available():
        print(
            "measure.py needs a CUDA GPU and torch sees none; the lesson shows what was recorded",
            file=sys.stderr,
        )
        return 2
    results = recorded(HERE)
    began = time.perf_counter()
    for name, experiment in EXPERIMENTS.items():
        start = time.perf_counter()
        record(HERE, {name: experiment()})
        torch.cuda.empty_cache()
        print(f"{name:<14} {time.perf_counter() - start:6.1f} s", flush=True)
    try:
        record(HERE, {"counters": hardware_counters()})
    except (
        ImportError,
        RuntimeError,
        PermissionError,
    ) as reason:  # no pandas, no ncu or a failed one, no permission
        print(f"counters were not recorded: {reason}")
    print(f"{results.folder}: {time.perf_counter() - began:.0f} s in all")
    return 0


if __name__ == "__main__":
    sys.exit(main())
