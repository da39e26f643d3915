"""Deals out whole pieces, so that one rank has more to do than another, and all where there is only one piece."""

DIAGNOSIS = "mismatch"

EDITS = [
    ("    for shard in order:\n", "    for shard in order[rank::world]:\n"),
    ("    first, last = total * rank // world, total * (rank + 1) // world", "    first, last = 0, total"),
]
