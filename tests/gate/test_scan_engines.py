"""The scanner cuts a text as the engine does: as many statements, as many columns."""

import random
import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

import dbservers
import pytest
import soak
from gate.lexical_texts import text

from dbgraph_nb.gate.refusal import Refused
from dbgraph_nb.gate.scan import scan_text
from dbgraph_nb.model import Dialect

# (1 statement or 2 for more, columns of the first), or None where the engine rejects the text
Shape = tuple[int, int] | None
Run = Callable[[str], Shape]


def scanned(sql: str, dialect: Dialect) -> Shape:
    try:
        found = scan_text(sql, dialect)
    except Refused:
        return None
    statements = [0]
    columns = 1
    for index, token in enumerate(found.tokens):
        if token.text == ";":
            statements.append(0)
            continue
        statements[-1] += 1
        last = index + 1 == len(found.tokens) or found.tokens[index + 1].text == ";"  # DuckDB allows a last comma
        if len(statements) == 1 and token.text == "," and index not in found.opening and not last:
            columns += 1
    return min(2, sum(count > 0 for count in statements)), columns


def differences(run: Run, dialect: Dialect, seed: int, count: int) -> tuple[list[str], int]:
    source = random.Random(seed)
    found, compared = [], 0
    for _ in range(count):
        sql = text(source)
        mine = scanned(sql, dialect)
        if mine is None:
            continue  # refused anyway
        theirs = run(sql)
        if theirs is None:
            continue
        compared += 1
        if mine[0] != theirs[0] or (mine[0] == 1 and mine != theirs):
            found.append(f"{sql!r}: scanner {mine}, engine {theirs}")
    return found, compared


def by_sqlite() -> Run:
    connection = sqlite3.connect(":memory:")

    def run(sql: str) -> Shape:
        try:
            cursor = connection.execute(sql)
        except sqlite3.Error as error:
            # Python's module also says so of SELECT 1;; so such texts tell nothing
            return (2, 0) if "one statement" in str(error) and not sql.rstrip().endswith(";") else None
        return 1, len(cursor.description)

    return run


def by_duckdb() -> Run:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()

    def run(sql: str) -> Shape:
        try:
            statements = duckdb.extract_statements(sql)
            if len(statements) != 1:
                return min(2, len(statements)), 0
            return 1, len(connection.execute(sql).description)
        except (duckdb.Error, UnicodeDecodeError):  # an error text may cut a character in two
            return None

    return run


def test_sqlite() -> None:
    found, compared = differences(by_sqlite(), "sqlite", 11, soak.scale(60_000))
    assert found == []
    assert compared > soak.scale(60_000) // 30


def test_duckdb() -> None:
    found, compared = differences(by_duckdb(), "duckdb", 12, soak.scale(40_000))
    assert found == []
    assert compared > soak.scale(40_000) // 30


@pytest.fixture(scope="module")
def by_postgres() -> Iterator[Run]:
    psycopg = pytest.importorskip("psycopg")
    with dbservers.postgres() as server, psycopg.connect(server.dsn, autocommit=True) as connection:

        def run(sql: str) -> Shape:
            cursor = connection.cursor()
            try:
                cursor.execute(sql)
            except psycopg.Error:
                return None
            columns = len(cursor.description or ())
            statements = 1
            while cursor.nextset():
                statements += 1
            return min(2, statements), columns

        yield run


def test_postgres(by_postgres: Run) -> None:
    found, compared = differences(by_postgres, "postgres", 13, soak.scale(40_000))
    assert found == []
    assert compared > soak.scale(40_000) // 30


@pytest.mark.parametrize("dialect", ["mysql", "mariadb"])
def test_mariadb(mariadb: dbservers.MariaServer, dialect: Dialect) -> None:
    """MySQL's rules are the same here; what only MySQL has is from its manual and was not run."""
    import pymysql
    from pymysql.constants import CLIENT

    settings: dict[str, Any] = {**mariadb.root, "client_flag": CLIENT.MULTI_STATEMENTS}
    connection = pymysql.connect(**settings)

    def run(sql: str) -> Shape:
        cursor = connection.cursor()
        try:
            cursor.execute(sql)
        except pymysql.Error:
            return None
        columns, statements = len(cursor.description or ()), 1
        try:
            while cursor.nextset():
                statements += cursor.description is not None  # else only a comment behind the semicolon
        except pymysql.Error:
            statements += 1  # it began, and failed
        return min(2, statements), columns

    with connection:
        found, compared = differences(run, dialect, 14, soak.scale(40_000))
    assert found == []
    assert compared > soak.scale(40_000) // 30
