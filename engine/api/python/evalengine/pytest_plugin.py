"""A plugin of pytest, found by its entry point when evalengine is installed.

It shows the difference of `assert answer == evalengine.Matches(rules, expected)`, and has the fixture `assert_matches`,
evalengine.assert_matches with the rules of the test's mark, or else of the option `evalengine_rules`:

    @pytest.mark.evalengine("rules/invoice.lua")
    def test_invoice(assert_matches):
        assert_matches(expected, candidate)
"""
from __future__ import annotations

import os
from typing import Any, Callable, List, Optional

import pytest


def pytest_addoption(parser: Any) -> None:
    parser.addini("evalengine_rules", "rules of the fixture assert_matches: a path from the root folder of the tests, "
                  "or the name of shipped rules", default="")


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", "evalengine(rules): the rules of the fixture assert_matches")


def pytest_assertrepr_compare(config: Any, op: str, left: object, right: object) -> Optional[List[str]]:
    from . import _matching

    if op != "==":
        return None
    if isinstance(right, _matching.Matches):
        return ["candidate does not match", *right.difference(left)]
    if isinstance(left, _matching.Matches):
        return ["candidate does not match", *left.difference(right)]
    return None


@pytest.fixture
def assert_matches(request: Any) -> Callable[..., Any]:
    """evalengine.assert_matches without its first argument, the rules."""
    from . import _matching

    mark = request.node.get_closest_marker("evalengine")
    rules = mark.args[0] if mark and mark.args else request.config.getini("evalengine_rules")
    if not rules:
        raise pytest.UsageError("assert_matches needs rules: @pytest.mark.evalengine(RULES), or evalengine_rules in "
                                "the configuration of pytest")
    if isinstance(rules, str) and not mark:
        path = os.path.join(str(request.config.rootpath), rules)
        rules = path if os.path.exists(path) else rules

    def check(expected: Any, candidate: Any, **options: Any) -> Any:
        __tracebackhide__ = True
        return _matching.assert_matches(rules, expected, candidate, **options)

    return check
