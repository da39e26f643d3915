"""Memory that the controller shares with a process it does not trust: a file without a name and of fixed size.

Without the seals the other side could shorten the file, and the controller would die of SIGBUS on its next look at it.
Knows nothing of what lies in the memory.
"""

from __future__ import annotations

import fcntl
import os

SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL


def sealed(name: str, nbytes: int) -> int:
    """The descriptor of `nbytes` zero bytes (at least one) whose size nobody can change; the caller closes it."""
    fd = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(fd, max(nbytes, 1))
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, SEALS)
    return fd
