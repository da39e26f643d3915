"""Collects all samples in a list before it writes them."""

DIAGNOSIS = "technique not used"

EDITS = [("for sample in samples:", "for sample in list(samples):")]
