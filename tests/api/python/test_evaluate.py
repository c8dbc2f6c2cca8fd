"""evaluate(): what it takes, and that it gives what the program prints."""
import io
import json
import pathlib

import pytest

import evalengine
from conftest import ROOT, TOTALS, program, read_jsonl, write_jsonl

NUMBERS = 'return ee.rules { ee.fields { ee.numeric "total" } }'
TRUTH = [{"currency": "EUR", "total": 5}, {"currency": "USD", "total": 6}, {"currency": "EUR", "total": 7}]
ANSWERS = [{"currency": "EUR", "total": 5}, {"currency": "USD", "total": 8}, {"currency": "EUR"}]
IDS = ["a", "b", "c"]


def scores(result):
    return {case.id: case.score for case in result.cases}


def test_lists_by_position():
    result = evalengine.evaluate(TRUTH, ANSWERS, TOTALS)
    assert scores(result) == {"0": 1, "1": 0.5, "2": 0.5}
    assert result.score == pytest.approx(2 / 3)
    assert (len(result), result.counts["cases"], result.counts["passed"]) == (3, 3, 1)
    assert result.status == 0 and result.passed and not result.interrupted


def test_generators_are_read_once():
    taken = []

    def answers():
        for answer in ANSWERS:
            taken.append(answer)
            yield answer

    assert scores(evalengine.evaluate((t for t in TRUTH), answers(), TOTALS)) == {"0": 1, "1": 0.5, "2": 0.5}
    assert taken == ANSWERS


@pytest.mark.parametrize("truth, answers", [
    (dict(zip(IDS, TRUTH)), dict(zip(reversed(IDS), reversed(ANSWERS)))),
    ([{"id": i, **t} for i, t in zip(IDS, TRUTH)], [{"id": i, **a} for i, a in zip(IDS, ANSWERS)][::-1]),
    ([{"id": i, "expected": t} for i, t in zip(IDS, TRUTH)], dict(zip(IDS, ANSWERS))),
    (dict(zip(IDS, TRUTH)), ({"id": i, "candidate": json.dumps(a)} for i, a in zip(IDS, ANSWERS))),
])
def test_joined_by_id(truth, answers):
    assert scores(evalengine.evaluate(truth, answers, TOTALS)) == {"a": 1, "b": 0.5, "c": 0.5}


def test_id_of_another_name():
    truth = [{"key": i, **t} for i, t in zip(IDS, TRUTH)]
    answers = [{"doc": i, **a} for i, a in zip(IDS, ANSWERS)][::-1]
    by_both = evalengine.evaluate(truth, answers, TOTALS, id=["doc", "key"])
    assert scores(by_both) == {"a": 1, "b": 0.5, "c": 0.5}
    mixed = evalengine.evaluate(dict(zip(IDS, TRUTH)), answers, TOTALS, id="doc")
    assert scores(mixed) == {"a": 1, "b": 0.5, "c": 0.5}
    mixed = evalengine.evaluate(truth, dict(zip(IDS, ANSWERS)), TOTALS, id="key")
    assert scores(mixed) == {"a": 1, "b": 0.5, "c": 0.5}


def test_id_false_pairs_by_position():
    truth = [{"id": 1, "total": 1}, {"id": 2, "total": 2}]
    answers = [{"id": 2, "total": 1}, {"id": 1, "total": 2}]
    rules = 'return ee.rules { ee.fields { ee.numeric "total" } }'
    assert scores(evalengine.evaluate(truth, answers, rules, id=False)) == {"0": 1, "1": 1}
    assert scores(evalengine.evaluate(truth, answers, rules)) == {"1": 0, "2": 0}
    with pytest.raises(evalengine.UsageError, match="id=False"):
        evalengine.evaluate(dict(enumerate(truth)), answers, rules, id=False)


def test_lengths_that_differ():
    with pytest.raises(evalengine.DataError, match="truth has 3 documents, candidates 2"):
        evalengine.evaluate(TRUTH, ANSWERS[:2], TOTALS)
    with pytest.raises(evalengine.DataError, match="candidates ends after 2 documents, truth does not"):
        evalengine.evaluate(iter(TRUTH), iter(ANSWERS[:2]), TOTALS)
    with pytest.raises(evalengine.DataError, match="truth ends after 0 documents, candidates does not"):
        evalengine.evaluate(iter([]), iter(ANSWERS[:2]), TOTALS)


