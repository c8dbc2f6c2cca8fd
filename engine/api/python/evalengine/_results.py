"""Results: of a run, of the parts of one, and of a comparison."""
from __future__ import annotations

import ctypes
import html
import json
import math
import os
import tempfile
import threading
import weakref
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _library as lib
from ._cases import Attributes, Cases, Rows, attributes_of
from ._errors import DataError, Message, UsageError, exception_from, message_from

FORMATS = {".txt": "table", ".json": "json", ".jsonl": "jsonl", ".csv": "csv", ".md": "markdown", ".xml": "junit",
           ".html": "html"}  # by the ending of a file's name
MOST_IN_NOTEBOOK = 2000  # cases that the report in a notebook holds
PathLike = Union[str, "os.PathLike[str]"]


class Gate(NamedTuple):
    """A limit on a metric."""

    name: str  # such as "header: macro_f1 >= 0.9"
    status: str  # "passed", "failed" or "undecided"
    details: Dict[str, Any]  # what the JSON report has of it

    @property
    def passed(self) -> bool:
        return self.status == "passed"


class Report:
    """What a Result and a Comparison have in common. May be used by several threads at once."""

    def __init__(self, address: int, messages: Sequence[Message], messages_left_out: int) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._free = weakref.finalize(self, lib.library.ee_result_free, address)
        self._summary: Optional[Dict[str, Any]] = None
        self.messages: Tuple[Message, ...] = tuple(messages)  # errors of records and rules, warnings, notes
        self.messages_left_out = messages_left_out  # beyond the first 1,000
        self.status: int = lib.library.ee_result_status(address)  # what the program would end with

    def __reduce__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} cannot be pickled: save() its rows or a report")

    def report(self, format: str = "table", *options: str) -> str:
        """The report as text.

        format: "table", "markdown", "json", "csv", "html", "junit", "jsonl", "cases", or an ee.report of the rules.
        options: as on the command line: "--kinds", "--worst", "5", "--section", "attributes", "--columns", "TP,F1".

        Raises UsageError for others.
        """
        text, length, error = ctypes.c_void_p(), ctypes.c_size_t(), lib.Error()
        words = lib.words(list(options))
        with self._lock:
            status = lib.library.ee_result_report(self._address, lib.c_text(format), words, len(words),
                                                  ctypes.byref(text), ctypes.byref(length), ctypes.byref(error))
            if status != lib.OK:
                raise exception_from([message_from(error)], status)
            return lib.copied(text.value, length.value).decode()

    @property
    def summary(self) -> Dict[str, Any]:
        """The JSON report as a dictionary (rules/manual/results.md)."""
        if self._summary is None:
            self._summary = json.loads(self.report("json"))
        return self._summary

    def save(self, path: PathLike, format: Optional[str] = None, *options: str) -> Path:
        """Writes the report to `path`, which appears when it is complete, and returns the path. The format follows from
        the ending: .txt, .json, .jsonl (the rows), .csv, .md, .xml (JUnit), .html; `format` and `options` as for
        report()."""
        target = Path(path)
        chosen = format or FORMATS.get(target.suffix.lower())
        if chosen is None:
            raise UsageError(f"no format follows from the name '{target}': its ending must be one of "
                             f"{', '.join(FORMATS)}, or give format=")
        text = self.report(chosen, *options)
        handle, partial = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as out:
                out.write(text)
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(partial, 0o666 & ~umask)
            os.replace(partial, target)
        except BaseException:
            os.unlink(partial)
            raise
        return target

    def _view(self, function: Any) -> memoryview:
        """Bytes of the library that live as long as this object."""
        length = ctypes.c_size_t()
        address = function(self._address, ctypes.byref(length))
        if not address or not length.value:
            return memoryview(b"")
        return memoryview((ctypes.c_char * length.value).from_address(address)).cast("B")

    def __str__(self) -> str:
        return self.report("table")

    def _frame_of(self, page: str) -> str:
        return (f'<iframe srcdoc="{html.escape(page)}" sandbox="allow-scripts allow-popups allow-downloads" '
                'style="width: 100%; height: 640px; border: 1px solid #ccc"></iframe>')


