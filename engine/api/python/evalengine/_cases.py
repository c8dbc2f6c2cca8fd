"""Cases of a result, and tables of it."""
from __future__ import annotations

import importlib
import json
from array import array
from collections.abc import Mapping, Sequence
from typing import Any, Dict, Iterable, Iterator, List, Optional, Union, overload

from ._errors import Message

Row = Dict[str, Any]
CORRECTIONS = ("changed", "missing", "removed", "rows_added", "rows_removed")  # that count (straight_through.md)


class Case:
    """One case: how it was judged.

    row: the whole row, as `--results` writes it (rules/manual/results.md). The properties are its members.
    rule_errors: of Rules.judge(): what functions of the rules raised, and what was given up.
    """

    __slots__ = ("row", "rule_errors")

    def __init__(self, row: Row, rule_errors: "tuple[Message, ...]" = ()) -> None:
        self.row = row
        self.rule_errors = rule_errors

    @property
    def id(self) -> str:
        return str(self.row["id"])

    @property
    def score(self) -> Optional[float]:
        """0 to 1; None if no judge has a score, so that the case is left out of means."""
        return None if self.row.get("unscored") else self.row["score"]

    @property
    def verdict(self) -> str:
        """"pass", "borderline" or "fail"."""
        return str(self.row["verdict"])

    @property
    def passed(self) -> bool:
        return self.verdict == "pass" and not self.row.get("unscored")

    @property
    def hits(self) -> List[str]:
        """Paths of what is correct."""
        return list(self.row["hits"])

    @property
    def misses(self) -> List[str]:
        """Paths of what is not, each with its reason in brackets."""
        return list(self.row["misses"])

    @property
    def mismatches(self) -> List[Row]:
        """Each value that is a miss: judge, path, expected and candidate (absent if missing), score, reason, class
        (incorrect, spurious, missing, unread) and kind of the error."""
        return [{"judge": judge["name"], **mismatch} for judge in self.row["evaluator_results"]
                for mismatch in judge.get("details", {}).get("mismatches", [])]

    @property
    def candidate(self) -> Any:
        """The candidate document that was read."""
        return self.row.get("candidate_answer")

    @property
    def reasoning(self) -> str:
        return str(self.row["reasoning"])

    def __repr__(self) -> str:
        return f"Case({self.id!r}, score={self.score}, verdict={self.verdict!r}, misses={len(self.row['misses'])})"

    def __str__(self) -> str:
        from ._diff import case_lines

        return "\n".join(case_lines(self))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Case) and self.row == other.row

    __hash__ = None  # type: ignore[assignment]


class Rows:
    """Lines of JSON in the library's memory, a line a case, parsed when they are asked for."""

    def __init__(self, owner: object, view: memoryview) -> None:
        self._owner = owner  # of the memory
        self._view = view
        self._starts: Optional["array[int]"] = None
        self._by_id: Optional[Dict[str, int]] = None

    def starts(self) -> "array[int]":
        """The offset of each line, and that of the end."""
        if self._starts is None:
            text, at = self._view, 0
            starts = array("Q", [0])
            step = 1 << 20
            while at < len(text):
                piece = bytes(text[at:at + step])
                found = piece.find(b"\n")
                while found >= 0:
                    starts.append(at + found + 1)
                    found = piece.find(b"\n", found + 1)
                at += step
            self._starts = starts
        return self._starts

    def line(self, index: int) -> bytes:
        starts = self.starts()
        return bytes(self._view[starts[index]:starts[index + 1]])

    def index_of(self, id_: str) -> Optional[int]:
        if self._by_id is None:
            self._by_id = {}
            for i in range(len(self.starts()) - 1):
                self._by_id.setdefault(_id_of(self.line(i)), i)
        return self._by_id.get(id_)


def _id_of(line: bytes) -> str:
    """The id of a row, whose members are in a fixed order, without parsing all of it."""
    text = line.decode()
    prefix = '{"schema":2,"id":'
    if text.startswith(prefix):
        return str(json.JSONDecoder().raw_decode(text, len(prefix))[0])
    return str(json.loads(text)["id"])


