"""Measure the ceilings of a device, keep them, and hand them out.

`calibrate` measures and stores; `ceilings` only reads; `ensure` reads and measures where there is nothing to
read. Knows the probes' order and the cache, not how anything is measured.
"""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Literal

from goodput.clock import pick_device
from goodput.machine import cache, probe
from goodput.machine.ceiling import Ceilings
from goodput.machine.fingerprint import describe


def calibrate(
    device: Literal["auto", "cpu", "cuda"] = "auto",
    progress: probe.Progress | None = None,
    scratch: Path | None = None,
) -> Ceilings:
    """Measure the ceilings of `device`, store them in the cache and return them.

    progress(name, done, total) is called after each ceiling. scratch: folder whose disk the CPU calibration
    measures, by default the cache folder. About a minute on a GPU, half a minute on a CPU.
    """
    machine = describe()
    where = pick_device(device)
    if where == "cuda":
        if machine.gpu is None:
            raise ValueError("this machine has no GPU that its driver can describe; use device='cpu'")
        from goodput.machine import gpu_probes

        probes, name = gpu_probes.probes(machine), machine.gpu.name
    else:
        from goodput.machine import cpu_probes

        probes, name = cpu_probes.probes(machine, scratch or cache.cache_folder()), machine.cpu
    values, absent = probe.run(probes, progress)
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    found = Ceilings(where, machine.fingerprint, name, now, values, absent)
    cache.store(found)
    return found


def ceilings(device: Literal["auto", "cpu", "cuda"] = "auto") -> Ceilings | None:
    """The cached ceilings of `device` on this machine, or None; an unreadable cache is None with one
    warning."""
    return cache.load(describe().fingerprint, pick_device(device))


def ensure(
    device: Literal["auto", "cpu", "cuda"] = "auto", progress: probe.Progress | None = None
) -> Ceilings:
    """The cached ceilings of `device`, measured first where there are none."""
    return ceilings(device) or calibrate(device, progress)
