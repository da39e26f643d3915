"""The trusted process that compiles and runs CUDA launch plans, inside the sandbox.

It holds no Python of the learner, only CUDA C++: what it compiles may read nothing but system headers, and what it launches
can at worst ruin this process's own GPU context. Same protocol as worker.py; ops `inspect` (no GPU needed), `attach`, `plans`,
`run`, `window`, `detach`, `page`. Replies carry facts; sentences are made elsewhere.
"""

from __future__ import annotations

import json
import mmap
import os
import socket
import sys
from dataclasses import asdict
from typing import Any

from goodput.cuda import machine_code
from goodput.cuda.nvrtc import Compiled, compile_cubin
from goodput.cuda.plan_json import from_json
from grader.channel import Channel, PeerGone
from grader.layout import Layout
from grader.worker import describe_error
from grader.worker_pages import PAGE_ARMED, PAGE_DONE, PAGE_GO

_compiled: dict[tuple[str, str, bool], Compiled] = {}


def compiled(source: str, arch: str, rdc: bool = False) -> Compiled:
    key = (source, arch, rdc)
    if key not in _compiled:
        _compiled[key] = compile_cubin(source, arch, rdc=rdc)
    return _compiled[key]


def inspect(message: dict[str, Any], _: bytes, __: list[int]) -> dict[str, Any]:
    """Machine code and resources of the named kernels for one architecture."""
    done = compiled(message["source"], message["arch"])
    used = machine_code.resources(done.cubin, done.log)
    resources = [
        {k: v or 0 for k, v in asdict(used[name]).items()} for name in message["kernels"] if name in used
    ]
    texts = [machine_code.sass(done.cubin, name) for name in message["kernels"]]
    return {"resources": resources, "body": json.dumps(texts).encode()}


class Runner:
    """GPU state: the attached layout and the prepared calls. Made on the first op that needs a GPU."""

    def __init__(self) -> None:
        from goodput.cuda.driver import Device
        from goodput.cuda.module import Module
        from goodput.cuda.prepared import Prepared

        self.device = Device(0)
        self._module, self._prepared = Module, Prepared
        self.modules: dict[str, Module] = {}
        self.address: int | None = None
        self.layout = Layout((), 0)
        self.calls: list[Prepared] = []
        self.warm: Any = None
        self.scratch: list[int] = []
        self.page = memoryview(bytearray(24)).cast(
            "Q"
        )  # replaced by the controller's before the first window

    def attach(self, message: dict[str, Any], body: bytes, _: list[int]) -> dict[str, Any]:
        self.detach({}, b"", [])
        self.layout = Layout.from_json(message["layout"])
        self.address = self.device.open(body)
        return {}

    def detach(self, _: dict[str, Any], __: bytes, ___: list[int]) -> dict[str, Any]:
        self.calls, self.warm = [], None
        if self.address is not None:
            self.device.synchronize()
            self.device.close_import(self.address)
            self.address = None
        for address in self.scratch:
            self.device.free(address)
        self.scratch = []
        return {}

    def plans(self, message: dict[str, Any], _: bytes, __: list[int]) -> dict[str, Any]:
        """Compile and prepare one plan per call; in a race, one more whose buffers are private, for warm calls."""
        if self.address is None:
            raise RuntimeError("plans before attach")
        base = self.address
        plans = [from_json(text) for text in message["plans"]]
        sizes: dict[str, int] = {}
        for plan in plans:
            for name, nbytes in plan.scratch.items():
                sizes[name] = max(sizes.get(name, 0), nbytes)
        held = {name: self._allocate(nbytes) for name, nbytes in sizes.items()}
        self.calls = []
        for k, plan in enumerate(plans):
            places = {s.name: base + s.offset for s in self.layout.calls[k]}
            self.calls.append(self._prepare(plan, message["arch"], places | held))
        if message["timed"]:
            places = {}
            for slot in self.layout.calls[0]:
                places[slot.name] = self._allocate(slot.nbytes)
                self.device.copy(places[slot.name], base + slot.offset, slot.nbytes)
            self.warm = self._prepare(plans[0], message["arch"], places | held)
        self.device.synchronize()
        return {}

    def _allocate(self, nbytes: int) -> int:
        address = self.device.alloc(nbytes)
        self.device.fill(address, nbytes, 0xFF)
        self.scratch.append(address)
        return address

    def _prepare(self, plan: Any, arch: str, places: dict[str, int]) -> Any:
        for launch in plan.launches:
            if launch.source not in self.modules:
                cubin = compiled(launch.source, arch, launch.rdc).cubin
                self.modules[launch.source] = self._module(self.device, cubin)
        return self._prepared(self.device, plan.launches, self.modules, places)

    def run(self, message: dict[str, Any], _: bytes, __: list[int]) -> dict[str, Any]:
        self.calls[message["call"]].run()
        self.device.synchronize()
        return {}

    def share_page(self, _: dict[str, Any], __: bytes, fds: list[int]) -> dict[str, Any]:
        self.page = memoryview(mmap.mmap(fds[0], 4096)).cast("Q")
        os.close(fds[0])
        return {}

    def window(self, message: dict[str, Any], _: bytes, __: list[int]) -> dict[str, Any]:
        """Warm calls, armed, spin until go, the calls, synchronise, done (see windows.py)."""
        seq, calls, page = message["seq"], self.calls[: message["calls"]], self.page
        for _warm in range(message["warm"]):
            self.warm.run()
        self.device.synchronize()
        with self.device.timed() as timing:
            timing.stop()  # both events exist before the clock starts
            page[PAGE_ARMED] = seq
            while page[PAGE_GO] != seq:
                pass
            timing.start()
            for call in calls:
                call.run()
            timing.stop()
            self.device.synchronize()
            page[PAGE_DONE] = seq
            elapsed_ms = timing.elapsed_ms()
        return {"event_ms": elapsed_ms}


def main() -> None:
    channel = Channel(socket.socket(fileno=int(sys.argv[1])), take_descriptors=True)
    channel.send({"ready": True})
    runner: Runner | None = None
    names = {
        "attach": "attach",
        "detach": "detach",
        "plans": "plans",
        "run": "run",
        "window": "window",
        "page": "share_page",
    }
    while True:
        try:
            message, body, fds = channel.receive()
        except PeerGone:
            return
        out = b""
        answered: dict[str, Any]
        try:
            if message["op"] == "inspect":
                reply = inspect(message, body, fds)
            else:
                runner = runner or Runner()
                reply = getattr(runner, names[message["op"]])(message, body, fds)
            out = reply.pop("body", b"")
            answered = {"ok": True, **reply}
        except Exception as e:
            answered = {"ok": False, "error": describe_error(e, {})}
        channel.send(answered, out)


if __name__ == "__main__":
    main()
