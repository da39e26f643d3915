"""The tile is an array of float4, so the bytes are counted with sizeof(float4): the barrier waits for four times too many."""

DIAGNOSIS = "launch failed"
EDITS = [
    (
        "mbar_expect_tx(&arrived, ROWS * COLUMNS * sizeof(float));",
        "mbar_expect_tx(&arrived, ROWS * COLUMNS * sizeof(float4));",
    ),
]
