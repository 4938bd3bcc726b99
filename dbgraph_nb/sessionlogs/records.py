"""Records: lines of a log as JSON objects, with all that can be wrong with a line counted.

In: a path, a cursor. Out: objects. Never: a text that UTF-8 cannot spell, an error for one bad line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Final

from dbgraph_nb.sessionlogs.lines import Line, Lines
from dbgraph_nb.sessionlogs.reading import Cursor, Limits, Tally

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_BAD_BYTES = "Bytes of the log are no UTF-8; each is shown as U+FFFD."
_BAD_LINE = "Lines of the log are no JSON objects; they are left out."
_TOO_LONG = "Records of the log are too long to hold, even without their texts; they are left out."


@dataclass(frozen=True, slots=True)
class Record:
    """An object of a line, {} for a line that is none; ``cut`` bytes of its texts are missing."""

    data: dict[str, Any]
    cut: int = 0


def records(lines: Lines, path: Path, tally: Tally) -> Iterator[Record]:
    """The objects of all lines that are not blank."""
    for line in lines:
        if line.data is None or line.data.strip():
            tally.records += 1
            yield Record(parsed(line, path, tally), line.cut)


@contextmanager
def opened(path: Path, tally: Tally) -> Iterator[BinaryIO | None]:
    """The file, open; None with a problem if it is missing or cannot be read."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        tally.problem("missing", path, "The log is not there any more.")
        yield None
        return
    except OSError as error:
        hint = "Look at the rights of the file."
        tally.problem("unreadable", path, f"The log could not be read: {error.strerror}.", hint=hint)
        yield None
        return
    with file:
        yield file


def first_record(path: Path, limits: Limits, tally: Tally) -> dict[str, Any] | None:
    """The object of the first line; None if there is no whole line."""
    with opened(path, tally) as file:
        if file is None:
            return None
        lines = Lines(path, file, Cursor(), limits, tally)
        found = next(records(lines, path, tally), None)
    return found.data if found else None


def parsed(line: Line, path: Path, tally: Tally) -> dict[str, Any]:
    """The object of a line; {} with a problem if it is none."""
    if line.data is None:
        tally.problem("record-too-long", path, _TOO_LONG)
        return {}
    try:
        text = line.data.decode()
    except UnicodeDecodeError:
        tally.problem("bad-bytes", path, _BAD_BYTES)
        text = line.data.decode("utf-8", "replace")
    try:
        found = json.loads(text)
        if "\\ud" in text or "\\uD" in text:  # only an escape can spell half a character
            found = spellable(found)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        tally.problem("bad-line", path, _BAD_LINE)
        return {}
    return found


def spellable(value: Any) -> Any:
    """``value`` with U+FFFD for each half of a character.

    >>> spellable({"a": ["x\\ud83dy"]})["a"][0].encode()
    b'x\\xef\\xbf\\xbdy'
    """
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [spellable(one) for one in value]
    if isinstance(value, dict):
        return {spellable(key): spellable(one) for key, one in value.items()}
    return value


def as_dict(value: object) -> dict[str, Any]:
    """``value`` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_text(value: object) -> str:
    """``value`` if it is a text, else ""."""
    return value if isinstance(value, str) else ""


def as_number(value: object) -> int | None:
    """``value`` as a whole number that SQLite can hold, or None.

    >>> as_number(3), as_number(3.0), as_number(True), as_number(10**30), as_number("3")
    (3, 3, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not -(2**63) <= value < 2**63:
        return None
    return int(value)


def as_json(value: object) -> str:
    """A text as it is, anything else as JSON, nothing as ""."""
    if value is None or isinstance(value, str):
        return value or ""
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return ""


def as_time(value: object) -> int | None:
    """Milliseconds since 1970 of a number, or of a date in ISO 8601; a date without a zone is in UTC.

    >>> as_time("2026-01-02T03:04:05.678Z"), as_time(5), as_time("soon")
    (1767323045678, 5, None)
    """
    if not isinstance(value, str):
        return as_number(value)
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        return None
    return round((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() * 1000)
