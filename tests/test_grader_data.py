"""What plain data of an answer becomes on its way to a judge."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

import pytest

from grader.worker import decode, encode


@pytest.mark.parametrize("value", [
    None, True, 0, -(2**70), 1.5, -0.0, math.inf, "ñ", b"\x00\xff", [], [1, (2, "x")], (), ((1,), [2]),
    {1: "a", "b": (2.0, None), (1, 2): b""}, {}, {"f": 1}, {"d": {"t": ()}},
])  # fmt: skip
def test_plain_data_survives_the_round_trip(value) -> None:
    back = decode(json.loads(json.dumps(encode(value))))
    assert back == value and type(back) is type(value)
    assert repr(back) == repr(value)


def test_nan_survives_the_round_trip() -> None:
    assert math.isnan(decode(json.loads(json.dumps(encode(math.nan)))))


def test_sets_and_numpy_scalars_arrive_as_plain_data() -> None:
    import numpy as np

    assert decode(encode({3, 1})) == (1, 3)
    assert decode(encode(np.float32(0.5))) == 0.5


@dataclass
class Plan:
    name: str
    sizes: tuple[int, ...]


def test_a_dataclass_arrives_as_a_namespace_and_survives_again() -> None:
    found = decode(json.loads(json.dumps(encode(Plan("x", (1, 2))))))
    assert (found.name, found.sizes) == ("x", (1, 2)) and decode(encode(found)) == found


@pytest.mark.parametrize("value", [object(), lambda: 1, iter([]), [object()], {"a": print}])
def test_objects_are_refused_by_name(value) -> None:
    with pytest.raises(TypeError, match="can be returned"):
        encode(value)


@pytest.mark.parametrize("text", [
    "{}", '{"x": 1}', '{"f": 5}', '{"f": "zz"}', '{"f": "0x1p99999"}', '{"b": "xyz"}', '{"b": 3}', '{"t": 7}', '{"t": "ab"}',
    '{"d": [1]}', '{"d": [[1]]}', '{"d": [[[1], 2]]}', '{"d": {"a": 1}}', '{"f": "0x1p0", "t": []}', '[[{"t": null}]]',
    '{"o": 1}', '{"o": [1]}', '{"o": [["__class__", 1]]}', '{"o": [[3, 1]]}', '{"o": [["a b", 1]]}', '{"o": [["x"]]}',
])  # fmt: skip
def test_malformed_data_is_always_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        decode(json.loads(text))
