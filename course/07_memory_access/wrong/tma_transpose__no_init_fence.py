"""Nothing orders the set-up of the mbarrier before its use: neither the fence nor the barrier of the block."""

DIAGNOSIS = "race"
EDITS = [
    (
        "    mbar_init_fence();  // the copy engine must see the barrier before it counts bytes on it\n  }\n  __syncthreads();\n",
        "  }\n",
    ),
]
