"""Takes turns, as the router does that it is compared with."""

DIAGNOSIS = "score too low"

ANSWER = """
class NoReplica(Exception):
    pass


last = -1


def prefix_router(request, view):
    global last
    for step in range(1, len(view.replicas) + 1):
        index = (last + step) % len(view.replicas)
        if view.replicas[index] is not None:
            last = index
            return index
    raise NoReplica
"""
