"""evaluate(), compare() and merge()."""
from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, Callable, Iterable, List, Optional, Sequence, Tuple, Union

from . import _library as lib
from ._cases import Case
from ._documents import to_json
from ._errors import UsageError
from ._results import Comparison, PathLike, Result, data_error
from ._rules import RulesLike, rules_from
from ._run import ProgressCallback, Run
from ._sources import Stream, sources

Names = Union[str, Sequence[str]]
Number = Union[int, float]


def _repeated(option: str, values: Union[None, Names, Mapping[str, Any]]) -> List[str]:
    """An option for each value; of a mapping `name=value`."""
    if values is None:
        return []
    if isinstance(values, str):
        values = [values]
    if isinstance(values, Mapping):
        values = [f"{name}={_option_value(value)}" for name, value in values.items()]
    return [word for value in values for word in (option, value)]


def _option_value(value: Any) -> str:
    return value if isinstance(value, str) else to_json(value, "the value of an option").decode()


def _single(option: str, value: Union[None, bool, Number, Names]) -> List[str]:
    if value is None or value is False:
        return []
    if value is True:
        return [option]
    if isinstance(value, (str, int, float)):
        return [option, str(value)]
    return [option, ",".join(value)]


def evaluate(
    truth: Any,
    candidates: Any = None,
    rules: Optional[RulesLike] = None,
    *,
    id: Union[None, bool, Names] = None,
    expected: Optional[Names] = None,
    candidate: Optional[Names] = None,
    jobs: int = 0,
    only: Optional[Names] = None,
    where: Optional[Names] = None,
    limit: Optional[int] = None,
    missing: Optional[str] = None,
    repair: bool = False,
    strict: bool = False,
    parameters: Optional[Mapping[str, Any]] = None,
    config: Optional[Mapping[str, Any]] = None,
    fail_under: Union[None, Names, Mapping[str, float]] = None,
    confidence: Optional[float] = None,
    cluster: Optional[str] = None,
    timeout: Optional[float] = None,
    offline: bool = False,
    programs: bool = True,
    cases: bool = True,
    detail: str = "misses",
    on_case: Optional[Callable[[Case], object]] = None,
    progress: Union[None, bool, ProgressCallback] = None,
    part: Optional[Tuple[int, int]] = None,
    options: Sequence[str] = (),
) -> Result:
    """Judges candidates against the truth. What comes out is what the program prints for the same data.

    truth, candidates: each a list or iterable of documents (anything that has a meaning in JSON), a mapping from ids to
        documents, a pandas DataFrame or Series (the index is the id), a path, an open file, or a list of pathlib.Path.
        A candidate that is a string is an answer with JSON in it. Without candidates, truth has whole records with both
        sides, such as {"id": ..., "expected": ..., "candidate": ...}.
    rules: a path, the name of shipped rules, the text of a rule file, the rule tree as dictionaries, or Rules. Without
        rules, what the values are decides; Result.rules is then the rule file that follows.
    id: the member or path of the id on which two lists are joined (of several, the first with a value counts). None: a
        member that is usual for ids (id, case_id, ...) if the first documents of both have it, else documents at the
        same position belong together, and the ids are "0", "1", ... (DataError if two lists have the values of a member
        at other positions). False: they do in any case.
    expected, candidate: member or path of these in a record.
    jobs: threads; 0: one a core. The result does not depend on it.
    only: globs of ids. where: "PATH=VALUE" or "PATH!=VALUE". limit: how many cases at most.
    missing: "fail" (default) judges an empty candidate for expected values without a record, "skip" leaves them out.
    repair: repair candidates that are nearly JSON. strict: raise DataError at the first record, rule or value in error.
    parameters: values of ee.param in the rules. config: the value of ee.config.
    fail_under: gates, {"mean_score": 0.9, "header:macro_f1": 0.85} or "METRIC=X".
    confidence: of all intervals, 0 to 1 (default 0.95). cluster: path of what cases have in common.
    timeout: seconds of work that a case may take (default 20; 0: no limit). offline: no requests to models.
    programs: False forbids rules that run programs.
    cases: keep the cases for Result.cases and reports that show them: about as much memory as the data. False: only the
        summary, and some 30 bytes of each case.
    detail: "full" keeps of each case also what was correct, and both documents, for HTML reports.
    on_case: is called with each Case, in the order of the data; if it returns False, the run stops.
    progress: True: a line on standard error; None: only on a terminal; a function: is called with each Progress.
    part: (i, n): the data is part i of n of a data set (from 1): the result is a `state` for merge(), and has no report.
    options: more options of the program, a word each: ["--accept", "0.99"].

    Messages of the run become EvalengineWarning, and are in Result.messages. Raises UsageError, RulesError, DataError
    and ResourceError with file and line, OSError for files, TypeError and ValueError for documents that are not JSON,
    and what an iterable or callback raised. After Ctrl-C it raises KeyboardInterrupt within 0.2 seconds, whose attribute
    `result` is the Result of the cases until then, or None.
    """
    loaded = None if rules is None else rules_from(rules)
    data = sources(truth, candidates, loaded is not None, id)
    streams = list(data.streams)
    words = list(data.words)
    if candidates is None and id is not None and not isinstance(id, bool) and not words:
        words += _single("--id", id)
    words += _single("--expected-path", expected) + _single("--candidate", candidate)
    words += _single("--jobs", jobs) + _repeated("--only", only) + _repeated("--where", where)
    words += _single("--limit", limit) + _single("--missing", missing)
    words += _single("--repair", repair) + _single("--strict", strict)
    words += _repeated("--set", parameters) + _repeated("--fail-under", fail_under)
    if config is not None:
        words += ["--config", "config.json"]
        streams.append(Stream("config.json", iter([to_json(config, "config")])))
    words += _single("--confidence", confidence) + _single("--cluster", cluster) + _single("--timeout", timeout)
    words += _single("--offline", offline) + _single("--no-exec", not programs)
    if detail != "misses":
        words += ["--detail", detail]
    if part is not None:
        for stream in streams:  # merge() takes inputs of one name for one input
            if stream.name in data.files:
                data.files[data.files.index(stream.name)] = stream.name = f"part{part[0]}.{stream.name}"
        words += ["--part", f"{part[0]}/{part[1]}"]
    keep = (lib.KEEP_ROWS if cases else 0) | (lib.KEEP_STATE if part is not None else 0)

    def row(line: bytes) -> object:
        assert on_case is not None
        return on_case(Case(json.loads(line)))

    run = Run([*words, *options], streams, keep, row if on_case else None, progress)
    files = lib.words(data.files)
    address = _address(run, cases, lib.library.ee_evaluate, None if loaded is None else loaded.address, files,
                       len(files))
    result = Result(address, run.messages, run.messages_left_out, cases)
    if strict and result.status not in (0, 1, lib.INTERRUPTED):
        raise data_error(run.messages)
    run.warn(2)
    return result


