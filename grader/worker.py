"""The process that runs an answer. Started inside the sandbox; obeys the controller; decides nothing.

Arguments: the number of an inherited socket, the flavour, how many processes are allowed (0: not bounded here). Protocol (see
channel.py): requests with an `op`, one reply each. An exception of the answer comes back as data. Everything in here is
readable and changeable by the answer, so nothing here is secret and no reply is believed: results are read from buffers that
the controller owns, plans are validated again, time is not taken here.
"""

from __future__ import annotations

import contextlib
import json
import linecache
import socket
import struct
import sys
import traceback
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, BinaryIO

from grader.channel import Channel, PeerGone
from grader.limits import bound_processes

WARM = {
    "torch": ("torch", "numpy", "torch._dynamo"),
    "cuda": ("torch", "numpy", "goodput.cuda"),
    "triton": ("torch", "numpy", "triton"),
    "triton_offline": ("torch", "numpy", "triton"),
    "plain": (),
}


LENGTH = struct.Struct("<I")  # before every piece of a feed


class Refused(Exception):
    """The request cannot be served as asked; becomes an error reply."""


def describe_error(error: BaseException, cells: dict[str, str]) -> dict[str, Any]:
    """Type, text and the innermost line inside the answer's own cells."""
    where = [f for f in traceback.extract_tb(error.__traceback__) if f.filename in cells]
    line, cell = (where[-1].lineno, where[-1].filename) if where else (None, None)
    if isinstance(error, SyntaxError) and error.filename in cells:
        line, cell = error.lineno, error.filename
    source = linecache.getline(cell, line).strip() if cell and line else ""
    reply = {"type": type(error).__name__, "text": str(error)[:2000], "line": line, "source_line": source[:200],
             "bases": [c.__name__ for c in type(error).__mro__][:8]}  # fmt: skip
    messages = getattr(error, "messages", None)  # goodput.cuda.CompileError
    if isinstance(messages, (list, tuple)):
        first = next(
            (m for m in messages if getattr(m, "severity", "") == "error"), messages[0] if messages else None
        )
        if first is not None:
            reply["compiler"] = {"line": first.line, "column": first.column, "text": str(first.text)[:500]}
    return reply


class Session:
    """The state between requests: the answer's namespace and whatever the ops keep."""

    def __init__(self) -> None:
        self.namespace: dict[str, Any] = {"__name__": "__main__"}
        self.cells: dict[str, str] = {}
        self.function: Any = None
        self.state: dict[str, Any] = {}

    def load(self, message: dict[str, Any], _: bytes, __: list[int]) -> dict[str, Any]:
        for name, source in message["cells"]:
            filename = f"<{name}>"
            self.cells[filename] = source
            linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
            exec(
                compile(source, filename, "exec", dont_inherit=True), self.namespace
            )  # not our __future__ imports
        name = message["function"]
        self.function = self.namespace.get(name)
        if not callable(self.function):
            raise Refused(f"the answer does not define a function {name}")
        return {}

    def evaluate(self, message: dict[str, Any], _: bytes, __: list[int]) -> dict[str, Any]:
        """Call a function of the answer with plain data; its result must be plain data too."""
        return {"value": encode(self._target(message)(*decode(message["args"])))}

    def _target(self, message: dict[str, Any]) -> Any:
        return self.namespace[message["name"]] if message.get("name") else self.function

    def feed(self, message: dict[str, Any], _: bytes, fds: list[int]) -> dict[str, Any]:
        """Call a function with an iterable of bytes, read one by one from a descriptor, and plain data."""
        with open(fds[0], "rb") as file:
            self._target(message)(pieces(file), *decode(message["args"]))
        return {}

    def iterate(self, message: dict[str, Any], _: bytes, __: list[int]) -> dict[str, Any]:
        """Call a function whose result `take` will iterate over."""
        self.state["iterator"] = None  # the one before ends here, and what it holds goes
        self.state["iterator"] = iter(self._target(message)(*decode(message["args"])))
        return {}

    def take(self, message: dict[str, Any], _: bytes, __: list[int]) -> dict[str, Any]:
        """The next bytes objects of the iterator, lengths and raw body: until the batch is full or the iterator ends."""
        taken: list[bytes] = []
        size, ended = 0, False
        while size < message["batch_bytes"] and len(taken) < message["batch_items"] and not ended:
            item = next(self.state["iterator"], END)
            ended = item is END
            if not ended:
                if not isinstance(item, (bytes, bytearray, memoryview)):
                    raise TypeError(f"yielded a {type(item).__name__}; bytes are expected")
                taken.append(bytes(item))
                size += len(taken[-1])
        return {"lengths": [len(t) for t in taken], "ended": ended, "body": b"".join(taken)}


