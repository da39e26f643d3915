"""Takes M for the columns and N for the rows of x: right for square matrices only."""

DIAGNOSIS = "mismatch"

EDITS = [
    ("int M, int N) {", "int N, int M) {"),
    ("grid = ((N + 31) // 32, (M + 31) // 32)", "grid = ((M + 31) // 32, (N + 31) // 32)"),
]
