"""Lets PyTorch compute and only copies with a kernel of its own."""

DIAGNOSIS = "technique not used"

EDITS = [
    ("value = tl.exp(value - tl.max(value, 0))  # lanes beyond the row: exp(-inf) = 0\n    ", ""),
    ("value / tl.sum(value, 0), mask=inside)", "value, mask=inside)"),
    ("rows, n = x.shape", "rows, n = x.shape\n    x = torch.softmax(x, 1)"),
]