END = object()


def pieces(file: BinaryIO) -> Iterator[bytes]:
    """The bytes objects of a file of `<u32 length>` + bytes, each read when it is asked for."""
    while head := file.read(LENGTH.size):
        yield file.read(LENGTH.unpack(head)[0])


def encode(value: Any) -> Any:
    """Python data -> JSON with tuples, bytes and float specials kept apart; anything else is refused by name.

    A dataclass arrives as a namespace with its fields as attributes.
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return {"f": value.hex()}
    if isinstance(value, bytes):
        return {"b": value.hex()}
    if isinstance(value, tuple):
        return {"t": [encode(v) for v in value]}
    if isinstance(value, list):
        return [encode(v) for v in value]
    if isinstance(value, dict):
        return {"d": [[encode(k), encode(v)] for k, v in value.items()]}
    if isinstance(value, set | frozenset):
        return {"t": [encode(v) for v in sorted(value)]}
    if type(value).__module__ == "numpy" and hasattr(value, "item"):
        return encode(value.item())
    if isinstance(value, SimpleNamespace):
        return {"o": [[k, encode(v)] for k, v in vars(value).items()]}
    if hasattr(value, "__dataclass_fields__"):
        return {"o": [[k, encode(getattr(value, k))] for k in value.__dataclass_fields__]}
    raise TypeError(
        f"returned a {type(value).__name__}; plain numbers, text, lists, tuples and dicts can be returned"
    )


def decode(value: Any) -> Any:
    """The inverse of `encode`. Raises ValueError on anything malformed."""
    try:
        return _decode(value)
    except (TypeError, AttributeError, ArithmeticError, RecursionError) as e:
        raise ValueError("malformed value") from e


def _decode(value: Any) -> Any:
    if isinstance(value, list):
        return [_decode(v) for v in value]
    if isinstance(value, dict):
        ((key, inner),) = value.items()
        if key == "f":
            return float.fromhex(inner)
        if key == "b":
            return bytes.fromhex(inner)
        if key == "t" and isinstance(inner, list):
            return tuple(_decode(v) for v in inner)
        if key == "d" and isinstance(inner, list):
            return {_decode(k): _decode(v) for k, v in inner}
        if (
            key == "o"
            and isinstance(inner, list)
            and all(k.isidentifier() and not k.startswith("_") for k, _ in inner)
        ):
            return SimpleNamespace(**{k: _decode(v) for k, v in inner})
        raise ValueError("malformed value")
    return value


def account_of(error: BaseException, cells: dict[str, str]) -> dict[str, Any]:
    """`describe_error`, also for exceptions that raise when they are looked at."""
    try:
        return describe_error(error, cells)
    except BaseException:
        return {
            "type": type(error).__name__,
            "text": "",
            "bases": [c.__name__ for c in type(error).__mro__][:8],
        }


def main() -> None:
    channel = Channel(socket.socket(fileno=int(sys.argv[1])), take_descriptors=True)
    flavour, processes = sys.argv[2], int(sys.argv[3])
    if processes:
        bound_processes(processes)
    for module in WARM[flavour]:
        __import__(module)
    session = Session()
    ops: dict[str, Any] = {"load": session.load, "evaluate": session.evaluate, "feed": session.feed,
                           "iterate": session.iterate, "take": session.take}  # fmt: skip
    if flavour != "plain":
        from grader import worker_torch

        ops |= worker_torch.operations(session, channel)
    channel.send({"ready": True})
    while True:
        try:
            message, body, fds = channel.receive()
        except PeerGone:
            return
        answered: dict[str, Any]
        try:
            reply = ops[message["op"]](message, body, fds)
            out = reply.pop("body", b"")
            answered = {"ok": True, **reply}
        except BaseException as e:  # SystemExit and KeyboardInterrupt of the answer are answers too
            out, answered = b"", {"ok": False, "error": account_of(e, session.cells)}
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(
                Exception
            ):  # an answer that closed them loses its printing, nothing else
                stream.flush()
        try:
            json.dumps(answered)
        except BaseException as e:
            out, answered = (
                b"",
                {"ok": False, "error": {"type": type(e).__name__, "text": "reply cannot be sent"}},
            )
        channel.send(answered, out)


if __name__ == "__main__":
    main()
