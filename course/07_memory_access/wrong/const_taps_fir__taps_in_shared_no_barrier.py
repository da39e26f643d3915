"""A few threads copy the taps to shared memory, and nobody waits for them."""

DIAGNOSIS = "race"
EDITS = [
    (
        "__constant__ float c_taps[TAPS];\n",
        "",
    ),
    (
        "  if (i >= outputs) return;\n",
        "  __shared__ float s_taps[TAPS];\n"
        "  if (threadIdx.x < TAPS) s_taps[threadIdx.x] = taps[threadIdx.x];\n"
        "  if (i >= outputs) return;\n",
    ),
    ("sum += c_taps[k] * x[i + k];", "sum += s_taps[k] * x[i + k];"),
    (', constants={"c_taps": taps})', ")"),
]
