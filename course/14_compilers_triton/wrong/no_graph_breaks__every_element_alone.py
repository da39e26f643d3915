"""Compares every element with its share of the limit instead of all of them together."""

DIAGNOSIS = "mismatch"

EDITS = [("torch.where(x.sum() > LIMIT, x + 1, x)", "torch.where(x > LIMIT / x.numel(), x + 1, x)")]
