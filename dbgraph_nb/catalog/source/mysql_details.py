"""What level l2 adds to a MySQL or MariaDB catalog: keys, indexes, bodies of views, estimates, missing rights.

In: a reading, and the tables and views already read. Out: ``Details``. Never: a count of rows, or a row of a view.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dbgraph_nb.catalog.source.reading import Budget, Details, Reading
from dbgraph_nb.catalog.source.sql_text import without_schema
from dbgraph_nb.errors import QueryFailed
from dbgraph_nb.model import DbObject, ForeignKey, TableIndex

_OF = " WHERE TABLE_SCHEMA = %s"
STATISTICS = (
    "SELECT TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX, NON_UNIQUE, COLUMN_NAME FROM information_schema.STATISTICS" + _OF
)
KEY_USAGE = (
    "SELECT TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION, COLUMN_NAME, REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME,"
    " REFERENCED_COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE" + _OF + " AND REFERENCED_TABLE_NAME IS NOT NULL"
)
VIEWS = "SELECT TABLE_NAME, VIEW_DEFINITION, DEFINER FROM information_schema.VIEWS" + _OF
ESTIMATES = "SELECT TABLE_NAME, TABLE_ROWS FROM information_schema.TABLES" + _OF + " AND TABLE_ROWS IS NOT NULL"
COLUMN_RIGHTS = (
    "SELECT GRANTEE, TABLE_NAME FROM information_schema.COLUMN_PRIVILEGES" + _OF + " AND PRIVILEGE_TYPE = 'SELECT'"
)
TABLE_RIGHTS = (
    "SELECT GRANTEE, TABLE_NAME FROM information_schema.TABLE_PRIVILEGES" + _OF + " AND PRIVILEGE_TYPE = 'SELECT'"
)
SCHEMA_RIGHTS = "SELECT GRANTEE, TABLE_SCHEMA FROM information_schema.SCHEMA_PRIVILEGES WHERE PRIVILEGE_TYPE = 'SELECT'"
GLOBAL_RIGHTS = "SELECT GRANTEE, PRIVILEGE_TYPE FROM information_schema.USER_PRIVILEGES WHERE PRIVILEGE_TYPE = 'SELECT'"

NO_COLUMNS = "None of its columns can be read."


@dataclass(frozen=True, slots=True)
class Session:
    """Whose eyes the catalog is seen with. ``account`` is ``user@host``; ``folds_case``: the server ignores the case
    of the names of tables and databases."""

    schema: str
    account: str
    folds_case: bool
    mariadb: bool

    def is_own(self, schema: str) -> bool:
        """Whether a schema is the connection's own."""
        return schema == self.schema or (self.folds_case and schema.casefold() == self.schema.casefold())


def read(
    reading: Reading, objects: Sequence[DbObject], session: Session, bounded: Callable[[str, Budget], str]
) -> Details:
    """All of it. ``bounded`` gives a SELECT a time limit of its own."""
    of = (session.schema,)
    keys, indexes = _indexes(reading.optional("Indexes", STATISTICS, of))
    bodies = reading.optional("View definitions", VIEWS, of)
    notes: dict[str, list[str]] = defaultdict(list)
    for name in _partly_granted(reading, session):
        notes[name].append("Only the columns granted to this account are listed.")
    broken = _probe_views(reading, objects, bounded)
    for name, text in broken.items():
        notes[name].append(text)
    for name, body, definer in bodies:
        if name in broken and definer:
            notes[name].append(f"Its definer is {definer}.")
        if not body:
            notes[name].append("Its definition needs the right SHOW VIEW.")
    return Details(
        foreign_keys=_foreign_keys(reading.optional("Foreign keys", KEY_USAGE, of), session),
        indexes=indexes,
        primary_keys=keys,
        row_estimates={name: int(count) for name, count in reading.optional("Row estimates", ESTIMATES, of)},
        definitions={name: without_schema(body, session.schema) for name, body, _ in bodies if body},
        notes={name: " ".join(texts) for name, texts in notes.items()},
    )


