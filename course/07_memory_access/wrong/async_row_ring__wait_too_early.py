"""The wait allows as many pending groups as the ring has stages, so the row that is read may still be on its way."""

DIAGNOSIS = "race"
EDITS = [("    cp_wait<STAGES - 1>();\n", "    cp_wait<STAGES>();\n")]
