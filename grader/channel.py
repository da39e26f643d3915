"""Length-framed messages between the controller and a process that runs an answer.

A frame is a JSON object and, optionally, raw bytes: `<u32 json length><u64 body length>` + JSON + body. File descriptors may
travel with a frame. Nothing is ever unpickled, evaluated or parsed out of printed text. The controller's side treats every
frame as hostile: sizes are bounded before memory is taken, and the fields it needs are checked by `expect`.
Knows nothing of what the messages mean.
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

    def __init__(self, sock: socket.socket):
        self.sock = sock
        self.sock.setblocking(True)

    @staticmethod
    def pair() -> tuple[Channel, socket.socket]:
        """A channel for this process and the bare socket to hand to a child."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        return Channel(ours), theirs

    def fileno(self) -> int:
        return self.sock.fileno()

    def send(self, message: dict[str, Any], body: bytes | memoryview = b"", fds: tuple[int, ...] = ()) -> None:
        text = json.dumps(message, ensure_ascii=False, allow_nan=True).encode()
        frame = HEADER.pack(len(text), len(body)) + text
        try:
            if fds:
                ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))]
                sent = self.sock.sendmsg([frame], ancillary)
                frame = frame[sent:]
            self.sock.sendall(frame)
            if len(body):
                self.sock.sendall(body)
        except (BrokenPipeError, ConnectionResetError) as e:
            raise PeerGone("closed its channel") from e

    def receive(self, deadline: float | None = None, max_body: int = MAX_BODY) -> tuple[dict[str, Any], bytes, list[int]]:
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
            if deadline is not None:
                left = deadline - time.monotonic()
                if left <= 0 or not select.select([self.sock], [], [], left)[0]:
                    raise PeerSilent("no answer in time")
            try:
                chunk, ancillary, _, _ = self.sock.recvmsg(min(missing, 1 << 20), socket.CMSG_SPACE(16 * 4))
            except ConnectionResetError as e:
                raise PeerGone("closed its channel") from e
            for level, kind, data in ancillary:
                if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                    fds.extend(array.array("i", data[: len(data) - len(data) % 4]))
            if not chunk:
                raise PeerGone("closed its channel")
            parts.append(chunk)
            missing -= len(chunk)
        return b"".join(parts)

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
