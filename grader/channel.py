"""Length-framed messages between the controller and a process that runs an answer.

A frame is a JSON object and, optionally, raw bytes: `<u32 json length><u64 body length>` + JSON + body. File descriptors may
travel with a frame to a worker, never from one. Nothing is ever unpickled, evaluated or parsed out of printed text. The
controller's side treats every frame as hostile: sizes are bounded before memory is taken, the fields it needs are checked by
`expect`, and a side that neither reads nor answers costs a time limit. Knows nothing of what the messages mean.
"""

from __future__ import annotations

import array
import json
import select
import socket
import struct
import time
from typing import Any

HEADER = struct.Struct("<IQ")
MAX_JSON = 4 << 20  # a launch plan with 64 launches and a 256 KiB source fits many times
MAX_BODY = 1 << 30
CHUNK = 1 << 20


class ChannelError(Exception):
    """The other side broke the protocol; `reason` is a short phrase for the verdict."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


class PeerGone(ChannelError):
    """The other side closed its end: it died or was killed."""


class PeerSilent(ChannelError):
    """No complete answer came within the time limit."""


class Channel:
    """One end of a socket pair. `deadline` arguments are seconds on the monotonic clock."""

    def __init__(self, sock: socket.socket, take_descriptors: bool = False):
        self.sock, self.take_descriptors = sock, take_descriptors
        self.sock.setblocking(True)

    @staticmethod
    def pair() -> tuple[Channel, socket.socket]:
        """A channel for this process and the bare socket to hand to a child."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        return Channel(ours), theirs

    def fileno(self) -> int:
        return self.sock.fileno()

    def send(self, message: dict[str, Any], body: bytes | memoryview = b"", fds: tuple[int, ...] = (),
             deadline: float | None = None) -> None:  # fmt: skip
        text = json.dumps(message).encode()  # ASCII: half of a surrogate pair must not stop a frame
        frame = memoryview(HEADER.pack(len(text), len(body)) + text)
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
        for part in (frame, memoryview(body).cast("B")):
            while part.nbytes:
                self._wait(deadline, to_write=True)
                flags = socket.MSG_DONTWAIT if deadline is not None else 0
                try:
                    part = part[self.sock.sendmsg([part[:CHUNK]], ancillary, flags) :]
                except BlockingIOError:
                    continue
                except (BrokenPipeError, ConnectionResetError) as e:
                    raise PeerGone("closed its channel") from e
                ancillary = []

    def receive(
        self, deadline: float | None = None, max_body: int = MAX_BODY
    ) -> tuple[dict[str, Any], bytes, list[int]]:
        """One frame: the JSON object, the body, and descriptors that came along."""
        fds: list[int] = []
        head = self._exactly(HEADER.size, deadline, fds)
        json_length, body_length = HEADER.unpack(head)
        if json_length > MAX_JSON or body_length > max_body:
            raise ChannelError(f"message of {json_length + body_length} bytes")
        text = self._exactly(json_length, deadline, fds)
        body = self._exactly(body_length, deadline, fds) if body_length else b""
        try:
            message = json.loads(text)
        except (ValueError, RecursionError) as e:
            raise ChannelError("message is not JSON") from e
        if not isinstance(message, dict):
            raise ChannelError("message is not an object")
        return message, body, fds

    def _exactly(self, size: int, deadline: float | None, fds: list[int]) -> bytes:
        parts, missing = [], size
        while missing:
            self._wait(deadline)
            try:
                chunk = self._some(min(missing, CHUNK), fds)
            except ConnectionResetError as e:
                raise PeerGone("closed its channel") from e
            if not chunk:
                raise PeerGone("closed its channel")
            parts.append(chunk)
            missing -= len(chunk)
        return b"".join(parts)

    def _some(self, size: int, fds: list[int]) -> bytes:
        if not self.take_descriptors:
            return self.sock.recv(size)  # the kernel drops descriptors that nobody asks for
        chunk, ancillary, _, _ = self.sock.recvmsg(size, socket.CMSG_SPACE(16 * 4))
        for level, kind, data in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                fds.extend(array.array("i", data[: len(data) - len(data) % 4]))
        return chunk

    def _wait(self, deadline: float | None, to_write: bool = False) -> None:
        if deadline is None:
            return
        poll = select.poll()  # select() refuses descriptors above 1023
        poll.register(self.sock, select.POLLOUT if to_write else select.POLLIN)
        left = deadline - time.monotonic()
        if left <= 0 or not poll.poll(left * 1000):
            raise PeerSilent("no answer in time")

    def close(self) -> None:
        self.sock.close()


def expect(message: dict[str, Any], **fields: type | tuple[type, ...]) -> dict[str, Any]:
    """The named fields of a message, each checked for its type; anything else is a protocol error."""
    found = {}
    for name, kind in fields.items():
        value = message.get(name)
        wanted = kind if isinstance(kind, tuple) else (kind,)
        if not isinstance(value, wanted) or (isinstance(value, bool) and bool not in wanted):
            raise ChannelError(f"field {name} is not {'/'.join(k.__name__ for k in wanted)}")
        found[name] = value
    return found
