"""The noise that the race assumes, read from the shipped measurement of baseline-against-itself runs.

`for_device("cuda")` -> `race.Noise`. The numbers stand in `grader/measured/noise.json`, written by `goodput bench noise` and
never by hand.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path

from grader.race import Noise

FILE = Path(__file__).parent / "measured" / "noise.json"


@functools.cache
def for_device(device: str) -> Noise:
    found = json.loads(FILE.read_text())[device]
    return Noise(float(found["s0"]), float(found["g"]), str(found["source"]))
