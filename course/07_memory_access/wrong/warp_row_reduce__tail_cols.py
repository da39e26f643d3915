"""Only whole rounds of 128 columns are read; the rest of the row is ignored."""

DIAGNOSIS = "wrong only at the tail"
EDITS = [
    ("  if (lane < head) take(p[lane], lane);\n", ""),
    ("q < quads; q += 32", "q < columns / 128 * 32; q += 32"),
    ("  const int last = head + 4 * quads + lane;\n  if (last < columns) take(p[last], last);\n", ""),
]
