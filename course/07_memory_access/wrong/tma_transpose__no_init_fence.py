"""The mbarrier is set up for the threads, but nothing shows it to the copy engine: the fence is missing."""

DIAGNOSIS = "race"
EDITS = [
    ("    mbar_init_fence();  // the copy engine must see the barrier before it counts bytes on it\n", "")
]
