"""Stores nothing and delivers nothing."""

DIAGNOSIS = "mismatch"

ANSWER = """
def shard_shuffle(samples, folder):
    pass


def epoch(folder, seed, rank, world):
    return iter(())
"""
