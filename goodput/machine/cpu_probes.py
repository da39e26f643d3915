"""Ceilings of the host: memory copy, fp32 matrix product, sequential disk, loopback. For real, on any machine.

`probes(machine, scratch)` returns the list that `probe.run` measures. Copies count the bytes read and the
bytes written and use buffers of at least four times the last-level cache; the disk probe (`disk_probe.py`)
writes a bounded file that has no name.
"""

from __future__ import annotations

import functools
from pathlib import Path

import torch

from goodput.clock import sample
from goodput.machine.ceiling import Ceiling
from goodput.machine.disk_probe import disk_rates
from goodput.machine.fingerprint import Machine
from goodput.machine.loopback_probe import loopback_gb_per_s
from goodput.machine.probe import Probe, Unavailable, from_values, rate

WINDOWS = 10
ASSUMED_CACHE_BYTES = 64 * 2**20  # where the system does not tell: more than most sockets have
MATRIX_SIDE = (
    2048  # 17 GFLOP, 50 MB: a few tenths of a second on two cores, beyond every cache but the largest
)
DISK_BYTES = 512 * 2**20  # longer than a drive's write cache hides, short enough for a shared scratch disk

LOOPBACK_BYTES = 256 * 2**20  # per window: a tenth of a second or more


def probes(machine: Machine, scratch: Path) -> list[Probe]:
    """The probes of this machine's host side; the disk is the one that holds `scratch`."""
    rates = functools.cache(
        lambda: disk_rates(scratch, DISK_BYTES)
    )  # both directions come from one scratch file
    return [
        ("copy_gb_per_s", lambda name: copy(name, copy_buffer_bytes(machine))),
        ("fp32_gflop_per_s", lambda name: matmul(name, MATRIX_SIDE)),
        ("disk_write_mb_per_s", lambda name: from_values(name, rates().write_mb_per_s, rates().write_how)),
        ("disk_read_mb_per_s", lambda name: from_values(name, rates().read_mb_per_s, rates().read_how)),
        ("loopback_gb_per_s", lambda name: loopback(name, LOOPBACK_BYTES)),
    ]


def copy_buffer_bytes(machine: Machine) -> int:
    """Bytes of each of the two copy buffers: four last-level caches, both within a quarter of the memory."""
    least = 4 * (machine.last_level_cache_bytes or ASSUMED_CACHE_BYTES)
    if 2 * least > machine.memory_bytes // 4:
        raise Unavailable(
            f"two buffers of four last-level caches ({least / 2**20:.0f} MiB each) are more than a quarter of the memory"
        )
    return least


def copy(name: str, size: int, windows: int = WINDOWS) -> Ceiling:
    source = torch.randint(0, 256, (size,), dtype=torch.uint8)
    target = torch.empty_like(source)
    samples = sample(lambda: target.copy_(source), windows=windows, device="cpu")
    seconds = [t / 1e6 for t in samples.times_us]
    shape = (
        f"torch copy of {size / 2**20:.0f} MiB, {torch.get_num_threads()} threads; bytes read + bytes written"
    )
    return rate(name, 2 * size / 1e9, seconds, shape)


def matmul(name: str, side: int, windows: int = WINDOWS) -> Ceiling:
    a, b = torch.randn(side, side), torch.randn(side, side)
    out = torch.empty_like(a)
    samples = sample(lambda: torch.mm(a, b, out=out), windows=windows, device="cpu")
    seconds = [t / 1e6 for t in samples.times_us]
    shape = f"torch.mm in float32, {side} x {side} x {side}, {torch.get_num_threads()} threads, random normal inputs"
    return rate(name, 2 * side**3 / 1e9, seconds, shape)


def loopback(name: str, window_bytes: int, windows: int = WINDOWS) -> Ceiling:
    rates = loopback_gb_per_s(window_bytes, windows)
    return from_values(name, rates, "one TCP stream over 127.0.0.1, messages of 1 MiB; bytes received")
