"""Handles whole groups of four only: the last n % 4 elements are never written."""

DIAGNOSIS = "not written"

EDITS = [
    (
        """  } else {
    // a vector access here would run past the end: at most three bytes, one by one
#pragma unroll 1
    for (long long i = first; i < n; ++i) out[i] = (q[i] - zero) * scale;
  }
""",
        "  }\n",
    ),
]
