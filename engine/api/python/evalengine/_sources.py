"""Where documents come from: what evaluate() takes for truth and candidates, as files and streams of JSON Lines."""
from __future__ import annotations

import itertools
import os
from collections.abc import Mapping
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from ._documents import to_json
from ._errors import DataError, UsageError

ID_NAMES = ("id", "case_id", "caseId", "eval_id", "test_id")  # that the engine looks for
CHUNK = 1 << 18  # bytes that are written at a time, or a little more
FRAME_ROWS = 4096  # of a frame that are made documents at a time
_NOTHING: Any = object()


class Stream:
    """Bytes that take the place of a file.

    name: what messages and reports call it; its ending counts as that of a file.
    """

    def __init__(self, name: str, chunks: Iterator[bytes]) -> None:
        self.name = name
        self._chunks = chunks
        self._rest = memoryview(b"")

    def read(self, room: int) -> memoryview:
        """The next bytes, at most `room`; empty at the end."""
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return self._rest
            self._rest = memoryview(chunk)
        taken, self._rest = self._rest[:room], self._rest[room:]
        return taken


class Sources(NamedTuple):
    """The data of a run."""

    files: List[str]  # names of files or of streams, for the command line
    words: List[str]  # options that say how they are joined
    streams: List[Stream]


class _Keyed(NamedTuple):
    """Documents with their ids."""

    items: Iterator[Tuple[Any, Any]]


class _Documents(NamedTuple):
    """Documents, or whole records, in an order."""

    items: Iterator[Any]
    length: Optional[int]  # None: not known
    all: Sequence[Any]  # the same as items, if they are a list or tuple; else empty


class _Files(NamedTuple):
    names: List[str]


_Side = Union[_Keyed, _Documents, _Files, Stream]


def is_frame(value: Any) -> bool:
    """Whether `value` is a DataFrame or Series of pandas, which is not imported for it."""
    return type(value).__name__ in ("DataFrame", "Series") and hasattr(value, "iloc") and hasattr(value, "index")


def _frame_items(frame: Any) -> Iterator[Tuple[Any, Any]]:
    """(index, document) of each row: a cell without a value is null, a column `total.net` is `net` in the object
    `total`. Of a Series: (index, value)."""
    for start in range(0, len(frame), FRAME_ROWS):
        part = frame.iloc[start:start + FRAME_ROWS]
        ids = part.index.tolist()
        missing = part.isna()
        if missing.to_numpy().any():
            part = part.astype(object).where(~missing, None)
        if not hasattr(part, "columns"):
            yield from zip(ids, part.tolist())
            continue
        names = [str(name) for name in part.columns]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise DataError(f"the frame has two columns '{twice[0]}'")
        columns = [column.tolist() for _, column in part.items()]
        nested = any("." in name for name in names)
        for id_, *cells in zip(ids, *columns):
            row = dict(zip(names, cells))
            yield id_, _nested(row) if nested else row


def _nested(row: Dict[str, Any]) -> Dict[str, Any]:
    document: Dict[str, Any] = {}
    for name, value in row.items():
        *parents, last = name.split(".")
        place = document
        for parent in parents:
            place = place.setdefault(parent, {})
            if not isinstance(place, dict):
                raise DataError(f"the frame has a column '{name}' and one for '{parent}' itself")
        if last in place:
            raise DataError(f"the frame has a column '{name}' and columns in it")
        place[last] = value
    return document


def _file_chunks(file: Any) -> Iterator[bytes]:
    while True:
        text = file.read(CHUNK)
        if not text:
            return
        yield text.encode() if isinstance(text, str) else bytes(text)


def _existing(path: "str | os.PathLike[str]") -> str:
    name = os.fspath(path)
    if not isinstance(name, str):
        name = os.fsdecode(name)
    os.stat(name)  # FileNotFoundError, PermissionError, ... as open() would raise them
    return name