class Cases(Sequence):  # type: ignore[type-arg]
    """The cases of a result, in the order of the data: cases[0], cases[-1], cases[2:5], cases["inv-1"], len(cases),
    iteration. Each is parsed when it is asked for."""

    def __init__(self, rows: Rows, chosen: Optional[range] = None) -> None:
        self._rows = rows
        self._chosen = range(len(rows.starts()) - 1) if chosen is None else chosen

    def __len__(self) -> int:
        return len(self._chosen)

    @overload
    def __getitem__(self, which: Union[int, str]) -> Case: ...
    @overload
    def __getitem__(self, which: slice) -> Cases: ...

    def __getitem__(self, which: Union[int, str, slice]) -> Union[Case, Cases]:
        if isinstance(which, slice):
            return Cases(self._rows, self._chosen[which])
        if isinstance(which, str):
            index = self._rows.index_of(which)
            if index is None or index not in self._chosen:
                raise KeyError(which)
        else:
            index = self._chosen[which]
        return Case(json.loads(self._rows.line(index)))

    def __iter__(self) -> Iterator[Case]:
        for index in self._chosen:
            yield Case(json.loads(self._rows.line(index)))

    def __contains__(self, which: object) -> bool:
        if isinstance(which, str):
            return self._rows.index_of(which) in self._chosen
        return any(case == which for case in self)

    def __repr__(self) -> str:
        return f"<{len(self)} cases>"

    def to_frame(self) -> Any:
        """A pandas DataFrame with the id as index: score, verdict, the score of each judge (`judge.score`), misses,
        corrections, slices and measures, where there are any."""
        frame = _frame([_flat(case) for case in self], ["id", "score", "verdict"])
        return frame.set_index("id")


def _flat(case: Case) -> Row:
    flat: Row = {"id": case.id, "score": case.score, "verdict": case.verdict}
    for judge in case.row["evaluator_results"]:
        flat[f"{judge['name']}.score"] = None if judge.get("unscored") else judge["score"]
    flat["misses"] = case.misses
    if "straight_through" in case.row:
        flat["straight_through"] = case.row["straight_through"]
    if "corrections" in case.row:
        flat["corrections"] = sum(case.row["corrections"].get(kind, 0) for kind in CORRECTIONS)
    elif case.row.get("straight_through"):
        flat["corrections"] = 0
    for name, values in case.row.get("slices", {}).items():
        flat[name] = values[0] if len(values) == 1 else values
    flat.update(case.row.get("measures", {}))
    return flat


def _frame(rows: Iterable[Row], columns: List[str]) -> Any:
    """A DataFrame; ImportError that says so without pandas. `columns`: if there is no row."""
    try:
        pandas = importlib.import_module("pandas")
    except ImportError as error:
        raise ImportError("to_frame() needs pandas, which is not installed") from error
    rows = list(rows)
    return pandas.DataFrame(rows) if rows else pandas.DataFrame(columns=columns)


class Attributes(List[Row]):
    """A row for each attribute of each judge: judge, attribute, tp, tn, fp, fn, wrong, invented, precision, recall, f1
    and what else the JSON report has of it; of an interval NAME_low and NAME_high. What is undefined is absent."""

    def to_frame(self) -> Any:
        """The same as a pandas DataFrame, with judge and attribute as index."""
        return _frame(self, ["judge", "attribute"]).set_index(["judge", "attribute"])


def attributes_of(summary: Mapping[str, Any]) -> Attributes:
    """The attributes in a JSON report."""
    return Attributes(_attribute(judge, field) for judge in summary.get("judges", [])
                      for field in judge.get("fields", []))


def _attribute(judge: Mapping[str, Any], field: Mapping[str, Any]) -> Row:
    row: Row = {"judge": judge["name"], "attribute": field["name"]}
    for name, value in field.items():
        if name == "name":
            continue
        if name.endswith("_interval") and isinstance(value, Mapping):
            base = name[:-len("_interval")]
            row[f"{base}_low"], row[f"{base}_high"] = value.get("low"), value.get("high")
        else:
            row[name] = value
    return row
