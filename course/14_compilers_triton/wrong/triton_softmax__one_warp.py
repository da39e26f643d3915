"""Gives a row of 8192 to a single warp: 256 values per thread do not fit in its registers."""

DIAGNOSIS = "technique not used"

EDITS = [("num_warps=8)", "num_warps=1)")]
