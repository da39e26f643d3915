"""Shuffles the pieces and leaves the samples inside them in the order in which they were written."""

DIAGNOSIS = "mismatch"

EDITS = [("            rng.shuffle(window)\n", "")]
