"""The catalog of a DuckDB file.

In: an open engine. Out: tables and views of the schema ``main`` with columns, comments, keys, indexes, row counts as
DuckDB keeps them. Never: a count of rows, a function or a sequence, or an end to the reading because of a broken view.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from dbgraph_nb.catalog.source.comments import clean
from dbgraph_nb.catalog.source.reading import Budget, CatalogEngine, Details, Reading
from dbgraph_nb.catalog.source.sql_text import members, plain_default
from dbgraph_nb.catalog.source.sqlite_ddl import read_view
from dbgraph_nb.catalog.source.types import duckdb_class
from dbgraph_nb.model import Column, DbObject, ForeignKey, TableIndex

_HERE = " WHERE database_name = current_database() AND schema_name = 'main' AND NOT internal"
DATABASE = "SELECT current_database()"
TABLES = f"SELECT table_name, 'table', comment FROM duckdb_tables(){_HERE} AND NOT temporary"
VIEWS = f"SELECT view_name, 'view', comment FROM duckdb_views(){_HERE} AND NOT temporary"
COLUMNS = (
    "SELECT table_name, column_index, column_name, data_type, is_nullable, column_default, comment, is_generated, "
    f"generation_expression FROM duckdb_columns(){_HERE} ORDER BY table_name, column_index"
)
OTHERS = (
    "SELECT schema_name, count(*) FROM duckdb_tables() WHERE database_name = current_database() AND NOT internal "
    "AND schema_name <> 'main' GROUP BY 1 ORDER BY 1"
)
CONSTRAINTS = (
    "SELECT table_name, constraint_type, constraint_column_names, constraint_name, referenced_table, "
    "referenced_column_names FROM duckdb_constraints() WHERE database_name = current_database() "
    "AND schema_name = 'main' AND constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY') "
    "ORDER BY table_name, constraint_index"
)
INDEXES = (
    "SELECT table_name, index_name, is_unique, expressions FROM duckdb_indexes() "
    "WHERE database_name = current_database() AND schema_name = 'main' ORDER BY table_name, index_name"
)
ESTIMATES = f"SELECT table_name, estimated_size FROM duckdb_tables(){_HERE} AND NOT temporary"
BODIES = f"SELECT view_name, sql FROM duckdb_views(){_HERE} AND NOT temporary"

_WHOLE = re.compile(r"U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|BOOLEAN", re.IGNORECASE)


class DuckdbSource:
    """Reads one DuckDB file (see ``DialectSource``)."""

    def database(self, reading: Reading) -> str:
        """The name that DuckDB gives the file: its own without the ending."""
        return str(reading.rows(DATABASE)[0][0])

    def version(self, engine: CatalogEngine) -> str:
        """DuckDB keeps no number that tells a change of the schema."""
        return ""

    def objects(self, reading: Reading) -> list[DbObject]:
        """Three flat reads. A view whose tables are gone keeps the columns that it had."""
        columns: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
        for row in reading.rows(COLUMNS):
            columns[row[0]].append(row[1:])
        found = []
        for name, kind, comment in [*reading.rows(TABLES), *reading.rows(VIEWS)]:
            own = tuple(_column(reading, name, row) for row in columns[name])
            note = None if own else "None of its columns can be read."
            found.append(DbObject(name, kind, own, comment=clean(comment)[0], note=note))
        for schema, count in reading.optional("Other schemas", OTHERS):
            reading.warnings.append(f"The schema {schema} with {count} tables is not indexed; only main is.")
        return found

    def details(self, reading: Reading, objects: Sequence[DbObject]) -> Details:
        """Four flat reads, whatever the number of tables."""
        details = Details(primary_keys={})
        for table, kind, columns, name, target, target_columns in reading.optional("Keys", CONSTRAINTS):
            if kind == "FOREIGN KEY":
                key = ForeignKey(table, tuple(columns), target, tuple(target_columns), name=name)
                details.foreign_keys.append(key)
                continue
            details.indexes.append(TableIndex(table, name, tuple(columns), unique=True))
            if kind == "PRIMARY KEY" and details.primary_keys is not None:
                details.primary_keys[table] = tuple(columns)
        known = {item.name: {column.name for column in item.columns} for item in objects}
        for table, name, unique, expressions in reading.optional("Indexes", INDEXES):
            parts = [part.strip().strip("'\"") for part in str(expressions).strip("[]").split(", ")]
            plain = tuple(part for part in parts if part in known.get(table, ()))
            details.indexes.append(TableIndex(table, name, plain, unique=bool(unique) and len(plain) == len(parts)))
        for table, size in reading.optional("Row estimates", ESTIMATES):
            if size is not None and size >= 0:
                details.row_estimates[table] = int(size)
        for name, sql in reading.optional("View definitions", BODIES):
            if body := read_view(sql)[1]:
                details.definitions[name] = body
        return details

    def may_sample(self, owner: DbObject, column: Column) -> bool:
        """Text and whole numbers of tables; nested values, floats and times are no enums."""
        return owner.kind == "table" and (column.type_class == "text" or _WHOLE.fullmatch(column.type) is not None)

    def sample_sql(self, table: str, column: Column, budget: Budget) -> str:
        """Text is cut behind the longest wanted value, so that a long one is seen and not carried."""
        name = quoted(column.name)
        value = name if column.type_class == "number" else f"left({name}, {budget.value_length + 1})"
        inner = f"SELECT {name} FROM {quoted(table)} LIMIT {budget.rows}"
        return f"SELECT DISTINCT {value} FROM ({inner}) LIMIT {budget.values + 2}"

    def prefix_sql(self, table: str, column: Column, count: int, budget: Budget) -> str:
        """As the protocol says."""
        name = quoted(column.name)
        inner = f"SELECT {name} FROM {quoted(table)} LIMIT {budget.rows}"
        return f"SELECT 1 FROM ({inner}) WHERE {name} IS NOT NULL LIMIT {count}"


def quoted(name: str) -> str:
    """An identifier for SQL text."""
    return '"' + name.replace('"', '""') + '"'


def _column(reading: Reading, table: str, row: Sequence[Any]) -> Column:
    ordinal, name, data_type, nullable, default, comment, generated, expression = row
    column = Column(
        name=name,
        ordinal=int(ordinal),
        type=data_type,
        type_class=duckdb_class(data_type),
        nullable=bool(nullable),
        default=None if generated else plain_default(default),
        comment=clean(comment)[0],
        generated=bool(generated),
        expression=(expression or default) if generated else None,
    )
    return reading.with_members(table, column, members(data_type) if data_type.startswith("ENUM(") else None)
