"""Rate of one TCP stream from this machine to itself: the ceiling of anything that talks over sockets on one host.

Takes sizes, returns GB/s of several windows. Sender and receiver are two threads; both spend their time inside
the kernel, where Python's lock is released.
"""

from __future__ import annotations

import socket
import threading
import time

MESSAGE_BYTES = 2**20  # larger messages gain nothing: the kernel cuts them into segments of 64 KiB


def loopback_gb_per_s(window_bytes: int, windows: int) -> tuple[float, ...]:
    """Receive `windows` windows of `window_bytes` over 127.0.0.1, after one window of warm-up that is not counted."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        sender = socket.create_connection(server.getsockname())
        receiver, _ = server.accept()
    per_window = window_bytes // MESSAGE_BYTES * MESSAGE_BYTES

    def send() -> None:
        message = memoryview(bytes(MESSAGE_BYTES))
        with sender:
            for _ in range((windows + 1) * per_window // MESSAGE_BYTES):
                sender.sendall(message)

    thread = threading.Thread(target=send, daemon=True)
    thread.start()
    rates = []
    buffer = memoryview(bytearray(MESSAGE_BYTES))
    with receiver:
        for _ in range(windows + 1):
            start, left = time.perf_counter(), per_window
            while left:
                got = receiver.recv_into(buffer[: min(left, MESSAGE_BYTES)])
                if got == 0:
                    raise ConnectionError("the loopback stream ended early")
                left -= got
            rates.append(per_window / 1e9 / (time.perf_counter() - start))
    thread.join()
    return tuple(rates[1:])
