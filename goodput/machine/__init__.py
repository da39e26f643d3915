"""Which machine this is and what it can do at most: the only home of hardware facts.

`describe()` names the CPU, GPU, driver and versions; `calibrate()` measures ceilings (copy, matmul, launch,
links, disk) and caches them by the machine's fingerprint; `ceilings()` reads that cache. Datasheet numbers
appear nowhere.
"""

from goodput.machine.cache import cache_folder
from goodput.machine.calibration import calibrate, ceilings, ensure
from goodput.machine.ceiling import Ceiling, Ceilings, CeilingUnknown
from goodput.machine.fingerprint import Gpu, Machine, describe

__all__ = [
    "Ceiling",
    "CeilingUnknown",
    "Ceilings",
    "Gpu",
    "Machine",
    "cache_folder",
    "calibrate",
    "ceilings",
    "describe",
    "ensure",
]
