"""What the gate lets pass, SQLite and DuckDB understand, and nothing changes by it."""

import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest
from gate.gate_cases import cases

SQLITE = """
CREATE TABLE orders (id INTEGER PRIMARY KEY, city, amount, yr, customer_id, created_at, body);
CREATE INDEX ix_city ON orders (city);
CREATE TABLE items (id, order_id, city);
CREATE TABLE t (a, b, c, d);
CREATE TABLE u (c, d);
CREATE TABLE u1 (a);
CREATE TABLE a (x, id, z);
CREATE TABLE b (x, a_id, y);
CREATE TABLE c (x);
CREATE TABLE docs (id, body);
CREATE TABLE verbs ("update", "drop table x; --", "insert", begin, vacuum, pragma, plan, query, replace, reindex,
    release, rename, row, temp, view, virtual, trigger, key, attach, detach, conflict, database, explain, fail, abort,
    after, before, "analyze", cascade, "column");
CREATE VIRTUAL TABLE notes USING fts5 (title, body);
CREATE TABLE 用户 (姓名, 城市, 状态, 注册时间);
CREATE TABLE 订单 (城市, 金额, 备注, 状态);
CREATE TABLE 行情 (K线, KPI指标);
CREATE TABLE 用户表 ("姓 名", 城市);
CREATE TABLE logins (user_id, logged_at);
CREATE TABLE sales (product, amount);
CREATE TABLE customers (id, name);
CREATE TABLE calls (customer_id, created_at);
CREATE VIRTUAL TABLE notes_fts USING fts5 (body);
CREATE TABLE 会员 (积分);
INSERT INTO orders (city, amount) VALUES ('x', 1);
INSERT INTO docs VALUES (1, '{"a": [1], "items": []}');
"""
DUCKDB = """
CREATE TABLE base (id INTEGER, city VARCHAR, amount DOUBLE, ts TIMESTAMP, yr INTEGER, tags VARCHAR[],
    s STRUCT(a INTEGER, b STRUCT(c INTEGER)), j JSON, q1 INTEGER, q2 INTEGER, a INTEGER, b INTEGER);
CREATE VIEW f0 AS FROM base;
CREATE VIEW f1 AS SELECT id, ts, q1, q2, a::VARCHAR AS a, b::VARCHAR AS b FROM base;
INSERT INTO base (id, city, amount) VALUES (1, '1', 2);
"""
# texts for any dialect name tables that are not here, and a younger SQLite knows more functions
MISSING = ("no such table: s.", "no such function", "no such column")
ARGUMENTS = {"yes": 1, "c": 1, "d": 1, "e": 1, "city": "x", "low": 1, "day": "2024-01-01"}


def run_sqlite(connection: sqlite3.Connection, sql: str) -> str | None:
    try:
        if "?" in sql.replace("'?", ""):
            connection.execute(sql, [1] * 5).fetchall()
        else:
            connection.execute(sql, ARGUMENTS).fetchall()
    except sqlite3.Error as error:
        return str(error)
    return None


def test_sqlite_runs_what_is_allowed() -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.executescript(SQLITE)
    before = [*connection.iterdump()], connection.total_changes
    ran, failed = 0, []
    for name in ("allow", "analytics"):
        for dialect, case in cases(name):
            if dialect != "sqlite":
                continue
            error = run_sqlite(connection, case["sql"])
            ran += error is None
            if error and not any(missing in error for missing in MISSING):
                failed.append(f"{case['sql']}: {error}")
    assert failed == []
    assert ran > 80
    assert ([*connection.iterdump()], connection.total_changes) == before


@pytest.fixture
def duck() -> Iterator[Any]:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        connection.execute(DUCKDB)
        yield connection


def fingerprint(connection: Any) -> list[Any]:
    queries = (
        "FROM base",
        "SELECT database_name, schema_name, table_name, sql FROM duckdb_tables() ORDER BY ALL",
        "SELECT view_name, sql FROM duckdb_views() WHERE NOT internal ORDER BY ALL",
        "SELECT name, value FROM duckdb_settings() ORDER BY ALL",
        "SELECT * FROM duckdb_variables()",
        "SELECT database_name, path FROM duckdb_databases() ORDER BY ALL",
    )
    return [connection.execute(query).fetchall() for query in queries]


def test_duckdb_runs_what_is_allowed(duck: Any) -> None:
    import duckdb

    before = fingerprint(duck)
    ran, failed = 0, []
    for dialect, case in cases("allow"):
        sql = case["sql"]
        if dialect != "duckdb" or ":city" in sql or "\\u" in sql:
            continue
        try:
            wanted = duckdb.extract_statements(sql)[0].named_parameters
            named = {name: ARGUMENTS[name] for name in wanted if name in ARGUMENTS}
            duck.execute(sql, named or ([1] if sql.endswith("?") else None)).fetchall()
            ran += 1
        except duckdb.CatalogException:
            pass  # a table that is not here
        except duckdb.BinderException as error:
            if "Deprecated lambda arrow" not in str(error):
                failed.append(f"{sql}: {error}")
        except duckdb.Error as error:
            failed.append(f"{sql}: {error}")
    assert failed == []
    assert ran > 120
    assert fingerprint(duck) == before
