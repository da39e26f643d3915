"""Shuffles every epoch the same way."""

DIAGNOSIS = "mismatch"

EDITS = [("random.Random(seed)", "random.Random(0)")]
