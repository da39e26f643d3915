"""Finished cubins on disk, one pair of files per hash of everything that decides them.

`key(...)` hashes source, flags, compiler version and headers; `read` and `write` keep (cubin, log) under it.
A cubin found here is run without another look, so an untrusted process must not be able to write into the
folder of a trusted one.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path


def user_folder() -> Path:
    """The folder for a person's own work: $XDG_CACHE_HOME/goodput/cubin, or ~/.cache/goodput/cubin."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "goodput" / "cubin"


def key(*parts: str) -> str:
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(
            len(data).to_bytes(8, "little") + data
        )  # lengths keep ("ab", "c") apart from ("a", "bc")
    return digest.hexdigest()


def read(folder: Path, name: str) -> tuple[bytes, str] | None:
    try:
        return (folder / f"{name}.cubin").read_bytes(), (folder / f"{name}.log").read_text()
    except OSError:
        return None


def write(folder: Path, name: str, cubin: bytes, log: str) -> None:
    """Each file is renamed into place, the log first, so that a reader never sees half of one."""
    folder.mkdir(parents=True, exist_ok=True)
    for suffix, data in ((".log", log.encode()), (".cubin", cubin)):
        descriptor, temporary = tempfile.mkstemp(dir=folder)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.replace(temporary, folder / (name + suffix))
