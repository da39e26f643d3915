"""Run something under a profiler and read back what it saw.

`kernels(fn)` uses torch.profiler, `nvtx(name)` marks a range for a timeline, `ncu(command)` and
`ncu_python(source)` ask Nsight Compute for hardware counters. Results are pandas tables; nothing here judges
them.
"""

from goodput.profile.metrics import ACCESS_METRICS, Metric, meaning
from goodput.profile.nsight import CountersRefused, NcuFailed, NcuMissing, ncu, ncu_python
from goodput.profile.trace import kernels, nvtx

__all__ = [
    "ACCESS_METRICS",
    "CountersRefused",
    "Metric",
    "NcuFailed",
    "NcuMissing",
    "kernels",
    "meaning",
    "ncu",
    "ncu_python",
    "nvtx",
]