def _side(value: Any, name: str) -> _Side:
    """What `value` is; `name`: which argument."""
    if isinstance(value, (str, os.PathLike)):
        return _Files([_existing(value)])
    if isinstance(value, (bytes, bytearray)):
        raise UsageError(f"{name} is {type(value).__name__}: give a path, an open file, or documents")
    if callable(getattr(value, "read", None)):
        of_file = getattr(value, "name", None)
        return Stream(of_file if isinstance(of_file, str) and of_file else f"{name}.jsonl", _file_chunks(value))
    if is_frame(value):
        return _Keyed(_frame_items(value))
    if isinstance(value, Mapping):
        return _Keyed(iter(value.items()))
    if isinstance(value, (list, tuple)) and value and all(isinstance(item, os.PathLike) for item in value):
        return _Files([_existing(item) for item in value])
    try:
        items = iter(value)
    except TypeError:
        raise UsageError(f"{name} is {type(value).__name__}: give a path, an open file, a list or iterable of "
                         "documents, a mapping from ids to documents, or a frame") from None
    return _Documents(items, len(value) if hasattr(value, "__len__") else None,
                      value if isinstance(value, (list, tuple)) else ())


def _id_json(id_: Any, name: str) -> bytes:
    if isinstance(id_, bool) or not isinstance(id_, (str, int)):
        id_ = str(id_)
    return to_json(id_, name)


def _lines(items: Iterable[bytes]) -> Iterator[bytes]:
    """Lines, joined to chunks of about CHUNK bytes."""
    lines: List[bytes] = []
    length = 0
    for line in items:
        lines.append(line)
        length += len(line) + 1
        if length >= CHUNK:
            lines.append(b"")
            yield b"\n".join(lines)
            lines.clear()
            length = 0
    if lines:
        lines.append(b"")
        yield b"\n".join(lines)


def _lines_of(side: _Side, name: str, member: bytes) -> Iterator[bytes]:
    """A record of each document, which is its `member`; whole documents of those without ids."""
    if isinstance(side, _Keyed):
        for id_, document in side.items:
            called = f"{name}[{id_!r}]"
            yield b'{"id":%s,"%s":%s}' % (_id_json(id_, called), member, to_json(document, called))
    elif isinstance(side, _Documents):
        for i, document in enumerate(side.items):
            yield to_json(document, f"{name}[{i}]")


def _whole_records(side: _Keyed) -> Iterator[bytes]:
    """Records by id, each an object that may have an id of its own."""
    for id_, record in side.items:
        called = f"records[{id_!r}]"
        if not isinstance(record, Mapping):
            raise DataError(f"{called} is not an object with an expected value and a candidate")
        yield to_json({"id": id_ if isinstance(id_, (str, int)) else str(id_), **record}, called)


def _paired_lines(truth: _Documents, candidates: _Documents) -> Iterator[bytes]:
    """Records of the documents at the same position, whose ids are the positions."""
    pairs = itertools.zip_longest(truth.items, candidates.items, fillvalue=_NOTHING)
    for i, (expected, candidate) in enumerate(pairs):
        if expected is _NOTHING or candidate is _NOTHING:
            short, long = ("truth", "candidates") if expected is _NOTHING else ("candidates", "truth")
            raise DataError(f"{short} ends after {i} documents, {long} does not")
        yield b'{"id":"%d","expected":%s,"candidate":%s}' % (i, to_json(expected, f"truth[{i}]"),
                                                              to_json(candidate, f"candidates[{i}]"))


def _peeked(side: _Documents) -> Tuple[Any, _Documents]:
    first = next(side.items, _NOTHING)
    return first, side if first is _NOTHING else side._replace(items=itertools.chain([first], side.items))


def _have_ids(first: Any, other: Any) -> bool:
    return (isinstance(first, Mapping) and isinstance(other, Mapping)
            and any(first.get(name) is not None and other.get(name) is not None for name in ID_NAMES))


def _telling_members(documents: Sequence[Any]) -> Dict[str, List[Any]]:
    """Members that each document has with a text or number of its own, with the values."""
    if not documents or not all(isinstance(document, Mapping) for document in documents):
        return {}
    members: Dict[str, List[Any]] = {}
    for name in documents[0]:
        values = [document.get(name) for document in documents]
        if all(isinstance(value, (str, int)) and not isinstance(value, bool) for value in values):
            if isinstance(name, str) and len(set(values)) == len(values):
                members[name] = values
    return members


