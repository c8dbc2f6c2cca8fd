"""Assertions for tests: does an answer match what is expected, by the rules?"""
from __future__ import annotations

import os
from typing import Any, Dict, List, Optional, Tuple

from ._cases import Case
from ._diff import case_lines, cases_lines
from ._evaluate import evaluate
from ._results import Result
from ._rules import Rules, RulesLike

_LOADED: Dict[Tuple[str, int], Rules] = {}
_MOST_LOADED = 32


def _cached(rules: RulesLike) -> Rules:
    """Rules of a path or a text are loaded once, and again when the file was changed."""
    if isinstance(rules, Rules):
        return rules
    if not isinstance(rules, (str, os.PathLike)):
        return Rules(rules)
    name = os.fspath(rules)
    try:
        changed = os.stat(name).st_mtime_ns
    except (OSError, ValueError):
        changed = 0  # a text, or the name of shipped rules
    key = (name, changed)
    if key not in _LOADED:
        while len(_LOADED) >= _MOST_LOADED:
            _LOADED.pop(next(iter(_LOADED)), None)
        _LOADED[key] = Rules(rules)
    return _LOADED[key]


def _fails(case: Case, min_score: Optional[float]) -> bool:
    if case.rule_errors or case.score is None:
        return True
    return not case.passed if min_score is None else case.score < min_score


def _wanted(min_score: Optional[float]) -> str:
    return "the verdict must be pass" if min_score is None else f"the score must be at least {min_score:g}"


def assert_matches(rules: RulesLike, expected: Any, candidate: Any, *, min_score: Optional[float] = 1.0,
                   id: str = "case") -> Case:
    """Asserts that `candidate` matches `expected` by `rules`, and returns the case.

    rules: as for evaluate(); the file is loaded once. candidate: a document, or the string that a model answered.
    min_score: the lowest score that matches, 0 to 1 (1: all that the rules compare); None: the verdict must be pass.

    Raises AssertionError with a line for each value that differs: path, expected, candidate, why and score. A case that
    has no score, or in which a function of the rules raised an error, does not match. Raises what Rules and judge() do.
    """
    __tracebackhide__ = True
    case = _cached(rules).judge(expected, candidate, id=id)
    if _fails(case, min_score):
        raise AssertionError("\n".join(["candidate does not match: " + _wanted(min_score), *case_lines(case)]))
    return case


def assert_all_match(rules: RulesLike, truth: Any, candidates: Any = None, *, min_score: Optional[float] = 1.0,
                     mean_score: Optional[float] = None, **options: Any) -> Result:
    """Asserts that all candidates match, and returns the result.

    truth, candidates, options: as for evaluate(). min_score: the lowest score that a case may have; None: its verdict
    must be pass. mean_score: in place of that, the lowest mean of all.

    Raises AssertionError with the cases that do not match, the first ten in full; also if a gate of the rules fails or
    is undecided, if a record, rule or value is in error, and if there is no case.
    """
    __tracebackhide__ = True
    result = evaluate(truth, candidates, _cached(rules), **options)
    lines: List[str] = []
    if len(result) == 0:
        lines.append("there is no case")
    elif mean_score is None:
        failing = [i for i, case in enumerate(result.cases) if _fails(case, min_score)]
        if failing:
            lines.append(f"{len(failing)} of {len(result)} candidates do not match: {_wanted(min_score)}")
            lines += cases_lines((result.cases[i] for i in failing), len(failing))
    elif result.score is None or result.score < mean_score:
        lines.append(f"the mean score is {'undefined' if result.score is None else f'{result.score:.3f}'}: "
                     f"it must be at least {mean_score:g}")
        worst = sorted((case.score or 0, i) for i, case in enumerate(result.cases) if case.score != 1)
        lines += cases_lines((result.cases[i] for _, i in worst), len(worst))
    for gate in result.failed_gates:
        value = gate.details.get("value")
        lines.append(f"gate {gate.status}: {gate.name}" + ("" if value is None else f", it is {value:.3f}"))
    if result.status not in (0, 1) or any(message.status for message in result.messages):
        lines += ["in error:", *(f"  {message}" for message in result.messages if message.status)]
    if lines:
        raise AssertionError("\n".join(lines))
    return result


class Matches:
    """`assert answer == Matches(rules, expected)`: equal to what matches. pytest shows the difference.

    min_score: as in assert_matches().
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, rules: RulesLike, expected: Any, *, min_score: Optional[float] = 1.0) -> None:
        self.rules = _cached(rules)
        self.expected = expected
        self.min_score = min_score

    def __eq__(self, candidate: object) -> bool:
        return not _fails(self.rules.judge(self.expected, candidate), self.min_score)

    def __repr__(self) -> str:
        return f"Matches({self.rules.name!r}, {self.expected!r})"

    def difference(self, candidate: object) -> List[str]:
        """Lines that say how `candidate` differs."""
        return [_wanted(self.min_score), *case_lines(self.rules.judge(self.expected, candidate))]
