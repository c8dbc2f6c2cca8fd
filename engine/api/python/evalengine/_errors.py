"""What may go wrong, as exceptions and warnings with file and line."""
from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Type

from . import _library as lib


class Message(NamedTuple):
    """One message of the engine with its place."""

    text: str  # what is wrong
    file: Optional[str]  # None without one
    line: Optional[int]  # from 1; None when unknown
    column: Optional[int]  # from 1, in bytes; None when unknown
    status: int  # ee_status: 0 for warnings and notes, 3 rules, 4 data, 5 system, 6 provider, 7 limit

    def __str__(self) -> str:
        place = [str(part) for part in (self.file, self.line, self.column) if part is not None]
        return ": ".join([":".join(place), self.text] if place else [self.text])


class EvalengineError(Exception):
    """Base class. `str()` of it has a line for each mistake, `file:line: what is wrong`.

    errors: the mistakes, sorted by place; at least one.
    file, line, column, message: of the first mistake (line and column from 1; None when unknown).
    """

    def __init__(self, errors: "str | Sequence[Message]") -> None:
        found = [Message(errors, None, None, None, lib.OK)] if isinstance(errors, str) else list(errors)
        super().__init__("\n".join(map(str, found)))
        self.errors: Tuple[Message, ...] = tuple(found)
        self.message, self.file, self.line, self.column, _ = found[0]

    def __reduce__(self) -> Tuple[Type[EvalengineError], Tuple[Any, ...]]:
        return type(self), (self.errors,)


class UsageError(EvalengineError, ValueError):
    """An invalid argument or option."""


class RulesError(EvalengineError, ValueError):
    """Invalid rules or configuration."""


class DataError(EvalengineError, ValueError):
    """Data that cannot be read, or not be paired."""


class ResourceError(EvalengineError, RuntimeError):
    """The system refused something: input, output, a thread. For memory there is MemoryError."""


class EvalengineWarning(UserWarning):
    """What a run reports but goes on after: records that could not be read, ids that occur twice, rules that do not
    fit the data. `Result.messages` has all of them."""


_CLASSES: Dict[int, Type[EvalengineError]] = {lib.USAGE: UsageError, lib.RULES: RulesError, lib.DATA: DataError}


def message_from(error: lib.Error) -> Message:
    """The message of an ee_error."""

    def decoded(text: bytes) -> str:
        return text.decode("utf-8", "replace")

    return Message(decoded(error.message), decoded(error.file) or None, error.line or None, error.column or None,
                   error.status)


def exception_from(messages: List[Message], status: int) -> Exception:
    """The exception for a call that failed with `status`; `messages` are all that were given, at least one."""
    errors = [message for message in messages if message.status == status] or messages
    if status == lib.SYSTEM and errors[0].text == "out of memory":
        return MemoryError(errors[0].text)
    return _CLASSES.get(status, ResourceError)(errors)
