"""The result is stored where the window ends, not where it begins: the last 16 stores fall behind out."""

DIAGNOSIS = "out of bounds"
EDITS = [("  out[i] = sum;\n", "  out[i + TAPS - 1] = sum;\n")]
