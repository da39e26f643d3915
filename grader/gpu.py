"""One GPU for one grading at a time: the lock, the facts, the watch.

`describe_into(session, index)` fills the session's GPU facts and starts watching for disturbances; `lock(lock_path(index))` is
held while one answer is graded, so that two gradings never time each other and an open notebook does not keep a GPU for itself.
The lock file lies in the system's shared temporary folder, named by the GPU's UUID, so that different users and containers that
share the folder exclude each other.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from grader.disturbance import Watch

if TYPE_CHECKING:
    from grader.session import Session

POLL_S = 0.2


def lock_path(index: int) -> Path:
    uuid = str(torch.cuda.get_device_properties(index).uuid)
    return Path(tempfile.gettempdir()) / f"goodput-gpu-{uuid}.lock"


@contextlib.contextmanager
def lock(path: Path, waiting: object = None) -> Iterator[None]:
    """Hold an exclusive lock on `path`; `waiting` is called once when somebody else holds it."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        with contextlib.suppress(PermissionError):
            os.fchmod(fd, 0o666)
        told = False
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if not told and callable(waiting):
                    waiting()
                    told = True
                time.sleep(POLL_S)
        yield
    finally:
        os.close(fd)


def describe_into(session: Session, index: int) -> None:
    """Fill the session's GPU facts and start watching; takes no lock."""
    torch.cuda.set_device(index)
    facts = torch.cuda.get_device_properties(index)
    session.gpu = index
    session.capability = (facts.major, facts.minor)
    session.multiprocessors = facts.multi_processor_count
    session.memory_bytes = facts.total_memory
    session.l2_bytes = facts.L2_cache_size
    session.disturbance = Watch(index)
