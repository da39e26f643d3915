"""Whether `.venv` already is what pyproject.toml and constraints.txt ask for.

The stamp is written last, so it exists only for an environment that was finished; it holds a hash of everything that
the environment depends on, then the optional extras that were installed. Reading it takes a millisecond, on a bare
Python 3.8. Knows nothing of how an environment is made.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "goodput.stamp"
UNFINISHED = (
    VENV / "goodput.unfinished"
)  # exists while packages are written: such an environment is made anew


def _key() -> str:
    digest = hashlib.sha256()
    for name in ("pyproject.toml", "constraints.txt"):
        digest.update((ROOT / name).read_bytes())
    digest.update(str(ROOT).encode())  # scripts and the editable install hold absolute paths
    digest.update(
        os.path.realpath(PYTHON).encode()
    )  # the interpreter behind it, whose name tells its version
    return digest.hexdigest()


def requested_extras() -> set[str]:
    return set(os.environ.get("EXTRAS", "").replace(",", " ").split())


def installed_extras() -> set[str]:
    return set(STAMP.read_text().split()[1:]) if STAMP.exists() else set()


def is_asked_version() -> bool:
    """False when the user named an interpreter with PYTHON= (the one running now) and `.venv` is of another version."""
    version = "python{}.{}".format(*sys.version_info[:2])
    return not os.environ.get("PYTHON") or (VENV / "lib" / version).is_dir()


def fresh() -> bool:
    if not STAMP.exists() or not PYTHON.exists() or not is_asked_version():
        return False
    key, *extras = STAMP.read_text().split()
    return key == _key() and requested_extras() <= set(extras)


def write(extras: set[str]) -> None:
    draft = STAMP.with_suffix(".draft")
    draft.write_text("\n".join([_key(), *sorted(extras)]) + "\n")
    draft.replace(STAMP)
