"""How many rows the tables of a SQLite file have, without reading them all.

In: tables. Out: a number for each where one can be had cheaply. Never: a full scan.
"""

from __future__ import annotations

from collections.abc import Sequence

from dbgraph_nb.catalog.source.reading import Reading
from dbgraph_nb.errors import QueryFailed
from dbgraph_nb.model import DbObject


def quoted(name: str) -> str:
    """The name as a SQLite identifier.

    >>> quoted('q"z')
    '"q""z"'
    """
    return '"' + name.replace('"', '""') + '"'


def estimates(reading: Reading, objects: Sequence[DbObject]) -> dict[str, int]:
    """Rows of ordinary tables: exact up to the length of the sampled prefix; beyond it what ANALYZE left, else the
    span of the row ids; unknown for a table without row ids, or whose ids are no running numbers."""
    most = reading.meter.budget.rows
    analyzed = _analyzed(reading)
    largest = _largest_count(reading)
    found: dict[str, int] = {}
    for item in objects:
        if item.kind != "table" or item.note or not reading.meter.spend():
            continue
        reading.progress(None, f"estimating rows of {item.name}")
        try:
            counted = reading.rows(f"SELECT count(*) FROM (SELECT 1 FROM {quoted(item.name)} LIMIT {most + 1})")[0][0]
            if counted > most:
                counted = analyzed.get(item.name) or _span(reading, item, largest)
        except QueryFailed:  # without row ids
            continue
        if counted is not None:
            found[item.name] = counted
    return found


def _analyzed(reading: Reading) -> dict[str, int]:
    """Rows per table as ANALYZE stored them; nothing if it never ran."""
    try:
        rows = reading.rows("SELECT tbl, stat FROM sqlite_stat1")
    except QueryFailed:
        return {}
    firsts = ((table, str(stat).partition(" ")[0]) for table, stat in rows if stat)
    found: dict[str, int] = {}
    for table, first in firsts:  # an index over a part of the rows counts only these
        if first.isdecimal():
            found[table] = max(found.get(table, 0), int(first))
    return found


def _largest_count(reading: Reading) -> int:
    """No table has more rows than this: each takes at least four bytes of the file."""
    rows = reading.optional("The file's size", "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
    return int(rows[0][0]) // 4 if rows else 0


def _span(reading: Reading, item: DbObject, largest: int) -> int | None:
    taken = {column.name.lower() for column in item.columns}
    name = next((name for name in ("rowid", "_rowid_", "oid") if name not in taken), None)
    if name is None:
        return None
    ends = f"(SELECT max({name}) FROM {quoted(item.name)}), (SELECT min({name}) FROM {quoted(item.name)})"
    last, first = reading.rows(f"SELECT {ends}")[0]
    span = int(last) - int(first) + 1
    return span if span <= largest else None
