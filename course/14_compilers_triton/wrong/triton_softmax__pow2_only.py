"""Reads and writes whole blocks: right for widths that are powers of two."""

DIAGNOSIS = "out of bounds"

EDITS = [
    (', mask=inside, other=-float("inf"))', ")"),
    ("value / tl.sum(value, 0), mask=inside)", "value / tl.sum(value, 0))"),
]
