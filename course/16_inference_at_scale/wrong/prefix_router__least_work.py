"""Balances the queues and forgets the caches: every conversation computes its context again."""

DIAGNOSIS = "score too low"

EDITS = [
    ("finish_s = replica.queued_s + uncached * view.seconds_per_token", "finish_s = replica.queued_s"),
]
