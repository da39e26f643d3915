"""Packs the samples into one file and then reads them one by one, each with a request of its own."""

DIAGNOSIS = "technique not used"

EDITS = [("SHARD_BYTES = 512 << 10", "SHARD_BYTES = 1")]
