"""Addresses in a built program -> lines of the learner's source, through addr2line, kept beside the program.

An access inside a header function (a vector copy, a shuffle) belongs to the line of the answer that called it.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from goodput.emulator.build import tool
from goodput.emulator.source import ANSWER

LIMIT_S = 20  # some hundred addresses take 20 ms


@lru_cache(maxsize=256)
def _known(program: Path) -> dict[int, int | None]:
    return {}


def lines_of(program: Path, addresses: Iterable[int]) -> Mapping[int, int | None]:
    """Line by address; None where the address is not in the learner's text."""
    known = _known(program)
    missing = sorted({a for a in addresses if a and a not in known})
    if missing:
        known.update(dict.fromkeys(missing))
        argv = [tool("addr2line"), "-i", "-a", "-e", str(program), *map(hex, missing)]
        try:
            text = subprocess.run(argv, capture_output=True, text=True, timeout=LIMIT_S).stdout
        except (OSError, subprocess.TimeoutExpired):
            text = ""  # lines are a help to the reader; without them the report still stands
        address = 0
        for row in text.splitlines():
            if row.startswith("0x"):
                address = int(row, 16)
                continue
            file, _, number = row.split(" ")[0].rpartition(":")
            if known.get(address) is None and file.rsplit("/", 1)[-1] == ANSWER and number.isdigit():
                known[address] = int(number)
    return {**known, 0: None}
