"""How far the order of an epoch is from the one in which its samples were written, near and far.

Takes orders: for each delivered sample, in turn, its place when it was written. Records cases in a conversation.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np

STRETCH = 100  # delivered samples: about a batch
DISPLACEMENT = 0.2  # of the epoch: the written order gives 0, a shuffle of 62 shards 0.33 +- 0.03
CORRELATION = 0.2  # a uniform shuffle gives 0.07 for half of the stretches, windows of 640 samples 0.09, the written order 1

FAR = {
    "es": "Baraja también los trozos entre sí, y haz que sean muchos más de los que caben en la ventana",
    "en": "Put the pieces themselves into random order too, and have many more of them than the window holds",
}
NEAR = {
    "es": "Baraja también las muestras de los trozos que tienes en memoria antes de entregarlas",
    "en": "Shuffle the samples of the pieces that you hold in memory too before you deliver them",
}
SEEDED = {
    "es": "Mira qué sorteos de tu código dependen de `seed`",
    "en": "See which random draws of your code depend on `seed`",
}


def displacement(order: Sequence[int]) -> float:
    """Mean distance between the place of a sample when delivered and when written, over the length of the epoch."""
    got = np.asarray(order)
    return float(np.abs(got - np.arange(len(got))).mean() / len(got))


def correlation(order: Sequence[int]) -> float:
    """Median over stretches of STRETCH samples of the absolute rank correlation (Spearman) of delivery and writing."""
    stretches = np.asarray(order[: len(order) // STRETCH * STRETCH]).reshape(-1, STRETCH)
    ranks = stretches.argsort(axis=1).argsort(axis=1) - (STRETCH - 1) / 2
    steps = np.arange(STRETCH) - (STRETCH - 1) / 2
    return float(np.median(np.abs(ranks @ steps / (steps @ steps))))


def shuffled(conversation: Any, orders: Sequence[Sequence[int]]) -> None:
    """Record whether orders are far from the written one, near and far, and differ between seeds."""
    moved = statistics.median(map(displacement, orders))
    what = {
        "es": f"una muestra se mueve {moved:.2f} veces la longitud de la época; "
        f"hacen falta {DISPLACEMENT}".replace(".", ","),
        "en": f"a sample moves by {moved:.2f} times the length of the epoch where {DISPLACEMENT} is needed",
    }
    conversation.case("order of the epoch", moved >= DISPLACEMENT, what=what, hint=FAR)
    kept = max(map(correlation, orders))
    what = {
        "es": f"en tramos de {STRETCH} muestras la correlación con el orden escrito es {kept:.2f}; "
        f"se admite {CORRELATION}".replace(".", ","),
        "en": f"in stretches of {STRETCH} samples the correlation with the written order is {kept:.2f}; {CORRELATION} is allowed",
    }
    conversation.case("order of neighbours", kept <= CORRELATION, what=what, hint=NEAR)
    what = {"es": "dos semillas dan el mismo orden", "en": "two seeds give the same order"}
    conversation.case("two seeds", len(set(map(tuple, orders))) == len(orders), what=what, hint=SEEDED)
