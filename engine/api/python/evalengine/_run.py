"""One call of the library that runs a command: options, streams, callbacks, progress, interrupts.

The library calls back on the thread that called it only, while its own threads judge. An exception in a callback, or in
an iterable that gives documents, ends the run and is raised by the call. Ctrl-C does so, too: for the time of the call a
handler of SIGINT takes note of it, and the handler that was there runs when the library has returned, or at once while
an iterable or a callback of the caller runs.
"""
from __future__ import annotations

import ctypes
import math
import signal
import sys
import threading
import time
import warnings
from contextlib import contextmanager
from typing import Any, Callable, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _library as lib
from ._errors import EvalengineWarning, Message, exception_from, message_from
from ._sources import Stream

MOST_MESSAGES = 1000  # that a result keeps
MOST_WARNINGS = 10  # that are shown
_WARNING = "warning: "  # begins a message without a place that is not a note


class Progress(NamedTuple):
    """How far a run has come."""

    cases: int  # judged so far
    mean_score: Optional[float]  # of these, 0 to 1; None before the first
    bytes_read: int
    bytes_total: Optional[int]  # None: not known


ProgressCallback = Callable[[Progress], object]


def progress_line(progress: Progress, seconds: float) -> str:
    """What the progress line says after `seconds`."""
    rate = progress.cases / seconds if seconds > 0 else 0.0
    parts = [f"{progress.cases:,} cases", f"{rate:,.0f}/s"]
    if progress.mean_score is not None:
        parts.append(f"mean score {progress.mean_score:.3f}")
    if progress.bytes_total and progress.bytes_read:
        share = min(progress.bytes_read / progress.bytes_total, 1.0)
        parts.append(f"{100 * share:.0f} %, {seconds / share - seconds:.0f} s left")
    return ", ".join(parts)


class _ProgressLine:
    """One line on standard error, twice a second, from half a second on."""

    def __init__(self) -> None:
        self._start = self._shown = time.monotonic()
        self._length = 0

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self._shown >= 0.5:
            self._shown = now
            self._write(progress_line(progress, now - self._start))

    def _write(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self._length))
        sys.stderr.flush()
        self._length = len(text)

    def end(self) -> None:
        if self._length > 0:
            self._write("")
            sys.stderr.write("\r")


