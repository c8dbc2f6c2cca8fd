"""Rules: what they may be made of, mistakes, single cases."""
import json
import pickle

import pytest

import evalengine
from conftest import TOTALS

MISTAKES = """return ee.rules {
  ee.fields {
    ee.numeric { "total", tolerence = 0.01 },
    ee.fuzy "name",
  },
}
"""


def test_a_path_a_text_and_loaded_rules(tmp_path):
    path = tmp_path / "totals.lua"
    path.write_text(TOTALS)
    truth, answers = [{"currency": "EUR", "total": 1}], [{"currency": "EUR", "total": 2}]
    for rules in (path, str(path), TOTALS, "\n" + TOTALS, "-- two lines\n" + TOTALS, evalengine.Rules(path)):
        assert evalengine.evaluate(truth, answers, rules).score == 0.5
    assert repr(evalengine.Rules(path)) == f"Rules({str(path)!r})"


def test_all_mistakes_with_file_and_line(tmp_path):
    path = tmp_path / "mistakes.lua"
    path.write_text(MISTAKES)
    for source, file in ((path, str(path)), (MISTAKES, "rules.lua")):
        with pytest.raises(evalengine.RulesError) as raised:
            evalengine.Rules(source)
        error = raised.value
        assert [(m.file, m.line) for m in error.errors] == [(file, 3), (file, 4)]
        assert (error.file, error.line) == (file, 3)
        assert error.message == "unknown option 'tolerence' for ee.numeric (did you mean 'tolerance'?)"
        assert str(error).splitlines() == [f"{file}:3: {error.message}",
                                           f"{file}:4: unknown constructor 'ee.fuzy' (did you mean 'ee.fuzzy'?)"]
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is evalengine.RulesError and again.errors == error.errors
    with pytest.raises(ValueError):
        evalengine.evaluate([1], [1], MISTAKES)
    with pytest.raises(evalengine.EvalengineError):
        evalengine.Rules("no_such_rules")
    with pytest.raises(evalengine.RulesError, match="rules.lua:2"):
        evalengine.Rules("return ee.rules {\n ee.fields { ee.exact 'a' }")
    named = evalengine.Rules(TOTALS, name="totals.lua")
    assert named.name == "totals.lua"


TREE = {"rules": [{"fields": {"name": "header", "fields": [
    {"exact": "currency"}, {"numeric": {"path": "total", "tolerance": 0.01}}]}}, {"gate": {"metric": "mean_score", "min": 0.9}}]}


def test_dictionaries():
    lua = """return ee.rules { ee.fields { name = "header", ee.exact "currency", ee.numeric { "total", tolerance = 0.01 } },
                               ee.gate { metric = "mean_score", min = 0.9 } }"""
    truth, answers = [{"currency": "EUR", "total": 1}] * 2, [{"currency": "EUR", "total": 2}, {"currency": "EUR", "total": 1}]
    summaries = []
    for rules in (TREE, lua, json.dumps(TREE)):
        summary = evalengine.evaluate(truth, answers, rules).summary
        del summary["signature"], summary["rules"]
        summaries.append(summary)
    assert summaries[0] == summaries[1] == summaries[2] and summaries[0]["judges"][0]["name"] == "header"
    with pytest.raises(evalengine.RulesError) as raised:
        evalengine.Rules({"rules": [{"fields": {"fields": [{"numeric": {"path": "total", "tolerence": 0.01}}, {"exact": "a"},
                                                            {"fuzy": "x"}]}}]})
    assert str(raised.value).splitlines() == [
        "rules[0].fields.fields[0].numeric.tolerence: unknown option 'tolerence' for ee.numeric (did you mean 'tolerance'?)",
        "rules[0].fields.fields[2]: unknown constructor 'fuzy' (did you mean 'fuzzy'?)"]
    with pytest.raises(TypeError, match=r"rules\.rules\[0\]\.fields is a set"):
        evalengine.Rules({"rules": [{"fields": {"exact"}}]})
    with pytest.raises(evalengine.RulesError):
        evalengine.Rules({})


