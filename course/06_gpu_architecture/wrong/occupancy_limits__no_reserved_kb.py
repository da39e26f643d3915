"""Forgets the kilobyte that the system takes for every block: right on 7.5, too many blocks from 8.0 on."""

DIAGNOSIS = "mismatch"

EDITS = [("(1024, 128) if cc", "(0, 128) if cc")]
