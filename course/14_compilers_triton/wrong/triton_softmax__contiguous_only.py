"""Finds a row by its width instead of its stride."""

DIAGNOSIS = "wrong for strided inputs"

EDITS = [("tl.load(x + row * row_stride + column", "tl.load(x + row * n + column")]