def test_yaml():
    text = "rules:\n  - fields:\n      fields:\n        - exact: currency\n        - numeric: { path: total, tolerance: 0.01 }\n"
    assert evalengine.Rules(text).judge({"currency": "EUR", "total": 1}, {"currency": "EUR", "total": 1.001}).score == 1
    with pytest.raises(evalengine.RulesError, match=r"rules\.yaml:4:\d+: unknown constructor 'exakt'"):
        evalengine.Rules(text.replace("exact", "exakt"))


def test_rules_that_require_a_file(tmp_path, monkeypatch):
    (tmp_path / "limits.lua").write_text("return { total = 0.5 }")
    text = 'local limits = require "limits"\nreturn ee.rules { ee.fields { ee.numeric { "total", tolerance = limits.total } } }'
    assert evalengine.evaluate([{"total": 1}], [{"total": 1.5}], evalengine.Rules(text, name=f"{tmp_path}/x.lua")).score == 1
    monkeypatch.chdir(tmp_path)
    assert evalengine.evaluate([{"total": 1}], [{"total": 1.5}], text).score == 1


def test_judge_one_case():
    rules = evalengine.Rules(TOTALS)
    case = rules.judge({"currency": "EUR", "total": 5}, {"currency": "EUR", "total": 7}, id="one")
    assert (case.id, case.score, case.verdict, case.passed) == ("one", 0.5, "fail", False)
    assert case.hits == ["currency"] and case.misses == ["total (outside tolerance: diff=2, tolerance=0.01)"]
    (mismatch,) = case.mismatches
    assert mismatch["judge"] == "fields" and mismatch["path"] == "total"
    assert (mismatch["expected"], mismatch["candidate"]) == (5, 7)
    assert "total" in str(case) and "expected   5" in str(case)
    assert rules.judge({"total": 5}, 'It is {"total": 5}.').score == 1
    assert rules.judge({"total": 5}).score == 0
    assert rules.judge({"total": 5}, "no idea").row["candidate_state"] == "unparseable"
    with pytest.raises(ValueError, match="expected.total is nan"):
        rules.judge({"total": float("nan")})


def test_judge_gives_what_a_run_gives(invoices, in_root):
    rules = evalengine.Rules("rules/invoice.lua")
    with pytest.warns(evalengine.EvalengineWarning):
        result = evalengine.evaluate(invoices, rules=rules)
    for record in invoices:
        expected = record.get("expected", record.get("expected_output"))
        if expected is None:
            continue
        case = rules.judge(expected, record.get("candidate"), id=record["id"])
        in_run = result.cases[record["id"]]
        assert (case.score, case.verdict, case.misses) == (in_run.score, in_run.verdict, in_run.misses)


def test_errors_of_functions():
    rules = """return ee.rules { ee.judge { name = "mine", function(case)
      if case.expected.n == 2 then error("two is too many") end
      return 1
    end } }"""
    case = evalengine.Rules(rules).judge({"n": 2}, {})
    assert case.score == 0 and "two is too many" in case.rule_errors[0].text and case.rule_errors[0].line == 2
    with pytest.warns(evalengine.EvalengineWarning, match="two is too many"):
        result = evalengine.evaluate([{"n": 1}, {"n": 2}], [{}, {}], rules)
    assert result.status == 4 and result.counts["rule_errors"] == 1 and not result.passed
    with pytest.raises(evalengine.DataError, match="two is too many"):
        evalengine.evaluate([{"n": 1}, {"n": 2}], [{}, {}], rules, strict=True)


def test_rules_are_not_pickled():
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(evalengine.Rules(TOTALS))


def test_many_rules_and_evaluators_are_freed():
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    def work():
        for i in range(100):
            rules = evalengine.Rules(TOTALS)
            rules.judge({"total": i}, {"total": i})
            evalengine.evaluate([{"currency": "EUR", "total": i}], [{"currency": "EUR", "total": i}], rules)

    work()
    work()
    before = resident()
    work()
    assert resident() - before < 4 << 20


def test_shipped_rules_by_name(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    rules = evalengine.Rules("receipts")
    assert rules.judge({"company": "a"}, {"company": "a"}).score > 0
