"""From the driver's status codes to `LaunchError`, with what each code usually means in a kernel.

`check(result)` unwraps what a cuda-bindings call returns; `failure(code, facts)` builds the error for a plain
code. An error of a kernel often shows only at the next synchronisation, and after the sticky ones nothing
works in this process any more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import cuda.bindings.driver as driver

from goodput.cuda.errors import LaunchError

_MEANING = {
    "CUDA_ERROR_INVALID_VALUE": "the launch does not fit: compare grid, block, shared memory and arguments with the kernel",
    "CUDA_ERROR_OUT_OF_MEMORY": "the GPU's memory is full: free tensors or use smaller ones",
    "CUDA_ERROR_NO_DEVICE": "no GPU is visible: check nvidia-smi and CUDA_VISIBLE_DEVICES",
    "CUDA_ERROR_NO_BINARY_FOR_GPU": "compiled for another GPU: compile for this one's compute capability",
    "CUDA_ERROR_INVALID_IMAGE": "the machine code cannot be loaded: compile again for this GPU",
    "CUDA_ERROR_NOT_FOUND": "no such name in the compiled source: check spelling and extern \"C\"",
    "CUDA_ERROR_ILLEGAL_ADDRESS": "a thread read or wrote outside every buffer: check the index at the tail of the data",
    "CUDA_ERROR_MISALIGNED_ADDRESS": "a wide access was not aligned: a float4 needs an address that is a multiple of 16",
    "CUDA_ERROR_INVALID_ADDRESS_SPACE": "a shared-memory instruction got a global address, or the reverse: check pointers",
    "CUDA_ERROR_ILLEGAL_INSTRUCTION": "a thread trapped or its instruction does not exist here: look for a wait on an mbarrier "
    "that never ends (wrong parity or byte count)",
    "CUDA_ERROR_LAUNCH_FAILED": "the kernel broke off: look for a trap, such as a wait on an mbarrier that never ends (wrong "
    "parity or byte count), or shared memory accessed out of range",
    "CUDA_ERROR_ASSERT": "an assert in the kernel failed: see the line that it printed",
    "CUDA_ERROR_LAUNCH_TIMEOUT": "the kernel ran too long for a display GPU: look for a loop that does not end",
    "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES": "a block needs more registers or shared memory than there are: use "
    "fewer threads per block, or __launch_bounds__",
    "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE": "not all blocks fit on the GPU at once: launch fewer blocks and loop",
    "CUDA_ERROR_INVALID_CLUSTER_SIZE": "this cluster does not fit: use at most 8 blocks, or less shared memory per block",
    "CUDA_ERROR_NOT_SUPPORTED": "this GPU or driver lacks the feature: check what compute capability it needs",
    "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED": "this cannot be captured in a graph: call it once before the capture begins",
    "CUDA_ERROR_INVALID_PC": "the kernel jumped to no code: look for a function pointer or a stack that overflowed",
    "CUDA_ERROR_HARDWARE_STACK_ERROR": "the kernel's stack overflowed: avoid recursion and large local arrays",
}  # fmt: skip


def check(result: Any) -> Any:
    """The values that a cuda-bindings call returned after its status: none, one, or a tuple of several."""
    status, *values = result
    if status != driver.CUresult.CUDA_SUCCESS:
        raise failure(int(status))
    if len(values) <= 1:
        return values[0] if values else None
    return tuple(values)


def failure(code: int, facts: Mapping[str, Any] | None = None) -> LaunchError:
    try:
        name = driver.CUresult(code).name
    except ValueError:  # from a driver newer than the bindings
        name = f"CUDA error {code}"
    return LaunchError(
        name, _MEANING.get(name, "the driver refused: see the CUDA documentation of this error"), facts
    )
