"""Sends each request to the longest cached prefix: all share block 0, so one replica gets everything."""

DIAGNOSIS = "score too low"

EDITS = [
    (
        "finish_s = replica.queued_s + uncached * view.seconds_per_token",
        "finish_s = (uncached, replica.queued_s)",
    )
]
