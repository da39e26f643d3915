"""Answers -1 when every replica is down, as if the caller would look."""

DIAGNOSIS = "bad input accepted"

EDITS = [('raise NoReplica("every replica is down")', "return -1")]
