"""A cache of prompt blocks that forgets the blocks that were not used for longest.

Takes block names in prompt order; says how many at the start of a prompt it holds without a gap, which is what a server
need not compute again. It holds names, not keys and values, and knows nothing of time.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence

from goodput.traces import Request


class PrefixCache:
    """Least recently used blocks; `capacity_blocks` None holds everything."""

    def __init__(self, capacity_blocks: int | None = None):
        self.capacity_blocks = capacity_blocks
        self._blocks: OrderedDict[int, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._blocks)

    def cached(self, blocks: Sequence[int]) -> int:
        """Blocks at the start of the prompt that are here; a block after a gap cannot be used."""
        for count, block in enumerate(blocks):
            if block not in self._blocks:
                return count
        return len(blocks)

    def use(self, blocks: Iterable[int]) -> None:
        """Keep these blocks as the latest, in order, and forget the oldest beyond the capacity."""
        for block in blocks:
            self._blocks[block] = None
            self._blocks.move_to_end(block)
        while self.capacity_blocks is not None and len(self._blocks) > self.capacity_blocks:
            self._blocks.popitem(last=False)

    def clear(self) -> None:
        self._blocks.clear()


def hit_ratio(requests: Iterable[Request], capacity_blocks: int | None = None) -> float:
    """Share of all prompt blocks that one cache of this size would have held."""
    cache = PrefixCache(capacity_blocks)
    found = total = 0
    for request in requests:
        found += cache.cached(request.blocks)
        total += len(request.blocks)
        cache.use(request.blocks)
    return found / total if total else 0.0
