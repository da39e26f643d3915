"""A folder on a real disk for one answer: bounded while the answer runs, and gone afterwards whatever the answer left in it.

`Scratch.open(...)` is a context manager. `watch(process)` ends a process tree that fills the folder; `overrun` then says so.
The folder is locked while its owner lives, so one that was left by a killed grader is found and removed by the next.

Not covered: space of files that are unlinked while open and filled without write(2) (fallocate, memory maps); each of them is
bounded by the limit on file size. Knows nothing of tasks and channels.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from grader import tree
from grader.counters import io_of
from grader.processes import Process

PREFIX = "goodput-scratch-"
LIMIT_MB = 1024  # thirty times the largest data set of the course
LIMIT_ENTRIES = 50_000  # one file per sample, five times over; ext4 makes some 30,000 files a second
POLL_S = 0.2  # a disk of 2 GB/s writes 400 MB in between
GRACE_S = 60.0  # between making a folder and locking it there is a moment; nothing as young as this is swept


def base_folder() -> Path:
    """Where scratch folders are made: GOODPUT_SCRATCH, or the system's temporary folder."""
    return Path(os.environ.get("GOODPUT_SCRATCH") or tempfile.gettempdir())


def usage(folder: Path) -> tuple[float, int]:
    """(bytes on the disk, entries) below a folder. What cannot be looked into counts as unbounded."""
    total, entries, waiting = 0.0, 0, [str(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as found:
                for entry in found:
                    entries += 1
                    with contextlib.suppress(FileNotFoundError):
                        total += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError as e:
            if e.errno not in (errno.ENOENT, errno.ENOTDIR):  # those were removed while we looked
                total = float("inf")
    return total, entries


def files(folder: Path) -> dict[Path, int]:
    """Sizes in bytes of the regular files below a folder, to be asked while nothing of the answer runs.

    A link in the folder's place leads elsewhere and has no files.
    """
    found: dict[Path, int] = {}
    if folder.is_symlink():
        return found
    for place, _, names in os.walk(folder):
        for path in (Path(place, name) for name in names):
            status = path.lstat()
            if stat.S_ISREG(status.st_mode):
                found[path] = status.st_size
    return found


def forget_pages(folder: Path) -> None:
    """Ask the kernel to drop the cached pages of every file below, so that the next read comes from the disk."""
    for path in files(folder):
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            os.fsync(fd)  # dirty pages are not dropped
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(fd)


def remove(folder: Path) -> None:
    """Remove a tree of any depth, closed folders included; rm and chmod walk without recursion and follow no links."""
    for command in (["chmod", "-R", "u+rwx"], ["rm", "-rf", "--"]):
        subprocess.run([*command, str(folder)], capture_output=True, check=False)


def sweep(base: Path) -> None:
    """Remove folders whose grader is gone: a killed one could not tidy up."""
    for folder in base.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            status = folder.lstat()
            if (
                status.st_uid == os.getuid()
                and stat.S_ISDIR(status.st_mode)
                and time.time() - status.st_mtime > GRACE_S
            ):
                fd = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
                try:
                    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)  # refused while its owner lives
                    remove(folder)
                finally:
                    os.close(fd)


class Scratch:
    """`folder`, and `overrun`: None, or what went beyond its bound ("bytes" or "files")."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.overrun: str | None = None

    @classmethod
    @contextlib.contextmanager
    def open(cls) -> Iterator[Scratch]:
        base = base_folder()
        sweep(base)
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=base))
        try:
            lock = os.open(folder, os.O_RDONLY)
            try:
                # some network filesystems lock no folders; then nothing sweeps this one
                with contextlib.suppress(OSError):
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                yield cls(folder)
            finally:
                os.close(lock)
        finally:
            remove(folder)

    @contextlib.contextmanager
    def watch(self, process: Process) -> Iterator[None]:
        """End the process tree when the folder, or what the tree has written anywhere, goes beyond the bounds."""
        done = threading.Event()

        def look() -> None:
            while not done.wait(POLL_S):
                bytes_used, entries = usage(self.folder)
                written = io_of(process.popen.pid).bytes_written
                if max(bytes_used, written) > LIMIT_MB << 20 or entries > LIMIT_ENTRIES:
                    self.overrun = "files" if entries > LIMIT_ENTRIES else "bytes"
                    tree.kill(process.popen)
                    return

        watcher = threading.Thread(target=look, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            done.set()
            watcher.join()
