"""Run pip, telling every few seconds what it is at; its full output goes to a log file.

Takes an interpreter and pip's arguments; returns when pip succeeded, raises Stop with pip's own reason when it did
not. `Clock` gives the elapsed seconds that stand before each line. Knows nothing of what is installed.
"""

from __future__ import annotations

import os
import queue
import re
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from tools.setup_text import Stop, text

LARGE_MB = 5  # smaller downloads pass in a second or two and would only scroll
QUIET_S = 10  # after so long without news, say what is still going on
WRITING = "Installing collected packages:"  # from here on pip changes the environment


@dataclass
class Clock:
    """Prints lines with the seconds since the set-up began."""

    started: float = field(default_factory=time.monotonic)
    told: float = field(default_factory=time.monotonic)

    def tell(self, name: str, **facts: object) -> None:
        self.told = time.monotonic()
        print(f"[{self.told - self.started:4.0f} s] {text(name, **facts)}", flush=True)


def clean_environment() -> dict[str, str]:
    """The caller's environment without what would send packages elsewhere or count another folder's as installed."""
    away = {"PIP_USER", "PIP_TARGET", "PIP_PREFIX", "PYTHONPATH", "PYTHONHOME"}
    return {**{k: v for k, v in os.environ.items() if k not in away}, "PYTHONUNBUFFERED": "1"}


def download(line: str) -> tuple[str, float] | None:
    """(file name, megabytes) of a line of pip that announces a download."""
    found = re.match(r"Downloading (\S+) \(([\d.]+) ([MG]B)\)", line)
    if not found:
        return None
    return found[1].rsplit("/", 1)[-1], float(found[2]) * (1000 if found[3] == "GB" else 1)


def _report(line: str, clock: Clock) -> None:
    announced = download(line)
    if announced and announced[1] >= LARGE_MB:
        clock.tell("downloading", wheel=re.split(r"-(?:cp|py)\d", announced[0])[0], megabytes=announced[1])
    elif line.startswith(WRITING):
        clock.tell("installing", count=line.count(",") + 1)


def _still(doing: str, python: Path, clock: Clock) -> None:
    if doing.startswith(WRITING):  # pip is silent until the last package is in place
        found = (python.parent.parent / "lib").glob("python3*/site-packages/*.dist-info")
        clock.tell("in place", count=len(list(found)))
    else:
        clock.tell("still", doing=doing[:70])


def _lines(stream: IO[str]) -> queue.Queue[str | None]:
    """Lines of a stream as they come, None at its end; a thread reads, so that waiting for one can have a limit."""
    lines: queue.Queue[str | None] = queue.Queue()

    def read() -> None:
        for line in stream:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    return lines


def run(
    python: Path,
    arguments: list[str],
    log: Path,
    clock: Clock,
    lock: int,
    watch: Callable[[str], bool] = lambda line: False,
) -> None:
    """`watch(line)` sees every line; True ends pip at once, and that is no error.

    The child inherits the descriptor `lock`: should this process be killed, the environment stays locked until pip
    has ended, too.
    """
    command = [str(python), "-m", "pip", *arguments]
    log.parent.mkdir(parents=True, exist_ok=True)
    doing, errors = "", []
    with log.open("a") as copy, subprocess.Popen(
        [*command, "--disable-pip-version-check", "--no-input", "--progress-bar", "off"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace", env=clean_environment(), pass_fds=(lock,),
    ) as child:  # fmt: skip
        assert child.stdout is not None
        copy.write(f"$ {' '.join(command)}\n")
        lines = _lines(child.stdout)
        try:
            while True:
                try:
                    raw = lines.get(timeout=1)
                except queue.Empty:
                    raw = ""
                if raw is None:
                    break
                copy.write(raw)
                line = raw.strip()
                if line:
                    doing = line
                    if watch(line):
                        child.terminate()
                        return
                    if line.startswith("ERROR:"):
                        errors.append(line[len("ERROR:") :].strip())
                    _report(line, clock)
                if time.monotonic() - clock.told > QUIET_S:
                    _still(doing, python, clock)
        except BaseException:
            child.terminate()
            raise
    if child.returncode:
        raise Stop(text("pip failed", reason=" ".join(errors[-2:]) or doing, log=log))
