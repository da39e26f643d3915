"""Lets lanes beyond the row read 0: the maximum of a negative row is then that of a column that does not exist."""

DIAGNOSIS = "mismatch"

EDITS = [('other=-float("inf")', "other=0.0")]
