"""Gives every rank the same number of samples and forgets those that are left over."""

DIAGNOSIS = "wrong only at the tail"

EDITS = [
    (
        "first, last = total * rank // world, total * (rank + 1) // world",
        "first, last = total // world * rank, total // world * (rank + 1)",
    )
]
