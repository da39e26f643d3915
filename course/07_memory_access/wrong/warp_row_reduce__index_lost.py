"""The shuffles carry the value of the maximum; its column stays behind."""

DIAGNOSIS = "mismatch"
EDITS = [
    (
        """    const Candidate other = {__shfl_xor_sync(0xffffffffu, top.value, offset),
                             __shfl_xor_sync(0xffffffffu, top.column, offset)};
    if (beats(other, top)) top = other;
""",
        """    const float other = __shfl_xor_sync(0xffffffffu, top.value, offset);
    if (!(other <= top.value)) top.value = other;
""",
    ),
]
