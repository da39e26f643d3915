"""The shape of report.json: pydantic models, and the JSON schema that is derived from them.

Records only, with units in their names; knows nothing of verdicts, files or pages. `python -m grader.report_schema` writes
`report.schema.json` beside this file; a test keeps the two equal. A change that an older reader would misread needs a new
number in `SCHEMA`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from grader.verdict import Outcome

SCHEMA = "goodput/report/1"
SCHEMA_FILE = Path(__file__).parent / "report.schema.json"


class Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Part(Record):
    """Points of one part. Possible is 0 where the part cannot be graded on this machine."""

    earned: float
    possible: float


class PointsRecord(Record):
    earned: float
    possible: float = Field(description="the maximum on this machine; 0 while nothing could be decided")
    correct: Part
    fast: Part
    not_available: float = Field(description="points that this machine cannot grade: outside the maximum")
    held: float = Field(description="points that wait for a person or for another run: outside the maximum")


class DiagnosisRecord(Record):
    name: str
    facts: dict[str, Any] = Field(
        description="what the sentence is made of; keys per name are listed in messages.toml"
    )


class CaseRecord(Record):
    name: str
    ok: bool
    about: str
    error: float | None = Field(
        description="relative L2 error against the reference; null where it is not a number"
    )
    diagnosis: DiagnosisRecord | None


class CorrectnessRecord(Record):
    cases: list[CaseRecord]
    failures: list[str] = Field(description="names of the cases that failed")
    diagnosis: DiagnosisRecord | None


class SpeedRecord(Record):
    ratio: float = Field(description="seconds of the baseline / seconds of the answer")
    low: float
    high: float
    threshold: float
    par: float | None = Field(description="the same ratio for the course's solution")
    blocks: int
    answer_ms: float
    baseline_ms: float
    event_ms: float | None = Field(description="one call of the answer on the GPU's own clock")
    disturbed: list[str]


class RooflineRecord(Record):
    bytes_moved: int
    flop: float
    seconds: float
    gb_per_s: float
    fraction: float = Field(description="of the ceiling")
    ceiling: str
    ceiling_value: float = Field(description="in GB/s, or in TFLOP/s for a compute ceiling")


class EvidenceRecord(Record):
    value: float | None = Field(description="null: this machine cannot tell")
    at_most: float | None
    at_least: float | None
    ok: bool | None


class MessageRecord(Record):
    headline: str
    detail: str
    next_step: str
    notes: list[str]


class Messages(Record):
    es: MessageRecord
    en: MessageRecord


class ExerciseRecord(Record):
    name: str
    chapter: str
    kind: str
    core: bool
    device: Literal["cpu", "cuda"]
    isolation: Literal["sandbox", "process"]
    outcome: Outcome
    points: PointsRecord
    correctness: CorrectnessRecord
    speed: SpeedRecord | None
    roofline: RooflineRecord | None
    evidence: dict[str, EvidenceRecord]
    seconds: dict[str, float]
    notes: list[str] = Field(description="keys; their sentences are in message")
    message: Messages
    output: str = Field(
        description="what the answer printed: text from the learner, to be escaped by every reader"
    )
    source_hash: str


class ProblemRecord(Record):
    """An input that could not be used at all."""

    path: str
    reason: str


class Totals(Record):
    earned: float
    possible: float
    not_available: float
    held: float
    outcomes: dict[Outcome, int] = Field(description="number of exercises with each outcome that occurs")


class Report(Record):
    schema_: Literal["goodput/report/1"] = Field(alias="schema", default=SCHEMA)
    created: str = Field(description="UTC, ISO 8601", pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
    course: str = Field(description="name and version of the course that graded")
    machine: dict[str, Any]
    ceilings: dict[str, Any] | None = Field(
        default=None,
        description="what goodput.machine measured here (Ceilings.to_json); null where it did not",
    )
    isolation: Literal["sandbox", "process"] = Field(description="the weakest isolation any exercise ran in")
    device: Literal["cpu", "cuda"]
    exercises: list[ExerciseRecord]
    problems: list[ProblemRecord]
    totals: Totals


def schema_text() -> str:
    """The JSON schema of a written report, as the text of report.schema.json."""
    schema = Report.model_json_schema(by_alias=True, mode="serialization")
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SCHEMA, **schema}
    return json.dumps(schema, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    SCHEMA_FILE.write_text(schema_text(), encoding="utf-8")
