"""Result, Case, Comparison, merge."""
import json
import pickle
import stat

import pytest

import evalengine
from conftest import ROOT, TOTALS, program, write_jsonl

RECORDS = [{"id": f"case {i}", "expected": {"currency": "EUR", "total": i}, "candidate": {"currency": "EUR", "total": i - i % 3}}
           for i in range(30)]


@pytest.fixture
def result():
    return evalengine.evaluate(RECORDS, rules=TOTALS)


def test_cases(result):
    cases = result.cases
    assert len(cases) == 30 and [case.id for case in cases] == [record["id"] for record in RECORDS]
    assert cases[0].id == "case 0" and cases[-1].id == "case 29"
    assert [case.id for case in cases[2:5]] == ["case 2", "case 3", "case 4"] and len(cases[::2]) == 15
    assert cases["case 4"].score == 0.5 and cases["case 4"].mismatches[0]["path"] == "total"
    assert "case 4" in cases and "case 30" not in cases and cases[3] in cases
    assert "case 4" not in cases[:3]
    with pytest.raises(KeyError):
        cases["case 30"]
    with pytest.raises(IndexError):
        cases[30]
    assert repr(cases) == "<30 cases>" and "score=0.5" in repr(cases[1])
    assert [case.row for case in cases] == [json.loads(line) for line in result.rows.splitlines()]


def test_cases_outlive_the_result():
    cases = evalengine.evaluate(RECORDS, rules=TOTALS).cases
    import gc
    gc.collect()
    assert [case.id for case in cases] == [record["id"] for record in RECORDS]


def test_ids_of_all_kinds():
    ids = ["é", 'quote "', "back\\slash", "\u0007", "𝄞", "", " ", "id\n", "0"]
    result = evalengine.evaluate([{"id": id, "expected": {"total": 1}, "candidate": {"total": 1}} for id in ids],
                                 rules='return ee.rules { ee.fields { ee.numeric "total" } }')
    for id in ids:
        if id:
            assert result.cases[id].id == id


def test_attributes(result):
    currency, total = sorted(result.attributes, key=lambda row: row["attribute"])
    assert (total["judge"], total["tp"], total["fp"], total["fn"]) == ("fields", 10, 20, 20)
    assert total["precision"] == pytest.approx(1 / 3) and total["f1_low"] < total["f1"] < total["f1_high"]
    assert currency["f1"] == 1
    frame = pytest.importorskip("pandas") and result.attributes.to_frame()
    assert frame.loc[("fields", "total"), "tp"] == 10 and list(frame.index.names) == ["judge", "attribute"]
    cases = result.cases.to_frame()
    assert cases["score"].mean() == pytest.approx(result.score) and cases.loc["case 1", "verdict"] == "fail"
    assert len(result.cases[:0].to_frame()) == 0


def test_save(result, tmp_path):
    for name, format in (("r.html", "html"), ("r.json", "json"), ("r.jsonl", "jsonl"), ("r.csv", "csv"), ("r.md", "markdown"),
                         ("r.xml", "junit"), ("r.txt", "table")):
        path = result.save(tmp_path / name)
        assert path == tmp_path / name and path.read_text() == result.report(format)
    assert result.save(tmp_path / "odd.name", "cases").read_text() == result.report("cases")
    assert stat.S_IMODE((tmp_path / "r.html").stat().st_mode) & 0o444 == 0o444
    with pytest.raises(evalengine.UsageError, match="no format follows"):
        result.save(tmp_path / "report.doc")
    with pytest.raises(FileNotFoundError):
        result.save(tmp_path / "none" / "report.html")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["odd.name", "r.csv", "r.html", "r.json", "r.jsonl", "r.md",
                                                                "r.txt", "r.xml"]


