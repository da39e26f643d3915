"""Pads by two words: rows 34 words apart put a column into every second bank, two words in each."""

DIAGNOSIS = "technique not used"

EDITS = [("tile[TILE][TILE + 1];", "tile[TILE][TILE + 2];")]
