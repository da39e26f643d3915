"""Run live where the hardware is there, else show what was recorded on a named GPU, labelled as such.

    results = recorded("07_memory_access")
    stride = results.run("stride_curve", measure_stride_curve)     # measure_stride_curve() -> plain data
    stride.value, stride                                           # the data; a label in the reader's language

Files: course/<chapter>/recorded/<gpu>.json, one per GPU model:

    {"schema": 1, "gpu": "NVIDIA H200",
     "results": {"stride_curve": {"value": ..., "date": "2026-11-30", "versions": {"torch": "2.11.0", ...}}}}

`value` is whatever JSON holds (numbers, strings, lists, objects). Set GOODPUT_RECORD=1 to write every live
result of a run. Knows nothing of what is measured.
"""

from __future__ import annotations

import datetime
import fcntl
import json
import os
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from goodput.language import Language, Text, pick
from goodput.machine import describe

SCHEMA = 1
COURSE = Path(__file__).parents[1] / "course"
_LIVE = {"es": "Medido ahora en {gpu}.", "en": "Measured just now on {gpu}."}
_RECORDED = {"es": "Grabado en {gpu} el {date}{versions}.", "en": "Recorded on {gpu} on {date}{versions}."}


class NotRecorded(LookupError):
    """No recorded result of that name: `key`, the `folder` searched and the keys `known` there."""

    def __init__(self, key: str, folder: Path, known: tuple[str, ...]) -> None:
        self.key, self.folder, self.known = key, folder, known
        there = f"it holds {', '.join(known)}" if known else "it holds no results"
        super().__init__(
            f"no result {key!r} was recorded in {folder} ({there}), and this machine cannot measure it. "
            "Run the lesson on a GPU with GOODPUT_RECORD=1 to record it."
        )


@dataclass(frozen=True)
class Result:
    """A value with its origin. Shown in a notebook it is the label; `label` is the sentence to put under a
    figure."""

    value: Any
    live: bool
    gpu: str
    date: str
    versions: Mapping[str, str] = field(default_factory=dict)

    def label_in(self, lang: Language | None = None) -> str:
        software = ", ".join(
            f"{name} {self.versions[name]}" for name in ("torch", "cuda") if name in self.versions
        )
        text: Text = _LIVE if self.live else _RECORDED
        return pick(text, lang).format(
            gpu=self.gpu, date=self.date, versions=f" ({software})" if software else ""
        )

    @property
    def label(self) -> str:
        return self.label_in()

    def _repr_markdown_(self) -> str:
        return f"*{self.label}*"

    def __repr__(self) -> str:
        return self.label


@dataclass(frozen=True)
class Recorded:
    """The recorded results of one chapter; made by `recorded`."""

    chapter: Path

    @property
    def folder(self) -> Path:
        return self.chapter / "recorded"

    def run(self, key: str, live: Callable[[], Any], *, capability: tuple[int, int] = (0, 0)) -> Result:
        """Call `live` on a GPU of at least this compute capability, else return the recorded value.

        Both come back as JSON returns them (tuples as lists, keys as strings), so a cell behaves alike in
        either case. Errors of `live` are the caller's; `NotRecorded` when there is neither a GPU nor a
        record.
        """
        if not _gpu_has(capability):
            return self.stored(key)
        value = plain(key, live())
        machine = describe()
        result = Result(value, True, _gpu_name(), _today(), machine.versions)
        if os.environ.get("GOODPUT_RECORD") == "1":
            record(self.chapter, {key: value})
        return result

    def stored(self, key: str) -> Result:
        """The recorded value, the newest where several GPUs recorded it; `NotRecorded` where none did."""
        found: list[tuple[str, Result]] = []
        known: set[str] = set()
        for path in sorted(self.folder.glob("*.json")):
            content = _load(path)
            known.update(content["results"])
            if entry := content["results"].get(key):
                versions = entry.get("versions", {})
                found.append(
                    (entry["date"], Result(entry["value"], False, content["gpu"], entry["date"], versions))
                )
        if not found:
            raise NotRecorded(key, self.folder, tuple(sorted(known)))
        return max(found, key=lambda dated: dated[0])[1]


def recorded(chapter: str | Path) -> Recorded:
    """The records of a chapter: its folder, or its name ("07_memory_access") in this repository's course/."""
    path = Path(chapter)
    if not path.is_dir():
        path = COURSE / str(chapter)
    if not path.is_dir():
        raise FileNotFoundError(f"no chapter {str(chapter)!r}: neither a folder here nor in {COURSE}")
    return Recorded(path)


def record(
    chapter: str | Path,
    values: Mapping[str, Any],
    *,
    gpu: str | None = None,
    versions: Mapping[str, str] | None = None,
    date: str | None = None,
) -> Path:
    """Merge values into the chapter's file of a GPU, with date and versions; return the file.

    By default they were measured here, today. For results from elsewhere name the `gpu`, with its `versions`
    (none if unknown: those of this machine would be untrue) and the ISO `date`.
    Safe against a second writer and against being killed: the folder is locked, the file is replaced whole.
    """
    name = gpu or _gpu_name()
    folder = recorded(chapter).folder
    folder.mkdir(exist_ok=True)
    path = folder / f"{slug(name)}.json"
    software = dict(versions or {}) if gpu else describe().versions
    stamp = {"date": date or _today(), "versions": software}
    entries = {key: {"value": plain(key, value), **stamp} for key, value in values.items()}
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        content = _load(path) if path.exists() else {"schema": SCHEMA, "gpu": name, "results": {}}
        content["results"] = dict(sorted((content["results"] | entries).items()))
        _replace(path, json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    finally:
        os.close(lock)
    return path


def plain(key: str, value: Any) -> Any:
    """The value as JSON gives it back; TypeError or ValueError names the key whose value JSON cannot hold."""
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError) as problem:
        raise type(problem)(
            f"the result {key!r} must be plain data (numbers, strings, lists, dictionaries, no NaN): {problem}"
        ) from None


def slug(gpu: str) -> str:
    """File name of a GPU: "NVIDIA H200" -> "h200", "NVIDIA GeForce RTX 4090" -> "rtx_4090"."""
    words = [w for w in re.split(r"[^a-z0-9]+", gpu.lower()) if w and w not in ("nvidia", "geforce", "tesla")]
    if not words:
        raise ValueError(f"{gpu!r} is no name of a GPU")
    return "_".join(words)


def _load(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text())
        if content["schema"] != SCHEMA or not isinstance(content["results"], dict) or "gpu" not in content:
            raise ValueError(f"not schema {SCHEMA} of recorded results")
        return content
    except (ValueError, KeyError, TypeError) as problem:
        raise ValueError(f"{path} is damaged: {problem}") from problem


def _replace(path: Path, text: str) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(handle, "w") as file:
            file.write(text)
        os.chmod(temporary, 0o644)  # mkstemp makes private files; these belong to the repository
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _today() -> str:
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def _gpu_has(capability: tuple[int, int]) -> bool:
    import torch

    return torch.cuda.is_available() and torch.cuda.get_device_capability() >= capability


def _gpu_name() -> str:
    import torch

    if not torch.cuda.is_available():
        raise RuntimeError("there is no GPU here whose results could be recorded; name one with gpu=...")
    return torch.cuda.get_device_name()
