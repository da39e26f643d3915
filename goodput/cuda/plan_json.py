"""A launch plan as JSON text and back.

`to_json(plan) -> str`; `from_json(text) -> Plan`, which raises `PlanError` for anything that is not exactly
what `to_json` writes. The text may come from a process that nobody trusts: types and sizes are checked by the
records themselves, unknown and missing keys are refused here. Equal sources are written once. Floats travel
as hexadecimal text, so that every bit and infinity survive.
"""

from __future__ import annotations

import json
from typing import Any

from goodput.cuda.limits import MAX_LAUNCHES, MAX_SOURCES, PlanError
from goodput.cuda.plan import Arg, Buffer, Constant, Launch, MapArg, Plan, Scalar

VERSION = 1
MAX_JSON_CHARS = 16 * 2**20  # 8 sources of 256 KiB, each character escaped to 6 at worst, and 64 launches


def to_json(plan: Plan) -> str:
    sources: list[str] = []
    launches = []
    for entry in plan.launches:
        if entry.source not in sources:
            sources.append(entry.source)
        launches.append(
            {
                "source": sources.index(entry.source),
                "kernel": entry.kernel,
                "grid": entry.grid,
                "block": entry.block,
                "args": [_arg_to_data(a) for a in entry.args],
                "smem": entry.smem,
                "cluster": entry.cluster,
                "cooperative": entry.cooperative,
                "pdl": entry.pdl,
                "constants": {k: [c.buffer, c.offset, c.nbytes] for k, c in entry.constants.items()},
                "rdc": entry.rdc,
            }
        )
    plan_data = {"version": VERSION, "sources": sources, "launches": launches, "scratch": dict(plan.scratch)}
    return json.dumps(plan_data, ensure_ascii=False, allow_nan=False)


def from_json(text: str) -> Plan:
    if type(text) is not str or len(text) > MAX_JSON_CHARS:
        raise PlanError(f"a plan is JSON text of at most {MAX_JSON_CHARS} characters")
    try:
        found = json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise PlanError(f"the plan is not valid JSON: {str(error)[:200]}") from None
    _keys(found, "plan", {"version", "sources", "launches", "scratch"})
    if type(found["version"]) is not int or found["version"] != VERSION:
        raise PlanError(f"plan version {found['version']!r:.40}, expected {VERSION}")
    sources, launches = found["sources"], found["launches"]
    if type(sources) is not list or len(sources) > MAX_SOURCES:
        raise PlanError(f"sources must be a list of at most {MAX_SOURCES} strings")
    if type(launches) is not list or len(launches) > MAX_LAUNCHES:
        raise PlanError(f"launches must be a list of at most {MAX_LAUNCHES}")
    if type(found["scratch"]) is not dict:
        raise PlanError("scratch must be an object")
    return Plan(tuple(_launch(entry, sources) for entry in launches), found["scratch"])


def _launch(found: Any, sources: list[Any]) -> Launch:
    fields = {
        "source",
        "kernel",
        "grid",
        "block",
        "args",
        "smem",
        "cluster",
        "cooperative",
        "pdl",
        "constants",
        "rdc",
    }
    _keys(found, "launch", fields)
    index, args, constants = found["source"], found["args"], found["constants"]
    if type(index) is not int or not 0 <= index < len(sources):
        raise PlanError(f"a launch names source {index!r:.40} of {len(sources)}")
    if type(args) is not list or type(constants) is not dict:
        raise PlanError("args must be a list and constants an object")
    return Launch(
        source=sources[index],
        kernel=found["kernel"],
        grid=_tuple(found["grid"]),
        block=_tuple(found["block"]),
        args=tuple(_arg(a) for a in args),
        smem=found["smem"],
        cluster=None if found["cluster"] is None else _tuple(found["cluster"]),
        cooperative=found["cooperative"],
        pdl=found["pdl"],
        constants={name: Constant(*_list(c, 3, "a constant")) for name, c in constants.items()},
        rdc=found["rdc"],
    )


def _arg_to_data(arg: Arg) -> list[Any]:
    if isinstance(arg, Buffer):
        return ["buffer", arg.name, arg.offset]
    if isinstance(arg, Scalar):
        return ["scalar", arg.ctype, arg.value.hex() if isinstance(arg.value, float) else arg.value]
    return ["map", arg.buffer, arg.offset, arg.dtype, arg.shape, arg.strides_bytes, arg.box, arg.swizzle]


def _arg(found: Any) -> Arg:
    kind = found[0] if type(found) is list and found else None
    if kind == "buffer":
        return Buffer(*_list(found, 3, "a buffer")[1:])
    if kind == "scalar":
        _, ctype, value = _list(found, 3, "a scalar")
        return Scalar(ctype, _float(value) if type(value) is str else value)
    if kind == "map":
        _, buffer, offset, dtype, shape, strides, box, swizzle = _list(found, 8, "a tensor map")
        return MapArg(buffer, offset, dtype, _tuple(shape), _tuple(strides), _tuple(box), swizzle)
    raise PlanError(f"unknown argument {found!r:.80}")


def _float(text: str) -> float:
    try:
        return float.fromhex(text[:40])
    except (ValueError, OverflowError):
        raise PlanError(f"{text!r:.80} is not a number") from None


def _tuple(found: Any) -> Any:
    """A list becomes a tuple; anything else is left for the record to refuse."""
    return tuple(found) if type(found) is list else found


def _list(found: Any, length: int, what: str) -> list[Any]:
    if type(found) is not list or len(found) != length:
        raise PlanError(f"{what} must be a list of {length}, got {found!r:.80}")
    return found


def _keys(found: Any, what: str, expected: set[str]) -> None:
    if type(found) is not dict or set(found) != expected:
        raise PlanError(f"a {what} must be an object with exactly the keys {', '.join(sorted(expected))}")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise PlanError("the plan repeats a key")
    return found
