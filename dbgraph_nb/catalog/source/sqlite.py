"""The catalog of a SQLite file.

In: an open engine. Out: tables, views and virtual tables with their columns, keys, indexes and row estimates.
Never: the shadow tables of a virtual table, a virtual table that only shows what others hold, SQLite's own tables, or
a failure because one view is broken or the module of one virtual table is not loaded.

The pragmas are read as table-valued functions joined to sqlite_master, so that one statement answers for all
tables; only if that fails, each object is asked alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dbgraph_nb.catalog.source import sqlite_ddl, sqlite_rows
from dbgraph_nb.catalog.source.comments import clean
from dbgraph_nb.catalog.source.reading import Budget, CatalogEngine, Details, Reading
from dbgraph_nb.catalog.source.sql_text import plain_default
from dbgraph_nb.catalog.source.sqlite_rows import quoted
from dbgraph_nb.catalog.source.types import is_integer, sqlite_class
from dbgraph_nb.errors import QueryFailed
from dbgraph_nb.model import Column, DbObject, ForeignKey, TableIndex, TypeClass

VERSION = "SELECT schema_version FROM pragma_schema_version"
MASTER = "SELECT type, name, rootpage, sql FROM sqlite_master WHERE type IN ('table', 'view')"
TABLE_LIST = "SELECT name, type FROM pragma_table_list WHERE schema = 'main'"
DATABASE = "SELECT file FROM pragma_database_list WHERE name = 'main'"
COLUMNS = """
SELECT m.name, x.name, x.type, x."notnull", x.dflt_value, x.pk, x.hidden
FROM sqlite_master AS m, pragma_table_xinfo(m.name) AS x WHERE """
# Only an ordinary table has a root page. Views and virtual tables can fail, so that each kind is a statement.
KINDS = {
    "table": "m.type = 'table' AND m.rootpage > 0",
    "view": "m.type = 'view'",
    "virtual table": "m.type = 'table' AND m.rootpage <= 0",
}
COLUMNS_OF_ONE = 'SELECT ?, name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?)'
FOREIGN_KEYS = """
SELECT m.name, f.id, f."table", f."from", f."to"
FROM sqlite_master AS m, pragma_foreign_key_list(m.name) AS f WHERE m.type = 'table' ORDER BY m.name, f.id, f.seq"""
INDEXES = """
SELECT m.name, l.name, l."unique", l.partial, x.cid, x.name
FROM sqlite_master AS m, pragma_index_list(m.name) AS l, pragma_index_xinfo(l.name) AS x
WHERE m.type = 'table' AND x.key = 1 ORDER BY m.name, l.name, x.seqno"""

# Modules whose tables have no rows of their own: they show what is in other tables, in the file or in the process. A
# vocabulary lists every word of a text, whatever the column it stands in is called.
_MIRROR_NAMES = """
    fts5vocab fts4aux fts3tokenize dbstat sqlite_stmt sqlite_dbpage sqlite_dbdata sqlite_dbptr sqlite_btreeinfo
    sqlite_memstat bytecode tables_used statement unionvtab swarmvtab transitive_closure completion
"""
_MIRRORS = frozenset(_MIRROR_NAMES.split())

# How fts3/4/5 and rtree name the tables behind them; needed only for SQLite before 3.37, which has no table_list.
_SHADOWS = ("content", "data", "idx", "docsize", "config", "segments", "segdir", "stat", "node", "parent", "rowid")


@dataclass(frozen=True, slots=True)
class _Item:
    name: str
    kind: str
    sql: str | None


class SqliteSource:
    """Reads a SQLite database (see ``DialectSource``)."""

    def database(self, reading: Reading) -> str:
        """The name of the file, without its folders; ``:memory:`` if there is none."""
        rows = reading.optional("The file's name", DATABASE)
        return Path(rows[0][0]).name if rows and rows[0][0] else ":memory:"

    def version(self, engine: CatalogEngine) -> str:
        """The number that SQLite raises with every change of the schema; another process's changes too."""
        return str(engine.catalog(VERSION)[0][0])

    def objects(self, reading: Reading) -> list[DbObject]:
        """Two statements for the lists and one for each kind; one more for each object of a kind that failed."""
        items = _listed(reading)
        found: dict[str, list[tuple[Any, ...]]] = {item.name: [] for item in items}
        notes: dict[str, str] = {}
        for kind, condition in KINDS.items():
            names = [item.name for item in items if item.kind == kind]
            if names:
                for row in _columns(reading, condition, names, notes):
                    if row[0] in found:
                        found[row[0]].append(row[1:])
        for item in items:
            if item.name in notes:
                notes[item.name] += sqlite_ddl.why_broken(item.sql, found)
        reading.warn_about(sorted(notes), "{names} could not be read.", "{count} objects could not be read: {names}.")
        return [_object(item, found[item.name], notes.get(item.name), reading) for item in items]

    def details(self, reading: Reading, objects: Sequence[DbObject]) -> Details:
        """A statement for all foreign keys and one for all indexes; one or two for each table's row estimate."""
        definitions = {}
        for kind, name, _, sql in reading.optional("View definitions", MASTER):
            if kind == "view" and (body := sqlite_ddl.read_view(sql)[1]):
                definitions[name] = body
        return Details(
            foreign_keys=_foreign_keys(reading.optional("Foreign keys", FOREIGN_KEYS)),
            indexes=_indexes(reading.optional("Indexes", INDEXES)),
            row_estimates=sqlite_rows.estimates(reading, objects),
            definitions=definitions,
        )

    def may_sample(self, owner: DbObject, column: Column) -> bool:
        """Text of any declared length (SQLite ignores it), whole numbers, and columns without a type; of tables."""
        if owner.kind != "table":
            return False
        if column.type_class == "number":
            return is_integer(column.type)
        return column.type_class in ("text", "enum") or not column.type

    def sample_sql(self, table: str, column: Column, budget: Budget) -> str:
        """Text is cut behind the longest wanted value, so that a long one is seen and not carried."""
        name = quoted(column.name)
        value = name if column.type_class == "number" else f"substr({name}, 1, {budget.value_length + 1})"
        inner = f"SELECT {name} FROM {quoted(table)} LIMIT {budget.rows}"
        return f"SELECT DISTINCT {value} FROM ({inner}) LIMIT {budget.values + 2}"

    def prefix_sql(self, table: str, column: Column, count: int, budget: Budget) -> str:
        """As the protocol says."""
        name = quoted(column.name)
        inner = f"SELECT {name} FROM {quoted(table)} LIMIT {budget.rows}"
        return f"SELECT 1 FROM ({inner}) WHERE {name} IS NOT NULL LIMIT {count}"


