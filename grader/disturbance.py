"""Is this machine fit to time anything right now? Thermal and brake counters, foreign load, a canary copy, CPU pressure.

`Watch(gpu)` remembers the state; `reasons()` names what moved since the last call. A signal that cannot be read is silent: it
can then neither excuse nor accuse. A disturbed machine can turn a refusal into "not graded"; it never touches a pass.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import torch

CANARY_BYTES = 256 << 20  # larger than any L2 cache, small enough to copy in 0.2 ms
CANARY_WARM = 10  # a GPU that idled for a moment needs a few copies to come back to its clocks
CANARY_COPIES = 7
CANARY_OFF = (
    0.15  # assumed, not measured: far beyond the spread of the copy ceiling, so only foreign load reaches it
)
CPU_PRESSURE = 40.0  # per cent of the last ten seconds in which some task waited for a CPU


class Watch:
    def __init__(self, gpu: int):
        self.gpu = gpu
        self.nvml: Any = None
        self.handle: Any = None
        with contextlib.suppress(Exception):
            import pynvml

            pynvml.nvmlInit()
            self.nvml = pynvml
            uuid = str(torch.cuda.get_device_properties(gpu).uuid)
            self.handle = pynvml.nvmlDeviceGetHandleByUUID(uuid if uuid.startswith("GPU-") else f"GPU-{uuid}")
        self.buffers = [torch.zeros(CANARY_BYTES // 4, device=f"cuda:{gpu}") for _ in range(2)]
        self._canary()
        self.quiet_ms = self._canary()
        self.brakes = self._violations()

    def _canary(self) -> float:
        """Milliseconds of one copy, the best of a few: a foreign load slows all of them, a hiccup only one."""
        source, target = self.buffers
        times = []
        for _ in range(CANARY_WARM):
            target.copy_(source)
        for _ in range(CANARY_COPIES):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            target.copy_(source)
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end))
        return min(times)

    def _violations(self) -> dict[str, int]:
        """Nanoseconds the GPU was held back, by policy; counters only ever grow."""
        found: dict[str, int] = {}
        if self.nvml is None or self.handle is None:
            return found
        for name, policy in (("thermal", "NVML_PERF_POLICY_THERMAL"), ("board limit", "NVML_PERF_POLICY_BOARD_LIMIT"),
                             ("low utilization", "NVML_PERF_POLICY_RELIABILITY")):  # fmt: skip
            with contextlib.suppress(Exception):
                status = self.nvml.nvmlDeviceGetViolationStatus(self.handle, getattr(self.nvml, policy))
                found[name] = int(status.violationTime)
        return found

    def _slowdown(self) -> bool:
        with contextlib.suppress(Exception):
            reasons = self.nvml.nvmlDeviceGetCurrentClocksEventReasons(self.handle)
            bad = (self.nvml.nvmlClocksEventReasonSwThermalSlowdown | self.nvml.nvmlClocksThrottleReasonHwThermalSlowdown
                   | self.nvml.nvmlClocksThrottleReasonHwPowerBrakeSlowdown)  # fmt: skip
            return bool(reasons & bad)
        return False

    def reasons(self) -> list[str]:
        found = []
        now = self._violations()
        found += [name for name, value in now.items() if value > self.brakes.get(name, value)]
        self.brakes = now
        if self._slowdown():
            found.append("clocks slowed down")
        if abs(self._canary() / self.quiet_ms - 1) > CANARY_OFF:
            found.append("canary copy")
        pressure = cpu_pressure()
        if pressure is not None and pressure > CPU_PRESSURE:
            found.append("cpu pressure")
        return found

    def close(self) -> None:
        self.buffers = []
        with contextlib.suppress(Exception):
            self.nvml.nvmlShutdown()


def cpu_pressure() -> float | None:
    """`some avg10` of the kernel's pressure stall information, where it exists."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        line = Path("/proc/pressure/cpu").read_text().splitlines()[0]
        return float(dict(f.split("=") for f in line.split()[1:])["avg10"])
    return None
