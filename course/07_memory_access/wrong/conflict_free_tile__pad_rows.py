"""Adds a row instead of a column: rows stay 32 words apart, so a column stays in one bank."""

DIAGNOSIS = "technique not used"

EDITS = [("tile[TILE][TILE + 1];", "tile[TILE + 1][TILE];")]
