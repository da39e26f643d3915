"""Changes the layout inside the timed call: reads are coalesced, but whole records travel there and back."""

DIAGNOSIS = "works but is slower"
DIAGNOSIS_CPU = "technique not used"

ANSWER = '''
from ctypes import c_int64

import torch

from goodput.cuda import kernel, launch

SOURCE = r"""
// planes[field * n + record] = word `field` of `record`: a warp reads 4 sectors and writes to 8
extern "C" __global__ void split(const float* records, float* planes, long long n) {
  const long long w = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (w < 8 * n) planes[w % 8 * n + w / 8] = records[w];
}
extern "C" __global__ void coalesced_copy(const float* planes, float* out, long long n) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2.f * planes[i];
}
"""


def coalesced_copy_pack(records):
    if records.ndim != 2 or records.shape[1] != 8:
        raise ValueError(f"records must be (n, 8), got {tuple(records.shape)}")
    if records.dtype != torch.float32:
        raise TypeError(f"records must be float32, got {records.dtype}")
    return records


def coalesced_copy(packed, out):
    n = out.numel()
    if packed.dtype != torch.float32 or out.dtype != torch.float32:
        raise TypeError(f"packed and out must be float32, got {packed.dtype} and {out.dtype}")
    if n == 0 or packed.numel() != 8 * n:
        raise ValueError(f"packed must hold 8 words per element of out, got {packed.numel()} words for {n}")
    planes = torch.empty(8 * n, dtype=torch.float32, device=packed.device)
    launch(kernel(SOURCE, "split"), (8 * n + 255) // 256, 256, [packed, planes, c_int64(n)])
    launch(kernel(SOURCE, "coalesced_copy"), (n + 255) // 256, 256, [planes, out, c_int64(n)])
'''
