"""Exchanges columns with only four bits of the row: rows r and r + 16 of a column share a bank."""

DIAGNOSIS = "technique not used"

EDITS = [
    ("tile[TILE][TILE + 1];", "tile[TILE][TILE];"),
    ("tile[ty + k][tx] = x", "tile[ty + k][tx ^ ((ty + k) & 15)] = x"),
    ("= tile[tx][ty + k];", "= tile[tx][(ty + k) ^ (tx & 15)];"),
]
