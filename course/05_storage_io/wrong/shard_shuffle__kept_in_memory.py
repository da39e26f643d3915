"""Keeps the samples in a variable: the process that reads is another one and has none."""

DIAGNOSIS = "mismatch"

ANSWER = """
import random

KEPT = {}


def shard_shuffle(samples, folder):
    KEPT[folder] = list(samples)


def epoch(folder, seed, rank, world):
    order = list(KEPT.get(folder, []))
    random.Random(seed).shuffle(order)
    return iter(order[rank::world])
"""
