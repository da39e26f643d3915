"""CUDA C++ from Python: name a kernel, launch it, see what the compiler made of it.

    from goodput.cuda import kernel, launch

    SOURCE = 'extern "C" __global__ void add_one(float* x, int n) { ... }'
    launch(kernel(SOURCE, "add_one"), grid=(n + 255) // 256, block=256, args=[x, n])

`launch` runs on the GPU that holds the tensors, or on the emulator when they are CPU tensors. Names are imported when they are
first used, so that a process that only compiles or only reads plans does not load torch.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from goodput.cuda.arguments import TensorMap, tensor_map
    from goodput.cuda.errors import CompileError, LaunchError, Message
    from goodput.cuda.kernels import Kernel, compute_capability, kernel, launch, multiprocessors
    from goodput.cuda.limits import PlanError
    from goodput.cuda.plan import Launch, Plan
    from goodput.cuda.plan_json import from_json, to_json
    from goodput.cuda.recorder import record, recording

_HOMES = {
    "arguments": ("TensorMap", "tensor_map"),
    "errors": ("CompileError", "LaunchError", "Message"),
    "kernels": ("Kernel", "compute_capability", "kernel", "launch", "multiprocessors"),
    "limits": ("PlanError",),
    "plan": ("Launch", "Plan"),
    "plan_json": ("from_json", "to_json"),
    "recorder": ("record", "recording"),
}

__all__ = [
    "CompileError",
    "Kernel",
    "Launch",
    "LaunchError",
    "Message",
    "Plan",
    "PlanError",
    "TensorMap",
    "compute_capability",
    "from_json",
    "kernel",
    "launch",
    "multiprocessors",
    "record",
    "recording",
    "tensor_map",
    "to_json",
]


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(f"goodput.cuda.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
