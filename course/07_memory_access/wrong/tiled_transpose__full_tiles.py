"""Tests no bounds: right when M and N are multiples of 32, past the end of x and out when they are not."""

DIAGNOSIS = "out of bounds"

EDITS = [
    ("if (row < M && column < N) tile[ty + k][tx] =", "tile[ty + k][tx] ="),
    ("if (from < M && to < N) out[(size_t)to * M + from] =", "out[(size_t)to * M + from] ="),
]
