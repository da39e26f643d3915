"""The inputs of one block of a race: K samples drawn once, dealt out anew in every window.

Drawing gigabytes from a random generator for every window would take longer than the window. So a block draws K samples; each
window deals them to the K slots in another order and replaces a stretch of every tensor by the same stretch of another sample,
chosen anew (unless the task says that its inputs are not iid). No slot sees the same bytes twice, and what a slot holds can be
rebuilt from the seeds alone, for whoever wants to compare an output with the reference. Knows nothing of clocks or workers.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

import torch

from grader.buffers import Arena
from grader.inputs import Call
from grader.judge import POISON

STRETCH = 8  # one eighth of every tensor changes hands: enough that no few-element fingerprint can miss it


@dataclass(frozen=True)
class Deal:
    """What one slot holds in one window: sample `main` with rows [start, stop) of sample `donor` (fractions of the length)."""

    main: int
    donor: int
    start: float


class Pool:
    """`draw(k)` builds sample k from its seed; `pack` applies a side's layout to it."""

    def __init__(
        self,
        count: int,
        draw: Callable[[int], Call],
        packs: dict[str, Callable[[Call], Call]],
        mix: bool,
        seed: int,
    ):
        self.count, self.draw, self.mix = count, draw, mix
        self.random = random.Random(seed)
        self.numbers: list[dict[str, float]] = []
        self.samples: dict[str, list[dict[str, torch.Tensor]]] = {name: [] for name in packs}
        self.shapes: dict[str, list[Call]] = {name: [] for name in packs}
        for k in range(count):
            call = draw(k)
            self.numbers.append({n: v for n, v in call.inputs.items() if not isinstance(v, torch.Tensor)})
            kept: dict[int, dict[str, torch.Tensor]] = {}
            for name, pack in packs.items():
                if id(pack) not in kept:
                    packed = pack(call)
                    kept[id(pack)] = {n: v for n, v in packed.inputs.items() if isinstance(v, torch.Tensor)}
                self.samples[name].append(kept[id(pack)])
                shape = replace(call, inputs={**kept[id(pack)], **self.numbers[k]})
                self.shapes[name].append(shape.without_data())

    def deal(self) -> list[Deal]:
        """Another order and other stretches for all slots."""
        shift, other = self.random.randrange(self.count), self.random.randrange(1, self.count)
        return [
            Deal((k + shift) % self.count, (k + shift + other) % self.count, self.random.random())
            for k in range(self.count)
        ]

    def publish(self, side: str, arena: Arena, deals: list[Deal]) -> None:
        """Write the dealt inputs and poison the outputs of every slot."""
        for k, deal in enumerate(deals):
            main, donor = self.samples[side][deal.main], self.samples[side][deal.donor]
            for slot in arena.layout.calls[k]:
                if slot.output:
                    arena.flat[slot.offset : slot.offset + slot.nbytes].fill_(POISON)
                    continue
                target = arena.calls[k][slot.name]
                target.copy_(main[slot.name])
                if self.mix:
                    _replace(target, donor[slot.name], deal.start)

    def rebuild(self, k: int, deal: Deal) -> Call:
        """The original (unpacked) inputs of slot k, from the seeds."""
        call = self.draw(deal.main)
        tensors = {n: v for n, v in call.inputs.items() if isinstance(v, torch.Tensor)}
        if self.mix:
            other = self.draw(deal.donor)
            for name, tensor in tensors.items():
                _replace(tensor, other.inputs[name], deal.start)
        return replace(call, inputs={**tensors, **self.numbers[k]})


def _replace(target: torch.Tensor, donor: torch.Tensor, start: float) -> None:
    """Copy a stretch along the first dimension (of the flat tensor where memory is contiguous)."""
    if target.dim() == 0:
        return
    if target.is_contiguous() and donor.is_contiguous():
        target, donor = target.flatten(), donor.flatten()
    length = max(1, target.shape[0] // STRETCH)
    begin = int(start * max(1, target.shape[0] - length + 1))
    target[begin : begin + length].copy_(donor[begin : begin + length])
