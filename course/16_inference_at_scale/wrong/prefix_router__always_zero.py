"""Sends everything to replica 0, also while it is down."""

DIAGNOSIS = "rule broken"

ANSWER = """
def prefix_router(request, view):
    return 0
"""
