"""Turns the words inside each tile but leaves the tile where it was: the blocks do not change places."""

DIAGNOSIS = "mismatch"

EDITS = [
    (
        """    const int from = row0 + tx, to = column0 + ty + k;
    if (from < M && to < N) out""",
        """    const int from = column0 + tx, to = row0 + ty + k;
    if (from < M && to < N) out""",
    ),
]
