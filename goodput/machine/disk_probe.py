"""Sequential disk rates from a scratch file that never has a name.

Takes a folder and a size, returns MB/s of several parts of the file, written (with fsync) and read back past
the page cache. The file is unlinked before its first byte is written, so that not even a killed process
leaves it behind. Knows nothing of what the disk is; memory file systems are refused, because their rate is
the memory's.
"""

from __future__ import annotations

import mmap
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from goodput.machine.probe import Unavailable

CHUNK_BYTES = 4 * 2**20  # large enough that one request keeps a drive busy, a multiple of every sector size
PARTS = 5  # rates are taken of fifths, so that there is a spread to report
IN_MEMORY = {"tmpfs", "ramfs"}


@dataclass(frozen=True)
class DiskRates:
    write_mb_per_s: tuple[float, ...]  # one per part
    read_mb_per_s: tuple[float, ...]
    write_how: str
    read_how: str


def disk_rates(folder: Path, size: int) -> DiskRates:
    """Write and read back about `size` bytes in `folder`, at most a twentieth of what is free there."""
    folder.mkdir(parents=True, exist_ok=True)
    if (kind := file_system(folder)) in IN_MEMORY:
        raise Unavailable(f"{folder} is on {kind}, which is memory and no disk")
    room = os.statvfs(folder)
    size = min(size, room.f_bavail * room.f_frsize // 20)
    chunks = size // CHUNK_BYTES // PARTS
    if chunks == 0:
        raise Unavailable(f"the disk of {folder} has too little free space for a scratch file")
    handle, name = tempfile.mkstemp(dir=folder, prefix="goodput-scratch-")
    try:
        os.unlink(name)
        written = _write(handle, chunks)
        read, read_how = _read(handle, chunks)
    finally:
        os.close(handle)
    size_mib = PARTS * chunks * CHUNK_BYTES // 2**20
    return DiskRates(
        written,
        read,
        f"{size_mib} MiB in sequence, write and fsync",
        f"{size_mib} MiB in sequence, {read_how}",
    )


def _write(handle: int, chunks: int) -> tuple[float, ...]:
    data = os.urandom(CHUNK_BYTES)  # random, because some drives and file systems compress
    rates = []
    for _ in range(PARTS):
        start = time.perf_counter()
        for _ in range(chunks):
            view = memoryview(data)
            while view:
                view = view[os.write(handle, view) :]
        os.fsync(handle)
        rates.append(chunks * CHUNK_BYTES / 1e6 / (time.perf_counter() - start))
    return tuple(rates)


def _read(handle: int, chunks: int) -> tuple[tuple[float, ...], str]:
    """Read with O_DIRECT where the file system allows it, else after asking the kernel to drop the file's
    pages."""
    try:
        reader, how = os.open(f"/proc/self/fd/{handle}", os.O_RDONLY | os.O_DIRECT), "O_DIRECT read"
    except OSError:
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        reader, how = os.dup(handle), "read after dropping cached pages"
    buffer = mmap.mmap(-1, CHUNK_BYTES)  # page-aligned, as O_DIRECT asks
    rates = []
    try:
        os.lseek(reader, 0, os.SEEK_SET)
        for _ in range(PARTS):
            start = time.perf_counter()
            for _ in range(chunks):
                if os.readv(reader, [buffer]) != CHUNK_BYTES:
                    raise Unavailable("the scratch file came back shorter than it was written")
            rates.append(chunks * CHUNK_BYTES / 1e6 / (time.perf_counter() - start))
    finally:
        os.close(reader)
        buffer.close()
    return tuple(rates), how


def file_system(folder: Path) -> str:
    """Type of the file system that holds `folder`, from the longest mount point above it; "" when unknown."""
    where = str(folder.resolve())
    found = ("", "")
    try:
        lines = Path("/proc/self/mountinfo").read_text().splitlines()
    except OSError:
        return ""
    for line in lines:
        before, _, after = line.partition(" - ")
        mount = before.split()[4].encode().decode("unicode_escape")  # spaces are written \040
        inside = where == mount or where.startswith(mount.rstrip("/") + "/")
        if inside and len(mount) >= len(found[0]):
            found = (mount, after.split()[0])
    return found[1]
