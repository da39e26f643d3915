"""Recording: run an answer's Python on meta tensors and keep the launches it asked for as a `Plan`.

    plan = record(transpose, {"x": torch.empty(8, 4, device="meta"), "out": torch.empty(4, 8, device="meta")})

While `recording()` is active in a thread, `goodput.cuda.launch` adds to it and runs nothing. A tensor is
recognised by its storage, so views, slices and reinterpretations keep their buffer and get an offset;
storages that the answer made itself become scratch. Torch may allocate and view while recording, not compute:
the launches alone are replayed later, so a value that torch computed would be missing. Knows nothing of
devices, compilers or who asks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from goodput.cuda.limits import PlanError
from goodput.cuda.plan import Buffer, Launch, Plan
from goodput.cuda.storages import Storages

_active = threading.local()
_ALLOCATES = (
    "aten::empty",
    "aten::new_empty",
    "aten::empty_like",
    "aten::empty_strided",
    "aten::new_empty_strided",
)


class Recording:
    """The launches of one call so far; `plan()` freezes them. Made by `recording()`."""

    def __init__(self, tensors: Mapping[str, Any], multiprocessors: int, capability: tuple[int, int]) -> None:
        self.multiprocessors = multiprocessors
        self.capability = capability
        self.launches: list[Launch] = []
        self._given = frozenset(tensors)
        self._storages = Storages(tensors)

    def buffer(self, tensor: torch.Tensor) -> Buffer:
        """Name and byte offset of a tensor of this call; an unknown storage becomes the next scratch buffer."""
        if tensor.device.type != "meta":
            raise ValueError(
                f"a tensor on {tensor.device} reached launch, but the arguments lie elsewhere: allocate scratch tensors with "
                "torch.empty(..., device=x.device)"
            )
        return self._storages.buffer(tensor, f"scratch{len(self._scratch())}")

    def add(self, entry: Launch) -> None:
        self.launches.append(entry)

    def plan(self) -> Plan:
        return Plan(tuple(self.launches), self._scratch())

    def _scratch(self) -> dict[str, int]:
        found = self._storages.tensors
        return {name: t.untyped_storage().nbytes() for name, t in found.items() if name not in self._given}


@contextmanager
def recording(
    tensors: Mapping[str, Any] | None = None,
    *,
    multiprocessors: int = 132,
    capability: tuple[int, int] = (9, 0),
) -> Iterator[Recording]:
    """Within the block `launch` records and runs nothing; the block's value has `.plan()`.

    `tensors` gives meta tensors their names; `multiprocessors` and `capability` are what
    `goodput.cuda.multiprocessors()` and `compute_capability()` answer inside. The defaults are those of an
    H200.
    """
    if current() is not None:
        raise RuntimeError("a recording is active already in this thread: finish it first")
    started = Recording(tensors or {}, multiprocessors, capability)
    _active.recording = started
    try:
        with _AllocateAndView():
            yield started
    finally:
        _active.recording = None


def record(
    function: Callable[..., Any],
    arguments: Mapping[str, Any],
    *,
    multiprocessors: int = 132,
    capability: tuple[int, int] = (9, 0),
) -> Plan:
    """Call `function(**arguments)` while recording; the arguments are meta tensors and plain values.

    Raises what the function raises: `ValueError` and `TypeError` for bad input, `PlanError` for impossible
    launches.
    """
    with recording(arguments, multiprocessors=multiprocessors, capability=capability) as started:
        function(**arguments)
    return started.plan()


def current() -> Recording | None:
    return getattr(_active, "recording", None)


class _AllocateAndView(TorchDispatchMode):
    """Lets torch allocate and view; refuses everything that would compute, copy or read a value."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func._schema.name
        if not (func.is_view or name in _ALLOCATES or name == "aten::_unsafe_view"):
            raise PlanError(
                f"torch's {name.removeprefix('aten::')} computes or copies, and here only launches count: shape, view, "
                "slice and torch.empty are fine; do the rest inside a kernel"
            )
        return func(*args, **(kwargs or {}))
