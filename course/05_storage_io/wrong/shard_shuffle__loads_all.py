"""Takes the whole data set as its window: a perfect shuffle, as long as the set fits into memory."""

DIAGNOSIS = "technique not used"

EDITS = [("WINDOW = 4 ", "WINDOW = 1 << 30 ")]
