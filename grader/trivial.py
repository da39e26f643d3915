"""Answers that nobody should earn a point with, made from the shipped solution of any exercise.

`trivial_answers(task)` -> name -> answer text: zeros, the input passed through, the result of an earlier call replayed, and the
solution rounded to a lower precision. Each must be rejected by the checks alone, whatever the exercise is about.
"""

from __future__ import annotations

from grader import course
from grader.inputs import build
from grader.task import Task

KERNELS = """
extern "C" __global__ void trivial_zeros(unsigned char* out, long long bytes) {
  for (long long i = blockIdx.x * 256ll + threadIdx.x; i < bytes; i += gridDim.x * 256ll) out[i] = 0;
}
extern "C" __global__ void trivial_copy(const unsigned char* in, unsigned char* out, long long have, long long bytes) {
  for (long long i = blockIdx.x * 256ll + threadIdx.x; i < bytes; i += gridDim.x * 256ll) out[i] = i < have ? in[i] : 0;
}
__device__ unsigned char trivial_saved[4096];
__device__ int trivial_have;
extern "C" __global__ void trivial_replay(unsigned char* out, int bytes) {
  for (int i = threadIdx.x; i < bytes; i += 256)
    if (trivial_have) out[i] = trivial_saved[i];
    else trivial_saved[i] = out[i];
  __syncthreads();
  if (threadIdx.x == 0) trivial_have = 1;
}
extern "C" __global__ void trivial_round32(unsigned* out, long long count) {
  for (long long i = blockIdx.x * 256ll + threadIdx.x; i < count; i += gridDim.x * 256ll) out[i] &= 0xffffe000u;
}
extern "C" __global__ void trivial_round16(unsigned short* out, long long count) {
  for (long long i = blockIdx.x * 256ll + threadIdx.x; i < count; i += gridDim.x * 256ll) out[i] &= 0xfff0u;
}
"""

CUDA = '''
import ctypes as _ctypes

{solution}

SOURCE = SOURCE + r"""
{kernels}
"""
_solve = {name}


def _size(tensor):
    return tensor.numel() * tensor.element_size()


def {name}(*arguments):
    outs = [arguments[i] for i in {outs}]
    first = arguments[{first}]
{body}
'''

CUDA_BODIES = {
    "zeros": """    for out in outs:
        launch(kernel(SOURCE, "trivial_zeros"), 64, 256, [out, _ctypes.c_int64(_size(out))])""",
    "passed_through": """    for out in outs:
        sizes = [_ctypes.c_int64(_size(first)), _ctypes.c_int64(_size(out))]
        launch(kernel(SOURCE, "trivial_copy"), 64, 256, [first, out, *sizes])""",
    "replayed": """    _solve(*arguments)
    for out in outs[:1]:
        launch(kernel(SOURCE, "trivial_replay"), 1, 256, [out, min(4096, _size(out))])""",
    "lower_precision": """    _solve(*arguments)
    for out in outs:
        if out.dtype.is_floating_point:
            name = "trivial_round32" if out.element_size() == 4 else "trivial_round16"
            launch(kernel(SOURCE, name), 64, 256, [out, _ctypes.c_int64(out.numel())])""",
}  # fmt: skip

TENSORS = """
import torch as _torch

{solution}

_solve = {name}
_kept = []


def {name}(*arguments):
    outs = [arguments[i] for i in {outs}]
    first = arguments[{first}]
    value = _solve(*arguments)
    results = (list(value) if isinstance(value, (tuple, list)) else [value]) if {returns} else outs
{body}
    if {returns}:
        return changed[0] if len(changed) == 1 else tuple(changed)
    for out, new in zip(outs, changed):
        out.copy_(new)
"""

TENSOR_BODIES = {
    "zeros": "    changed = [_torch.zeros_like(r) for r in results]",
    "passed_through": "    changed = [first.to(r.dtype) if first.shape == r.shape else r * 0 for r in results]",
    "replayed": "    _kept.append([r.clone() for r in results])\n    changed = [k if k.shape == r.shape else r"
    " for k, r in zip(_kept[-2] if len(_kept) > 1 else results, results)]",
    "lower_precision": "    changed = [r.to(_torch.bfloat16).to(r.dtype) for r in results]",
}


def positions(task: Task) -> tuple[list[int], int, bool]:
    """(indices of the outputs among the arguments, index of the first tensor, does any output hold floats)."""
    case = next(c for c in task.cases if not c.timed)
    call = build(task, case, "cpu", 0)
    order = task.arguments or (*call.inputs, *(() if task.returns else call.outputs))
    outs = [order.index(n) for n in call.outputs if n in order]
    first = next(
        i
        for i, n in enumerate(order)
        if n not in call.outputs and not isinstance(call.inputs.get(n), (int, float))
    )
    return outs, first, any("float" in o.dtype for o in call.outputs.values())


def trivial_answers(task: Task) -> dict[str, str]:
    """Answer texts by name; exercises without tensors (analysis, simulation, system) have their own in `wrong/`."""
    if task.kind not in ("cuda", "torch", "triton"):
        return {}
    outs, first, floats = positions(task)
    template, bodies = (CUDA, CUDA_BODIES) if task.kind == "cuda" else (TENSORS, TENSOR_BODIES)
    made = {}
    for name, body in bodies.items():
        if name == "lower_precision" and not floats:
            continue
        fields = {"solution": course.solution(task), "name": task.name, "kernels": KERNELS.strip(), "outs": outs,
                  "first": first, "body": body, "returns": task.returns}  # fmt: skip
        text = template
        for key, value in fields.items():
            text = text.replace("{" + key + "}", str(value))
        made[name] = text
    return made
