"""Make `.venv` from nothing, or bring it up to date: interpreter, tools, lock, virtual environment, packages, stamp.

Takes PYTHON, EXTRAS, TORCH_INDEX and ALLOW_CUDA_WHEELS from the environment; prints what it is at, returns nothing,
raises Stop with a remedy. May be interrupted anywhere and started twice at once: a lock lets one work, and an
environment that was cut off while packages were written is made anew. Knows nothing of grading.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator

from tools import pip, stamp, torch_build
from tools.setup_text import Stop, text

SUPPORTED = ("3.11", "3.12", "3.13")
LOG = stamp.ROOT / "build" / "setup.log"
LOCK = (
    stamp.ROOT / ".venv.lock"
)  # beside .venv, which may be removed, and not in build/, which `make clean` removes
ALWAYS = {"lab", "test"}  # JupyterLab and the tests belong to what must work first


def _version(python: str) -> str:
    """Such as "3.11"; empty for an interpreter that does not answer (a name on PATH may be a shim with none behind)."""
    code = "import sys; print('{}.{}'.format(*sys.version_info[:2]))"
    with contextlib.suppress(OSError):
        return subprocess.run(
            [python, "-c", code], capture_output=True, text=True, check=False
        ).stdout.strip()
    return ""


def interpreter() -> str:
    """The running Python when it is supported or was named with PYTHON=, else a supported one on PATH."""
    here = "{}.{}".format(*sys.version_info[:2])
    if here in SUPPORTED:
        return sys.executable
    if not os.environ.get("PYTHON"):
        for name in ("python3.13", "python3.12", "python3.11"):
            path = shutil.which(name)
            if path and _version(path) in SUPPORTED:
                return path
    raise Stop(text("wrong python", version=here))


def check_tools(python: str) -> None:
    """Everything that pip cannot install, before the long part begins."""
    if sys.platform != "linux":
        raise Stop(text("not linux"))
    if subprocess.run([python, "-c", "import venv, ensurepip"], capture_output=True, check=False).returncode:
        raise Stop(text("no venv module", python=python, version=_version(python)))
    for tool, package in ((os.environ.get("CXX", "g++"), "g++"), ("make", "make")):
        if not shutil.which(tool.split()[0]):
            raise Stop(text("no tool", tool=tool, package=package))


@contextlib.contextmanager
def locked(clock: pip.Clock) -> Iterator[int]:
    with LOCK.open("w") as file:
        waiting = False
        while True:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            if not waiting or time.monotonic() - clock.told > pip.QUIET_S:
                clock.tell("waiting")
            waiting = True
            time.sleep(0.2)
        yield file.fileno()


def _usable() -> bool:
    """Whether `.venv` can be brought up to date: the wanted version, made here, not cut off while packages were written."""
    if stamp.UNFINISHED.exists() or not stamp.PYTHON.exists() or not stamp.is_asked_version():
        return False
    if _version(str(stamp.PYTHON)) not in SUPPORTED:
        return False
    if str(stamp.VENV) not in (stamp.VENV / "pyvenv.cfg").read_text():  # the folder was moved or copied
        return False
    return not subprocess.run(
        [stamp.PYTHON, "-m", "pip", "--version"], capture_output=True, check=False
    ).returncode


def _virtual_environment(python: str, clock: pip.Clock) -> None:
    if stamp.VENV.exists():
        if not (stamp.VENV / "pyvenv.cfg").exists() and any(stamp.VENV.iterdir()):
            raise Stop(text("not a venv", path=stamp.VENV))
        if _usable():
            return
        clock.tell("rebuilding")
        shutil.rmtree(stamp.VENV)
    clock.tell("creating", version=_version(python))
    made = subprocess.run(
        [python, "-m", "venv", str(stamp.VENV)], capture_output=True, text=True, check=False
    )
    if made.returncode:
        raise Stop(text("venv failed", reason=(made.stderr or made.stdout).strip()))


def _mark_unfinished(line: str) -> bool:
    if line.startswith(pip.WRITING):
        stamp.UNFINISHED.touch()
    return False


def _packages(extras: set[str], clock: pip.Clock, lock: int) -> None:
    constraints = ["-c", str(stamp.ROOT / "constraints.txt")]
    clock.tell("updating pip")
    pip.run(stamp.PYTHON, ["install", "--upgrade", *constraints, "pip", "setuptools"], LOG, clock, lock)
    torch = torch_build.requirement(stamp.PYTHON, LOG, clock, lock)
    clock.tell("collecting")
    project = f"{stamp.ROOT}[{','.join(sorted(extras))}]"
    arguments = ["install", "--no-build-isolation", *constraints, *torch, "--editable", project]
    pip.run(stamp.PYTHON, arguments, LOG, clock, lock, _mark_unfinished)
    stamp.UNFINISHED.unlink(missing_ok=True)


def make() -> None:
    clock = pip.Clock()
    python = interpreter()
    check_tools(python)
    with locked(clock) as lock:
        if stamp.fresh():  # another command made it while this one waited
            return
        extras = ALWAYS | stamp.requested_extras() | stamp.installed_extras()
        stamp.STAMP.unlink(missing_ok=True)
        LOG.unlink(missing_ok=True)
        _virtual_environment(python, clock)
        _packages(extras, clock, lock)
        stamp.write(extras)
        clock.tell("made")
