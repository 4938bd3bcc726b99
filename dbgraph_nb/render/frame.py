"""A result as HTML and as text, with the one line that says what it is.

In: a ``ResultFrame``. Out: strings. Never: a value that redaction has not passed, unescaped text, or more rows than a
person reads (a whole result of ``-o VAR`` may have a million).
"""

from __future__ import annotations

import datetime as dt
import html
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pandas as pd

from dbgraph_nb.model import RedactedColumn
from dbgraph_nb.redact import REDACTED
from dbgraph_nb.render.style import line, page
from dbgraph_nb.result import ResultFrame

MOST_ROWS = 1000  # a longer frame is a whole result: its first PREVIEW rows are shown
PREVIEW = 200
WIDEST_CELL = 200  # characters of a cell that HTML shows; the value itself is whole
WIDEST_TEXT = 60  # and plain text
_CONTROLS = {code: 0x2400 + code for code in range(32) if code not in (9, 10)} | {0x7F: 0x2421}  # as their pictures


@dataclass(frozen=True, slots=True)
class _Column:
    """One column as it is shown: its values from the top, and why it is hidden, if it is."""

    name: str
    values: list[Any]
    numeric: bool
    hidden: RedactedColumn | None


def to_text(frame: ResultFrame) -> str:
    """The table as plain text, then the line that counts and explains."""
    return f"{text_table(frame)}\n{footer(frame)}"


def to_html(frame: ResultFrame) -> str:
    """The table as HTML that follows the light or dark theme, then the line that counts and explains."""
    return page(table(frame) + line(footer(frame)))


def footer(frame: ResultFrame) -> str:
    """How many rows are shown of how many, what is hidden, where it came from."""
    return frame.meta.summary(_height(frame))


def text_table(frame: ResultFrame) -> str:
    """Only the table: columns padded by their width on a screen, where a Chinese character takes two cells."""
    columns = []
    for column in _columns(frame):
        cells = [_one_line(column.name), *(_text_cell(value, column) for value in column.values)]
        width = max(map(cells_wide, cells))
        columns.append([_pad(cell, width, column.numeric) for cell in cells])
    return "\n".join("  ".join(row).rstrip() for row in zip(*columns, strict=True))


def table(frame: ResultFrame) -> str:
    """Only the table, escaped; numbers to the right, hidden and missing values marked."""
    columns = _columns(frame)
    heads = "".join(f"<th{_head_attributes(column)}>{html.escape(plain(column.name))}</th>" for column in columns)
    rows = zip(*(column.values for column in columns), strict=True)
    body = "".join(
        f"<tr>{''.join(_cell(value, column) for value, column in zip(row, columns, strict=True))}</tr>" for row in rows
    )
    return f"<div class='dbgraph-table'><table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"


def plain(value: Any) -> str:
    """A value as one readable piece of text; numbers keep all their digits, control characters become pictures.

    >>> plain(b"\\x00\\xff"), plain(2**70), plain(dt.timedelta(hours=-1.5)), plain("a\\rb")
    ('0x00ff', '1180591620717411303424', '-01:30:00', 'a␍b')
    """
    if isinstance(value, bytes | bytearray):
        return f"0x{bytes(value[:64]).hex()}{'…' if len(value) > 64 else ''}"
    if isinstance(value, dt.timedelta):
        return _duration(value)
    return str(value).translate(_CONTROLS)


def shorten(text: str, width: int) -> str:
    """At most ``width`` characters, the cut marked.

    >>> shorten("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= width else f"{text[: width - 1]}…"


def cells_wide(text: str) -> int:
    """How many cells of a fixed-width screen a text takes.

    >>> cells_wide("id 用户")
    7
    """
    return sum(map(_cell_width, text))


def _cell_width(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _height(frame: ResultFrame) -> int:
    return len(frame) if len(frame) <= MOST_ROWS else PREVIEW


def _columns(frame: ResultFrame) -> list[_Column]:
    hidden = {column.index: column for column in frame.meta.redacted}
    top = frame.iloc[: _height(frame)]
    found = []
    for i, name in enumerate(top.columns):
        series = top.iloc[:, i]
        found.append(_Column(str(name), series.tolist(), _numeric(series), hidden.get(i)))
    return found


def _numeric(series: pd.Series[Any]) -> bool:
    """Whether values are aligned as numbers; decimals and very big integers are Python objects in pandas."""
    if pd.api.types.is_bool_dtype(series):
        return False
    if pd.api.types.is_numeric_dtype(series):
        return True
    present = [value for value in series.tolist() if not _missing(value)]
    return bool(present) and all(type(value) in (int, float, Decimal) for value in present)


def _text_cell(value: Any, column: _Column) -> str:
    if _missing(value):
        return "NULL"
    if isinstance(value, str) and (value == "NULL" or (value == REDACTED and column.hidden is None)):
        return repr(value)  # a text that only looks like our mark
    return _one_line(plain(value))


def _one_line(text: str) -> str:
    """At most 60 characters, without line breaks and what is not visible."""
    return shorten("".join(c if c.isprintable() else "⏎" if c == "\n" else " " for c in text), WIDEST_TEXT)


def _pad(text: str, width: int, right: bool) -> str:
    space = " " * (width - cells_wide(text))
    return f"{space}{text}" if right else f"{text}{space}"


def _head_attributes(column: _Column) -> str:
    css = " class='dbgraph-number'" if column.numeric else ""
    if column.hidden is None:
        return css
    return f"{css} title='{html.escape(f'{column.hidden.tier}: {column.hidden.rule}', quote=True)}'"


def _cell(value: Any, column: _Column) -> str:
    if _missing(value):
        return "<td class='dbgraph-null'>NULL</td>"
    if column.hidden is not None and isinstance(value, str) and value == REDACTED:
        return f"<td class='dbgraph-hidden'><span>{REDACTED}</span></td>"
    css = " class='dbgraph-number'" if column.numeric else ""
    return f"<td{css}>{html.escape(shorten(plain(value), WIDEST_CELL))}</td>"


def _duration(value: dt.timedelta) -> str:
    """Hours, minutes, seconds: what a database calls TIME."""
    microseconds = round(value / dt.timedelta(microseconds=1))
    seconds, part = divmod(abs(microseconds), 1_000_000)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{'-' if microseconds < 0 else ''}{text}{f'.{part:06}' if part else ''}"


def _missing(value: Any) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value)
