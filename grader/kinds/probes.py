"""The copy probe: what a plain copy of the same bytes costs, timed in the same rounds as an answer.

Written as an answer, so that it goes through the same plan, device worker and windows as everything else.
"""

from __future__ import annotations

from dataclasses import replace

import torch

from grader.inputs import Call, out_bytes
from grader.task import Task

COPY = '''
from goodput.cuda import kernel, launch

SOURCE = r"""
extern "C" __global__ void copy_probe(const float4* __restrict__ from, float4* __restrict__ to, long long n) {
  for (long long i = blockIdx.x * 256ll + threadIdx.x; i < n; i += gridDim.x * 256ll) to[i] = from[i];
}
"""


def copy_probe(*arguments):
    import ctypes

    tensors = [a for a in arguments if hasattr(a, "numel")]
    source, target = tensors[0], tensors[-1]
    chunks = min(source.numel() * source.element_size(), target.numel() * target.element_size()) // 16
    launch(kernel(SOURCE, "copy_probe"), (chunks + 255) // 256, 256, [source, target, ctypes.c_int64(chunks)])
'''


def copied_bytes(call: Call) -> int:
    """Bytes that the probe reads plus bytes that it writes on this call."""
    tensors = [v.numel() * v.element_size() for v in call.inputs.values() if isinstance(v, torch.Tensor)]
    outs = [out_bytes(o) for o in call.outputs.values()]
    return 2 * (min(tensors[0], outs[-1]) // 16 * 16)


def copy_task(task: Task) -> Task:
    """The task with the probe's function name: same inputs, outputs and cases."""
    return replace(task, name="copy_probe", prepare=None, arguments=())
