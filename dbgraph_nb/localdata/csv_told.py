"""What the CSV doctor found, in words.

In: how a CSV is written, what its columns are. Out: parts of a sentence. Never: a value of the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from dbgraph_nb.localdata.csv_header import Layout
from dbgraph_nb.localdata.csv_text import Dialect
from dbgraph_nb.localdata.csv_types import Column
from dbgraph_nb.localdata.options import CsvOptions

_NAMES: Final = {",": "comma", ";": "semicolon", "\t": "tabulator", "|": "bar", " ": "space"}
_GROUPS: Final = {"'": "apostrophes", "’": "apostrophes", ".": "points", ",": "commas"}
_DOUBTS: Final = {
    "digits": "more digits than a number keeps, kept as text",
    "point": "points or commas that may be decimal or between thousands, kept as text (see --csv decimal=)",
    "day": "dates of which day and month are unclear, kept as text",
}


def of_text(found: Dialect, table: Layout, wanted: CsvOptions) -> Iterator[str]:
    """What was guessed about the lines."""
    if (found.delim != "," and wanted.delim is None and len(table.names) > 1) or found.sep:
        yield f"{_NAMES.get(found.delim, found.delim)} between values"
    elif found.tabs and wanted.delim is None and len(table.names) > 1:
        yield "comma between values"
    if found.lonely and wanted.delim is None:
        yield f"one column: if {found.lonely} is between values, --csv delim={found.lonely}"
    yield from table.said
    if table.ragged and wanted.ragged is None:
        yield "lines of different length: what is missing is NULL (or --csv ragged=skip)"
    elif wanted.ragged == "skip":
        yield "lines of different length are left out"
    if found.mixed:
        yield "lines end in different ways"
    if found.quote and found.quote != '"':
        yield f"{found.quote} around values"
    if found.escape == "\\":
        yield "a backslash before quotes inside values"


def of_columns(columns: Sequence[Column], wanted: CsvOptions) -> Iterator[str]:
    """What was guessed about the columns."""
    if own := [column.name for column in columns if column.doubt == "named"]:
        yield f"digits kept as text: {some(own)}"
    for word, kind in (("dates", "DATE"), ("times", "TIMESTAMP")):
        forms = [column.form.format for column in columns if column.form and column.kind == kind]
        for form in dict.fromkeys(filter(None, forms)):
            yield f"{word} like {form}"
    if commas := [column.name for column in columns if column.form and column.form.point == ","]:
        yield f"decimal commas: {some(commas)}"
    for mark in dict.fromkeys(_GROUPS.values()):
        names = [
            column.name
            for column in columns
            if column.form and _GROUPS.get(column.form.group) == mark and column.form.point != ","
        ]
        if names:
            yield f"{mark} between thousands: {some(names)}"
    if words := [column.name for column in columns if column.words and column.form]:
        yield f"NA and its kind are NULL: {some(words)}"
    for doubt, said in _DOUBTS.items():
        if names := [column.name for column in columns if column.doubt == doubt]:
            yield f"{said}: {some(names)}"


def some(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
