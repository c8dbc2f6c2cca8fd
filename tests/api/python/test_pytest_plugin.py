"""Assertions, and the plugin of pytest in tests of its own."""
import pytest

import evalengine
from conftest import TOTALS

EXPECTED = {"currency": "EUR", "total": 5}


def test_assert_matches():
    case = evalengine.assert_matches(TOTALS, EXPECTED, {"currency": "EUR", "total": 5.001})
    assert case.score == 1
    assert evalengine.assert_matches(TOTALS, EXPECTED, '```json\n{"currency": "EUR", "total": 5}\n```').passed
    with pytest.raises(AssertionError) as raised:
        evalengine.assert_matches(TOTALS, EXPECTED, {"currency": "EUR", "total": 15}, id="inv-1")
    assert str(raised.value).splitlines() == [
        "candidate does not match: the score must be at least 1",
        "inv-1  0.500  fail",
        "  total  (fields, score 0)",
        "    expected   5",
        "    candidate  15",
        "    incorrect: outside tolerance: diff=10, tolerance=0.01",
    ]
    assert evalengine.assert_matches(TOTALS, EXPECTED, {"currency": "EUR", "total": 15}, min_score=0.5).score == 0.5
    with pytest.raises(AssertionError, match="verdict must be pass"):
        evalengine.assert_matches(TOTALS, EXPECTED, {"currency": "EUR", "total": 15}, min_score=None)
    with pytest.raises(AssertionError, match="candidate  \\(missing\\)"):
        evalengine.assert_matches(TOTALS, EXPECTED, {"currency": "EUR"})
    with pytest.raises(AssertionError, match="candidate unparseable"):
        evalengine.assert_matches(TOTALS, EXPECTED, "I do not know")


def test_what_has_no_score_does_not_match():
    rules = 'return ee.rules { ee.iou_score { "box" } }'
    case = evalengine.Rules(rules).judge({}, {})
    if case.score is None:
        with pytest.raises(AssertionError, match="not scored"):
            evalengine.assert_matches(rules, {}, {}, min_score=0)
    failing = 'return ee.rules { ee.judge { name = "mine", function() error("oops") end } }'
    with pytest.raises(AssertionError, match="oops"):
        evalengine.assert_matches(failing, {}, {}, min_score=0)


def test_rules_are_loaded_again_when_they_change(tmp_path):
    import os
    path = tmp_path / "rules.lua"
    path.write_text(TOTALS)
    evalengine.assert_matches(path, {"total": 1}, {"total": 1.001})
    path.write_text(TOTALS.replace("0.01", "0"))
    os.utime(path, ns=(1, 1))
    with pytest.raises(AssertionError):
        evalengine.assert_matches(path, {"total": 1}, {"total": 1.001})


def test_assert_all_match():
    truth = [{"currency": "EUR", "total": i} for i in range(30)]
    result = evalengine.assert_all_match(TOTALS, truth, truth)
    assert len(result) == 30
    answers = [{**t, "total": t["total"] + (i % 2)} for i, t in enumerate(truth)]
    with pytest.raises(AssertionError) as raised:
        evalengine.assert_all_match(TOTALS, truth, answers)
    lines = str(raised.value).splitlines()
    assert lines[0] == "15 of 30 candidates do not match: the score must be at least 1"
    assert lines[1] == "1  0.500  fail" and lines[-1] == "... and 5 more cases" and len(lines) == 52
    evalengine.assert_all_match(TOTALS, truth, answers, mean_score=0.7)
    with pytest.raises(AssertionError, match="the mean score is 0.750: it must be at least 0.8"):
        evalengine.assert_all_match(TOTALS, truth, answers, mean_score=0.8)
    with pytest.raises(AssertionError, match=r"gate failed: mean_score >= 0.9, it is 0.750"):
        evalengine.assert_all_match(TOTALS, truth, answers, min_score=0.5, fail_under={"mean_score": 0.9})


@pytest.mark.filterwarnings("ignore::evalengine.EvalengineWarning")
def test_assert_all_match_needs_cases_without_errors():
    with pytest.raises(AssertionError, match="there is no case"):
        evalengine.assert_all_match(TOTALS, [], [])
    records = [{"id": "a", "expected": EXPECTED, "candidate": EXPECTED}] * 2
    with pytest.raises(AssertionError, match="duplicate id 'a'"):
        evalengine.assert_all_match(TOTALS, records)


def test_matches():
    wanted = evalengine.Matches(TOTALS, EXPECTED)
    assert {"currency": "EUR", "total": 5} == wanted and wanted == {"currency": "EUR", "total": 5}
    assert {"currency": "EUR", "total": 6} != wanted
    assert evalengine.Matches(TOTALS, EXPECTED, min_score=0.5) == {"currency": "EUR", "total": 6}


OF_A_USER = '''
import evalengine, pytest

RULES = 'return ee.rules { ee.fields { ee.exact "currency", ee.numeric "total" } }'
EXPECTED = {"currency": "EUR", "total": 5}

def test_function():
    evalengine.assert_matches(RULES, EXPECTED, {"currency": "USD", "total": 5})

def test_operator():
    assert {"currency": "EUR", "total": 7} == evalengine.Matches(RULES, EXPECTED)

def test_operator_turned():
    assert evalengine.Matches(RULES, EXPECTED) == "I cannot read it"

@pytest.mark.evalengine(RULES)
def test_mark(assert_matches):
    assert_matches(EXPECTED, {"currency": "EUR", "total": 5})
    assert_matches(EXPECTED, {"currency": "EUR", "total": 8})

def test_option(assert_matches):
    assert_matches(EXPECTED, {"currency": "EUR", "total": 5})
    assert_matches(EXPECTED, {"currency": "EUR", "total": 9})
'''


def test_the_plugin(pytester):
    """Each failure shows the field, what was expected, the candidate, why and the score."""
    pytester.makepyfile(OF_A_USER)
    pytester.makefile(".lua", rules='return ee.rules { ee.fields { ee.numeric "total" } }')
    pytester.makeini("[pytest]\nevalengine_rules = rules.lua\n")
    done = pytester.runpytest_subprocess("-p", "evalengine.pytest_plugin", "--strict-markers")
    done.assert_outcomes(failed=5)
    done.stdout.fnmatch_lines([
        "E * AssertionError: candidate does not match: the score must be at least 1", "E * case  0.500  fail",
        "E * currency  (fields, score 0)", 'E * expected   "EUR"', 'E * candidate  "USD"', "E * incorrect: value mismatch*"])
    done.stdout.fnmatch_lines([
        "E * assert candidate does not match", "E * total  (fields, score 0)", "E * expected   5", "E * candidate  7"])
    done.stdout.fnmatch_lines(["E * candidate unparseable"])
    done.stdout.fnmatch_lines(["E * candidate  8"])
    done.stdout.fnmatch_lines(["E * candidate  9"])
    done.stdout.no_fnmatch_line("*_matching.py*")  # the frames are of the user's file


def test_the_fixture_needs_rules(pytester):
    pytester.makepyfile("def test_it(assert_matches):\n    pass\n")
    done = pytester.runpytest_subprocess("-p", "evalengine.pytest_plugin")
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["*assert_matches needs rules*"])
