"""A launch plan survives the trip through JSON, and nothing malformed becomes a plan."""

import json
import math

import pytest

from goodput.cuda import limits
from goodput.cuda.limits import PlanError
from goodput.cuda.plan import Buffer, Constant, Launch, MapArg, Plan, Scalar
from goodput.cuda.plan_json import MAX_JSON_CHARS, from_json, to_json

SOURCE = 'extern "C" __global__ void f(float* x, int n) {}  // ñ\n'
MAP = MapArg("x", 16, "float32", (64, 8), (256,), (32, 8), 128)


def full_plan() -> Plan:
    args = (
        Buffer("x", 8),
        Scalar("i32", -(2**31)),
        Scalar("u64", 2**64 - 1),
        Scalar("f32", math.inf),
        Scalar("f64", 0.1),
        MAP,
    )
    first = Launch(
        SOURCE,
        "f",
        (4, 2, 1),
        (32, 8, 1),
        args,
        4096,
        (2, 1, 1),
        True,
        True,
        {"taps": Constant("w", 0, 68)},
        True,
    )
    return Plan((first, Launch(SOURCE, "f", (1, 1, 1), (1, 1, 1))), {"scratch0": 0, "scratch1": 2**33})


def test_a_plan_survives_json_to_the_last_bit():
    plan = full_plan()
    assert from_json(to_json(plan)) == plan
    assert to_json(plan) == to_json(from_json(to_json(plan)))


def test_a_nan_argument_survives_json():
    plan = Plan((Launch(SOURCE, "f", (1, 1, 1), (1, 1, 1), (Scalar("f32", math.nan),)),))
    (value,) = from_json(to_json(plan)).launches[0].args
    assert isinstance(value, Scalar) and math.isnan(value.value)


def test_equal_sources_are_written_once():
    assert to_json(full_plan()).count("__global__") == 1


def test_a_plan_knows_its_buffers():
    assert full_plan().buffers() == {"x", "w"}


LAUNCH = json.loads(to_json(full_plan()))["launches"][0]
BROKEN_LAUNCHES = {
    "source index too large": {"source": 1},
    "source index negative": {"source": -1},
    "source as text": {"source": SOURCE},
    "kernel name with a space": {"kernel": "f g"},
    "kernel name too long": {"kernel": "f" * 129},
    "kernel name with a newline": {"kernel": "f\n"},
    "kernel name not ascii": {"kernel": "ñ"},
    "kernel name missing": {"kernel": None},
    "grid of two": {"grid": [1, 1]},
    "grid as text": {"grid": "111"},
    "grid with zero": {"grid": [0, 1, 1]},
    "grid negative": {"grid": [-1, 1, 1]},
    "grid with a float": {"grid": [1.0, 1, 1]},
    "grid with a bool": {"grid": [True, 1, 1]},
    "grid.x too large": {"grid": [2**31, 1, 1]},
    "grid.y too large": {"grid": [1, 65536, 1]},
    "block.x too large": {"block": [1025, 1, 1]},
    "block.z too large": {"block": [1, 1, 65]},
    "too many threads": {"block": [32, 33, 1]},
    "shared memory negative": {"smem": -1},
    "shared memory too large": {"smem": 256 * 1024 + 1},
    "shared memory as bool": {"smem": False},
    "cluster too large": {"grid": [32, 1, 1], "cluster": [32, 1, 1]},
    "cluster does not divide the grid": {"grid": [3, 1, 1], "cluster": [2, 1, 1]},
    "cooperative as a number": {"cooperative": 1},
    "pdl missing": {"pdl": None},
    "rdc as text": {"rdc": "yes"},
    "args as an object": {"args": {}},
    "too many args": {"args": [["scalar", "i32", 1]] * 65},
    "unknown kind of arg": {"args": [["pickle", "x", 0]]},
    "arg of the wrong length": {"args": [["buffer", "x"]]},
    "arg as a number": {"args": [7]},
    "buffer name not an identifier": {"args": [["buffer", "../x", 0]]},
    "buffer offset negative": {"args": [["buffer", "x", -4]]},
    "buffer offset too large": {"args": [["buffer", "x", 2**60]]},
    "buffer offset a float": {"args": [["buffer", "x", 4.0]]},
    "scalar of an unknown type": {"args": [["scalar", "i128", 1]]},
    "scalar type a list": {"args": [["scalar", [], 1]]},
    "i32 out of range": {"args": [["scalar", "i32", 2**31]]},
    "u32 negative": {"args": [["scalar", "u32", -1]]},
    "i32 as hexadecimal float": {"args": [["scalar", "i32", "0x1p0"]]},
    "f32 as an integer": {"args": [["scalar", "f32", 1]]},
    "f32 too large": {"args": [["scalar", "f32", (1e300).hex()]]},
    "f32 not a number": {"args": [["scalar", "f32", "hello"]]},
    "f64 overflowing": {"args": [["scalar", "f64", "0x1p99999"]]},
    "map of an unknown dtype": {"args": [["map", "x", 0, "complex64", [64, 8], [256], [32, 8], 128]]},
    "map dtype a list": {"args": [["map", "x", 0, [], [64, 8], [256], [32, 8], 128]]},
    "map stride not a multiple of 16": {"args": [["map", "x", 0, "float32", [63, 8], [252], [32, 8], 128]]},
    "map offset not a multiple of 16": {"args": [["map", "x", 4, "float32", [64, 8], [256], [32, 8], 128]]},
    "map box too wide for its swizzle": {"args": [["map", "x", 0, "float32", [64, 8], [256], [64, 8], 128]]},
    "map box too tall": {"args": [["map", "x", 0, "float32", [64, 8], [256], [32, 257], 128]]},
    "map swizzle unknown": {"args": [["map", "x", 0, "float32", [64, 8], [256], [32, 8], 96]]},
    "map of three dimensions": {
        "args": [["map", "x", 0, "float32", [64, 8, 2], [256, 4096], [32, 8, 1], 128]]
    },
    "map of an empty tensor": {"args": [["map", "x", 0, "float32", [64, 0], [256], [32, 8], 128]]},
    "constants as a list": {"constants": []},
    "constant name not an identifier": {"constants": {"a b": ["w", 0, 4]}},
    "constant too large": {"constants": {"taps": ["w", 0, 65537]}},
    "constant empty": {"constants": {"taps": ["w", 0, 0]}},
    "too many constants": {"constants": {f"c{i}": ["w", 0, 4] for i in range(17)}},
    "a key more": {"stream": 0},
}


