"""Simulate replicas with prefix caches behind a router; the router is a policy that is asked about every request.

`simulate(requests, route, fleet) -> Result`. Each replica computes prompts one after another in the order they came (first
come, first served); a prompt takes `seconds_per_token` for every token that its prefix cache does not hold. The time to
first token (TTFT) is the wait for the prompts before it plus its own. Plain loops over the requests, exact for a seed.

It leaves out decoding, which shares the same GPUs, batches of prompts, and the time that a router itself takes. A replica
that is down takes no new requests, finishes those it has, and comes back with an empty cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from goodput.serving.prefix_cache import PrefixCache
from goodput.traces import BLOCK, Request


@dataclass(frozen=True, slots=True)
class Replica:
    """What a router sees of one replica."""

    queued_s: float  # seconds until it has computed the prompts it was given so far
    cached_blocks: int  # blocks at the start of this request's prompt that it need not compute


@dataclass(frozen=True)
class View:
    """What a router sees when a request arrives; a replica that is down is None."""

    now_s: float
    seconds_per_token: float
    replicas: tuple[Replica | None, ...]


@dataclass(frozen=True)
class Outage:
    """A replica takes no requests from `start_s` until `end_s`."""

    replica: int
    start_s: float
    end_s: float


@dataclass(frozen=True)
class Fleet:
    """The replicas. 60 us per token is a 70 B model on four H200 (85 % of the measured bf16 rate, 2 FLOP per parameter)."""

    replicas: int = 8
    capacity_blocks: int = 10_000  # of one replica
    seconds_per_token: float = 60e-6
    outages: tuple[Outage, ...] = ()


@dataclass(frozen=True)
class Result:
    ttft_s: tuple[float, ...]  # in order of arrival
    hit: float  # share of all prompt blocks that were cached where the request went
    busy_s: tuple[float, ...]  # seconds of computing per replica

    @property
    def mean_ttft_s(self) -> float:
        return sum(self.ttft_s) / len(self.ttft_s)

    @property
    def imbalance(self) -> float:
        """Work of the busiest replica over the mean; 1 is even."""
        return max(self.busy_s) * len(self.busy_s) / sum(self.busy_s)


class RouteError(Exception):
    """The router named a replica that cannot take the request: `got`, at which `step` (a request's number)."""

    def __init__(self, got: object, step: int, down: bool):
        super().__init__(
            f"request {step} went to replica {got!r}, which {'is down' if down else 'does not exist'}"
        )
        self.got, self.step, self.down = got, step, down


Route = Callable[[Request, View], int]


def simulate(requests: Sequence[Request], route: Route, fleet: Fleet) -> Result:
    """Run all requests; raises RouteError for a choice that is not a living replica, and whatever `route` raises."""
    caches = [PrefixCache(fleet.capacity_blocks) for _ in range(fleet.replicas)]
    free_s = [0.0] * fleet.replicas  # when it has computed all it was given
    busy_s = [0.0] * fleet.replicas
    ttft_s, found, total = [], 0, 0
    for step, request in enumerate(requests):
        now_s = request.arrival_s
        down = {outage.replica for outage in fleet.outages if outage.start_s <= now_s < outage.end_s}
        for index in down:
            caches[index].clear()
        seen = tuple(
            None if i in down else Replica(max(0.0, free_s[i] - now_s), caches[i].cached(request.blocks))
            for i in range(fleet.replicas)
        )
        chosen = route(request, View(now_s, fleet.seconds_per_token, seen))
        if type(chosen) is not int or not 0 <= chosen < fleet.replicas:
            raise RouteError(chosen, step, down=False)
        replica = seen[chosen]
        if replica is None:
            raise RouteError(chosen, step, down=True)
        # at least one token is computed: the last one gives the first token of the answer
        service_s = fleet.seconds_per_token * max(1, request.prompt - BLOCK * replica.cached_blocks)
        free_s[chosen] = max(now_s, free_s[chosen]) + service_s
        busy_s[chosen] += service_s
        ttft_s.append(free_s[chosen] - now_s)
        found += replica.cached_blocks
        total += len(request.blocks)
        caches[chosen].use(request.blocks)
    return Result(tuple(ttft_s), found / total if total else 0.0, tuple(busy_s))


def round_robin() -> Route:
    """The router that people start with: each replica in turn, skipping those that are down."""
    last = -1

    def route(request: Request, view: View) -> int:
        nonlocal last
        for step in range(1, len(view.replicas) + 1):
            index = (last + step) % len(view.replicas)
            if view.replicas[index] is not None:
                last = index
                return index
        raise RouteError(None, -1, down=True)

    return route
