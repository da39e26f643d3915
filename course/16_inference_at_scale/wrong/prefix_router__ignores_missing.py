"""Leaves out the replicas that are down and returns the index among those that are left."""

DIAGNOSIS = "rule broken"

EDITS = [
    (
        "enumerate(view.replicas):\n        if replica is None:\n            continue\n",
        "enumerate(r for r in view.replicas if r is not None):\n",
    )
]
