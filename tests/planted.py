"""A small database on each of the four engines, made by a script, that a reader without rights of its own connects to.

In: an engine's name and statements. Out: the reader's URL; its credential, if any, is in the environment. Never: a
server that is not private.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from conftest import MariaDatabase, PostgresDatabase

ENGINES = ("sqlite", "mariadb", "postgres", "duckdb")


def plant(engine: str, request: pytest.FixtureRequest, folder: Path, statements: list[str]) -> str:
    """Makes the database and sets PLANTED_URL, and PLANTED_CREDENTIAL where there is a password."""
    url = _PLANT[engine](request, folder, statements)
    request.getfixturevalue("monkeypatch").setenv("PLANTED_URL", url)
    return url


def _sqlite(request: pytest.FixtureRequest, folder: Path, statements: list[str]) -> str:
    path = folder / "planted.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(";\n".join(statements))
        connection.commit()
    return f"sqlite:///{path}"


def _duckdb(request: pytest.FixtureRequest, folder: Path, statements: list[str]) -> str:
    import duckdb

    path = folder / "planted.duckdb"
    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            connection.execute(statement)
    return f"duckdb:///{path}"


def _mariadb(request: pytest.FixtureRequest, folder: Path, statements: list[str]) -> str:
    database: MariaDatabase = request.getfixturevalue("maria")
    database.execute(*statements)
    monkeypatch: pytest.MonkeyPatch = request.getfixturevalue("monkeypatch")
    monkeypatch.setenv("PLANTED_PASSWORD", database.password)
    monkeypatch.setenv("PLANTED_CREDENTIAL", "env:PLANTED_PASSWORD")
    return database.url


def _postgres(request: pytest.FixtureRequest, folder: Path, statements: list[str]) -> str:
    database: PostgresDatabase = request.getfixturevalue("postgres")
    database.execute(*statements)
    return database.url


_PLANT: dict[str, Callable[[pytest.FixtureRequest, Path, list[str]], str]] = {
    "sqlite": _sqlite, "mariadb": _mariadb, "postgres": _postgres, "duckdb": _duckdb,
}  # fmt: skip
