"""Counts threads instead of warps: a block of 33 threads takes the place of two warps."""

DIAGNOSIS = "mismatch"

EDITS = [('{"threads": sm_threads // 32 // warps,', '{"threads": sm_threads // threads,')]
