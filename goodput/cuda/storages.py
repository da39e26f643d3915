"""Names for the memory behind tensors: which buffer a tensor lies in, and how many bytes in.

`Storages(named).buffer(tensor, fresh)` returns a `plan.Buffer`: views, slices and reinterpretations of one
storage share its name. A storage not seen before takes the name `fresh`. Works for tensors on any device,
meta included; runs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from goodput.cuda.plan import Buffer


class Storages:
    """Storage -> name. `tensors` holds one tensor of every storage, which also keeps its memory from being reused."""

    def __init__(self, named: Mapping[str, Any]) -> None:
        self.tensors: dict[str, torch.Tensor] = {}
        self._names: dict[int, str] = {}
        for name, value in named.items():
            if isinstance(value, torch.Tensor):
                self.buffer(value, name)

    def buffer(self, tensor: torch.Tensor, fresh: str) -> Buffer:
        identity = tensor.untyped_storage()._cdata
        if identity not in self._names:
            self._names[identity] = fresh
            self.tensors[fresh] = tensor
        return Buffer(self._names[identity], int(tensor.storage_offset()) * tensor.element_size())
