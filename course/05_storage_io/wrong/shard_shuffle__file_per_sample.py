"""One small file per sample and a shuffled list of their names, as a first data loader does it."""

DIAGNOSIS = "technique not used"

ANSWER = """
import json
import os
import random


def shard_shuffle(samples, folder):
    sizes = []
    for number, sample in enumerate(samples):
        with open(os.path.join(folder, f"{number:06d}.bin"), "wb") as file:
            file.write(sample)
        sizes.append(len(sample))
    with open(os.path.join(folder, "sizes.json"), "w") as file:
        json.dump(sizes, file)


def epoch(folder, seed, rank, world):
    if world < 1 or not 0 <= rank < world:
        raise ValueError(f"there is no rank {rank} among {world}")
    with open(os.path.join(folder, "sizes.json")) as file:
        sizes = json.load(file)
    order = list(range(len(sizes)))
    random.Random(seed).shuffle(order)
    for number in order[rank::world]:
        path = os.path.join(folder, f"{number:06d}.bin")
        with open(path, "rb") as file:
            sample = file.read()
        if len(sample) != sizes[number]:
            raise ValueError(f"{path} ends at byte {len(sample)}")
        yield sample
"""
