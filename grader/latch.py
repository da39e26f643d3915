"""A pass stays a pass: remembered by the hash of answer, task and machine.

A later run of the same answer on the same machine that lands in the grey zone (`too_close`, `slow` by noise, `not_graded`) is
reported as the pass it already earned; nothing else is ever changed, and a changed answer starts anew.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path

from goodput import machine
from grader import course
from grader.session import Session
from grader.verdict import Verdict

UPGRADABLE = ("too_close", "slow", "not_graded")


def path() -> Path:
    return machine.cache_folder() / "passes.json"


def key(verdict: Verdict) -> str:
    contract = course.contract(verdict.name)
    parts = (verdict.name, contract, verdict.source_hash, verdict.device, machine.describe().fingerprint)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def load() -> dict[str, float]:
    try:
        found = json.loads(path().read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def apply(verdict: Verdict, session: Session) -> Verdict:
    """Remember a pass with speed; give an earlier pass back where this run could not confirm it."""
    if session.device != "cuda" or verdict.speed is None:
        return verdict
    known = load()
    if verdict.outcome == "passed":
        known[key(verdict)] = verdict.speed.ratio
        path().parent.mkdir(parents=True, exist_ok=True)
        temporary = path().with_suffix(f".{os.getpid()}")
        temporary.write_text(json.dumps(known))
        temporary.replace(path())
        return verdict
    if verdict.outcome in UPGRADABLE and key(verdict) in known:
        return replace(verdict, outcome="passed", points_fast=verdict.possible_fast, diagnosis=None,
                       notes=(*verdict.notes, "passed before"))  # fmt: skip
    return verdict
