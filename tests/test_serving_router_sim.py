"""The router simulator: exact on traces that can be worked out by hand, and strict about what a router may answer."""

from __future__ import annotations

import pytest

from goodput.serving.router_sim import Fleet, Outage, RouteError, round_robin, simulate
from goodput.traces import Request, synth

ONE_MS = 1e-3  # seconds per token, so that prompts of hundreds of tokens take tenths of seconds


def asked(at_s, prompt, *blocks):
    return Request(at_s, prompt, 1, blocks)


def to(*choices):
    """A router with its mind made up; remembers what it saw."""
    left, seen = list(choices), []

    def route(request, view):
        seen.append(view)
        return left.pop(0)

    route.seen = seen
    return route


def test_time_to_first_token_is_the_queue_plus_the_tokens_that_are_not_cached():
    requests = [asked(0.0, 1024, 1, 2), asked(0.5, 1124, 1, 2, 3), asked(10.0, 1124, 1, 2, 3)]
    route = to(0, 0, 1)
    result = simulate(requests, route, Fleet(2, 100, ONE_MS))
    assert result.ttft_s == pytest.approx((1.024, 0.524 + 0.1, 1.124))
    assert result.hit == pytest.approx(2 / 8)
    assert result.busy_s == pytest.approx((1.124, 1.124)) and result.imbalance == pytest.approx(1.0)
    second = route.seen[1].replicas
    assert second[0].queued_s == pytest.approx(0.524) and second[0].cached_blocks == 2
    assert second[1].queued_s == 0.0 and second[1].cached_blocks == 0
    assert route.seen[2].replicas[0].queued_s == 0.0


def test_a_prompt_that_is_all_cached_still_computes_a_token():
    result = simulate([asked(0.0, 512, 1), asked(9.0, 512, 1)], to(0, 0), Fleet(1, 10, ONE_MS))
    assert result.ttft_s[1] == pytest.approx(ONE_MS)


def test_caches_belong_to_replicas_and_are_bounded():
    requests = [asked(float(10 * i), 1024, *blocks) for i, blocks in enumerate([(1, 2), (3, 4), (1, 2)])]
    assert simulate(requests, to(0, 0, 0), Fleet(2, 2, ONE_MS)).hit == 0
    assert simulate(requests, to(0, 0, 0), Fleet(2, 4, ONE_MS)).hit == pytest.approx(1 / 3)
    assert simulate(requests, to(0, 0, 1), Fleet(2, 4, ONE_MS)).hit == 0


def test_a_replica_that_is_down_is_none_and_comes_back_empty():
    requests = [asked(t, 512, 1) for t in (0.0, 5.0, 20.0)]
    route = to(0, 1, 0)
    result = simulate(requests, route, Fleet(2, 10, ONE_MS, (Outage(0, 4.0, 6.0),)))
    assert route.seen[1].replicas[0] is None and route.seen[2].replicas[0].cached_blocks == 0
    assert result.hit == 0


@pytest.mark.parametrize("choice", [2, -1, True, 0.0, None, "0"])
def test_a_choice_that_is_no_replica_is_refused(choice):
    with pytest.raises(RouteError) as caught:
        simulate([asked(0.0, 100)], to(choice), Fleet(2))
    assert not caught.value.down and caught.value.step == 0


def test_a_choice_that_is_down_is_refused_with_the_request_it_was_for():
    fleet = Fleet(2, outages=(Outage(1, 0.0, 9.0),))
    with pytest.raises(RouteError) as caught:
        simulate([asked(0.0, 100), asked(1.0, 100)], to(0, 1), fleet)
    assert caught.value.down and (caught.value.got, caught.value.step) == (1, 1)


def test_turns_skip_replicas_that_are_down():
    fleet = Fleet(3, outages=(Outage(1, 2.0, 9.0),))
    chosen = []
    turns = round_robin()

    def route(request, view):
        chosen.append(turns(request, view))
        return chosen[-1]

    simulate([asked(float(t), 1) for t in range(6)], route, fleet)
    assert chosen == [0, 1, 2, 0, 2, 0]


def test_the_cost_of_each_policy_is_in_the_known_order():
    """Longest prefix first piles everything on one replica; cache and queue in one unit beat either alone."""
    requests = synth("tool_turns", 1000, seed=0)

    def by(cost):
        return lambda request, view: min(range(8), key=lambda i: cost(request, view.replicas[i]))

    def mean_s(route):
        return simulate(requests, route, Fleet()).mean_ttft_s

    finish = mean_s(by(lambda q, r: r.queued_s + 60e-6 * (q.prompt - 512 * r.cached_blocks)))
    work = mean_s(by(lambda q, r: r.queued_s))
    prefix = mean_s(by(lambda q, r: (-r.cached_blocks, r.queued_s)))
    assert finish * 1.1 < work < mean_s(round_robin()) < prefix / 10
