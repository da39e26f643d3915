"""Turns the comparison around: a NaN is neither above nor at most the limit, and here it adds 1."""

DIAGNOSIS = "mismatch"

EDITS = [("torch.where(x.sum() > LIMIT, x + 1, x)", "torch.where(x.sum() <= LIMIT, x, x + 1)")]