class Run:
    """What a call needs while it runs.

    on_case: gets each row, one line of JSON, in the order of the data; False stops the run.
    progress: True shows a line on standard error, None only on a terminal, a function is called with each Progress, at
        least ten times a second; if it returns False the run stops.
    """

    def __init__(self, arguments: Sequence[str], streams: Sequence[Stream] = (), keep: int = 0,
                 on_case: Optional[Callable[[bytes], object]] = None,
                 progress: Union[None, bool, ProgressCallback] = None) -> None:
        self.messages: List[Message] = []
        self.messages_left_out = 0
        self._line: Optional[_ProgressLine] = None
        if progress is None:
            progress = sys.stderr is not None and sys.stderr.isatty()
        if progress is True:
            self._line = progress = _ProgressLine()
        self._progress = progress if callable(progress) else None
        self._on_case = on_case
        self._streams = streams
        self._error: Optional[BaseException] = None
        self._in_callers_code = False
        self._interrupted = False
        self._interrupt = ctypes.c_int(0)
        self._words = lib.words(list(arguments))
        self._inputs = (lib.Input * len(streams))()
        for i, stream in enumerate(streams):
            self._inputs[i].name = lib.c_text(stream.name)
            self._inputs[i].read = lib.Read(self._read)
            self._inputs[i].user = i
        self._on_message = lib.OnError(self._take_message)  # as long as this object lives
        self._options = lib.Options(
            ctypes.sizeof(lib.Options), self._words, len(self._words), self._inputs, len(streams), keep,
            lib.OnCase(self._take_case) if on_case else ctypes.cast(0, lib.OnCase), self._on_message,
            lib.OnProgress(self._take_progress), None, ctypes.pointer(self._interrupt))

    # Callbacks: no exception may leave them. ------------------------------------------------------

    def _guarded(self, function: Callable[..., object], *arguments: object) -> object:
        """The value of code of the caller; False after an exception, which is kept, and after an interrupt."""
        try:
            self._in_callers_code = True  # first: an interrupt after the next line is raised here
            value = False if self._interrupted or self._error else function(*arguments)
            self._in_callers_code = False
            return value
        except BaseException as error:  # also SystemExit and KeyboardInterrupt: the call raises it again
            self._in_callers_code = False
            self._error = self._error or error
            if isinstance(error, KeyboardInterrupt):
                self._interrupt.value = 1
            return False

    def _read(self, user: Optional[int], out: int, room: int) -> int:
        taken = self._guarded(self._streams[user or 0].read, room)
        if isinstance(taken, memoryview):
            ctypes.memmove(out, bytes(taken), len(taken))
            return len(taken)
        if not self._interrupted and not isinstance(self._error, KeyboardInterrupt):
            return -1
        # A space, until the library has seen the interrupt: the data has not ended, nor can it not be read, and a record of
        # which it has a part is not over.
        ctypes.memmove(out, b" ", 1)
        return 1

    def _take_case(self, _user: object, row: int, length: int) -> int:
        assert self._on_case is not None
        return self._guarded(self._on_case, lib.copied(row, length)) is False

    def _take_message(self, _user: object, error: Any) -> None:
        if len(self.messages) < MOST_MESSAGES:
            self.messages.append(message_from(error[0]))
        else:
            self.messages_left_out += 1

    def _take_progress(self, _user: object, progress: Any) -> int:
        if self._progress is None:
            return 0
        of = progress[0]
        mean = None if math.isnan(of.mean_score) else of.mean_score
        return self._guarded(self._progress, Progress(of.cases, mean, of.taken, of.total or None)) is False

    # The call -------------------------------------------------------------------------------------

    @contextmanager
    def _noting_interrupts(self) -> Iterator[None]:
        before = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread() or not callable(before):
            yield
            return

        def note(number: int, frame: Any) -> None:
            if self._in_callers_code:
                before(number, frame)  # type: ignore[operator,misc]
            else:
                self._interrupted = True
                self._interrupt.value = 1

        signal.signal(signal.SIGINT, note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def call(self, function: Callable[..., Optional[int]], *arguments: object) -> Tuple[Optional[int], lib.Error]:
        """Calls function(*arguments, options, error). Returns the address of the ee_result, which the caller owns, and
        the error; raises what a callback raised, or an interrupt, with the result that there is until then as its
        attribute `result`, an address."""
        error = lib.Error()
        with self._noting_interrupts():
            address = function(*arguments, ctypes.byref(self._options), ctypes.byref(error))
        if self._line is not None:
            self._line.end()
        try:
            if self._error is not None:
                raise self._error
            if self._interrupted:
                signal.getsignal(signal.SIGINT)(signal.SIGINT, None)  # type: ignore[operator,misc]
        except KeyboardInterrupt as interrupt:
            interrupt.result = address  # type: ignore[attr-defined]
            raise
        except BaseException:
            lib.library.ee_result_free(address)
            raise
        finally:
            self._error = None  # its frames refer to this object
        if address is None:
            raise exception_from(self.messages or [message_from(error)], error.status)
        return address, error

    def warn(self, level: int) -> None:
        """Shows the first errors and warnings as warnings of Python, at the caller's line: `level` frames up. What is
        only a note is not shown."""
        messages = [message for message in self.messages
                    if message.status != lib.OK or message.file is not None or message.text.startswith(_WARNING)]
        for message in messages[:MOST_WARNINGS]:
            text = message.text[len(_WARNING):] if message.text.startswith(_WARNING) else message.text
            warnings.warn(str(message._replace(text=text)), EvalengineWarning, stacklevel=level + 1)
        more = len(messages[MOST_WARNINGS:]) + self.messages_left_out
        if more > 0:
            warnings.warn(f"{more} more messages in Result.messages", EvalengineWarning, stacklevel=level + 1)
