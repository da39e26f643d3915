"""No group is committed for a row that does not exist, so the wait counts wrong for the last rows of a block."""

DIAGNOSIS = "race"
EDITS = [
    (
        "    fetch(row + STAGES * blocks, stage);",
        "    if (row + STAGES * blocks < rows) fetch(row + STAGES * blocks, stage);",
    ),
]
