"""Every rank shuffles the pieces with a seed of its own before it takes its part, so the parts overlap."""

DIAGNOSIS = "mismatch"

EDITS = [("random.Random(seed)", "random.Random(seed + rank)")]
