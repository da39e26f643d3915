"""The mask of the shuffles names 16 lanes, but all 32 take part."""

DIAGNOSIS = "race"
EDITS = [
    ("sum += __shfl_xor_sync(0xffffffffu, sum, offset);", "sum += __shfl_xor_sync(0xffffu, sum, offset);"),
]
