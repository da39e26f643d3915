"""shard_shuffle: what the judge does with an answer.

Small sets first, for the sharing between ranks and for what must be refused; then 10,000 samples, cold, for the order and for
what the kernel counts. Whatever was stored is read by another process than the one that stored it.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from grader import scratch
from grader.kinds.analysis import Raised

from .tasks_order import SEEDED, shuffled

SAMPLES = 10_000
SIZES = (200, 6000)  # bytes of a sample, evenly drawn: 31 MB in all, text of one or two screens each
LARGE = 20_000_000  # bytes of the largest sample
SEEDS = 5
MOST_FILES = 64  # a shard of 0.5 MB or more; a folder of thousands of files is what the exercise is against
EVEN = 4096  # bytes of each sample where a file is cut between two of them: a reader without an index sees no damage
SMALL = (0, 1, 13, 24)  # samples: none, one, no multiple of a number of ranks, a multiple of all of them
WORLDS = (1, 3, 8)
SAME_ORDER = {
    "es": "Escribe qué posiciones del orden común entrega cada proceso y comprueba que se tocan sin solaparse",
    "en": "Write down which positions of the common order each rank delivers, and check that they touch without overlap",
}

ASKED_AND_CAME = {
    "es": "Compara los bytes que trajo cada lectura con los que pediste: el sistema no avisa cuando un archivo se acaba",
    "en": "Compare the bytes that each read brought with those you asked for: the system is silent when a file ends",
}


def blobs(count: int, rng: random.Random) -> list[bytes]:
    return [rng.randbytes(rng.randint(*SIZES)) for _ in range(count)]


def judge_shards(conversation: Any) -> None:
    rng = random.Random(conversation.seed)
    if small_sets(conversation, rng):
        refusals(conversation, rng)
        large_set(conversation, rng)


def folder_for(conversation: Any, name: str) -> Path:
    folder = conversation.scratch / name.replace(" ", "_")
    folder.mkdir()
    return folder


def small_sets(conversation: Any, rng: random.Random) -> bool:
    """Few and odd samples, shared among 1, 3 and 8 ranks, read by another process than the one that stored them."""
    sets = {f"{count} sample{'' if count == 1 else 's'}": (blobs(count, rng), WORLDS) for count in SMALL}
    twice = blobs(6, rng)
    sets["empty and equal samples"] = ([b"", *twice, b"", b"\0", *twice[:4]], WORLDS)
    sets["a sample of 20 MB"] = ([*blobs(5, rng), rng.randbytes(LARGE), *blobs(5, rng)], (1,))
    folders = {name: folder_for(conversation, name) for name in sets}
    for name, (samples, _) in sets.items():
        conversation.feed(samples, str(folders[name]))
    conversation.fresh()
    kept = [
        shared(conversation, name, folders[name], samples, world, rng.getrandbits(32))
        for name, (samples, worlds) in sets.items()
        for world in worlds
    ]
    return all(kept)


def shared(
    conversation: Any, name: str, folder: Path, samples: Sequence[bytes], world: int, seed: int
) -> bool:
    """Record the case of one epoch of all ranks: every sample once, and shares that differ by one at most."""
    left, shares, what = Counter(samples), [], None
    for rank in range(world):
        shares.append(0)
        for sample in conversation.iterate(str(folder), seed, rank, world, name="epoch"):
            shares[-1] += 1
            if not left[sample]:
                what = surplus(rank, shares[-1], sample in left)
                break  # an answer may go on for ever
            left[sample] -= 1
    if what is None and left.total():
        what = {
            "es": f"muestras que faltan entre todos los procesos: {left.total()} de {len(samples)}",
            "en": f"samples missing from all ranks together: {left.total()} of {len(samples)}",
        }
    elif what is None and max(shares) - min(shares) > 1:
        what = {
            "es": f"un proceso entrega {min(shares)} muestras y otro {max(shares)}",
            "en": f"one rank delivers {min(shares)} samples and another {max(shares)}",
        }
    case = f"{name}, {world} rank{'' if world == 1 else 's'}"
    about = "tail" if len(samples) % world else ""
    return conversation.case(case, what is None, about=about, what=what, hint=SAME_ORDER)


def surplus(rank: int, number: int, written: bool) -> dict[str, str]:
    es, en = (
        ("ya se había entregado", "had been delivered before")
        if written
        else ("no se escribió nunca", "was never written")
    )
    return {
        "es": f"la muestra número {number} del rank {rank} {es}",
        "en": f"sample number {number} of rank {rank} {en}",
    }


def refusals(conversation: Any, rng: random.Random) -> None:
    """Ranks that do not exist, a folder without an index, and files that lost their end."""
    even = [rng.randbytes(EVEN) for _ in range(256)]
    conversation.fresh()
    cuts: dict[str, Callable[[int], int]] = {
        "half a file": lambda size: size // 2 // EVEN * EVEN,
        "one byte short": lambda size: size - 1,
    }
    folders = {name: folder_for(conversation, name) for name in cuts}
    for folder in folders.values():
        conversation.feed(even, str(folder))
    empty = folder_for(conversation, "empty")
    conversation.fresh()
    files = {name: cut(folders[name], shorter) for name, shorter in cuts.items()}

    def refuses(name: str, folder: Path, rank: int = 0, world: int = 1, **how: Any) -> bool:
        call = (str(folder), 0, rank, world)
        return conversation.refuses(name, *call, function="epoch", by=conversation.drain, **how)

    for rank, world in ((0, 0), (3, 3), (-1, 3)):
        refuses(f"rank {rank}, world {world}", folders["half a file"], rank, world)
    refuses("no index", empty, raises=("FileNotFoundError",))
    for name, file in files.items():
        if refuses(name, folders[name], hint=ASKED_AND_CAME):
            says_where(conversation, name, folders[name], file)


def cut(folder: Path, shorter: Callable[[int], int]) -> str:
    """Shorten the largest file of a folder, which has some bytes; its name, "" where there is no such file."""
    found = {path: size for path, size in scratch.files(folder).items() if size}
    if not found:
        return ""
    largest = max(found, key=lambda path: found[path])
    fd = os.open(largest, os.O_WRONLY | os.O_NOFOLLOW)
    os.ftruncate(fd, shorter(found[largest]))
    os.close(fd)
    return largest.name


def says_where(conversation: Any, name: str, folder: Path, file: str) -> None:
    """Record whether the error of a file that lost its end names the file and a position."""
    text = ""
    try:
        conversation.drain(str(folder), 0, 0, 1, name="epoch")
    except Raised as e:
        text = str(e.error.get("text"))
    beside = text.replace(str(folder), "").replace(file, "")
    what = {
        "es": f"el error no nombra el archivo que se acaba antes de tiempo ({file}) y la posición donde se acaba",
        "en": f"the error does not name the file that ends too early ({file}) and the position where it ends",
    }
    conversation.case(
        f"{name}, what the error says", file in text and any(map(str.isdigit, beside)), what=what
    )


def large_set(conversation: Any, rng: random.Random) -> None:
    """10,000 samples: what the kernel counts while they are stored and read from a cold disk; their order; their ranks."""
    samples = blobs(SAMPLES, rng)
    place = {sample: i for i, sample in enumerate(samples)}
    total = sum(map(len, samples))
    folder = folder_for(conversation, "large")
    conversation.fresh()
    conversation.forget_peak()
    idle_mb = conversation.peak_mb()
    conversation.feed(samples, str(folder))
    conversation.facts["growth_storing_mb"] = conversation.peak_mb() - idle_mb
    conversation.fresh()
    stored = scratch.files(folder)
    conversation.facts["files"] = len(stored)
    conversation.facts["stored"] = sum(stored.values()) / total
    if len(stored) > MOST_FILES:
        return  # the counts say no; to drop the pages of thousands of files takes many seconds

    def order(seed: int) -> list[int] | None:
        return delivered(conversation, folder, seed, place)

    seeds = rng.sample(range(1 << 31), SEEDS)
    scratch.forget_pages(folder)
    conversation.forget_peak()
    idle_mb, before = conversation.peak_mb(), conversation.io()
    orders = [order(seeds[0])]
    used = conversation.io() - before
    conversation.facts["growth_reading_mb"] = conversation.peak_mb() - idle_mb
    if used.bytes_read or used.disk_bytes_read:  # where neither is counted, this machine cannot tell
        requests = max(1, used.read_calls + used.major_faults)
        conversation.facts["requests"] = requests / SAMPLES
        conversation.facts["kib"] = total / 1024 / requests
        conversation.facts["read"] = max(used.bytes_read, used.disk_bytes_read) / total
    orders += [order(seed) for seed in seeds[1:]]
    whole = [one for one in orders if one is not None]
    if len(whole) < SEEDS:
        return
    shuffled(conversation, whole)
    for world in WORLDS[1:]:
        shared(conversation, f"{SAMPLES} samples", folder, samples, world, seeds[0])
    conversation.fresh()
    what = {
        "es": "la misma semilla da otro orden en otro proceso",
        "en": "the same seed gives another order in another process",
    }
    conversation.case("one seed in two processes", order(seeds[0]) == whole[0], what=what, hint=SEEDED)


def delivered(conversation: Any, folder: Path, seed: int, place: dict[bytes, int]) -> list[int] | None:
    """Where each delivered sample stood when it was written; None, and a failed case, unless each comes just once."""
    order, left = [], set(place.values())
    for sample in conversation.iterate(str(folder), seed, 0, 1, name="epoch"):
        if place.get(sample) not in left:
            what = surplus(0, len(order) + 1, sample in place)
            conversation.case(f"{SAMPLES} samples", False, what=what)
            return None
        order.append(place[sample])
        left.remove(order[-1])
    if left:
        what = {
            "es": f"faltan {len(left)} de {SAMPLES} muestras",
            "en": f"{len(left)} of {SAMPLES} samples are missing",
        }
        conversation.case(f"{SAMPLES} samples", False, what=what)
        return None
    return order
