"""One kernel that uses each technique of chapter 07 and one that does not, with the instruction that tells them apart.

In every source the kernel is called `k`. Rows of the pattern table that other chapters use belong to their tests.
"""

from dataclasses import dataclass

BEFORE_HOPPER = ("sm_75", "sm_80", "sm_90a", "sm_120a")
FROM_AMPERE = ("sm_80", "sm_90a", "sm_120a")
FROM_HOPPER = ("sm_90a", "sm_120a")


@dataclass(frozen=True)
class Sample:
    pattern: str
    archs: tuple[str, ...]
    present: str
    absent: str


def _kernel(parameters: str, body: str, before: str = "") -> str:
    index = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
    return f'{before}\nextern "C" __global__ void k({parameters}) {{\n  {index}\n{body}\n}}\n'


_COPY_1 = _kernel("float* x, float* y", "y[i] = x[i];")
_COPY_4 = _kernel("float4* x, float4* y", "y[i] = x[i];")
_THROUGH_SHARED = _kernel(
    "float* x, float* y",
    "__shared__ float t[256]; t[threadIdx.x] = x[i]; __syncthreads(); y[i] = t[255 - threadIdx.x];",
)
_RING = "#include <goodput/primitives.cuh>"
_CP_ASYNC = _kernel(
    "const float4* x, float4* y",
    "__shared__ float4 t[256]; cp_async16(&t[threadIdx.x], x + i); cp_commit(); cp_wait<0>(); y[i] = t[threadIdx.x];",
    _RING,
)
_BULK = _kernel(
    "const float4* x, float4* y",
    """__shared__ __align__(128) float4 t[256]; __shared__ u64 bar;
  if (threadIdx.x == 0) { mbar_init(&bar, 1); mbar_init_fence(); }
  __syncthreads();
  if (threadIdx.x == 0) { mbar_expect_tx(&bar, 4096); bulk_g2s(t, x + blockIdx.x * 256, 4096, &bar); }
  mbar_wait(&bar, 0);
  y[i] = t[threadIdx.x];""",
    _RING,
)
_MAP = _kernel(
    "const __grid_constant__ TensorMap map, float4* y",
    """__shared__ __align__(1024) float4 t[128 * 8]; __shared__ u64 bar;
  if (threadIdx.x == 0) { mbar_init(&bar, 1); mbar_init_fence(); }
  __syncthreads();
  if (threadIdx.x == 0) { mbar_expect_tx(&bar, 16384); tma_load_2d(t, &map, 0, 0, &bar); }
  mbar_wait(&bar, 0);
  y[i] = t[threadIdx.x];""",
    _RING,
)
_LOCAL_ARRAY = _kernel(
    "float* x, float* y, int n",
    "volatile float v[50]; for (int j = 0; j < n; j++) v[j] = x[j]; y[i] = v[n - threadIdx.x];",
)
_SHUFFLE = _kernel("float* x, float* y", "y[i] = __shfl_xor_sync(0xffffffffu, x[i], 1);")
_CONSTANT_BANK = _kernel("float* y, int n", "y[i] = taps[n];", "__constant__ float taps[17];")
_READ_ONLY = _kernel("const float* __restrict__ x, float* __restrict__ y", "y[i] = x[i];")

SAMPLES = {
    "16-byte load": Sample(r"LDG\.E\S*128", BEFORE_HOPPER, _COPY_4, _COPY_1),
    "16-byte store": Sample(r"STG\.E\S*128", BEFORE_HOPPER, _COPY_4, _COPY_1),
    "read-only load": Sample(r"LDG\.E\S*CONSTANT", BEFORE_HOPPER, _READ_ONLY, _COPY_1),
    "constant bank": Sample(r"c\[0x3\]", BEFORE_HOPPER, _CONSTANT_BANK, _COPY_1),
    "shuffle": Sample(r"SHFL\.(?:BFLY|DOWN)", BEFORE_HOPPER, _SHUFFLE, _THROUGH_SHARED),
    "block barrier": Sample(r"BAR\.SYNC", BEFORE_HOPPER, _THROUGH_SHARED, _SHUFFLE),
    "shared memory": Sample(r"\b(?:LDS|STS)", BEFORE_HOPPER, _THROUGH_SHARED, _SHUFFLE),
    "local memory": Sample(r"\b(?:LDL|STL)\b", BEFORE_HOPPER, _LOCAL_ARRAY, _COPY_1),
    "cp.async": Sample(r"LDGSTS", FROM_AMPERE, _CP_ASYNC, _THROUGH_SHARED),
    "cp.async group": Sample(r"LDGDEPBAR", FROM_AMPERE, _CP_ASYNC, _THROUGH_SHARED),
    "bulk copy": Sample(r"UBLKCP", FROM_HOPPER, _BULK, _CP_ASYNC),
    "tensor map": Sample(r"UTMALDG", FROM_HOPPER, _MAP, _BULK),
    "mbarrier": Sample(r"SYNCS\.", FROM_HOPPER, _BULK, _CP_ASYNC),
}
