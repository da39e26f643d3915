"""Compile a plan's sources in a sandboxed compiler process and read the machine code of the launched kernels.

Takes a session, a plan and architectures; returns `Sass` or the diagnosis of a compile error. Each architecture has its own
machine code; what it cannot have (wgmma on sm_80, say) is the task's business, which names the architectures.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from goodput.cuda.plan import Plan
from grader.facts import Sass
from grader.failures import FAILURES, explain
from grader.session import Session
from grader.verdict import Diagnosis

COMPILE_LIMIT_S = 60.0  # the heaviest solution needs 1.2 s; template bombs must end
MAX_SASS_BYTES = 64 << 20


def compile_plan(session: Session, plan: Plan, archs: Sequence[str]) -> tuple[Sass | None, Diagnosis | None]:
    texts: dict[str, str] = {}
    resources: dict[str, list[dict[str, int]]] = {}
    by_source: dict[str, list[str]] = {}
    for launch in plan.launches:
        names = by_source.setdefault(launch.source, [])
        if launch.kernel not in names:
            names.append(launch.kernel)
    with session.worker("device", 4096) as compiler:
        for arch in archs:
            parts, used = [], []
            for source, kernels in by_source.items():
                try:
                    reply, body = compiler.ask("inspect", COMPILE_LIMIT_S, max_body=MAX_SASS_BYTES, source=source, arch=arch,
                                               kernels=kernels)  # fmt: skip
                except FAILURES as e:
                    return None, explain(e)
                used += reply["resources"]
                parts += json.loads(body)
            texts[arch], resources[arch] = "\n".join(parts), used
    return Sass(texts, resources), None
