"""Every round waits until no copy is pending: the ring is filled, but nothing is in flight while it computes the row."""

DIAGNOSIS = "technique not used"
EDITS = [("    cp_wait<STAGES - 1>();\n", "    cp_wait<0>();\n")]
