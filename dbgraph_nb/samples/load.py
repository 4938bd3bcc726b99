"""Statements that make the sample shop, and loaders for connections that the caller has opened.

In: an open DB-API connection. Out: tables, views and rows in it. Never: a driver imported here, or a table dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Protocol

from dbgraph_nb.errors import BadArgument
from dbgraph_nb.samples.schema import Row, SampleDialect, Table, create_statements, insert_statement, sample_dialect
from dbgraph_nb.samples.shop_rows import rows
from dbgraph_nb.samples.shop_tables import TABLES, VIEWS

BATCH = 2000  # rows


class Cursor(Protocol):
    """The part of a DB-API cursor that loading needs."""

    def execute(self, operation: str, parameters: Any = ..., /) -> Any: ...
    def executemany(self, operation: str, seq_of_parameters: Any, /) -> Any: ...
    def fetchall(self) -> Any: ...
    def close(self) -> Any: ...


class DbApiConnection(Protocol):
    """The part of a DB-API connection that loading needs; sqlite3 and pymysql have it."""

    def cursor(self) -> Any: ...
    def commit(self) -> Any: ...


def shop_statements(dialect: str) -> list[tuple[str, list[Row]]]:
    """The sample shop as statements in order: a statement with rows is meant for ``executemany``, one with an empty
    list for ``execute``.

    Args:
        dialect: ``sqlite``, ``mysql`` or ``mariadb``.

    Raises:
        BadArgument: another dialect.

    >>> statements = shop_statements("sqlite")
    >>> statements[0][0].splitlines()[0], statements[0][1]
    ('CREATE TABLE 会员等级 ( -- 会员等级与权益', [])
    """
    written = sample_dialect(dialect)
    data = rows()
    statements: list[tuple[str, list[Row]]] = [(sql, []) for sql in create_statements(TABLES, VIEWS, written)]
    return statements + [(insert_statement(table, written), data[table.name]) for table in TABLES]


def load_shop_mysql(connection: DbApiConnection) -> dict[str, int]:
    """Put the sample shop into the current database of a MySQL or MariaDB connection, and commit.

    Tables and columns get real comments, enumerations are ENUM. DDL cannot be rolled back there, so use an
    empty database.

    Args:
        connection: an open connection with ``charset="utf8mb4"`` that may create tables.

    Returns:
        Rows written, by table.

    Raises:
        BadArgument: one of the tables is there already; nothing was changed.
    """
    refuse_existing(connection, "mysql", [t.name for t in TABLES] + [v.name for v in VIEWS])
    cursor = connection.cursor()
    try:
        for sql, data in shop_statements("mysql"):
            if data:
                cursor.executemany(sql, data)
            else:
                cursor.execute(sql)
    finally:
        cursor.close()
    connection.commit()
    return {name: len(data) for name, data in rows().items()}


def insert_batches(cursor: Cursor, table: Table, dialect: SampleDialect, data: Iterable[Row]) -> int:
    """Insert ``data`` in batches of ``BATCH`` rows; returns how many rows that were."""
    sql, count = insert_statement(table, dialect), 0
    for batch in _batches(iter(data)):
        cursor.executemany(sql, batch)
        count += len(batch)
    return count


def refuse_existing(connection: DbApiConnection, dialect: SampleDialect, names: Sequence[str]) -> None:
    """Raise BadArgument if the connection's database has one of ``names`` already."""
    query = (
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
        if dialect == "sqlite"
        else "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()"
    )
    cursor = connection.cursor()
    try:
        cursor.execute(query)
        # a pymysql connection may hand out rows as dicts
        present = {str(next(iter(r.values())) if isinstance(r, dict) else r[0]).casefold() for r in cursor.fetchall()}
    finally:
        cursor.close()
    taken = [name for name in names if name.casefold() in present]
    if taken:
        raise BadArgument(
            f"The database already has {', '.join(taken[:3])}{' and more' if len(taken) > 3 else ''}.",
            code="sample-tables-exist",
            hint="Nothing was changed. Load the sample data into an empty database.",
            token=taken[0],
        )


def _batches(data: Iterator[Row]) -> Iterator[list[Row]]:
    while batch := list(islice(data, BATCH)):
        yield batch
