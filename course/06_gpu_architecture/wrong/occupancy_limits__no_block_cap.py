"""Forgets that an SM holds a limited number of blocks, however small they are."""

DIAGNOSIS = "mismatch"

EDITS = [(', "blocks": sm_blocks}', "}")]
