"""Operations of the worker that need torch: buffers of the controller, calls, timed windows, launch plans.

`operations(session)` returns name -> function(message, body, fds) -> reply. Runs beside hostile code (see worker.py).
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable
from typing import Any

import torch

from grader.layout import ITEM_BYTES, Layout, Slot
from grader.worker_pages import PAGE_ARMED, PAGE_DONE, PAGE_GO

ARGUMENT_KINDS = ("tensor", "number")


class DeviceBytes:
    """A byte range of device memory that torch can view without copying (CUDA array interface, version 3)."""

    def __init__(self, address: int, nbytes: int):
        self.__cuda_array_interface__ = {
            "shape": (nbytes,),
            "typestr": "|u1",
            "data": (address, False),
            "version": 3,
        }


def view(flat: torch.Tensor, slot: Slot) -> torch.Tensor:
    """The tensor of `slot` inside `flat`, a uint8 tensor over the whole allocation."""
    dtype = getattr(torch, slot.dtype)
    if slot.nbytes == 0:
        return torch.empty(slot.shape, dtype=dtype, device=flat.device)
    piece = flat[slot.offset : slot.offset + slot.nbytes].view(dtype)
    return piece.as_strided(slot.shape, slot.strides)


class Attached:
    """Buffers of one layout: `calls[k]` maps names to tensors over the controller's memory."""

    def __init__(self, flat: torch.Tensor, layout: Layout, release: Callable[[], None]):
        self.flat, self.layout, self.release = flat, layout, release
        self.calls = [{s.name: view(flat, s) for s in call} for call in layout.calls]
        self.scratch: dict[str, torch.Tensor] | None = None


def attach_host(fd: int, layout: Layout) -> Attached:
    memory = mmap.mmap(fd, max(layout.nbytes, 1))
    os.close(fd)
    return Attached(torch.frombuffer(memory, dtype=torch.uint8), layout, lambda: None)


def attach_device(handle: bytes, layout: Layout) -> Attached:
    from goodput.cuda.driver import Device

    torch.empty(1, device="cuda")  # torch's primary context is the one that Device shares
    device = Device(torch.cuda.current_device())
    address = device.open(handle)
    flat = torch.as_tensor(DeviceBytes(address, layout.nbytes), device="cuda")
    return Attached(flat, layout, lambda: device.close_import(address))


class ReachedLaunch(Exception):
    """The answer went on to launch something although the input was unusable."""


def reached_launch(tensor: torch.Tensor) -> Any:
    raise ReachedLaunch("launched with unusable input")


