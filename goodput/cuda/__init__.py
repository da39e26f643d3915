"""CUDA C++ from Python: name a kernel, launch it, see what the compiler made of it.

    from goodput.cuda import kernel, launch

    SOURCE = 'extern "C" __global__ void add_one(float* x, int n) { ... }'
    launch(kernel(SOURCE, "add_one"), grid=(n + 255) // 256, block=256, args=[x, n])

`launch` runs on the GPU that holds the tensors, or on the emulator when they are CPU tensors.
"""

from goodput.cuda.arguments import TensorMap, tensor_map
from goodput.cuda.errors import CompileError, LaunchError, Message
from goodput.cuda.kernels import Kernel, compute_capability, kernel, launch, multiprocessors
from goodput.cuda.limits import PlanError
from goodput.cuda.plan import Launch, Plan
from goodput.cuda.plan_json import from_json, to_json
from goodput.cuda.recorder import record, recording

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
