"""Leaves the choice out, because in the example the sum never was above the limit."""

DIAGNOSIS = "mismatch"

EDITS = [("        x = torch.where(x.sum() > LIMIT, x + 1, x)\n", "")]
