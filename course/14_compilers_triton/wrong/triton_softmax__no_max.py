"""Leaves out the maximum: the exponentials of large values are infinite, those of very negative ones all 0."""

DIAGNOSIS = "mismatch"

EDITS = [("tl.exp(value - tl.max(value, 0))", "tl.exp(value)")]
