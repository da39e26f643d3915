"""Run as a child process: print the facts of the first visible GPU as one line of JSON, or exit 1 where there
is none.

A process of its own because the driver, once initialised, does not survive a fork. Uses the driver's own
interface (no torch) and, where it answers, the management library for the driver's version and the power
limit.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def facts() -> dict[str, Any] | None:
    """Facts of device 0, with the field names of `goodput.machine.Gpu`; None without a usable GPU."""
    try:
        import cuda.bindings.driver as cu  # pyright: ignore[reportMissingImports]
    except ImportError:
        return None

    def ask(function: Any, *arguments: Any) -> Any:
        status, *values = function(*arguments)
        if status != cu.CUresult.CUDA_SUCCESS:
            raise OSError(f"{function.__name__}: {status.name}")
        return values[0] if values else None

    attribute = cu.CUdevice_attribute
    try:
        ask(cu.cuInit, 0)
        device = ask(cu.cuDeviceGet, 0)
        version = ask(cu.cuDriverGetVersion)
        found = {
            "name": ask(cu.cuDeviceGetName, 128, device).split(b"\0", 1)[0].decode(),
            "capability": [
                int(
                    ask(
                        cu.cuDeviceGetAttribute,
                        attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                        device,
                    )
                ),
                int(
                    ask(
                        cu.cuDeviceGetAttribute,
                        attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                        device,
                    )
                ),
            ],
            "multiprocessors": int(
                ask(cu.cuDeviceGetAttribute, attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device)
            ),
            "l2_bytes": int(
                ask(cu.cuDeviceGetAttribute, attribute.CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device)
            ),
            "memory_bytes": int(ask(cu.cuDeviceTotalMem, device)),
            "driver": f"CUDA {version // 1000}.{version % 1000 // 10}",
        }
        address = ask(cu.cuDeviceGetPCIBusId, 32, device).split(b"\0", 1)[0].decode()
    except OSError:
        return None
    return found | _management(address)


def _management(pci_address: str) -> dict[str, Any]:
    """Driver version and enforced power limit of the GPU at a PCI address; empty where NVML does not
    answer."""
    try:
        import pynvml

        pynvml.nvmlInit()
    except Exception:  # no library, no permission, no NVML in this container: all mean "cannot be asked"
        return {}
    found: dict[str, Any] = {}
    try:
        found["driver"] = str(pynvml.nvmlSystemGetDriverVersion())
        handle = pynvml.nvmlDeviceGetHandleByPciBusId(pci_address)
        found["power_limit_watts"] = round(pynvml.nvmlDeviceGetEnforcedPowerLimit(handle) / 1000)
    except pynvml.NVMLError:
        pass
    finally:
        pynvml.nvmlShutdown()
    return found


if __name__ == "__main__":
    answer = facts()
    if answer is None:
        sys.exit(1)
    print(json.dumps(answer))
