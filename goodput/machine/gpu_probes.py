"""Ceilings of the current GPU: memory, L2, matrix products, launches, PCIe. Needs torch with CUDA.

`probes(machine)` returns the list that `probe.run` measures. Rules that keep the numbers honest: copies count
the bytes read and the bytes written; matrices are random (a product of zeros draws less power and runs faster
than any real one); buffers are at least five times L2 and at most a quarter of the memory; the shape that
reached a rate is recorded with it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from goodput.clock import Samples, sample
from goodput.machine.ceiling import Ceiling
from goodput.machine.fingerprint import Gpu, Machine
from goodput.machine.probe import Probe, Unavailable, from_values, rate

GIB = 2**30
WINDOWS = 20
SOURCE = Path(__file__).with_name("probes.cu")
MATRIX_SIDES = (4096, 8192)  # the smaller is often faster where power limits, the larger where latency does
PCIE_BYTES = 256 * 2**20  # long enough (5 ms at 55 GB/s) that starting the copy engine does not count
BLOCKS_PER_SM, THREADS = 8, 256  # 2048 threads: every thread an SM can hold


def probes(machine: Machine) -> list[Probe]:
    """The probes of this machine's GPU, fast ones first."""
    if machine.gpu is None:
        raise ValueError("this machine has no GPU to measure")
    gpu = machine.gpu
    half = "bf16" if gpu.capability >= (8, 0) else "fp16"
    found: list[Probe] = [
        ("copy_gb_per_s", lambda name: _copy(name, gpu)),
        ("read_gb_per_s", lambda name: _read(name, gpu, copy_buffer_bytes(gpu, _free_bytes()))),
        ("l2_gb_per_s", lambda name: _read(name, gpu, gpu.l2_bytes // 4, passes=200)),
        ("launch_us", _launch),
        ("round_trip_us", _round_trip),
        ("h2d_gb_per_s", lambda name: _pcie(name, to_device=True)),
        ("d2h_gb_per_s", lambda name: _pcie(name, to_device=False)),
        ("fp32_tflop_per_s", lambda name: _matmul(name, torch.float32, "ieee")),
        (
            f"{half}_tflop_per_s",
            lambda name: _matmul(name, torch.bfloat16 if half == "bf16" else torch.float16),
        ),
        ("tf32_tflop_per_s", lambda name: _tf32(name, gpu)),
        ("fp8_tflop_per_s", lambda name: _fp8(name, gpu)),
    ]
    return found


def copy_buffer_bytes(gpu: Gpu, free_bytes: int) -> int:
    """Bytes of each of the two copy buffers: 1 GiB or 5 x L2, whichever is more, both within a quarter of the
    memory."""
    least = 5 * gpu.l2_bytes
    most = min(gpu.memory_bytes // 4, free_bytes) // 2
    wanted = min(max(GIB, least), most) // 4096 * 4096
    if wanted < least:
        raise Unavailable(
            f"two buffers of 5 x L2 ({least / 2**20:.0f} MiB each) do not fit in a quarter of the memory or in what is free "
            f"({free_bytes / 2**20:.0f} MiB)"
        )
    return wanted


def _free_bytes() -> int:
    torch.cuda.empty_cache()
    return torch.cuda.mem_get_info()[0]


def _sample(fn: Callable[..., Any], **options: Any) -> Samples:
    return sample(fn, windows=WINDOWS, device="cuda", **options)


def _seconds(samples: Samples) -> list[float]:
    return [t / 1e6 for t in samples.times_us]


def _copy(name: str, gpu: Gpu) -> Ceiling:
    size = copy_buffer_bytes(gpu, _free_bytes())
    source = torch.empty(size, dtype=torch.uint8, device="cuda").random_()
    target = torch.empty_like(source)
    seconds = _seconds(_sample(lambda: target.copy_(source)))
    return rate(
        name, 2 * size / 1e9, seconds, f"torch copy of {size / GIB:.2f} GiB; bytes read + bytes written"
    )


def _read(name: str, gpu: Gpu, size: int, passes: int = 1) -> Ceiling:
    """Read-only rate of `probes.cu`; several passes over a small buffer keep launch overhead out of an L2
    rate."""
    from goodput.cuda import kernel, launch

    read_all = kernel(SOURCE.read_text(), "read_all")
    x = torch.randn(size // 4, device="cuda")
    blocks = gpu.multiprocessors * BLOCKS_PER_SM
    sums = torch.empty(blocks * THREADS, device="cuda")
    arguments = [x, ctypes.c_int64(x.numel() // 4), passes, sums]
    seconds = _seconds(_sample(lambda: launch(read_all, blocks, THREADS, arguments)))
    read = x.numel() // 4 * 16 * passes
    where = "L2 (L1 bypassed)" if passes > 1 else "memory"
    return rate(
        name,
        read / 1e9,
        seconds,
        f"16-byte loads over {size / 2**20:.0f} MiB x {passes} from {where}; bytes read",
    )


def _launch(name: str) -> Ceiling:
    x = torch.zeros(1, device="cuda")
    samples = _sample(lambda: x.add_(1), calls_per_window=1000)  # about 5-10 ms a window
    return from_values(name, samples.host_us, "one-element torch add, back to back; host time per launch")


def _round_trip(name: str) -> Ceiling:
    x = torch.zeros(1, device="cuda")

    def launch_and_wait() -> None:
        x.add_(1)
        torch.cuda.synchronize()

    samples = _sample(launch_and_wait, calls_per_window=200)
    return from_values(name, samples.host_us, "one-element torch add, then synchronise; host time per pair")


def _pcie(name: str, *, to_device: bool) -> Ceiling:
    host = torch.empty(PCIE_BYTES, dtype=torch.uint8, pin_memory=True).random_()
    device = torch.empty(PCIE_BYTES, dtype=torch.uint8, device="cuda")
    source, target = (host, device) if to_device else (device, host)
    seconds = _seconds(_sample(lambda: target.copy_(source, non_blocking=True)))
    return rate(
        name, PCIE_BYTES / 1e9, seconds, f"pinned copy of {PCIE_BYTES / 2**20:.0f} MiB, one direction"
    )


def _best_product(name: str, product: Callable[[int], tuple[Callable[[], Any], str]]) -> Ceiling:
    """The fastest square product of MATRIX_SIDES; the shape says which side, because the rate belongs to
    it."""
    free = _free_bytes()
    found = []
    for side in MATRIX_SIDES:
        if 3 * side * side * 4 > free // 4:
            continue
        fn, what = product(side)
        seconds = _seconds(_sample(fn))
        shape = f"{what}, {side} x {side} x {side}, random normal inputs"
        found.append(rate(name, 2 * side**3 / 1e12, seconds, shape))
    if not found:
        raise Unavailable(f"not enough free memory for a product of side {MATRIX_SIDES[0]}")
    return max(found, key=lambda ceiling: ceiling.value)


def _matmul(name: str, dtype: torch.dtype, fp32_precision: str = "none") -> Ceiling:
    def product(side: int) -> tuple[Callable[[], Any], str]:
        a, b = (torch.randn(side, side, device="cuda", dtype=dtype) for _ in range(2))
        out = torch.empty_like(a)
        return lambda: torch.mm(a, b, out=out), f"torch.mm in {str(dtype).removeprefix('torch.')}"

    with fp32_products_in(fp32_precision):
        return _best_product(name, product)


def _tf32(name: str, gpu: Gpu) -> Ceiling:
    if gpu.capability < (8, 0):
        raise Unavailable("TF32 needs compute capability 8.0")
    return _matmul(name, torch.float32, "tf32")


def _fp8(name: str, gpu: Gpu) -> Ceiling:
    if gpu.capability < (8, 9):
        raise Unavailable("fp8 matrix products need compute capability 8.9")
    one = torch.ones((), device="cuda")

    def product(side: int) -> tuple[Callable[[], Any], str]:
        a, b = (torch.randn(side, side, device="cuda").to(torch.float8_e4m3fn) for _ in range(2))
        column_major = b.t()  # the only layout that the fp8 product takes for its second operand
        return (
            # Private by name, but the product that quantisation libraries call; its public twin is younger than 2.11.
            lambda: torch._scaled_mm(a, column_major, one, one, out_dtype=torch.bfloat16),  # pyright: ignore
            "torch._scaled_mm in float8_e4m3fn, bf16 output",
        )

    return _best_product(name, product)


@contextmanager
def fp32_products_in(precision: str) -> Iterator[None]:
    """Precision of fp32 matrix products inside the block: "ieee", "tf32", or "none" to leave it as it is."""
    matmul = torch.backends.cuda.matmul
    before = matmul.fp32_precision
    if precision != "none":
        matmul.fp32_precision = precision
    try:
        yield
    finally:
        matmul.fp32_precision = before
