"""Reads the tile without waiting for the warps that fill it."""

DIAGNOSIS = "race"

EDITS = [("  __syncthreads();\n", "")]