def quoted(name: str) -> str:
    """The name as a MySQL identifier.

    >>> quoted("x`y")
    '`x``y`'
    """
    return "`" + name.replace("`", "``") + "`"


def _indexes(rows: Sequence[tuple[Any, ...]]) -> tuple[dict[str, tuple[str, ...]], list[TableIndex]]:
    """Primary keys and all indexes. A part of an index that is an expression has no column."""
    parts: dict[tuple[str, str], list[tuple[int, bool, str | None]]] = defaultdict(list)
    for table, name, position, non_unique, column in rows:
        parts[table, name].append((int(position), not int(non_unique), column))
    keys: dict[str, tuple[str, ...]] = {}
    indexes = []
    for (table, name), members in parts.items():
        members.sort(key=lambda part: part[0])
        columns = tuple(column for _, _, column in members if column is not None)
        indexes.append(TableIndex(table, name, columns, members[0][1] and len(columns) == len(members)))
        if name == "PRIMARY":
            keys[table] = columns
    return keys, indexes


def _foreign_keys(rows: Sequence[tuple[Any, ...]], session: Session) -> list[ForeignKey]:
    """By (table, name), since some servers let two tables use one name; columns in the order of the key."""
    keys: dict[tuple[str, str], list[tuple[Any, ...]]] = defaultdict(list)
    for table, name, *row in rows:
        keys[table, name].append(tuple(row))
    found = []
    for (table, name), pairs in keys.items():
        pairs.sort(key=lambda row: int(row[0]))
        _, _, schema, target, _ = pairs[0]
        found.append(
            ForeignKey(
                table=table,
                columns=tuple(row[1] for row in pairs),
                target_table=target,
                target_columns=tuple(row[4] for row in pairs),
                target_schema="" if session.is_own(schema) else schema,
                name=name,
            )
        )
    return found


def _probe_views(
    reading: Reading, objects: Sequence[DbObject], bounded: Callable[[str, Budget], str]
) -> dict[str, str]:
    """What the server says to a read of no rows from each view: of a missing definer only this tells."""
    notes = {}
    for item in objects:
        if item.kind != "view" or item.note not in (None, NO_COLUMNS) or not reading.meter.spend():
            continue
        reading.progress(None, f"looking at view {item.name}")
        try:
            reading.rows(bounded(f"SELECT 1 FROM {quoted(item.name)} LIMIT 0", reading.meter.budget))
        except QueryFailed as error:
            notes[item.name] = f"It cannot be queried: {error.message}"
    names = sorted(item.name for item in objects if item.name in notes and item.columns)
    reading.warn_about(names, "View {names} cannot be queried.", "{count} views cannot be queried: {names}.")
    return notes


def _partly_granted(reading: Reading, session: Session) -> list[str]:
    """Tables of which the account may read some columns only; no catalog lists the others to it."""
    user, _, host = session.account.rpartition("@")
    me = f"'{user}'@'{host}'"

    def granted(what: str, *params: str) -> list[str]:
        return [name for grantee, name in reading.optional("Rights", what, params) if grantee == me]

    by_column = set(granted(COLUMN_RIGHTS, session.schema))
    if not by_column or granted(GLOBAL_RIGHTS):
        return []
    if any(_matches(pattern, session.schema) for pattern in granted(SCHEMA_RIGHTS)):
        return []
    return sorted(by_column.difference(granted(TABLE_RIGHTS, session.schema)))


def _matches(pattern: str, schema: str) -> bool:
    """Whether a database pattern of GRANT means a schema; a backslash takes its meaning from a wildcard.

    >>> _matches("shop_%", "shop12"), _matches("shop%", "bookshop")
    (True, False)
    """
    wild = {"%": ".*", "_": "."}
    parts = re.findall(r"\\(.)|([%_])|(.)", pattern, re.DOTALL)
    regex = "".join(wild[mark] if mark else re.escape(escaped or plain) for escaped, mark, plain in parts)
    return re.fullmatch(regex, schema, re.DOTALL) is not None
