"""Ties each conversation to a replica by a hash of its first own block, however long the queue there is."""

DIAGNOSIS = "score too low"

ANSWER = """
class NoReplica(Exception):
    pass


def prefix_router(request, view):
    alive = [index for index, replica in enumerate(view.replicas) if replica is not None]
    if not alive:
        raise NoReplica
    if not request.blocks:
        return alive[0]
    own = request.blocks[min(1, len(request.blocks) - 1)]
    return alive[own * 2654435761 % 2**32 % len(alive)]
"""
