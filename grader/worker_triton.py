"""Compile an answer's Triton kernels for named GPUs without running them, and count what it launches.

`compile_launches(function, arguments, archs)` calls the answer once with every Triton launch replaced by "write down and
compile for these architectures"; no driver is needed. Autotuned kernels are compiled with their first configuration. Returns
machine code and resources by architecture, the number of launches, and the torch operations that would have computed something.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

TYPES = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16", "float64": "fp64", "int64": "i64", "int32": "i32",
         "int16": "i16", "int8": "i8", "uint8": "u8", "bool": "i1", "float8_e4m3fn": "fp8e4nv",
         "float8_e5m2": "fp8e5"}  # fmt: skip
ALIGNED = [["tt.divisibility", 16]]
ALLOCATES = ("aten::empty", "aten::empty_like", "aten::empty_strided", "aten::new_empty", "aten::detach")
OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")


class Computes(TorchDispatchMode):
    """Counts torch operations that would launch a kernel of their own on a GPU."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func._schema.name
        if not func.is_view and name not in ALLOCATES and name != "aten::_unsafe_view":
            self.names.append(name)
        return func(*args, **(kwargs or {}))


def specialise(
    jit: Any, args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[dict[str, str], dict[Any, Any], dict[Any, Any]]:
    """Signature, constants and alignment attributes of one launch, as Triton itself would derive them."""
    values = dict(zip(jit.arg_names, args, strict=False)) | {
        k: v for k, v in kwargs.items() if k in jit.arg_names
    }
    signature, constants, attributes = {}, {}, {}
    for index, parameter in enumerate(jit.params):
        name = parameter.name
        value = values.get(name, getattr(parameter, "default", None))
        if parameter.is_constexpr or value is None:
            signature[name], constants[(index,)] = "constexpr", value
        elif isinstance(value, torch.Tensor):
            signature[name] = "*" + TYPES[str(value.dtype).removeprefix("torch.")]
            if value.data_ptr() % 16 == 0:
                attributes[(index,)] = ALIGNED
        elif isinstance(value, bool):
            signature[name] = "i1"
        elif isinstance(value, int):
            if value == 1:
                signature[name], constants[(index,)] = "constexpr", 1
                continue
            signature[name] = "i32" if -(2**31) <= value < 2**31 else "i64"
            if value % 16 == 0:
                attributes[(index,)] = ALIGNED
        else:
            signature[name] = "fp32"
    return signature, constants, attributes


def compile_launches(
    function: Callable[..., Any], arguments: Sequence[Any], archs: Sequence[str]
) -> dict[str, Any]:
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    from triton.runtime.autotuner import Autotuner
    from triton.runtime.jit import JITFunction

    from goodput.cuda import machine_code

    texts: dict[str, list[str]] = {a: [] for a in archs}
    resources: dict[str, list[dict[str, int]]] = {a: [] for a in archs}
    launched: list[str] = []

    def run(jit: Any, *args: Any, grid: Any = None, warmup: bool = False, **kwargs: Any) -> None:
        launched.append(jit.__name__)
        signature, constants, attributes = specialise(jit, args, kwargs)
        options = {k: kwargs[k] for k in OPTIONS if k in kwargs}
        for arch in archs:
            target = GPUTarget("cuda", int(arch.removeprefix("sm_").rstrip("a")), 32)
            built = triton.compile(
                ASTSource(jit, signature, constants, attributes), target=target, options=options
            )
            cubin = built.asm["cubin"]
            name = built.metadata.name
            texts[arch].append(machine_code.sass(cubin, name))
            used = asdict(machine_code.resources(cubin)[name])
            resources[arch].append({k: v or 0 for k, v in used.items()} | {"warps": built.metadata.num_warps})

    def run_first(tuner: Any, *args: Any, **kwargs: Any) -> None:
        tuner.fn.run(*args, **{**tuner.configs[0].all_kwargs(), **kwargs})

    old_run, old_tuner = JITFunction.run, Autotuner.run
    JITFunction.run, Autotuner.run = run, run_first  # type: ignore[method-assign,assignment]
    try:
        with Computes() as counted:
            function(*arguments)
    finally:
        JITFunction.run, Autotuner.run = old_run, old_tuner
    joined = {a: "\n".join(t) for a, t in texts.items()}
    return {
        "texts": joined,
        "resources": resources,
        "launches": len(launched),
        "torch_operations": counted.names,
    }
