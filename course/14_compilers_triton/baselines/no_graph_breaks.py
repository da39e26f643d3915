"""Baseline of no_graph_breaks: the original, whose branch Python decides; compiled like the answer before it is timed."""

import torch

LIMIT = 1000.0


def no_graph_breaks(x):
    """Six rounds on x, float32 of any shape; a round adds 1 to every element while their sum is above LIMIT."""
    for _ in range(6):
        if x.sum().item() > LIMIT:
            x = x + 1
        x = torch.sin(x) * 2.5 + 0.25
        x = torch.cos(x) + x
    return x
