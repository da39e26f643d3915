"""Where measured ceilings are kept: one JSON file per machine fingerprint and device, in the user's cache
folder.

Takes and returns `Ceilings`; a file is written whole or not at all. A file that cannot be read is reported in
one sentence and treated as not there. Knows nothing of measuring.
"""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from pathlib import Path

from goodput.machine.ceiling import Ceilings


def cache_folder() -> Path:
    """$XDG_CACHE_HOME/goodput, or ~/.cache/goodput."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "goodput"


def cache_file(fingerprint: str, device: str) -> Path:
    return cache_folder() / f"ceilings-{fingerprint}-{device}.json"


def load(fingerprint: str, device: str) -> Ceilings | None:
    """The cached ceilings, or None where there are none or the file is unreadable (one warning says so)."""
    path = cache_file(fingerprint, device)
    try:
        found = Ceilings.from_json(json.loads(path.read_text()))
        if (found.machine, found.device) != (fingerprint, device):
            raise ValueError("it belongs to another machine or device")
        return found
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as problem:
        warnings.warn(
            f"{path} cannot be used ({problem}); the ceilings will be measured again.", stacklevel=3
        )
        return None


def store(ceilings: Ceilings) -> Path:
    """Write the ceilings (rename into place) and return the file."""
    path = cache_file(ceilings.machine, ceilings.device)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(handle, "w") as file:
            json.dump(ceilings.to_json(), file, indent=1)
            file.write("\n")
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return path
