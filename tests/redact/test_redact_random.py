"""Noninterference: of two databases that differ only in their secrets, the cleaned answers are the same.

Random nested statements (``statements.py``) run on SQLite and DuckDB; whatever the plan lets pass must not differ.
"""

import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from redact import statements
from redact.leakcheck import SECRETS, Answer, leak, read_ddl
from soak import scale

from dbgraph_nb import redact

SCHEMA, VIEWS = read_ddl(statements.DDL)
PAIRS = [tuple(pair) for pair in statements.SENSITIVE]


def plan(sql: str, dialect: Any) -> Any:
    return redact.plan(sql, dialect=dialect, schema=SCHEMA, sensitive=PAIRS, views=VIEWS)


@pytest.fixture
def sqlites() -> Iterator[list[sqlite3.Connection]]:
    with closing(sqlite3.connect(":memory:")) as one, closing(sqlite3.connect(":memory:")) as two:
        for connection, secret in zip((one, two), SECRETS, strict=True):
            for statement in statements.DDL:
                connection.execute(statement.replace("S3CR3T", secret))
        yield [one, two]


def ask_sqlite(connection: sqlite3.Connection, sql: str) -> Answer:
    end = time.monotonic() + 2
    connection.set_progress_handler(lambda: time.monotonic() > end, 20_000)
    cursor = connection.execute(sql)
    return tuple(d[0] for d in cursor.description), cursor.fetchmany(2000)


@pytest.mark.soak
def test_sqlite_answers_do_not_depend_on_secrets(sqlites: list[sqlite3.Connection]) -> None:
    counts: Counter[str] = Counter()
    for seed in range(scale(40_000)):
        sql = statements.statement(seed, "sqlite")
        try:
            found = [ask_sqlite(connection, sql) for connection in sqlites]
        except sqlite3.Error:
            counts["not run"] += 1
            continue
        made = plan(sql, "sqlite")
        counts["refused" if made.refused else "hidden" if made.columns else "shown"] += 1
        assert made.refused or leak(found, made) == "", (seed, sql)
    # The generator must not degenerate: enough runs, enough of what runs passes, with and without secrets.
    total = sum(counts.values())
    assert counts["hidden"] > total // 20, counts
    assert counts["shown"] > total // 20, counts


@pytest.mark.soak
def test_duckdb_answers_do_not_depend_on_secrets() -> None:
    import duckdb

    connections = [duckdb.connect() for _ in SECRETS]
    for connection, secret in zip(connections, SECRETS, strict=True):
        connection.execute("SET threads = 1")
        for statement in statements.DDL:
            connection.execute(statement.replace("S3CR3T", secret))
    counts: Counter[str] = Counter()
    for seed in range(scale(20_000)):
        sql = statements.statement(seed, "duckdb")
        found = []
        for connection in connections:
            timer = threading.Timer(3, connection.interrupt)
            timer.start()
            try:
                result = connection.execute(sql)
                found.append((tuple(d[0] for d in result.description or ()), result.fetchmany(2000)))
            except duckdb.Error:
                break
            finally:
                timer.cancel()
        if len(found) < 2:
            counts["not run"] += 1
            continue
        made = plan(sql, "duckdb")
        counts["refused" if made.refused else "hidden" if made.columns else "shown"] += 1
        assert made.refused or leak(found, made) == "", (seed, sql)
    for connection in connections:
        connection.close()
    assert counts["hidden"] > sum(counts.values()) // 30, counts
