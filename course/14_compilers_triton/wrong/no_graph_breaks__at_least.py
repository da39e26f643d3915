"""Adds 1 also when the sum is exactly at the limit."""

DIAGNOSIS = "mismatch"

EDITS = [("x.sum() > LIMIT", "x.sum() >= LIMIT")]