def test_ids_on_one_side_only():
    with pytest.warns(evalengine.EvalengineWarning):
        result = evalengine.evaluate({"a": TRUTH[0], "b": TRUTH[1]}, {"a": ANSWERS[0], "z": ANSWERS[1]}, TOTALS)
    assert scores(result) == {"a": 1, "b": 0}
    assert result.counts["absent"] == 1 and result.status == 4 and not result.passed
    assert any("z" in message.text for message in result.messages)
    with pytest.warns(evalengine.EvalengineWarning, match="no record for 1 of the ids"):
        result = evalengine.evaluate({"a": TRUTH[0], "b": TRUTH[1]}, {"a": ANSWERS[0]}, TOTALS, missing="skip")
    assert scores(result) == {"a": 1}


def test_duplicate_ids():
    records = [{"id": "a", "expected": TRUTH[0], "candidate": ANSWERS[0]}] * 3
    with pytest.warns(evalengine.EvalengineWarning) as caught:
        result = evalengine.evaluate(records, rules=TOTALS)
    assert [str(warning.message) for warning in caught][:2] == [
        f"records.jsonl:{line}: duplicate id 'a' (first at records.jsonl:1)" for line in (2, 3)]
    assert caught[0].filename == __file__
    assert result.counts["duplicates"] == 2 and result.status == 4
    with pytest.raises(evalengine.DataError) as raised:
        evalengine.evaluate(records, rules=TOTALS, strict=True)
    assert (raised.value.file, raised.value.line) == ("records.jsonl", 2)


def test_candidates_that_are_text():
    answers = ['{"currency": "EUR", "total": 5}', 'Sure:\n```json\n{"currency": "USD", "total": 6}\n```', "I do not know"]
    result = evalengine.evaluate(TRUTH, answers, TOTALS)
    assert scores(result) == {"0": 1, "1": 1, "2": 0}
    assert result.cases["2"].row["candidate_state"] == "unparseable"


def test_none_is_an_empty_candidate():
    result = evalengine.evaluate(TRUTH, [ANSWERS[0], None, {}], TOTALS)
    assert scores(result) == {"0": 1, "1": 0, "2": 0}


def test_a_document_that_is_not_json_names_its_place():
    with pytest.raises(ValueError, match=r"candidates\[1\]\.total is nan"):
        evalengine.evaluate(TRUTH, [ANSWERS[0], {"total": float("nan")}, {}], TOTALS)
    with pytest.raises(TypeError, match=r"truth\['b'\]\.total is a set"):
        evalengine.evaluate({"a": 1, "b": {"total": {1}}}, {"a": 1}, TOTALS)


def test_half_of_a_surrogate_pair():
    with pytest.warns(evalengine.EvalengineWarning, match="surrogate"):
        result = evalengine.evaluate([{"currency": "\ud83d", "total": 1}], [{"currency": "\ud83d", "total": 1}], TOTALS)
    assert result.score == 1


def test_integers_of_any_length():
    big = 10 ** 60
    rules = 'return ee.rules { ee.fields { ee.exact "n" } }'
    result = evalengine.evaluate([{"n": big}, {"n": big}], [{"n": big}, {"n": big + 1}], rules)
    assert scores(result) == {"0": 1, "1": 0}


@pytest.mark.parametrize("bad", [5, None, object(), b"x"])
def test_what_is_no_data(bad):
    with pytest.raises(evalengine.UsageError, match="truth is"):
        evalengine.evaluate(bad, ANSWERS, TOTALS)


def test_missing_files(tmp_path):
    with pytest.raises(FileNotFoundError):
        evalengine.evaluate(tmp_path / "none.jsonl", rules=TOTALS)
    with pytest.raises(evalengine.RulesError, match="none.lua"):
        evalengine.evaluate(TRUTH, ANSWERS, tmp_path / "none.lua")


def test_open_files(tmp_path):
    text = "".join(json.dumps({"id": i, "expected": t, "candidate": a}) + "\n" for i, t, a in zip(IDS, TRUTH, ANSWERS))
    wanted = {"a": 1, "b": 0.5, "c": 0.5}
    assert scores(evalengine.evaluate(io.StringIO(text), rules=TOTALS)) == wanted
    assert scores(evalengine.evaluate(io.BytesIO(text.encode()), rules=TOTALS)) == wanted
    (tmp_path / "data.csv").write_text("id,expected,candidate\na,x,x\n")
    with open(tmp_path / "data.csv") as file:
        result = evalengine.evaluate(file, rules='return ee.rules { ee.fields { ee.exact "$" } }')
    assert scores(result) == {"a": 1}


def test_empty_data():
    with pytest.warns(evalengine.EvalengineWarning):
        result = evalengine.evaluate([], [], TOTALS)
    assert (len(result), result.score, list(result.cases)) == (0, None, [])
    assert bool(result)  # not as an empty list is


