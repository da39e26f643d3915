"""Every lane starts at another tap, as one would spread accesses over banks: constant memory then serves one lane at a time."""

DIAGNOSIS = "technique not used"
EDITS = [
    (
        "  for (int k = 0; k < TAPS; k++) sum += c_taps[k] * x[i + k];\n",
        "  for (int k = 0; k < TAPS; k++) {\n"
        "    const int tap = (k + threadIdx.x) % TAPS;\n"
        "    sum += c_taps[tap] * x[i + tap];\n"
        "  }\n",
    ),
]
