"""Python values as JSON text.

json's own encoder writes what is plain. Everything else that has one meaning in JSON is converted: dataclasses, pydantic
models, enums, dates and times (ISO 8601), UUIDs, paths, numpy's scalars and arrays, pandas' timestamps and missing values
(null), Decimal (with all its digits). What has none raises TypeError or ValueError that names the place: NaN and
infinity, bytes, sets, keys that are not strings or numbers.
"""
from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import json
import math
import os
import uuid
from collections.abc import Mapping
from typing import Any, Callable, Set


class _Unusual(Exception):
    """A value that json's encoder cannot write as it should be."""


def _simpler(value: Any) -> Any:
    """A value of JSON, or one that is nearer to it, that `value` means; raises _Unusual without one."""
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return None if value != value else value.isoformat()  # pandas.NaT is a datetime
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return dict(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, type):
        raise _Unusual
    if callable(getattr(value, "model_dump", None)):  # pydantic
        return value.model_dump(mode="json")
    module = type(value).__module__.partition(".")[0]
    if module == "numpy":
        return value.tolist()  # of a scalar: the scalar of Python
    if module == "pandas":
        if type(value).__name__ == "NAType":
            return None
        if type(value).__name__ in ("Series", "Index"):
            return value.tolist()
    raise _Unusual


_encode: Callable[[Any], str] = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"),
                                                 default=_simpler).encode
_encode_text: Callable[[Any], str] = json.JSONEncoder(ensure_ascii=True).encode


def to_json(value: Any, name: str) -> bytes:
    """`value` as one line of JSON in UTF-8.

    name: what the value is called in errors, such as "candidates[3]"; paths in it are appended.
    A half of a surrogate pair in a string becomes its escape, which the engine reads as U+FFFD and counts.
    Raises TypeError (a type without a meaning in JSON) or ValueError (NaN, infinity, too deep, in a circle).
    """
    try:
        return _encode(value).encode()
    except (_Unusual, TypeError, ValueError, RecursionError):
        pass
    try:
        return _written(value, name, set()).encode()
    except RecursionError:
        raise ValueError(f"{name} has too many levels") from None


def _written(value: Any, name: str, open_ids: Set[int]) -> str:
    """The same, slowly: knows the place of each value. Of the values in `open_ids` this one is a part."""
    if value is None or value is True or value is False:
        return _encode(value)
    if isinstance(value, str):
        return _encode_text(str.__str__(value))
    if isinstance(value, int):
        return _digits(value, name)
    if isinstance(value, float):
        return _number(float(value), name)
    if isinstance(value, decimal.Decimal):
        if not value.is_finite():
            raise _no_number(value, name)
        return str(value)  # also 1E+3, which JSON has
    if id(value) in open_ids:
        raise ValueError(f"{_shortened(name)} contains itself")
    open_ids.add(id(value))
    try:
        if isinstance(value, dict):
            members = []
            for key, member in value.items():
                members.append(f"{_key(key, name)}:{_written(member, _member(name, key), open_ids)}")
            return "{" + ",".join(members) + "}"
        if isinstance(value, (list, tuple)):
            items = []
            for i, item in enumerate(value):
                items.append(_written(item, f"{name}[{i}]", open_ids))
            return "[" + ",".join(items) + "]"
        try:
            simpler = _simpler(value)
        except _Unusual:
            raise TypeError(f"{_shortened(name)} is {_described(value)}, which has no meaning in JSON") from None
        return _written(simpler, name, open_ids)
    finally:
        open_ids.discard(id(value))


def _shortened(name: str) -> str:
    return name if len(name) <= 200 else f"{name[:100]}...{name[-90:]}"


def _described(value: Any) -> str:
    if isinstance(value, type):
        return f"the class {value.__qualname__}"
    kind = type(value).__qualname__
    return f"{'an' if kind[:1].lower() in 'aeiou' else 'a'} {kind}"


def _member(name: str, key: Any) -> str:
    return f"{name}.{key}" if isinstance(key, str) and key.isidentifier() else f"{name}[{key!r}]"


def _key(key: Any, name: str) -> str:
    """A key as json writes it: numbers, true, false and null become their text."""
    if isinstance(key, str):
        return _encode_text(str.__str__(key))
    if key is None or isinstance(key, bool):
        return f'"{_encode(key)}"'
    if isinstance(key, int):
        return f'"{_digits(key, name)}"'
    if isinstance(key, float):
        return f'"{_number(key, name)}"'
    raise TypeError(f"{_shortened(name)} has the key {key!r}, {_described(key)}: keys must be strings")


def _digits(value: int, name: str) -> str:
    try:
        return int.__repr__(value)
    except ValueError:  # more digits than Python writes (sys.set_int_max_str_digits)
        raise ValueError(f"{_shortened(name)} is an integer of {value.bit_length()} bits, which Python does not write"
                         ) from None


def _number(value: float, name: str) -> str:
    if math.isfinite(value):
        return float.__repr__(value)
    raise _no_number(value, name)


def _no_number(value: Any, name: str) -> ValueError:
    return ValueError(f"{_shortened(name)} is {value}, which is not a number of JSON; "
                      "use None for a value that is missing")