# Figures -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", ["table", "json", "csv", "markdown", "html", "junit", "jsonl", "cases"])
def test_files_give_the_bytes_of_the_program(in_root, format):
    with pytest.warns(evalengine.EvalengineWarning):
        result = evalengine.evaluate("samples/invoices.jsonl", rules="rules/invoice.lua",
                                     detail="full" if format == "html" else "misses")
    assert result.report(format) == program("rules/invoice.lua", "samples/invoices.jsonl", "-f", format, folder=in_root)


def test_two_files_without_rules(in_root):
    truth, answers = "samples/receipts/truth.jsonl", "samples/receipts/answers_a.jsonl"
    result = evalengine.evaluate(truth, answers)
    assert str(result) == program(truth, answers, folder=in_root)
    assert result.rules.startswith("--") and "ee.rules" in result.rules


def test_lists_give_the_bytes_of_the_program(in_root, invoices, tmp_path):
    with pytest.warns(evalengine.EvalengineWarning):
        result = evalengine.evaluate(invoices, rules="rules/invoice.lua")
    write_jsonl(tmp_path / "records.jsonl", invoices)
    assert result.report("json") == program("rules/invoice.lua", tmp_path / "records.jsonl", "-f", "json", folder=in_root)


def random_document(random):
    document = {}
    if random.random() < 0.9:
        document["currency"] = random.choice(["EUR", "USD", "eur", "", None, 5])
    if random.random() < 0.9:
        document["total"] = random.choice([1, 1.005, 1.02, "1", "1,00", "x", None, [1], True, 10 ** 30])
    document["items"] = [{"text": random.choice(["tea", "coffee", "té", "\u0000"]), "price": random.randrange(3)}
                         for _ in range(random.randrange(4))]
    return document


RULES = """return ee.rules {
  ee.fields { name = "header", ee.exact "currency", ee.numeric { "total", tolerance = 0.01 } },
  ee.line_items { "items", match = { "text" }, ee.fuzzy "text", ee.numeric "price" },
  ee.gate { metric = "mean_score", min = 0.5 },
}"""


@pytest.mark.parametrize("jobs", [1, 3])
def test_random_documents_give_the_bytes_of_the_program(seed, tmp_path, jobs):
    """Records from Python and the same in a file: the same report, rows and status."""
    (tmp_path / "rules.lua").write_text(RULES)
    for _ in range(15):
        records = []
        for i in range(seed.randrange(1, 60)):
            answer = random_document(seed)
            answer = seed.choice([answer, json.dumps(answer), "```\n" + json.dumps(answer) + "\n```", None, "no"])
            records.append({"id": f"case {i} é", "expected": random_document(seed), "candidate": answer})
        write_jsonl(tmp_path / "records.jsonl", records)
        import warnings
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", evalengine.EvalengineWarning)
            result = evalengine.evaluate(iter(records), rules=tmp_path / "rules.lua", jobs=jobs)
        for format in ("json", "table", "jsonl"):
            printed = program(tmp_path / "rules.lua", "records.jsonl", "-f", format, folder=tmp_path)
            assert result.report(format) == printed
        assert result.rows.decode() == printed
        status = 0 if result.passed else result.status
        program(tmp_path / "rules.lua", "records.jsonl", "-o", "/dev/null", folder=tmp_path, status=status)


# Options ------------------------------------------------------------------------------------------------------


def test_options(tmp_path):
    records = [{"id": f"{i}", "expected": {"currency": "EUR", "total": i}, "candidate": {"currency": "EUR", "total": i},
                "split": "test" if i % 2 else "train"} for i in range(10)]
    run = lambda **options: [c.id for c in evalengine.evaluate(records, rules=TOTALS, **options).cases]
    assert run(limit=3) == ["0", "1", "2"]
    assert run(where="split=test") == ["1", "3", "5", "7", "9"]
    assert run(only=["1", "2"]) == ["1", "2"]
    assert run(options=["--only", "7"]) == ["7"]
    with pytest.raises(evalengine.UsageError, match="--onyl"):
        run(options=["--onyl", "7"])
    with pytest.raises(evalengine.UsageError, match="results"):
        run(options=["--results", str(tmp_path / "rows.jsonl")])
    with pytest.raises(evalengine.UsageError):
        run(missing="perhaps")