def _address(run: Run, cases: bool, function: Callable[..., Optional[int]], *arguments: object) -> int:
    """The ee_result of a call; an interrupt has it as a Result."""
    try:
        address, _ = run.call(function, *arguments)
    except KeyboardInterrupt as interrupt:
        partial = getattr(interrupt, "result", None)
        if partial is not None:
            interrupt.result = Result(partial, run.messages, run.messages_left_out, cases)  # type: ignore[attr-defined]
        raise
    assert address is not None
    return address


def _rows_of(run: Union[Result, PathLike], name: str) -> Tuple[str, Optional[bytes]]:
    if isinstance(run, Result):
        return name, run.rows
    path = os.fspath(run)
    os.stat(path)
    return path, None


def _texts(inputs: Sequence[Tuple[str, Optional[bytes]]]) -> Any:
    """ee_input of texts, or of names of files."""
    array = (lib.Input * len(inputs))()
    for i, (name, text) in enumerate(inputs):
        array[i].name = lib.c_text(name)
        if text is not None:
            array[i].text = text
            array[i].length = len(text)
    return array


def compare(base: Union[Result, PathLike], *runs: Union[Result, PathLike], names: Sequence[str] = (),
            threshold: Optional[float] = None, common: bool = False, force: bool = False,
            fail_on: Optional[str] = None, margin: Optional[float] = None, correction: Optional[str] = None,
            options: Sequence[str] = ()) -> Comparison:
    """Compares runs on the same cases: what got better, what got worse, and whether it could be chance.

    base, runs: each a Result with its cases, or the path of its rows (`--results`, save("rows.jsonl")).
    names: what reports call them (default: the paths, or base, new, new2, ...).
    threshold: the smallest difference of scores that is a win or a loss. common: only the cases that all have.
    force: compare runs that were judged by different rules.
    fail_on: "any", "mean", "significant", "field" or "margin": when Comparison.passed is False.
    margin: the largest loss of the mean score that does not matter. correction: "holm", "bh" or "none".
    options: more options of `evalengine compare`.

    Raises RulesError for runs of different rules, DataError for rows that cannot be read or have nothing in common.
    """
    if not runs:
        raise UsageError("compare() needs two runs or more")
    usual = ["base", "new", *(f"new{i}" for i in range(2, len(runs) + 1))]
    given = [*names, *usual[len(names):]]
    inputs = [_rows_of(run, given[i]) for i, run in enumerate([base, *runs])]
    words = _single("--threshold", threshold) + _single("--common", common) + _single("--force", force)
    words += _single("--fail-on", fail_on) + _single("--margin", margin) + _single("--correction", correction)
    run = Run([*words, *options])
    array = _texts(inputs)
    address, _ = run.call(lib.library.ee_compare, array, len(array))
    assert address is not None
    run.warn(2)
    return Comparison(address, run.messages, run.messages_left_out)


def merge(rules: RulesLike, states: Iterable[Union[bytes, Result]], *, options: Sequence[str] = ()) -> Result:
    """The result of a whole data set from the states of its parts, with the same report as that of one run.

    states: Result.state of each part, in any order, or the Results themselves. options: those of `evalengine merge`.

    Raises RulesError for states that do not belong together, or if parts are missing.
    """
    loaded = rules_from(rules)
    texts = [state.state if isinstance(state, Result) else state for state in states]
    array = _texts([(f"part{i + 1}", text) for i, text in enumerate(texts)])
    run = Run(options)
    address = _address(run, False, lib.library.ee_merge, loaded.address, array, len(array))
    run.warn(2)
    return Result(address, run.messages, run.messages_left_out, False)
