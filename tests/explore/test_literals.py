"""Texts of the catalog that repeat values of sensitive columns are hidden, and others are not."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import dbgraph_nb as dg
from dbgraph_nb.errors import RedactionRefused
from dbgraph_nb.result import ResultFrame

SECRET = "S3cr3t-default"


def connect(folder: Path, *, index: bool = True, sensitive: bool = True) -> None:
    path = folder / "catalog.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE orders (id INTEGER PRIMARY KEY, state TEXT DEFAULT 'new');"
            + (f"CREATE TABLE users (id INTEGER PRIMARY KEY, password TEXT DEFAULT '{SECRET}');" if sensitive else "")
        )
    dg.connect("catalog", f"sqlite:///{path}")
    if index:
        dg.index("catalog", writer="python")


def said(frame: ResultFrame) -> str:
    return frame.to_csv() + repr(frame.meta.redacted)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sql FROM sqlite_master",
        "SELECT * FROM main.sqlite_schema",
        "SELECT upper(substr(sql, 1)) AS memo FROM sqlite_master WHERE name = 'users'",
        "SELECT dflt_value FROM pragma_table_info('users')",
        "SELECT x.* FROM sqlite_master AS m, pragma_table_xinfo(m.name) AS x",
        "PRAGMA table_info(users)",
        'PRAGMA main.table_xinfo("USERS")',
    ],
)
@pytest.mark.parametrize("index", [True, False])
def test_a_default_of_a_sensitive_column_is_not_shown(sql: str, index: bool, tmp_path: Path) -> None:
    connect(tmp_path, index=index)
    shown = said(dg.sql("catalog", sql))
    assert SECRET.casefold() not in shown.casefold()
    assert "[REDACTED]" in shown
    assert "text of the catalog" in shown
    assert SECRET.casefold() in said(dg.sql("catalog", sql, show_sensitive=True)).casefold()


def test_it_is_not_searched_by_either(tmp_path: Path) -> None:
    connect(tmp_path)
    with pytest.raises(RedactionRefused, match=r"sqlite_master\.sql"):
        dg.sql("catalog", "SELECT name FROM sqlite_master WHERE sql LIKE '%S3%'")


def test_what_has_nothing_sensitive_stays_visible(tmp_path: Path) -> None:
    connect(tmp_path)
    assert "'new'" in said(dg.sql("catalog", "PRAGMA table_info(orders)"))
    assert list(dg.sql("catalog", "SELECT name FROM sqlite_master ORDER BY name")["name"]) == ["orders", "users"]
    assert list(dg.sql("catalog", "SELECT name FROM pragma_table_info('users')")["name"]) == ["id", "password"]


def test_a_database_without_sensitive_columns_shows_its_catalog(tmp_path: Path) -> None:
    connect(tmp_path, sensitive=False)
    assert "DEFAULT 'new'" in said(dg.sql("catalog", "SELECT sql FROM sqlite_master"))
    assert "'new'" in said(dg.sql("catalog", "SELECT * FROM pragma_table_info('orders')"))