def _listed(reading: Reading) -> list[_Item]:
    rows = reading.rows(MASTER)
    try:
        types = dict(reading.engine.catalog(TABLE_LIST))
    except QueryFailed:  # before SQLite 3.37
        types = _types_by_name(rows)
    items = []
    for kind, name, rootpage, sql in rows:
        if name.lower().startswith("sqlite_") or types.get(name) == "shadow":
            continue
        if kind == "table" and not (rootpage and rootpage > 0):
            kind = "virtual table"
            if sqlite_ddl.module(sql) in _MIRRORS:
                continue
        items.append(_Item(name, kind, sql))
    return items


def _types_by_name(rows: Iterable[tuple[Any, ...]]) -> dict[str, str]:
    virtual = [name for kind, name, rootpage, _ in rows if kind == "table" and not rootpage]
    return {f"{name}_{suffix}": "shadow" for name in virtual for suffix in _SHADOWS}


def _columns(reading: Reading, condition: str, names: Sequence[str], notes: dict[str, str]) -> list[tuple[Any, ...]]:
    """Columns of one kind of objects; where that fails, of each alone, with a note on those that fail alone."""
    try:
        return reading.rows(COLUMNS + condition)
    except QueryFailed:
        rows = []
        for name in names:
            try:
                rows += reading.rows(COLUMNS_OF_ONE, (name, name))
            except QueryFailed as error:
                notes[name] = f"Its columns cannot be read: {error.message}"
        return rows


def _object(item: _Item, rows: Sequence[tuple[Any, ...]], note: str | None, reading: Reading) -> DbObject:
    if item.kind == "view":
        comment, ddl = sqlite_ddl.read_view(item.sql)[0], sqlite_ddl.Ddl()
    else:
        ddl = sqlite_ddl.read_table(item.sql)
        comment = ddl.comment
    keys = sum(1 for row in rows if row[4])
    full_text = item.kind == "virtual table" and "USING FTS" in " ".join((item.sql or "").upper().split())
    columns: list[Column] = []
    for name, declared, notnull, default, pk, hidden in rows:
        if hidden == 1:  # not a column of the table but an argument of its module
            continue
        members = ddl.members.get(name.lower())
        type_class: TypeClass = "text" if full_text else sqlite_class(declared or "")
        if members and type_class == "text":
            type_class = "enum"
        is_rowid = keys == 1 and pk == 1 and declared.upper() == "INTEGER"
        column = Column(
            name=name,
            ordinal=len(columns) + 1,
            type=declared or "",
            type_class=type_class,
            nullable=not (notnull or is_rowid),
            default=plain_default(default),
            comment=clean(ddl.comments.get(name.lower()))[0],
            pk=pk,
            unique=keys == 1 and pk == 1,
            generated=hidden in (2, 3),
            expression=ddl.expressions.get(name.lower()) if hidden in (2, 3) else None,
        )
        columns.append(reading.with_members(item.name, column, members))
    return DbObject(item.name, item.kind, tuple(columns), comment=clean(comment)[0], note=note)


def _foreign_keys(rows: Sequence[tuple[Any, ...]]) -> list[ForeignKey]:
    """One key for each (table, id). A key that names no target columns means the primary key of its target."""
    keys: dict[tuple[str, int], list[tuple[Any, ...]]] = {}
    for table, number, target, column, target_column in rows:
        keys.setdefault((table, number), []).append((target, column, target_column))
    return [
        ForeignKey(
            table=table,
            columns=tuple(row[1] for row in pairs),
            target_table=pairs[0][0],
            target_columns=() if any(row[2] is None for row in pairs) else tuple(row[2] for row in pairs),
        )
        for (table, _), pairs in keys.items()
    ]


def _indexes(rows: Sequence[tuple[Any, ...]]) -> list[TableIndex]:
    """``unique`` only where the plain columns alone are: not over expressions, and not over a part of the rows."""
    members: dict[tuple[str, str], list[str]] = {}
    unique: dict[tuple[str, str], bool] = {}
    for table, index, is_unique, partial, cid, column in rows:
        key = (table, index)
        columns = members.setdefault(key, [])
        unique[key] = unique.get(key, True) and bool(is_unique) and not partial and cid >= 0
        if cid >= 0:
            columns.append(column)
    return [TableIndex(table, name, tuple(columns), unique[table, name]) for (table, name), columns in members.items()]
