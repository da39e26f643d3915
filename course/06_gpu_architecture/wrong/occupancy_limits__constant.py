"""Answers the same for every kernel."""

DIAGNOSIS = "mismatch"

ANSWER = """
def occupancy_limits(registers, shared_bytes, threads, cc):
    return 2, "registers"
"""