@pytest.mark.parametrize("change", BROKEN_LAUNCHES.values(), ids=BROKEN_LAUNCHES)
def test_a_malformed_launch_is_refused(change):
    plan = {"version": 1, "sources": [SOURCE], "launches": [LAUNCH | change], "scratch": {}}
    with pytest.raises(PlanError):
        from_json(json.dumps(plan))


BROKEN_PLANS = {
    "version unknown": {"version": 2},
    "version as bool": {"version": True},
    "sources as text": {"sources": SOURCE},
    "source not text": {"sources": [7]},
    "source empty": {"sources": [""]},
    "source too large": {"sources": [SOURCE + " " * limits.MAX_SOURCE_BYTES]},
    "source with NUL": {"sources": [SOURCE + "\0"]},
    "source with half a character": {"sources": [SOURCE + "\ud800"]},
    "too many sources": {"sources": [SOURCE] * 9},
    "launches as an object": {"launches": {}},
    "too many launches": {"launches": [LAUNCH] * 65},
    "launch as a list": {"launches": [[]]},
    "scratch as a list": {"scratch": []},
    "scratch name not an identifier": {"scratch": {"a/b": 4}},
    "scratch negative": {"scratch": {"scratch0": -1}},
    "scratch too large": {"scratch": {"scratch0": 2**41}},
    "scratch as text": {"scratch": {"scratch0": "4"}},
    "too many scratch tensors": {"scratch": {f"scratch{i}": 4 for i in range(65)}},
    "a key more": {"extra": 1},
}


@pytest.mark.parametrize("change", BROKEN_PLANS.values(), ids=BROKEN_PLANS)
def test_a_malformed_plan_is_refused(change):
    plan = {"version": 1, "sources": [SOURCE], "launches": [LAUNCH], "scratch": {}} | change
    with pytest.raises(PlanError):
        from_json(json.dumps(plan))


BROKEN_TEXTS = {
    "not json": "{",
    "a list": "[]",
    "nothing": "",
    "nested too deep": "[" * 100_000,
    "a repeated key": '{"version": 1, "version": 1, "sources": [], "launches": [], "scratch": {}}',
    "a number of 5000 digits": '{"version": ' + "9" * 5000 + "}",
    "longer than any plan": " " * (MAX_JSON_CHARS + 1),
    "bytes": b"{}",
    "no text at all": None,
}


@pytest.mark.parametrize("text", BROKEN_TEXTS.values(), ids=BROKEN_TEXTS)
def test_text_that_is_no_plan_is_refused(text):
    with pytest.raises(PlanError):
        from_json(text)


def test_the_largest_sources_still_fit_into_the_json_limit():
    sources = ["\x01" * (limits.MAX_SOURCE_BYTES - 1) + str(i) for i in range(limits.MAX_SOURCES)]
    plan = Plan(tuple(Launch(source, "f", (1, 1, 1), (1, 1, 1)) for source in sources))
    assert from_json(to_json(plan)) == plan


def test_refusals_say_what_to_do():
    with pytest.raises(PlanError, match="smaller block and more blocks"):
        Launch(SOURCE, "f", (1, 1, 1), (1024, 2, 1))
    with pytest.raises(PlanError, match="return before the launch when there is no work"):
        Launch(SOURCE, "f", (0, 1, 1), (32, 1, 1))
    with pytest.raises(PlanError, match="use at most 32 elements"):
        MapArg("x", 0, "float32", (64, 8), (256,), (64, 8), 128)
