"""What the layout exercises of chapter 07 promise beyond a verdict: what they refuse, what packing keeps, fair counts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from grader import course

TRANSPOSES = ("tiled_transpose", "conflict_free_tile")


def answers(slug: str) -> dict[str, dict[str, Any]]:
    """Namespace of every shipped correct answer of an exercise, by its name."""
    task = course.task(slug)
    texts = {"solution": course.solution(task)} | course.variants(task)
    spaces: dict[str, dict[str, Any]] = {}
    for name, text in texts.items():
        spaces[name] = {}
        exec(compile(text, f"{slug}, {name}", "exec"), spaces[name])
    return spaces


def read(slug: str, name: str, **counts: float) -> float | None:
    (one,) = [e for e in course.task(slug).evidence if e.name == name]
    return one.read(SimpleNamespace(counts=SimpleNamespace(**counts), sass=None))


@pytest.mark.parametrize("slug", TRANSPOSES)
def test_transposes_refuse_memory_that_overlaps(slug: str) -> None:
    memory = torch.zeros(48)
    for space in answers(slug).values():
        with pytest.raises(ValueError, match="overlap"):
            space[slug](memory[:32].view(4, 8), memory[16:].view(8, 4))


def test_vector_dequant_refuses_an_output_that_is_not_on_16_bytes() -> None:
    for space in answers("vector_dequant").values():
        with pytest.raises(ValueError, match="multiple of 16"):
            space["vector_dequant"](torch.zeros(8, dtype=torch.uint8), torch.zeros(9)[1:], 0.5, 1.0)


@pytest.mark.parametrize("records", [torch.zeros(4, 7), torch.zeros(32), torch.zeros(4, 8).double()])
def test_coalesced_copy_packs_only_records_of_eight_floats(records: torch.Tensor) -> None:
    for space in answers("coalesced_copy").values():
        with pytest.raises((ValueError, TypeError)):
            space["coalesced_copy_pack"](records)


def test_packing_moves_words_and_changes_none() -> None:
    words = torch.arange(33 * 8, dtype=torch.int32)
    for space in answers("coalesced_copy").values():
        packed = space["coalesced_copy_pack"](words.view(torch.float32).view(33, 8))
        assert torch.equal(packed.flatten().view(torch.int32).sort().values, words)


def test_wide_and_narrow_accesses_are_judged_alike() -> None:
    name = "load sectors per 128 B"
    narrow = read("coalesced_copy", name, load_sectors_per_request=4, load_sectors_ideal_per_request=4)
    wide = read("coalesced_copy", name, load_sectors_per_request=16, load_sectors_ideal_per_request=16)
    record = read("coalesced_copy", name, load_sectors_per_request=32, load_sectors_ideal_per_request=16)
    assert (narrow, wide, record) == (4, 4, 8)