def _refuse_other_order(truth: Sequence[Any], candidates: Sequence[Any]) -> None:
    """DataError if a member shows that documents at the same position do not belong together: most values of one side
    are on the other one, and few of them at their position. Nothing for fewer than 3 documents."""
    if len(truth) != len(candidates) or len(truth) < 3:
        return
    of_truth, of_candidates = _telling_members(truth), _telling_members(candidates)

    def in_place(expected: str, name: str) -> int:
        return sum(a == b for a, b in zip(of_truth[expected], of_candidates[name]))

    if any(2 * in_place(name, name) >= len(truth) for name in of_truth if name in of_candidates):
        return  # they belong together: nearly always, and found in one pass
    values = {name: set(of_candidates[name]) for name in of_candidates}
    best, pair = 0, ("", "")
    for expected in of_truth:
        wanted = set(of_truth[expected])
        for name in sorted(values, key=lambda other: other != expected):
            common = len(wanted & values[name])
            if common * 2 <= len(truth):
                continue
            same = in_place(expected, name)
            if same * 2 >= len(truth):
                return
            if common > best and same * 2 < common:
                best, pair = common, (expected, name)
    if best > 0:
        expected, name = pair
        both = f"'{name}'" if name == expected else f"('{name}', '{expected}')"
        raise DataError(f"truth and candidates seem to be in different orders: {best} of {len(truth)} values of "
                        f"'{expected}' in truth are in '{name}' of candidates, {in_place(expected, name)} of them at the "
                        f"same position: id={both} joins on them, id=False pairs by position")


def _named(side: _Side, name: str, lines: Iterator[bytes], streams: List[Stream]) -> List[str]:
    """Names of files for `side`; what is in memory becomes a stream of `lines`."""
    if isinstance(side, _Files):
        return side.names
    if not isinstance(side, Stream):
        side = Stream(f"{name}.jsonl", _lines(lines))
    if any(side.name == other.name for other in streams):
        side.name = f"{name}.{side.name}"
    streams.append(side)
    return [side.name]


def sources(truth: Any, candidates: Any, with_rules: bool, id: Union[None, bool, str, Sequence[str]]) -> Sources:
    """The data of a run. `with_rules`: there are rules, so that expected values are joined by --expected; without them
    the engine joins the two files itself. `id`: as in evaluate()."""
    streams: List[Stream] = []
    names = [] if id is None or isinstance(id, bool) else [id] if isinstance(id, str) else list(id)
    id_words = ["--id", ",".join(names)] if names else []
    first = _side(truth, "records" if candidates is None else "truth")
    if candidates is None:
        if isinstance(first, _Keyed):
            return Sources(_named(first, "records", _whole_records(first), streams), [], streams)
        return Sources(_named(first, "records", _lines_of(first, "records", b""), streams), id_words, streams)
    second = _side(candidates, "candidates")
    if isinstance(first, _Documents) and isinstance(second, _Documents):
        of_truth, first = _peeked(first)
        of_candidates, second = _peeked(second)
        if id is False or id is None and not _have_ids(of_truth, of_candidates):
            if first.length is not None and second.length is not None and first.length != second.length:
                raise DataError(f"truth has {first.length} documents, candidates {second.length}")
            if id is None:
                _refuse_other_order(first.all, second.all)
            streams.append(Stream("records.jsonl", _lines(_paired_lines(first, second))))
            return Sources(["records.jsonl"], [], streams)
    elif id is False:
        raise UsageError("id=False pairs two lists or iterables of documents by their positions: "
                         "one of truth and candidates is not such")
    if id_words and (isinstance(first, _Keyed) or isinstance(second, _Keyed)):
        # What is keyed becomes records with the member `id`.
        id_words = (["--id", "id"] if isinstance(second, _Keyed) else id_words) + [
            "--expected-id", "id" if isinstance(first, _Keyed) else id_words[1]]
    expected = _named(first, "truth", _lines_of(first, "truth", b"expected"), streams)
    if len(expected) != 1:
        raise UsageError("truth must be one file or directory")
    files = _named(second, "candidates", _lines_of(second, "candidates", b"candidate"), streams)
    if with_rules:
        return Sources(files, ["--expected", expected[0], *id_words], streams)
    return Sources(expected + files, id_words, streams)
