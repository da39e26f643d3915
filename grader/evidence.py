"""From result files of a GPU to what the repository ships: recorded rows of each chapter, the noise table, s0 and g.

`remember_bench(file)` and `remember_noise(files)` are the only writers of those numbers. The raw blocks of every noise verdict
are kept beside the derived numbers. Takes JSON written by bench.py; measures nothing.
"""

from __future__ import annotations

import json
import math
import statistics
from pathlib import Path
from typing import Any

from goodput import recorded
from grader import course
from grader.noise import FILE

RAW = FILE.parent / "noise_verdicts.json"
Table = dict[str, Any]


def origin(table: Table) -> dict[str, Any]:
    """gpu, versions and date as `goodput.recorded.record` wants them."""
    facts = table["machine"]
    versions = {k: facts[k] for k in ("python", "torch", "cuda", "triton") if facts.get(k)}
    if facts.get("gpu", {}).get("driver"):
        versions["driver"] = facts["gpu"]["driver"]
    return {"gpu": facts["gpu"]["name"], "versions": versions, "date": table["created"][:10]}


def remember_bench(path: Path) -> list[Path]:
    """Put the rows of a benchmark into the recorded file of each chapter."""
    table = json.loads(path.read_text())
    written = []
    for chapter in course.chapters():
        names = {t.name for t in course.tasks(chapter)}
        rows = [r for r in table["rows"] if r["exercise"] in names]
        if rows:
            written.append(recorded.record(chapter, {"exercises": rows}, **origin(table)))
    return written


def noise_of(verdicts: list[Table]) -> dict[str, float]:
    """s0: spread between blocks of one session (root mean square, of the noisiest group); g: three times the spread of session
    means that s0 does not explain (of the group where it is largest)."""
    s0, g, worst = 0.0, 0.0, 0.0
    for group in groups(verdicts).values():
        blocks = [v["blocks"] for v in group]
        means = [statistics.fmean(b) for b in blocks]
        within = statistics.fmean(statistics.variance(b) for b in blocks)
        explained = statistics.fmean(statistics.variance(b) / len(b) for b in blocks)
        between = max(0.0, statistics.variance(means) - explained)
        centre = statistics.median(means)
        s0, g = max(s0, math.sqrt(within)), max(g, 3 * math.sqrt(between))
        worst = max(worst, max(abs(m - centre) for m in means))
    return {"s0": s0, "g": g, "worst_session": worst}


def groups(verdicts: list[Table]) -> dict[tuple[str, str], list[Table]]:
    found: dict[tuple[str, str], list[Table]] = {}
    for verdict in verdicts:
        found.setdefault((verdict["exercise"], verdict["answer"]), []).append(verdict)
    return found


def remember_noise(paths: list[Path]) -> dict[str, float]:
    """Keep the raw verdicts, derive s0 and g for the race, and record the table that the README shows."""
    tables = [json.loads(p.read_text()) for p in paths]
    verdicts = [v for t in tables for v in t["verdicts"]]
    derived = noise_of(verdicts)
    facts = origin(tables[0])
    RAW.write_text(json.dumps({**facts, "verdicts": verdicts}, indent=None, separators=(",", ":")) + "\n")
    shipped = json.loads(FILE.read_text())
    source = f"{len(verdicts)} verdicts on {facts['gpu']}, {facts['date']} ({RAW.name})"
    shipped["cuda"] = {k: round(derived[k], 6) for k in ("s0", "g")} | {"source": source}
    FILE.write_text(json.dumps(shipped, indent=1) + "\n")
    rows = [{"exercise": e, "answer": a, "threshold": group[0]["threshold"],
             "ratio": math.exp(statistics.median(statistics.fmean(v["blocks"]) for v in group)),
             **{d: sum(v["decision"] == d for v in group) for d in ("passed", "slow", "too_close")}}
            for (e, a), group in groups(verdicts).items()]  # fmt: skip
    chapters = {course.chapter_of(course.task(r["exercise"])) for r in rows}
    for chapter in chapters:
        chosen = [r for r in rows if course.chapter_of(course.task(r["exercise"])) == chapter]
        recorded.record(chapter, {"verdicts": chosen}, **facts)
    return derived
