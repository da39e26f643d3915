"""Request traces for the serving chapters: drawn from a seed, exact, without anybody's data.

`synth(profile, n, seed)` returns n requests in order of arrival. The profiles so far are conversations that come back:
every turn's prompt is the whole context before it plus new text, so that prompts share prefixes. Their parameters were
chosen to meet the aims in `Aims`, which are those of two public traces (Mooncake, Apache-2.0; Qin et al., FAST 2025): how
many blocks an unlimited cache and one of 10,000 blocks would find, and how long prompts are. It does not model daily
rhythms, clients that give up, or what the text says.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

BLOCK = 512  # tokens of a prefix block, as in the Mooncake format
SYSTEM_BLOCK = 0  # the block that opens every prompt: the instructions all conversations share
OUTPUT_SIGMA = 0.7  # of the logarithm of output lengths
THINK_SIGMA = 1.0  # of the logarithm of the pauses between turns
DOCUMENT_SIGMA = 0.6  # of the logarithm of document lengths
LEAST_NEW = 16  # tokens: even "go on" costs its frame
WARM_THINKS = 6  # mean pauses before the first kept request, so that conversations of all ages are under way
LATE_SHARE = 1.25  # arrivals are drawn for this much more than n requests need: the process is random


@dataclass(frozen=True, slots=True)
class Request:
    """One request; `blocks` names its prompt's blocks of 512 tokens in order, the last one partly filled and its own."""

    arrival_s: float
    prompt: int  # tokens
    output: int  # tokens
    blocks: tuple[int, ...]


@dataclass(frozen=True)
class Aims:
    """What a trace of a profile should look like, as shares of all blocks and in tokens."""

    infinite_hit: float
    lru_10000_hit: float
    mean_prompt: int


@dataclass(frozen=True)
class Turns:
    """Conversations. Lengths are log-normal with these medians; conversations start as a Poisson process."""

    requests_per_s: float
    mean_turns: float  # turns are geometric
    new_tokens: int  # median of what a turn adds
    new_sigma: float
    output_tokens: int
    think_s: float  # median pause between two turns
    longest_prompt: int  # tokens; a conversation ends there
    aims: Aims
    documents: int = 0  # long texts that several conversations start from
    document_blocks: int = 1
    document_share: float = 0.0  # of conversations
    document_alpha: float = 1.0  # popularity is Pareto: the smaller, the more even


PROFILES = {
    "chat_turns": Turns(
        requests_per_s=3.4,
        mean_turns=1.68,
        new_tokens=3300,
        new_sigma=1.35,
        output_tokens=300,
        think_s=170.0,
        longest_prompt=126_000,
        aims=Aims(infinite_hit=0.366, lru_10000_hit=0.21, mean_prompt=12_000),
    ),
    "tool_turns": Turns(
        requests_per_s=3.9,
        mean_turns=2.85,
        new_tokens=2900,
        new_sigma=1.0,
        output_tokens=110,
        think_s=140.0,
        longest_prompt=190_000,
        aims=Aims(infinite_hit=0.64, lru_10000_hit=0.42, mean_prompt=15_300),
        documents=120,
        document_blocks=12,
        document_share=0.4,
        document_alpha=0.6,
    ),
}


def synth(profile: str, n: int, seed: int, requests_per_s: float | None = None) -> list[Request]:
    """n requests of a profile, the first at 0 s; another rate changes the density of conversations, not their pace.

    ValueError for an unknown profile, n < 1 or a rate that is not positive.
    """
    if profile not in PROFILES:
        raise ValueError(f"no profile {profile!r}; there are {', '.join(PROFILES)}")
    turns = PROFILES[profile]
    rate = turns.requests_per_s if requests_per_s is None else requests_per_s
    if n < 1 or not rate > 0:
        raise ValueError(f"{n} requests at {rate} per second; both must be positive")
    rng = random.Random(seed)
    fresh = _Fresh()
    documents = [
        fresh.take(max(1, int(_about(rng, turns.document_blocks, DOCUMENT_SIGMA))))
        for _ in range(turns.documents)
    ]
    warm_s = WARM_THINKS * turns.think_s
    horizon_s = warm_s + LATE_SHARE * n / rate
    drawn: list[Request] = []
    start_s = 0.0
    while start_s < horizon_s:
        start_s += rng.expovariate(rate / turns.mean_turns)
        opening = [SYSTEM_BLOCK]
        if documents and rng.random() < turns.document_share:
            popular = min(len(documents), int(rng.paretovariate(turns.document_alpha)))
            opening += documents[popular - 1]
        drawn += _conversation(turns, rng, fresh, start_s, opening)
    drawn.sort(key=lambda request: request.arrival_s)
    kept = [request for request in drawn if warm_s <= request.arrival_s <= horizon_s][:n]
    if len(kept) < n:  # a rare seed with few arrivals: a longer trace of the same seed has enough
        return synth(profile, 2 * n, seed, rate)[:n]
    return [replace(request, arrival_s=request.arrival_s - kept[0].arrival_s) for request in kept]


class _Fresh:
    """Block names that nobody has yet."""

    def __init__(self) -> None:
        self.next = SYSTEM_BLOCK + 1

    def take(self, count: int) -> list[int]:
        self.next += count
        return list(range(self.next - count, self.next))


def _about(rng: random.Random, median: float, sigma: float) -> float:
    return rng.lognormvariate(math.log(median), sigma)


def _conversation(
    turns: Turns, rng: random.Random, fresh: _Fresh, start_s: float, opening: list[int]
) -> Iterator[Request]:
    """The requests of one conversation. Whole blocks of the context are shared by its turns, the rest is not."""
    whole, over, now_s = list(opening), 0, start_s  # blocks of the context, tokens beyond them
    while True:
        new = max(LEAST_NEW, int(_about(rng, turns.new_tokens, turns.new_sigma)))
        output = max(1, int(_about(rng, turns.output_tokens, OUTPUT_SIGMA)))
        prompt = len(whole) * BLOCK + over + new
        if prompt > turns.longest_prompt:
            return
        whole += fresh.take(prompt // BLOCK - len(whole))
        tail = fresh.take(1) if prompt % BLOCK else []
        yield Request(now_s, prompt, output, (*whole, *tail))
        over = prompt % BLOCK + output
        if rng.random() < 1 / turns.mean_turns:
            return
        now_s += _about(rng, turns.think_s, THINK_SIGMA)
