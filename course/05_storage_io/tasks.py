"""The tasks of chapter 05 in the order of its notebook."""

from __future__ import annotations

from typing import Any

from grader.task import Case, Evidence, Points, Task, Text

from .tasks_shards import MOST_FILES, SAMPLES, SMALL, judge_shards

# The solution grows by 5 MB (window, one read, a batch on its way); whoever holds all samples grows by more than 31.
GROWTH_MB = 16


def fact(name: str) -> Any:
    """A reader for `Evidence`: a count of the large set, None where this machine cannot tell."""
    return lambda facts: facts.extra.get(name)


WHOLE = Text(
    es="Basta con tener a la vez unos pocos trozos: escribe cada muestra cuando llega y lee los trozos por ventanas.",
    en="A few pieces at a time are enough: write each sample as it comes, and read the pieces window by window.",
)
FEWER = Text(
    es="Cada lectura debería traer muchas muestras que estén seguidas en el disco, y el azar debería estar en la memoria.",
    en="Each read should bring many samples that lie in a row on the disk; let memory be where chance comes in.",
)
FILES = Text(
    es="Junta muchas muestras en cada archivo y apunta sus longitudes.",
    en="Put many samples into each file and note their lengths.",
)

SHARD_SHUFFLE = Task(
    name="shard_shuffle",
    chapter="05",
    kind="system",
    points=Points(correct=10),
    core=True,
    minutes=40,
    cases=(*(Case(f"{count} samples", {"samples": count}) for count in (*SMALL, SAMPLES)),),
    judge=judge_shards,
    evidence=(
        Evidence("files written", fact("files"), FILES, at_most=MOST_FILES),
        Evidence("bytes stored per byte of the samples", fact("stored"), FILES, at_most=1.1),
        Evidence("reads per sample", fact("requests"), FEWER, at_most=0.1),
        Evidence("KiB per read", fact("kib"), FEWER, at_least=128),
        Evidence("bytes read per byte of the samples", fact("read"), FEWER, at_most=1.2),
        Evidence("growth while storing in MB", fact("growth_storing_mb"), WHOLE, at_most=GROWTH_MB),
        Evidence("growth while reading in MB", fact("growth_reading_mb"), WHOLE, at_most=GROWTH_MB),
    ),
    limit_s=30.0,  # storing or reading 31 MB takes a second, one file per sample included
    memory_mb=1024,
)

TASKS: tuple[Task, ...] = (SHARD_SHUFFLE,)