def operations(session: Any, channel: Any) -> dict[str, Any]:
    attached: dict[str, Attached] = {}
    page: list[memoryview] = []

    def arguments(spec: list[Any], tensors: dict[str, torch.Tensor]) -> list[Any]:
        return [tensors[value] if kind == "tensor" else value for kind, value in spec]

    def synchronise(where: Attached) -> None:
        if where.flat.is_cuda:
            torch.cuda.synchronize()

    def call(
        where: Attached, tensors: dict[str, torch.Tensor], spec: list[Any], returned: list[str] | None
    ) -> None:
        value = session.function(*arguments(spec, tensors))
        if returned is None:
            return
        results = value if isinstance(value, (tuple, list)) else (value,)
        if len(results) != len(returned):
            raise TypeError(f"returned {len(results)} values, expected {len(returned)}")
        for name, result in zip(returned, results, strict=True):
            out = tensors[name]
            if type(result) is not torch.Tensor:
                raise TypeError(f"returned a {type(result).__name__}, expected a torch.Tensor")
            if (
                result.shape != out.shape
                or result.dtype != out.dtype
                or result.device.type != out.device.type
            ):
                raise TypeError(f"returned {tuple(result.shape)} {result.dtype} on {result.device}, expected "
                                f"{tuple(out.shape)} {out.dtype} on {out.device}")  # fmt: skip
            out.copy_(result)

    def do_attach(message: dict[str, Any], body: bytes, fds: list[int]) -> dict[str, Any]:
        layout = Layout.from_json(message["layout"])
        old = attached.pop(message["key"], None)
        if old is not None:
            old.release()
        where = attach_host(fds[0], layout) if message["memory"] == "memfd" else attach_device(body, layout)
        attached[message["key"]] = where
        return {}

    def do_detach(message: dict[str, Any], _: bytes, __: list[int]) -> dict[str, Any]:
        where = attached.pop(message["key"], None)
        if where is not None:
            synchronise(where)
            where.calls.clear()
            where.scratch = None
            where.flat = torch.empty(0)
            where.release()
        return {}

    def do_run(message: dict[str, Any], _: bytes, __: list[int]) -> dict[str, Any]:
        where = attached[message["key"]]
        call(where, where.calls[message["call"]], message["args"], message["returned"])
        synchronise(where)
        return {}

    def do_page(_: dict[str, Any], __: bytes, fds: list[int]) -> dict[str, Any]:
        page[:] = [memoryview(mmap.mmap(fds[0], 4096)).cast("Q")]
        os.close(fds[0])
        return {}

    def do_window(message: dict[str, Any], _: bytes, __: list[int]) -> dict[str, Any]:
        """Warm calls on private copies, say armed, spin until go, run the calls, synchronise, say done."""
        where, seq, shared = attached[message["key"]], message["seq"], page[0]
        if where.scratch is None:
            where.scratch = {n: t.clone() for n, t in where.calls[0].items()}
        specs, returned = message["args"], message["returned"]
        for _warm in range(message["warm"]):
            call(where, where.scratch, specs[0], returned)
        synchronise(where)
        events = [torch.cuda.Event(enable_timing=True) for _ in range(2)] if where.flat.is_cuda else []
        shared[PAGE_ARMED] = seq
        while shared[PAGE_GO] != seq:
            pass
        if events:
            events[0].record()
        for k in range(message["calls"]):
            call(where, where.calls[k], specs[k], returned)
        if events:
            events[1].record()
        synchronise(where)
        shared[PAGE_DONE] = seq
        return {"event_ms": events[0].elapsed_time(events[1]) if events else None}

    def do_plan(message: dict[str, Any], _: bytes, __: list[int]) -> dict[str, Any]:
        """Call the answer on tensors without data; its launches become a plan (see goodput.cuda.plan)."""
        from goodput.cuda import recording
        from goodput.cuda.plan_json import to_json

        tensors: dict[str, Any] = {}
        for name, (kind, value) in message["arguments"].items():
            if kind == "tensor":
                dtype = getattr(torch, value["dtype"])
                tensors[name] = torch.empty_strided(
                    tuple(value["shape"]), tuple(value["strides"]), dtype=dtype, device="meta"
                )
            else:
                tensors[name] = value
        with recording(tensors, multiprocessors=message["multiprocessors"],
                       capability=tuple(message["capability"])) as started:  # fmt: skip
            session.function(*tensors.values())
        return {"plan": to_json(started.plan())}

    def do_prepare(message: dict[str, Any], _: bytes, fds: list[int]) -> dict[str, Any]:
        """Run the untimed layout function on the controller's index payload; the result goes behind the payload."""
        count = message["words"]
        memory = mmap.mmap(fds[0], max(8 * count, 1))
        os.close(fds[0])
        words = torch.frombuffer(memory, dtype=torch.int32)
        payload = words[:count].view(getattr(torch, message["dtype"])).reshape(message["shape"])
        packed = session.namespace[message["name"]](payload)
        if type(packed) is not torch.Tensor:
            raise TypeError(f"{message['name']} returned a {type(packed).__name__}, expected a torch.Tensor")
        name = str(packed.dtype).removeprefix("torch.")
        if name not in ITEM_BYTES or packed.numel() * packed.element_size() != 4 * count:
            raise TypeError(
                f"{message['name']} returned {packed.numel()} values of {packed.dtype}, expected {4 * count} bytes"
            )
        words[count:] = packed.contiguous().flatten().view(torch.int32)
        return {"dtype": name, "shape": list(packed.shape)}

    def do_bad_input(message: dict[str, Any], _: bytes, __: list[int]) -> dict[str, Any]:
        """Call with real host tensors; a launch here would mean that the answer accepted them."""
        from goodput.cuda import recording

        where = attached[message["key"]]
        with recording(multiprocessors=4, capability=(9, 0)) as started:
            started.buffer = reached_launch
            session.function(*arguments(message["args"], where.calls[0]))
        return {}

    def do_graphs(message: dict[str, Any], _: bytes, __: list[int]) -> dict[str, Any]:
        """Graphs, operations and breaks that Dynamo makes of one call of the answer."""
        import torch._dynamo as dynamo

        where, graphs = attached[message["key"]], []

        def count(graph: torch.fx.GraphModule, _inputs: Any) -> Any:
            graphs.append(
                sum(n.op in ("call_function", "call_method", "call_module") for n in graph.graph.nodes)
            )
            return graph.forward

        dynamo.reset()
        dynamo.utils.counters.clear()
        compiled = torch.compile(session.function, backend=count)
        compiled(*arguments(message["args"], where.calls[message["call"]]))
        reasons = [str(k)[:300] for k in dynamo.utils.counters["graph_break"]]
        capture = bool(dynamo.config.capture_scalar_outputs)
        dynamo.reset()
        return {
            "graphs": len(graphs),
            "operations": graphs,
            "breaks": reasons,
            "capture_scalar_outputs": capture,
        }

    def do_compile(_: dict[str, Any], __: bytes, ___: list[int]) -> dict[str, Any]:
        """From now on calls go to the compiled function; it is compiled at the first of them."""
        session.function = torch.compile(session.function)
        return {}

    def do_triton_compile(message: dict[str, Any], _: bytes, __: list[int]) -> dict[str, Any]:
        """Machine code of the Triton kernels that one call launches; nothing runs."""
        import json

        from grader.worker_triton import compile_launches

        where = attached[message["key"]]
        made = compile_launches(
            session.function, arguments(message["args"], where.calls[0]), message["archs"]
        )
        return {"body": json.dumps(made.pop("texts")).encode(), **made}

    return {
        "attach": do_attach,
        "detach": do_detach,
        "run": do_run,
        "page": do_page,
        "window": do_window,
        "plan": do_plan,
        "prepare": do_prepare,
        "bad_input": do_bad_input,
        "graphs": do_graphs,
        "compile": do_compile,
        "triton_compile": do_triton_compile,
    }
