"""Where the table of a CSV begins, and what its columns are called.

In: its first records, what the user knows. Out: ``Layout``. Never: a line of data that is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from dbgraph_nb.localdata.csv_forms import is_value, surviving
from dbgraph_nb.localdata.csv_text import usual, widths
from dbgraph_nb.localdata.options import CsvOptions

Record = Sequence[str]
LOOKED_AT: Final = 100  # records that decide about forms


@dataclass(frozen=True, slots=True)
class Layout:
    """The table.

    Attributes:
        skip: records above it, blank lines too.
        names: of its columns, as many as its widest record has values.
        rows: its first records, blank lines apart.
        ragged: whether they differ in length.
        said: what was found, in words.
    """

    skip: int
    header: bool
    names: tuple[str, ...]
    rows: tuple[Record, ...]
    ragged: bool
    said: tuple[str, ...] = ()

    def widened(self, width: int) -> Layout:
        """The same with lines of different length, and as many columns as the widest has values."""
        names = _names(self.names, max(width, len(self.names)))
        return replace(self, names=names, ragged=True)


def layout(records: Sequence[Record], wanted: CsvOptions, first: int) -> Layout:
    """Finds it.

    Args:
        first: records that are left out in any case: what the user says, and ``sep=;``.
    """
    given = wanted.skip or 0
    skip = _above(records, given, wanted)
    table = [record for record in records[skip:] if record]
    is_header = wanted.header
    if is_header is None:
        is_header = bool(table) and has_header(table[0], table[1:])
    head, rows = (table[0], table[1:]) if is_header and table else ((), table)
    width = usual(table) if wanted.ragged == "skip" else max(widths(table), default=0)
    index = bool(head) and len(head) == width - 1 and _is_index(rows, width)
    names = _names(("", *head) if index else head, width)
    ragged = len(widths(rows)) > 1 or (bool(head) and bool(rows) and len(head) > max(map(len, rows)))
    odd = bool(head) and len(head) != width and not index and any(any(row[len(head) :]) for row in rows)
    said = _said(records[:skip], skip, wanted, head, index, rows)
    if not is_header and wanted.header is None and table:
        said.insert(0, "no header: the columns are column0, column1 …")
    return Layout(skip + first, bool(head), names, tuple(rows), ragged or odd, tuple(said))


def _said(
    above: Sequence[Record], skip: int, wanted: CsvOptions, head: Record, index: bool, rows: list[Record]
) -> list[str]:
    said = []
    if skip and (wanted.skip is not None or any(above)):
        said.append(f"{skip} line{'s' if skip > 1 else ''} above the header left out")
    if index:
        said.append("the header has no name for the first column")
    elif len(head) > 2 and sum(not name.strip() for name in head) * 2 > len(head):
        said.append("the header has few names: if it is a title, --csv skip=1")
    elif head and wanted.header is None and wanted.skip is None and _second_is_header(rows):
        said.append("the second line may be the header: then --csv skip=1")
    return said


def _second_is_header(rows: list[Record]) -> bool:
    """Whether a line below the header has words where all further ones have values, in several columns."""
    if len(rows) < 3 or len(widths(rows)) > 1 or surviving_any(rows):
        return False
    typed = sum(bool(surviving(values)) for values in _columns(rows[1:]))
    return typed > 1 and all(cell.strip() and not is_value(cell) for cell in rows[0])


def surviving_any(rows: Sequence[Record]) -> bool:
    return any(surviving(values) for values in _columns(rows))


def _columns(rows: Sequence[Record]) -> list[list[str]]:
    width = max(map(len, rows), default=0)
    return [[row[i] for row in rows[:LOOKED_AT] if i < len(row)] for i in range(width)]


def has_header(first: Record, rows: Sequence[Record]) -> bool:
    """Whether a record names the columns: it has a word where those below have numbers, dates or truth values."""
    fitting = 0
    named = 0
    for i, cell in enumerate(first):
        forms = surviving([row[i] for row in rows[:LOOKED_AT] if i < len(row)])
        if not forms:
            continue
        if cell.strip() and not any(form.fits(cell) for form in forms):
            return True
        fitting += 1
        named += bool(cell.strip())
    if fitting:
        return not named and any(cell.strip() for cell in first)
    return not any(is_value(cell) for cell in first)


def _above(records: Sequence[Record], first: int, wanted: CsvOptions) -> int:
    """How many records are above the table: blank lines, titles, remarks."""
    width = usual(records[first:])
    told = wanted.skip is not None or wanted.header is False  # then only blank lines are left out
    at = first
    while at < len(records):
        rest = [record for record in records[at + 1 :] if record]
        if records[at] and (told or not _is_above(records, at, rest, width)):
            return at
        at += 1
    return first if any(records[first:]) else at


def _is_above(records: Sequence[Record], at: int, rest: list[Record], width: int) -> bool:
    record = records[at]
    if not rest:
        return False
    if record[0].startswith("#"):
        below = [row for row in rest if not row[0].startswith("#")]
        return bool(below) and (len(record) != width or _surely_header(below[0], below[1:]))
    if len(record) >= width or any(is_value(cell) for cell in record):
        return False
    widest = max((len(_filled(row)) for row in rest if len(row) == width), default=width)
    if len(record) >= widest:
        return False  # what is more in other lines is empty: each ends with a delimiter
    is_next = bool(records[at + 1]) and len(record) == width - 1
    if is_next and all(len(row) == width for row in rest) and not _surely_header(rest[0], rest[1:]):
        return len(record) < 2 and not (_is_index(rest, width) and surviving_any(rest))
    return True


def _surely_header(first: Record, rows: Sequence[Record]) -> bool:
    return has_header(first, rows) and surviving_any(rows)


def _filled(row: Record) -> Record:
    """Without the empty values at the end."""
    end = len(row)
    while end and not row[end - 1]:
        end -= 1
    return row[:end]


def _is_index(rows: Sequence[Record], width: int) -> bool:
    """Whether the first column is one of names of rows: different in all, which are of one length and full."""
    if len(rows) < 2 or any(len(row) != width or not row[-1] for row in rows):
        return False
    return len({row[0] for row in rows}) == len(rows)


def _names(head: Record, width: int) -> tuple[str, ...]:
    """The names; a missing one is ``column3``, the second of a name has a number."""
    places = len(str(width)) if width > 10 else 1
    given = [head[i].strip() if i < len(head) else "" for i in range(width)]
    names = [name or f"column{i:0{places}d}" for i, name in enumerate(given)]
    taken: set[str] = set()
    found = []
    for name in names:
        unique, number = name, 0
        while unique.casefold() in taken:
            number += 1
            unique = f"{name}_{number}"
        taken.add(unique.casefold())
        found.append(unique)
    return tuple(found)