def test_report_options(result):
    assert "otherwise" in result.report("table", "--kinds")
    assert result.report("table", "--section", "attributes").startswith("fields")
    with pytest.raises(evalengine.UsageError):
        result.report("docx")
    with pytest.raises(evalengine.UsageError):
        result.report("table", "--wurst", "3")
    assert str(result) == result.report("table")


def test_repr(result):
    assert repr(result) == "<Result: 30 cases, mean score 0.667, passed>"
    page = result._repr_html_()
    assert page.startswith('<iframe srcdoc="') and "&lt;html" in page and page.count("<") == 2
    summary = evalengine.evaluate(RECORDS, rules=TOTALS, cases=False)._repr_html_()
    assert summary.startswith("<pre>") and "mean score" in summary


def test_results_are_not_pickled(result):
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(result)


def test_gates_that_are_undecided():
    rules = """return ee.rules { ee.fields { ee.numeric "total" },
                                 ee.gate { metric = "mean_score", min = 0.1, min_support = 100 } }"""
    result = evalengine.evaluate(RECORDS, rules=rules)
    (gate,) = result.gates
    assert (gate.status, result.passed, result.failed_gates) == ("undecided", False, [gate])


# Comparing ----------------------------------------------------------------------------------------------------


@pytest.fixture
def better():
    return evalengine.evaluate([{**r, "candidate": {"currency": "EUR", "total": i - (i % 5 == 1)}} for i, r in enumerate(RECORDS)],
                               rules=TOTALS)


def test_compare(result, better, tmp_path):
    comparison = evalengine.compare(result, better)
    assert comparison.finding == "better" and comparison.passed and comparison.p < 0.05
    assert comparison.difference == pytest.approx(better.score - result.score)
    assert comparison.interval[0] < comparison.difference < comparison.interval[1]
    assert repr(comparison) == "<Comparison: better>" and comparison._repr_html_().startswith("<iframe")
    worse = evalengine.compare(better, result, fail_on="significant")
    assert not worse.passed and worse.finding == "worse"
    result.save(tmp_path / "a.jsonl")
    better.save(tmp_path / "b.jsonl")
    for format in ("table", "json", "markdown"):
        named = evalengine.compare(result, better, names=["a.jsonl", "b.jsonl"])
        assert named.report(format) == program("compare", "a.jsonl", "b.jsonl", "-f", format, folder=tmp_path)
        files = evalengine.compare(tmp_path / "a.jsonl", tmp_path / "b.jsonl")
        assert files.summary["mean_score"] == named.summary["mean_score"]


def test_compare_several(result, better):
    comparison = evalengine.compare(result, better, result)
    assert comparison.difference is None and comparison.summary


def test_compare_mistakes(result, better):
    with pytest.raises(evalengine.UsageError, match="two runs"):
        evalengine.compare(result)
    other = evalengine.evaluate(RECORDS, rules='return ee.rules { ee.fields { ee.exact "currency" } }')
    with pytest.raises(evalengine.RulesError):
        evalengine.compare(result, other)
    assert evalengine.compare(result, other, force=True).summary
    without = evalengine.evaluate(RECORDS, rules=TOTALS, cases=False)
    with pytest.raises(evalengine.UsageError, match="did not keep its cases"):
        evalengine.compare(result, without)
    with pytest.raises(FileNotFoundError):
        evalengine.compare(result, "none.jsonl")


# Merging ------------------------------------------------------------------------------------------------------


def test_merge(result):
    rules = evalengine.Rules(TOTALS)
    parts = [evalengine.evaluate(RECORDS[i::3], rules=rules, part=(i + 1, 3)) for i in range(3)]
    merged = evalengine.merge(rules, [parts[2], parts[0].state, parts[1]])
    wanted, got = dict(result.summary), dict(merged.summary)
    for summary in (wanted, got):
        del summary["signature"], summary["data_hash"]
    assert got == wanted and merged.score == result.score and merged.passed
    with pytest.raises(evalengine.RulesError):
        evalengine.merge(rules, parts[:2])
