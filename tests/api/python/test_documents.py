"""Python values as JSON, and those that have no meaning in it."""
import collections
import dataclasses
import datetime
import decimal
import enum
import json
import pathlib
import sys
import types
import uuid

import pytest

from evalengine._documents import to_json


class Color(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Total:
    net: int
    when: datetime.date


class Model:
    """As pydantic's models behave."""

    def model_dump(self, mode):
        assert mode == "json"
        return {"a": 1}


Point = collections.namedtuple("Point", "x y")
ID = uuid.UUID(int=7)


@pytest.mark.parametrize("value, text", [
    ({"a": [1, 2.5, None, True, "é"]}, '{"a":[1,2.5,null,true,"é"]}'),
    (decimal.Decimal("1.10"), "1.10"),
    ([decimal.Decimal("1E+3"), decimal.Decimal("12345678901234567890.123456789")], "[1E+3,12345678901234567890.123456789]"),
    (datetime.date(2024, 2, 29), '"2024-02-29"'),
    (datetime.datetime(2024, 2, 29, 12, 30), '"2024-02-29T12:30:00"'),
    (datetime.time(1, 2), '"01:02:00"'),
    (Color.RED, '"red"'),
    (Total(3, datetime.date(2024, 1, 1)), '{"net":3,"when":"2024-01-01"}'),
    (Model(), '{"a":1}'),
    (Point(1, 2), "[1,2]"),
    ((1, (2,)), "[1,[2]]"),
    (types.MappingProxyType({"a": 1}), '{"a":1}'),
    (ID, f'"{ID}"'),
    (pathlib.PurePosixPath("/a/b"), '"/a/b"'),
    ({1: "a", 2.5: "b", None: "c", True: "d"}, '{"1":"d","2.5":"b","null":"c"}'),  # True == 1 in Python
    (10 ** 400, "1" + "0" * 400),
    ("\ud83d", '"\\ud83d"'),
    ({"\ud83d": "\u0000"}, '{"\\ud83d":"\\u0000"}'),
])
def test_converts(value, text):
    assert to_json(value, "truth[0]").decode() == text
    # The slow way, which a Decimal takes, says the same.
    assert to_json([value, decimal.Decimal(1)], "truth[0]").decode().replace("\\u00e9", "é") == f"[{text},1]"


@pytest.mark.parametrize("value, kind, message", [
    ({"a": [1, {"b": float("nan")}]}, ValueError, r"truth\[3\]\.a\[1\]\.b is nan, which is not a number of JSON"),
    ([float("inf")], ValueError, r"truth\[3\]\[0\] is inf"),
    (decimal.Decimal("NaN"), ValueError, r"truth\[3\] is NaN"),
    ({"a b": b"x"}, TypeError, r"truth\[3\]\['a b'\] is a bytes, which has no meaning in JSON"),
    ({"a": {1, 2}}, TypeError, r"truth\[3\]\.a is a set"),
    ({"a": object()}, TypeError, r"truth\[3\]\.a is an object"),
    ({"a": dict}, TypeError, r"truth\[3\]\.a is the class dict"),
    ({"a": (x for x in [])}, TypeError, r"truth\[3\]\.a is a generator"),
    ({(1, 2): 3}, TypeError, r"truth\[3\] has the key \(1, 2\), a tuple: keys must be strings"),
])
def test_refuses(value, kind, message):
    with pytest.raises(kind, match=message):
        to_json(value, "truth[3]")


def test_circles_and_depth():
    circle = {"a": []}
    circle["a"].append(circle)
    with pytest.raises(ValueError, match=r"c\.a\[0\] contains itself"):
        to_json(circle, "c")
    deep = 1
    for _ in range(100000):
        deep = [deep]
    with pytest.raises(ValueError, match="c has too many levels"):
        to_json(deep, "c")
    shared = [1]
    assert to_json([shared, shared, decimal.Decimal(2)], "c") == b"[[1],[1],2]"


@pytest.mark.skipif(not hasattr(sys, "set_int_max_str_digits"), reason="Python writes integers of any length")
def test_integers_that_python_does_not_write():
    with pytest.raises(ValueError, match=r"c\.n is an integer of 33220 bits"):
        to_json({"n": 10 ** 10000}, "c")


def test_numpy():
    numpy = pytest.importorskip("numpy")
    value = {"f": numpy.float32(0.5), "i": numpy.int64(-3), "b": numpy.bool_(True), "s": numpy.str_("é"),
             "a": numpy.array([[1, 2], [3, 4]]), "d": numpy.float64(0.1), "t": numpy.datetime64("2024-02-29")}
    assert json.loads(to_json(value, "c")) == {"f": 0.5, "i": -3, "b": True, "s": "é", "a": [[1, 2], [3, 4]], "d": 0.1,
                                               "t": "2024-02-29"}
    with pytest.raises(ValueError, match=r"c\[0\] is nan"):
        to_json([numpy.float32("nan")], "c")


def test_pandas():
    pandas = pytest.importorskip("pandas")
    value = {"t": pandas.Timestamp("2024-02-29 12:00"), "n": pandas.NaT, "m": pandas.NA, "s": pandas.Series([1, 2])}
    assert json.loads(to_json(value, "c")) == {"t": "2024-02-29T12:00:00", "n": None, "m": None, "s": [1, 2]}


def random_value(random, depth=0):
    kind = random.randrange(9 if depth < 4 else 6)
    if kind == 0:
        return random.choice([None, True, False])
    if kind == 1:
        return random.randrange(-10 ** random.randrange(1, 25), 10 ** random.randrange(1, 25))
    if kind == 2:
        return random.uniform(-1, 1) * 10.0 ** random.randrange(-300, 300)
    if kind < 6:
        return "".join(chr(random.choice([random.randrange(32, 127), random.randrange(0xD7FF), random.randrange(32),
                                          random.randrange(0x10000, 0x110000)])) for _ in range(random.randrange(12)))
    if kind == 6:
        return [random_value(random, depth + 1) for _ in range(random.randrange(5))]
    return {f"k{random.randrange(9)}": random_value(random, depth + 1)
            for _ in range(random.randrange(5))}


def test_random_values_read_back(seed):
    """Both ways to write a value against json's reader."""
    for _ in range(3000):
        value = random_value(seed)
        assert json.loads(to_json(value, "c")) == value
        slow = json.loads(to_json([value, decimal.Decimal(0)], "c"))
        assert slow == [value, 0]
