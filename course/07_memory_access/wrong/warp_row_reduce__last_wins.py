"""Equal values are taken as they come, so the highest column wins a tie."""

DIAGNOSIS = "mismatch"
EDITS = [
    ("!(v <= top.value) && top.value == top.value", "!(v < top.value) && top.value == top.value"),
    ("(a.value == b.value && a.column < b.column)", "(a.value == b.value && a.column > b.column)"),
]