def test_parameters_and_config():
    rules = """return ee.rules { ee.fields { ee.numeric { "total", tolerance = ee.param("tolerance", 0) } },
                                 name = (ee.config or {}).name }"""
    run = lambda **options: evalengine.evaluate([{"total": 1}], [{"total": 2}], rules, **options)
    assert run().score == 0
    assert run(parameters={"tolerance": 1}).score == 1
    assert run(config={"name": "from Python"}).summary["rules"]["name"] == "from Python"


def test_gates():
    passed = evalengine.evaluate(TRUTH, ANSWERS, TOTALS, fail_under={"mean_score": 0.6, "fields:total:f1": 0.1})
    assert passed.passed and [gate.passed for gate in passed.gates] == [True, True]
    failed = evalengine.evaluate(TRUTH, ANSWERS, TOTALS, fail_under=["mean_score=0.9", "fields:total:f1=0.1"])
    assert not failed.passed and failed.status == 1
    assert [gate.name for gate in failed.failed_gates] == ["mean_score >= 0.9"]
    assert failed.failed_gates[0].status == "failed"


def test_a_path_list(tmp_path):
    for name, i in (("x.jsonl", 0), ("y.jsonl", 1)):
        write_jsonl(tmp_path / name, [{"id": name, "expected": TRUTH[i], "candidate": ANSWERS[i]}])
    result = evalengine.evaluate([tmp_path / "x.jsonl", tmp_path / "y.jsonl"], rules=TOTALS)
    assert scores(result) == {"x.jsonl": 1, "y.jsonl": 0.5}
    assert isinstance(tmp_path, pathlib.Path)


def test_truth_in_a_file_candidates_in_memory(in_root):
    answers = read_jsonl(ROOT / "samples/receipts/answers_a.jsonl")
    result = evalengine.evaluate("samples/receipts/truth.jsonl", answers, "rules/receipts.lua")
    wanted = json.loads(program("rules/receipts.lua", "--expected", "samples/receipts/truth.jsonl",
                                "samples/receipts/answers_a.jsonl", "-f", "json", folder=in_root))
    assert result.summary["judges"] == wanted["judges"] and result.score == wanted["mean_score"]


# Frames -------------------------------------------------------------------------------------------------------


def test_frames():
    pandas = pytest.importorskip("pandas")
    truth = pandas.DataFrame(TRUTH, index=IDS)
    answers = pandas.DataFrame(ANSWERS, index=IDS).iloc[::-1]
    assert answers["total"].isna().any()  # a NaN is a value that is missing
    result = evalengine.evaluate(truth, answers, TOTALS)
    assert scores(result) == {"a": 1, "b": 0.5, "c": 0.5}
    assert scores(evalengine.evaluate(truth, dict(zip(IDS, ANSWERS)), TOTALS)) == scores(result)
    frame = result.cases.to_frame()
    assert list(frame.index) == IDS[::-1] or list(frame.index) == IDS
    assert frame.loc["b", "score"] == 0.5 and frame.loc["b", "corrections"] == 1
    attributes = result.attributes.to_frame()
    assert attributes.loc[("fields", "total"), "tp"] == 1


def test_frames_of_records_and_series():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"expected": TRUTH, "candidate": ANSWERS}, index=[7, 8, 9])
    assert scores(evalengine.evaluate(frame, rules=TOTALS)) == {"7": 1, "8": 0.5, "9": 0.5}
    rules = 'return ee.rules { ee.fields { ee.exact "$" } }'
    labels = evalengine.evaluate(pandas.Series(["cat", "dog"]), pandas.Series(["cat", "cow"]), rules)
    assert scores(labels) == {"0": 1, "1": 0}
    dotted = pandas.DataFrame({"a.b": [1], "a.c": [2]})
    rules = 'return ee.rules { ee.fields { ee.exact "a.b", ee.exact "a.c" } }'
    assert evalengine.evaluate(dotted, dotted, rules).score == 1
    with pytest.raises(evalengine.DataError, match="two columns 'a'"):
        evalengine.evaluate(pandas.DataFrame([[1, 2]], columns=["a", "a"]), dotted, rules)


# Callbacks ----------------------------------------------------------------------------------------------------


