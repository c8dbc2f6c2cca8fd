"""libevalengine, and what include/evalengine.h declares, for ctypes.

The library is the one that EVALENGINE_LIBRARY names, else the one that this package carries (lib/), else the one that the
system knows as libevalengine.so.0. ctypes lets other Python threads run while a function of the library does.
"""
from __future__ import annotations

import ctypes
import os
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_int, c_size_t, c_ssize_t, c_uint,
                    c_uint64, c_void_p)
from pathlib import Path
from typing import Any

OK, USAGE, RULES, DATA, SYSTEM, PROVIDER, LIMIT = 0, 2, 3, 4, 5, 6, 7  # ee_status
INTERRUPTED = 130
KEEP_ROWS, KEEP_STATE = 1, 2  # ee_keep


class Error(Structure):
    """ee_error"""

    _fields_ = [("status", c_int), ("file", c_char * 256), ("line", c_size_t), ("column", c_size_t),
                ("offset", c_uint64), ("message", c_char * 768)]


class Progress(Structure):
    """ee_progress_of_run"""

    _fields_ = [("cases", c_uint64), ("mean_score", c_double), ("taken", c_uint64), ("total", c_uint64)]


OnError = CFUNCTYPE(None, c_void_p, POINTER(Error))
OnCase = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)
OnProgress = CFUNCTYPE(c_int, c_void_p, POINTER(Progress))
Read = CFUNCTYPE(c_ssize_t, c_void_p, c_void_p, c_size_t)


class Input(Structure):
    """ee_input"""

    _fields_ = [("name", c_char_p), ("text", c_char_p), ("length", c_size_t), ("read", Read), ("user", c_void_p)]


class Options(Structure):
    """ee_evaluate_options"""

    _fields_ = [("size", c_size_t), ("arguments", POINTER(c_char_p)), ("argument_count", c_size_t),
                ("inputs", POINTER(Input)), ("input_count", c_size_t), ("keep", c_uint), ("on_case", OnCase),
                ("on_message", OnError), ("on_progress", OnProgress), ("user", c_void_p),
                ("interrupt", POINTER(c_int))]


FUNCTIONS: "dict[str, tuple[Any, list[Any]]]" = {
    "ee_version": (c_char_p, []),
    "ee_rules_load": (c_void_p, [c_char_p, OnError, c_void_p]),
    "ee_rules_parse": (c_void_p, [c_char_p, c_char_p, c_size_t, OnError, c_void_p]),
    "ee_rules_free": (None, [c_void_p]),
    "ee_evaluator_new": (c_void_p, [c_void_p, POINTER(Error)]),
    "ee_evaluator_free": (None, [c_void_p]),
    "ee_evaluate_text": (c_int, [c_void_p, c_char_p, c_char_p, c_size_t, c_char_p, c_size_t, POINTER(c_void_p),
                                 POINTER(c_size_t), POINTER(c_double), POINTER(Error)]),
    "ee_evaluator_rule_errors": (c_size_t, [c_void_p, POINTER(POINTER(Error))]),
    "ee_evaluate": (c_void_p, [c_void_p, POINTER(c_char_p), c_size_t, POINTER(Options), POINTER(Error)]),
    "ee_merge": (c_void_p, [c_void_p, POINTER(Input), c_size_t, POINTER(Options), POINTER(Error)]),
    "ee_compare": (c_void_p, [POINTER(Input), c_size_t, POINTER(Options), POINTER(Error)]),
    "ee_result_free": (None, [c_void_p]),
    "ee_result_status": (c_int, [c_void_p]),
    "ee_result_mean_score": (c_double, [c_void_p]),
    "ee_result_count": (c_uint64, [c_void_p, c_int]),
    "ee_result_report": (c_int, [c_void_p, c_char_p, POINTER(c_char_p), c_size_t, POINTER(c_void_p),
                                 POINTER(c_size_t), POINTER(Error)]),
    "ee_result_rows": (c_void_p, [c_void_p, POINTER(c_size_t)]),
    "ee_result_state": (c_void_p, [c_void_p, POINTER(c_size_t)]),
    "ee_result_rules": (c_void_p, [c_void_p, POINTER(c_size_t)]),
}


def _open() -> ctypes.CDLL:
    named = os.environ.get("EVALENGINE_LIBRARY")
    carried = Path(__file__).parent / "lib" / "libevalengine.so"
    return ctypes.CDLL(named or (str(carried) if carried.exists() else "libevalengine.so.0"))


library = _open()
for _name, (_result, _arguments) in FUNCTIONS.items():
    _function = getattr(library, _name)
    _function.restype = _result
    _function.argtypes = _arguments

VERSION: str = library.ee_version().decode()


def words(texts: "list[str]") -> "ctypes.Array[c_char_p]":
    """An array of C strings. UsageError for a text with U+0000, which C strings cannot have."""
    return (c_char_p * len(texts))(*[c_text(text) for text in texts])


def c_text(text: str) -> bytes:
    """`text` as a C string: UTF-8, names of files as the system gave them to Python."""
    if "\0" in text:
        from ._errors import UsageError

        raise UsageError(f"{text!r} has a U+0000")
    return os.fsencode(text)


def copied(address: "int | None", length: int) -> bytes:
    """`length` bytes at `address`, which is owned by the library."""
    return ctypes.string_at(address, length) if address and length else b""
