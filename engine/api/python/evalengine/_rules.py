"""Rules: loaded once, for any number of runs and single cases."""
from __future__ import annotations

import ctypes
import json
import os
import re
import weakref
from collections.abc import Mapping
from typing import Any, Dict, List, Optional, Union

from . import _library as lib
from ._cases import Case
from ._documents import to_json
from ._errors import Message, exception_from, message_from

RulesLike = Union["Rules", str, "os.PathLike[str]", "Mapping[str, Any]"]
_EVALUATORS_KEPT = 16


def _is_text(source: str) -> bool:
    """Whether `source` is the text of a rule file, not a path or a name: it has a line break, or begins like one."""
    return "\n" in source or re.match(r"\s*(return\b|local\b|--|\{)", source) is not None


def _name_of_text(text: str) -> str:
    """What messages call a text: rules.lua, or what says that it is a rule tree in JSON or YAML."""
    if text.lstrip()[:1] == "{":
        return "rules.json"
    statement = re.compile(r"^\s*(?:--.*$|return\b|local\b|function\b|ee\.)", re.MULTILINE)
    return "rules.lua" if statement.search(text) else "rules.yaml"


def _tree_lines(value: Any, path: str, head: str, tail: str, lines: List[str], places: List[str]) -> None:
    """`value` as JSON between `head` and `tail`, each member on a line of its own, whose places are paths."""
    brackets = "{}" if isinstance(value, dict) else "[]" if isinstance(value, list) else ""
    members = ([(f"{json.dumps(key)}: ", f"{path}.{key}" if path else str(key), member) for key, member in value.items()]
               if isinstance(value, dict) else [("", f"{path}[{i}]", item) for i, item in enumerate(value)] if brackets else [])
    places.append(path)
    if not members:
        lines.append(f"{head}{brackets or json.dumps(value)}{tail}")
        return
    lines.append(head + brackets[0])
    for i, (key, place, member) in enumerate(members):
        _tree_lines(member, place, key, "," if i < len(members) - 1 else "", lines, places)
    lines.append(brackets[1] + tail)
    places.append(path)


class Rules:
    """Loaded and validated rules.

    source: a path; the name of shipped rules ("invoice"; `evalengine rules` lists them); the text of a rule file, in
        Lua, YAML or JSON (a string with a line break, or one that begins with `return`, `local`, `--` or `{`); or the
        tree as dictionaries and lists.
    name: what messages call rules that are not in a file; files that they require are looked for as if they were there.

    Raises RulesError with all mistakes, each with file and line; of dictionaries, the path of what is wrong is the file. May be used by several threads at once.
    """

    def __init__(self, source: Union[str, "os.PathLike[str]", Mapping[str, Any]], *, name: Optional[str] = None) -> None:
        mistakes: List[Message] = []
        collect = lib.OnError(lambda _user, error: mistakes.append(message_from(error[0])))
        text: Optional[bytes] = None
        places: List[str] = []
        if isinstance(source, Mapping):
            lines: List[str] = []
            _tree_lines(json.loads(to_json(source, "rules")), "", "", "", lines, places)
            text = "\n".join(lines).encode()
            name = name or "rules.json"
        elif isinstance(source, str) and _is_text(source):
            text = source.encode()
            name = name or _name_of_text(source)
        else:
            name = os.fspath(source)
        called = lib.c_text(name)
        address = (lib.library.ee_rules_load(called, collect, None) if text is None
                   else lib.library.ee_rules_parse(called, text, len(text), collect, None))
        if places:  # lines of a text that nobody sees
            mistakes = [m._replace(file=places[m.line - 1] or name, line=None, column=None) if m.line else m
                        for m in mistakes]
        if address is None:
            raise exception_from(mistakes or [Message(f"cannot load {name}", None, None, None, lib.RULES)],
                                 mistakes[0].status if mistakes else lib.RULES)
        self.name: str = name
        self.address: int = address
        self._evaluators = _Evaluators(address)
        self._free = weakref.finalize(self, _free_rules, address, self._evaluators)

    def __repr__(self) -> str:
        return f"Rules({self.name!r})"

    def __reduce__(self) -> Any:
        raise TypeError("Rules cannot be pickled: pass what they were made of, and load it there")

    def judge(self, expected: Any, candidate: Any = None, *, id: str = "case") -> Case:
        """Judges one case.

        expected, candidate: documents, as in evaluate(); a candidate that is a string is an answer with JSON in it, as
            models write them; None is an empty candidate.

        Returns the Case, whose `rule_errors` are those that functions of the rules raised. Raises TypeError or
        ValueError for what is not JSON, and what is raised by the functions of Rules.
        """
        given = to_json(expected, "expected")
        answer: Optional[bytes] = None
        if isinstance(candidate, str):
            answer = candidate.encode("utf-8", "surrogatepass")
        elif candidate is not None:
            answer = to_json(candidate, "candidate")
        evaluator = self._evaluators.take()
        try:
            row, length, error = ctypes.c_void_p(), ctypes.c_size_t(), lib.Error()
            status = lib.library.ee_evaluate_text(
                evaluator, id.replace("\0", "\ufffd").encode("utf-8", "replace"), given, len(given), answer,
                len(answer or b""), ctypes.byref(row), ctypes.byref(length), None, ctypes.byref(error))
            if status != lib.OK:
                raise exception_from([message_from(error)], status)
            errors = ctypes.POINTER(lib.Error)()
            count = lib.library.ee_evaluator_rule_errors(evaluator, ctypes.byref(errors))
            return Case(json.loads(lib.copied(row.value, length.value)),
                        tuple(message_from(errors[i]) for i in range(count)))
        finally:
            self._evaluators.give_back(evaluator)


class _Evaluators:
    """Evaluators of some rules that no thread uses now. A process that was forked makes its own; there is no lock that
    another thread could hold at that moment."""

    def __init__(self, rules: int) -> None:
        self._rules = rules
        self._free: Dict[int, List[int]] = {}

    def take(self) -> int:
        try:
            return self._free[os.getpid()].pop()
        except (KeyError, IndexError):
            pass
        error = lib.Error()
        evaluator: Optional[int] = lib.library.ee_evaluator_new(self._rules, ctypes.byref(error))
        if evaluator is None:
            raise exception_from([message_from(error)], error.status)
        return evaluator

    def give_back(self, evaluator: int) -> None:
        free = self._free.setdefault(os.getpid(), [])
        if len(free) < _EVALUATORS_KEPT:
            free.append(evaluator)
        else:
            lib.library.ee_evaluator_free(evaluator)

    def free(self) -> None:
        for evaluator in self._free.pop(os.getpid(), []):
            lib.library.ee_evaluator_free(evaluator)


def _free_rules(address: int, evaluators: _Evaluators) -> None:
    evaluators.free()
    lib.library.ee_rules_free(address)


def rules_from(source: RulesLike) -> Rules:
    """`source`, loaded unless it is."""
    return source if isinstance(source, Rules) else Rules(source)