def test_lists_in_different_orders():
    truth = [{"key": f"d{i}", "total": i % 3} for i in range(9)]
    answers = [{"doc": one["key"], "total": one["total"]} for one in reversed(truth)]
    with pytest.raises(evalengine.DataError, match=r"9 of 9 values of 'key' in truth are in 'doc' of candidates, 1 of "
                                                   r"them at the same position: id=\('doc', 'key'\) joins"):
        evalengine.evaluate(truth, answers)
    rules = 'return ee.rules { ee.fields { ee.numeric "total" } }'
    joined = evalengine.evaluate(truth, answers, rules, id=("doc", "key"))
    assert joined.score == 1 and {case.id for case in joined.cases} == {one["key"] for one in truth}
    assert evalengine.evaluate(truth, answers, rules, id=False).score < 1
    with pytest.raises(evalengine.DataError, match="id='key' joins"):
        evalengine.evaluate(truth, list(reversed(truth)), rules)
    # Members of other names that are in their places: the same order, whatever else is alike.
    numbers = [{"a": 7 * i, "b": 7 * i + 7} for i in range(9)]
    assert evalengine.evaluate(numbers, [{"x": one["a"], "y": one["b"], "total": 1} for one in numbers], rules).score is not None
    # Values that are wrong here and there are no other order; nor are two documents, or what is the same more than once.
    swapped = [truth[1], truth[0], *truth[2:]]
    assert evalengine.evaluate(truth, swapped, rules).score < 1
    assert evalengine.evaluate(truth[:2], truth[1::-1], rules).score < 1
    assert evalengine.evaluate([{"label": "ab"[i % 2]} for i in range(6)], [{"label": "ba"[i % 2]} for i in range(6)]).score == 0


def test_on_case_in_the_order_of_the_data():
    seen = []
    result = evalengine.evaluate(({"total": i} for i in range(500)), ({"total": i % 7} for i in range(500)), NUMBERS,
                                 on_case=lambda case: seen.append(case.id), jobs=4, cases=False)
    assert seen == [str(i) for i in range(500)]
    with pytest.raises(evalengine.UsageError, match="cases=True"):
        result.cases


def test_on_case_stops():
    result = evalengine.evaluate(({"total": i} for i in range(10 ** 9)), ({"total": i} for i in range(10 ** 9)), NUMBERS,
                                 on_case=lambda case: case.id != "99")
    assert result.interrupted and result.status == 130 and not result.passed
    assert 100 <= len(result) < 10 ** 6


class Mine(Exception):
    pass


def fails_after(count):
    for i in range(count):
        yield {"total": i}
    raise Mine("no more")


@pytest.mark.parametrize("count", [0, 1, 1000, 100000])
def test_an_iterable_that_raises(count):
    with pytest.raises(Mine, match="no more"):
        evalengine.evaluate(fails_after(count), ({"total": i} for i in range(10 ** 9)), NUMBERS)
    assert evalengine.evaluate(TRUTH, ANSWERS, TOTALS).score == pytest.approx(2 / 3)


def test_callbacks_that_raise():
    def fail(argument):
        raise Mine(type(argument).__name__)

    with pytest.raises(Mine, match="Case"):
        evalengine.evaluate(TRUTH, ANSWERS, TOTALS, on_case=fail)
    with pytest.raises(Mine, match="Progress"):
        evalengine.evaluate(({"total": i} for i in range(10 ** 9)), ({"total": i} for i in range(10 ** 9)), NUMBERS,
                            cases=False, progress=fail)
    with pytest.raises(SystemExit):
        evalengine.evaluate(TRUTH, ANSWERS, TOTALS, on_case=lambda case: exit(3))


def test_a_callback_that_calls_the_library():
    inner = []
    evalengine.evaluate(TRUTH, ANSWERS, TOTALS,
                        on_case=lambda case: inner.append(evalengine.evaluate(TRUTH, ANSWERS, TOTALS).score))
    assert inner == [pytest.approx(2 / 3)] * 3


def test_progress(capsys):
    import time

    def resting():  # longer than the library waits between two calls
        for i in range(30000):
            if i == 20000:
                time.sleep(0.3)
            yield {"total": i}

    seen = []
    evalengine.evaluate(resting(), ({"total": i} for i in range(30000)), NUMBERS, progress=seen.append, cases=False)
    assert seen and all(a.cases <= b.cases for a, b in zip(seen, seen[1:]))
    assert seen[-1].mean_score in (None, 0.5, 1.0)
    assert capsys.readouterr().err == ""
    from evalengine._run import progress_line

    def slow():
        for i in range(8):
            time.sleep(0.1)
            yield {"total": i}

    evalengine.evaluate(slow(), ({"total": i} for i in range(8)), NUMBERS, progress=True)
    written = capsys.readouterr().err
    assert "cases" in written and written.endswith("\r")
    assert progress_line(evalengine.Progress(1000, 0.5, 50, 200), 2.0) == "1,000 cases, 500/s, mean score 0.500, 25 %, 6 s left"
    assert progress_line(evalengine.Progress(0, None, 0, None), 0.0) == "0 cases, 0/s"
