"""What the controller's side of the channel promises: it believes no frame, keeps no descriptor and waits for nobody."""

from __future__ import annotations

import array
import json
import os
import socket
import threading
import time

import pytest

from grader.channel import HEADER, MAX_JSON, Channel, ChannelError, PeerGone, PeerSilent, expect


@pytest.fixture
def pair():
    ours, theirs = Channel.pair()
    yield ours, theirs
    ours.close()
    theirs.close()


def soon() -> float:
    return time.monotonic() + 20.0


def frame(text: bytes, body: bytes = b"") -> bytes:
    return HEADER.pack(len(text), len(body)) + text + body


def test_message_body_and_descriptors_reach_the_worker(pair) -> None:
    ours, theirs = pair
    worker = Channel(theirs, take_descriptors=True)
    read_end, write_end = os.pipe()
    ours.send({"op": "run", "text": "ñ\ud800"}, b"abc", (read_end,), deadline=soon())
    message, body, fds = worker.receive(soon())
    assert (message, body, len(fds)) == ({"op": "run", "text": "ñ\ud800"}, b"abc", 1)
    os.write(write_end, b"x")
    assert os.read(fds[0], 1) == b"x"
    for fd in (read_end, write_end, *fds):
        os.close(fd)


def test_descriptors_of_a_worker_are_never_kept(pair) -> None:
    ours, theirs = pair
    before = len(os.listdir("/proc/self/fd"))
    read_end, write_end = os.pipe()
    text = json.dumps({"ok": True}).encode()
    for part in (frame(text)[:5], frame(text)[5:]):
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [read_end, write_end] * 8))]
        theirs.sendmsg([part], rights)
    os.close(read_end)
    os.close(write_end)
    assert ours.receive(soon()) == ({"ok": True}, b"", [])
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize(
    "header", [HEADER.pack(MAX_JSON + 1, 0), HEADER.pack(2, 65), HEADER.pack(2, 2**64 - 1)]
)
def test_sizes_are_refused_before_memory_is_taken(pair, header: bytes) -> None:
    ours, theirs = pair
    theirs.sendall(header)
    with pytest.raises(ChannelError, match="message of"):
        ours.receive(soon(), max_body=64)


@pytest.mark.parametrize("text", [b"", b"no", b'"text"', b"[1]", b"7", b"\xff\xfe\xfd", b"[" * 20_000, b'{"a":' * 20_000,
                                  b'{"n":' + b"9" * 10_000 + b"}"])  # fmt: skip
def test_what_is_not_an_object_is_a_breach(pair, text: bytes) -> None:
    ours, theirs = pair
    theirs.sendall(frame(text))
    with pytest.raises(ChannelError):
        ours.receive(soon())


@pytest.mark.parametrize("sent", [b"", b"\x01", frame(b"{}")[:13], frame(b"{}", b"0123")[:-1]])
def test_a_frame_that_ends_early_is_a_dead_peer(pair, sent: bytes) -> None:
    ours, theirs = pair
    theirs.sendall(sent)
    theirs.shutdown(socket.SHUT_WR)
    with pytest.raises(PeerGone):
        ours.receive(soon(), max_body=64)


def test_a_peer_that_trickles_bytes_cannot_stretch_the_deadline(pair) -> None:
    ours, theirs = pair
    ended = threading.Event()

    def trickle() -> None:
        theirs.sendall(HEADER.pack(MAX_JSON, 0))
        while not ended.wait(0.01):
            theirs.sendall(b" ")

    thread = threading.Thread(target=trickle)
    thread.start()
    with pytest.raises(PeerSilent):
        ours.receive(time.monotonic() + 0.2)
    ended.set()
    thread.join()


def test_a_peer_that_never_reads_cannot_hold_the_controller(pair) -> None:
    ours, _ = pair
    with pytest.raises(PeerSilent):
        ours.send({"args": "x" * (3 << 20)}, deadline=time.monotonic() + 0.2)


@pytest.mark.parametrize("message", [{}, {"ok": 1}, {"ok": "true"}, {"ok": None}, {"ok": [True]}])
def test_a_field_of_another_type_is_a_breach(message: dict) -> None:
    with pytest.raises(ChannelError, match="field ok"):
        expect(message, ok=bool)


def test_true_is_not_a_number() -> None:
    with pytest.raises(ChannelError):
        expect({"n": True}, n=int)
    assert expect({"n": 3, "more": 1}, n=(int, float)) == {"n": 3}
