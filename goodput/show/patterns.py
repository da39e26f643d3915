"""Which addresses the 32 lanes of a warp ask for, and what the memory does with them: pure counting, no
pictures.

Global memory moves sectors of 32 bytes; shared memory answers from 32 banks of 4-byte words, one word per
bank and wavefront. Takes byte addresses or word indices, returns counts. Source of the rules: CUDA C++
Programming Guide, "Device Memory Accesses" and "Shared Memory".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

LANES = 32
SECTOR_BYTES = 32
BANKS = 32
WORD_BYTES = 4


@dataclass(frozen=True)
class SectorCount:
    """One warp-wide request: sectors it touches, bytes they carry, bytes that the lanes asked for (each
    counted once)."""

    sectors: tuple[int, ...]  # indices, rising
    bytes_moved: int
    bytes_used: int

    @property
    def efficiency(self) -> float:
        """Share of the moved bytes that some lane asked for."""
        return self.bytes_used / self.bytes_moved


def strided(stride: int, *, element_bytes: int = 4, first_byte: int = 0) -> list[int]:
    """Byte address of each lane when lane i reads element i * stride."""
    return [first_byte + lane * stride * element_bytes for lane in range(LANES)]


def count_sectors(addresses: Sequence[int], bytes_each: int = 4) -> SectorCount:
    """Sectors of one request in which each address reads `bytes_each` bytes (1, 2, 4, 8 or 16)."""
    if bytes_each not in (1, 2, 4, 8, 16):
        raise ValueError(f"a lane reads 1, 2, 4, 8 or 16 bytes with one instruction, not {bytes_each}")
    if any(address % bytes_each for address in addresses):
        raise ValueError(f"addresses of {bytes_each}-byte accesses must be multiples of {bytes_each}")
    used = {byte for address in addresses for byte in range(address, address + bytes_each)}
    sectors = sorted({byte // SECTOR_BYTES for byte in used})
    return SectorCount(tuple(sectors), len(sectors) * SECTOR_BYTES, len(used))


def column_words(*, width: int = 32, pad: int = 0, xor: int = 0, column: int = 0) -> list[int]:
    """Word index of each lane when lane r reads t[r][column] of a shared tile of `width` columns.

    pad: unused words at the end of each row. xor: mask of the row bits that are xor-ed into the column (31
    for the full swizzle t[r][c ^ r], 15 for one that forgets a bit).
    """
    return [row * (width + pad) + (column ^ (row & xor)) for row in range(LANES)]


def count_wavefronts(words: Sequence[int]) -> int:
    """Wavefronts of one shared-memory request of 4-byte words: the most distinct words that one bank must
    give.

    Lanes that read the same word share it; only different words of a bank wait for each other.
    """
    return max(len(found) for found in words_by_bank(words).values())


def words_by_bank(words: Sequence[int]) -> dict[int, set[int]]:
    banks: dict[int, set[int]] = defaultdict(set)
    for word in words:
        banks[word % BANKS].add(word)
    return dict(banks)
