"""Generated traces keep their aims, repeat for a seed, and share prefixes the way conversations do."""

from __future__ import annotations

import itertools

import pytest

from goodput.serving.prefix_cache import PrefixCache, hit_ratio
from goodput.traces import BLOCK, PROFILES, SYSTEM_BLOCK, synth


@pytest.fixture(scope="module", params=sorted(PROFILES))
def trace(request):
    return PROFILES[request.param], synth(request.param, 6000, seed=0)


def test_an_unlimited_cache_finds_the_share_of_blocks_that_was_aimed_at(trace):
    profile, requests = trace
    assert hit_ratio(requests) == pytest.approx(profile.aims.infinite_hit, abs=0.03)


def test_a_cache_of_ten_thousand_blocks_finds_about_as_many_as_in_the_public_trace(trace):
    profile, requests = trace
    assert hit_ratio(requests, 10_000) == pytest.approx(profile.aims.lru_10000_hit, abs=0.04)


def test_prompts_are_as_long_as_aimed_and_requests_come_at_the_stated_rate(trace):
    profile, requests = trace
    mean = sum(request.prompt for request in requests) / len(requests)
    assert mean == pytest.approx(profile.aims.mean_prompt, rel=0.1)
    # conversations longer than the warm-up are still missing at the start, so a little fewer than in the long run
    assert len(requests) / requests[-1].arrival_s == pytest.approx(profile.requests_per_s, rel=0.12)


def test_every_request_has_its_blocks_and_time_never_goes_back(trace):
    _, requests = trace
    assert requests[0].arrival_s == 0
    assert all(a.arrival_s <= b.arrival_s for a, b in itertools.pairwise(requests))
    for request in requests:
        assert len(request.blocks) == -(-request.prompt // BLOCK) and request.output >= 1
        assert request.blocks[0] == SYSTEM_BLOCK and len(set(request.blocks)) == len(request.blocks)


def test_a_partly_filled_block_belongs_to_one_request(trace):
    _, requests = trace
    seen: set[int] = set()
    for request in requests:
        if request.prompt % BLOCK:
            assert request.blocks[-1] not in seen
        seen.update(request.blocks)


def test_a_seed_gives_the_same_trace_and_another_seed_another():
    assert synth("chat_turns", 300, 5) == synth("chat_turns", 300, 5)
    assert synth("chat_turns", 300, 5) != synth("chat_turns", 300, 6)


def test_a_shorter_trace_is_the_beginning_of_a_longer_one():
    assert synth("tool_turns", 800, 3)[:200] == synth("tool_turns", 200, 3)


@pytest.mark.parametrize(
    ("profile", "n", "rate"), [("chat", 10, None), ("chat_turns", 0, None), ("chat_turns", 5, 0.0)]
)
def test_what_cannot_be_drawn_is_refused(profile, n, rate):
    with pytest.raises(ValueError):
        synth(profile, n, 0, rate)


def test_a_block_after_a_gap_does_not_count_as_cached():
    cache = PrefixCache()
    cache.use((1, 2, 4))
    assert cache.cached((1, 2, 3, 4)) == 2
    assert cache.cached((4, 1)) == 2 and cache.cached((3, 1)) == 0 and cache.cached(()) == 0


def test_the_blocks_unused_for_longest_are_forgotten_first():
    cache = PrefixCache(3)
    cache.use((1, 2, 3))
    cache.use((1,))
    cache.use((4,))
    assert [cache.cached((block,)) for block in (1, 2, 3, 4)] == [1, 0, 1, 1] and len(cache) == 3