class Result(Report):
    """The result of a run.

    score: the mean score of the cases, 0 to 1; None without a case that has a score.
    passed: every gate passed, and nothing was in error. gates, failed_gates: each limit that the rules and the options set.
    summary: the JSON report as a dictionary. attributes: its rows of attributes, with to_frame().
    cases: the cases, with to_frame(). messages: errors of records and rules, warnings, notes.
    interrupted: a callback stopped the run: the result is of the cases until then.
    """

    def __init__(self, address: int, messages: Sequence[Message] = (), messages_left_out: int = 0,
                 has_rows: bool = True) -> None:
        super().__init__(address, messages, messages_left_out)
        self._has_rows = has_rows
        self._rows: Optional[Rows] = None
        score: float = lib.library.ee_result_mean_score(address)
        self.score: Optional[float] = None if math.isnan(score) else score
        self.interrupted: bool = self.status == lib.INTERRUPTED

    def __len__(self) -> int:
        """The number of cases that were judged."""
        return int(lib.library.ee_result_count(self._address, 0))

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        score = "-" if self.score is None else f"{self.score:.3f}"
        return f"<Result: {len(self)} cases, mean score {score}, {'passed' if self.passed else 'not passed'}>"

    @property
    def passed(self) -> bool:
        """The exit status of the program would be 0: no gate failed, no record, rule or value was in error, and the run
        was not interrupted."""
        return self.status == 0

    @property
    def counts(self) -> Dict[str, int]:
        """How many cases were judged, passed, borderline, failed, unscored; expected values without a record that were
        judged as empty (absent); records that could not be read, or whose id occurred before (duplicates); rule_errors."""
        names = ("cases", "passed", "borderline", "failed", "unscored", "absent", "unreadable", "duplicates",
                 "rule_errors")
        return {name: int(lib.library.ee_result_count(self._address, i)) for i, name in enumerate(names)}

    @property
    def gates(self) -> List[Gate]:
        """Each gate of the rules and of fail_under."""
        return [Gate(*_gate(gate)) for gate in self.summary.get("gates", [])]

    @property
    def failed_gates(self) -> List[Gate]:
        """The gates that failed or are undecided."""
        return [gate for gate in self.gates if not gate.passed]

    @property
    def attributes(self) -> Attributes:
        """A row for each attribute of each judge."""
        return attributes_of(self.summary)

    @property
    def cases(self) -> Cases:
        """The cases. Raises UsageError if the run did not keep them (cases=False)."""
        return Cases(self._kept_rows())

    def _kept_rows(self) -> Rows:
        if not self._has_rows:
            raise UsageError("this run did not keep its cases: evaluate(..., cases=True)")
        with self._lock:
            if self._rows is None:
                self._rows = Rows(self, self._view(lib.library.ee_result_rows))
            return self._rows

    @property
    def rows(self) -> bytes:
        """The rows of the cases: JSON Lines, as `--results` writes them."""
        self._kept_rows()
        return bytes(self._view(lib.library.ee_result_rows))

    @property
    def state(self) -> bytes:
        """Of a part of a run (part=...): what merge() needs of it, one line."""
        return bytes(self._view(lib.library.ee_result_state))

    @property
    def rules(self) -> str:
        """The rule file in Lua that follows from the data, if the run had none; else ""."""
        return bytes(self._view(lib.library.ee_result_rules)).decode()

    def _repr_html_(self) -> str:
        """In a notebook: the HTML report, of many cases without them."""
        if not self._has_rows or len(self) > MOST_IN_NOTEBOOK:
            return f"<pre>{html.escape(self.report('table'))}</pre>"
        return self._frame_of(self.report("html"))


def _gate(gate: Dict[str, Any]) -> Tuple[str, str, Dict[str, Any]]:
    where = [str(gate[part]) for part in ("judge", "field", "metric") if part in gate]
    limits = [f"{sign} {gate[limit]:g}" for limit, sign in (("min", ">="), ("max", "<=")) if limit in gate]
    status = "undecided" if gate.get("undecided") else "passed" if gate.get("passed") else "failed"
    return " ".join([":".join(where), *limits]), status, gate


class Comparison(Report):
    """A comparison of runs.

    finding: "better", "worse", "no evidence of a difference", ... of two runs. passed: nothing that fail_on names occurred.
    difference: of the mean scores, new minus base; interval: where it probably is (95 %); p: how probable so large a
    difference is by chance. None of several runs; all of these and more are in summary.
    """

    @property
    def passed(self) -> bool:
        return self.status == 0

    @property
    def finding(self) -> Optional[str]:
        return self.summary.get("finding")

    def _of_mean(self, name: str) -> Any:
        return self.summary.get("mean_score", {}).get(name) if isinstance(self.summary.get("mean_score"), dict) else None

    @property
    def difference(self) -> Optional[float]:
        value: Optional[float] = self._of_mean("difference")
        return value

    @property
    def interval(self) -> Optional[Tuple[float, float]]:
        interval = self._of_mean("difference_interval")
        return (interval["low"], interval["high"]) if interval else None

    @property
    def p(self) -> Optional[float]:
        value: Optional[float] = self._of_mean("p")
        return value

    def __repr__(self) -> str:
        return f"<Comparison: {self.finding}>" if self.finding else "<Comparison>"

    def _repr_html_(self) -> str:
        return self._frame_of(self.report("html"))


def data_error(messages: Sequence[Message]) -> DataError:
    """For strict runs: all that was in error."""
    return DataError([message for message in messages if message.status != lib.OK])
