"""Chunk c of a row is read at place c, as if the tile were not swizzled."""

DIAGNOSIS = "mismatch"
EDITS = [("tile[r * CHUNKS + (chunk ^ (r & 7))]", "tile[r * CHUNKS + chunk]")]
