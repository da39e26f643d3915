"""The tasks of chapter 16 in the order of its notebook.

prefix_router: the simulator of goodput.serving.router_sim runs here and asks the answer for every decision. A score is the
mean TTFT of taking turns over that of the answer, for the same trace: larger is better, exact for a seed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from goodput.serving.router_sim import Fleet, Outage, RouteError, View, round_robin, simulate
from goodput.traces import Request, synth
from grader.kinds.simulation import hidden_seeds, score
from grader.task import Case, Evidence, Points, Task, Text


@dataclass(frozen=True)
class Load:
    """One scored situation. Beside each threshold: the least of 20 seeds of the solution, the median of the best wrong answer."""

    profile: str
    requests: int
    requests_per_s: float
    fleet: Fleet
    threshold: float


# Requests enough for the caches to matter, few enough for a verdict in seconds: 20,000 decisions travel to the answer.
LOADS = {
    "chat_turns": Load("chat_turns", 1500, 3.4, Fleet(), 1.30),  # 1.34 and 1.24 (least work)
    "tool_turns": Load("tool_turns", 1500, 3.9, Fleet(), 1.40),  # 1.43 and 1.22 (hash of the conversation)
    "another fleet": Load(  # 1.37 and 1.17 (least work); seconds and numbers that nobody should have typed in
        "tool_turns", 1000, 3.9, Fleet(replicas=5, capacity_blocks=6000, seconds_per_token=45e-6), 1.25
    ),
}
OUTAGE = Fleet(
    outages=(Outage(3, 20.0, 60.0), Outage(0, 40.0, 80.0), *(Outage(i, 70.0, 75.0) for i in range(1, 7)))
)
BURST = 64  # requests at the same moment, without blocks: only the queues tell the replicas apart


def judge_router(conversation: Any) -> None:
    def route(request: Request, view: View) -> Any:
        return conversation.call(request, view)

    if not (rules(conversation, route) and no_replica(conversation)):
        return
    before, calls = conversation.cpu_s(), conversation.calls
    for name, load in LOADS.items():

        def ratio(seed: int, load: Load = load) -> float:
            requests = synth(load.profile, load.requests, seed, load.requests_per_s)
            turns = simulate(requests, round_robin(), load.fleet)
            return turns.mean_ttft_s / simulate(requests, route, load.fleet).mean_ttft_s

        try:
            enough = (
                score(conversation, name, ratio, load.threshold, hidden_seeds(conversation)) >= load.threshold
            )
        except RouteError as e:
            enough = broke(conversation, name, e)
        if not enough:
            return  # the next loads would take seconds and change nothing
    conversation.facts["cpu_us"] = 1e6 * (conversation.cpu_s() - before) / (conversation.calls - calls)


def rules(conversation: Any, route: Any) -> bool:
    """Replicas that go and come back; many requests at one moment."""
    short = synth("tool_turns", 400, conversation.seed)
    burst = [Request(0.0, 100 + 400 * i, 1, ()) for i in range(BURST)]
    for name, requests, fleet in (
        ("a replica goes down", short, OUTAGE),
        ("64 at the same moment", burst, Fleet()),
    ):
        try:
            simulate(requests, route, fleet)
        except RouteError as e:
            return broke(conversation, name, e)
        conversation.case(name, True)
    return True


def broke(conversation: Any, name: str, error: RouteError) -> bool:
    """Record the case of a request that went where it cannot be served; False."""
    down, got, step = error.down, str(error.got)[:40], error.step
    why = {
        "es": f"la petición {step} fue a la réplica {got}, que {'está caída' if down else 'no existe'}",
        "en": f"request {step} went to replica {got}, which {'is down' if down else 'does not exist'}",
    }
    return conversation.case(name, False, "rule broken", rule=why)


def no_replica(conversation: Any) -> bool:
    """With every replica down the answer says so instead of inventing one."""
    request = Request(5.0, 1000, 10, (0, 1))
    view = View(5.0, 60e-6, (None,) * 8)
    return conversation.refuses("every replica is down", request, view, raises=("NoReplica",))


PREFIX_ROUTER = Task(
    name="prefix_router",
    chapter="16",
    kind="simulation",
    points=Points(correct=8),
    core=True,
    minutes=30,
    cases=tuple(Case(name, {"requests": load.requests}) for name, load in LOADS.items()),
    judge=judge_router,
    evidence=(
        # a decision arrives as a message of about 1 KB: reading it costs most of what the solution uses, 100-200 us
        Evidence(
            "CPU time per decision in microseconds",
            lambda facts: facts.extra["cpu_us"],
            Text(
                es="Un enrutador decide miles de veces por segundo: mira cada réplica una vez y no guardes el historial.",
                en="A router decides thousands of times a second: look at each replica once and keep no history.",
            ),
            at_most=2000,
        ),
    ),
    limit_s=10.0,
    memory_mb=1024,
)

TASKS: tuple[Task, ...] = (PREFIX_ROUTER,)
