"""Ways by which a password once got out, each found by a hostile reader; executed on SQLite with the real values."""

import sqlite3
from contextlib import closing

import pytest

from dbgraph_nb import redact
from dbgraph_nb.errors import BadArgument
from dbgraph_nb.model import RawRows, RedactionPlan

SECRET = "S3CR3T"
SCHEMA = {"users": {"id": "INTEGER", "name": "TEXT", "password": "TEXT", "grp": "TEXT"}}
VIEWS = {"va": "SELECT id, password AS x FROM users"}


def plan(sql: str, dialect: str = "sqlite", schema: object = SCHEMA) -> RedactionPlan:
    return redact.plan(sql, dialect=dialect, schema=schema, sensitive=[("users", "password")], views=VIEWS)  # type: ignore[arg-type]


def cleaned(sql: str) -> list[tuple[object, ...]] | None:
    """The rows that would be shown; None if the statement is refused."""
    made = plan(sql)
    if made.refused:
        return None
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT, password TEXT, grp TEXT)")
        connection.execute(f"CREATE VIEW va AS {VIEWS['va']}")
        rows = [(i, f"n{i}", f"{SECRET}{'bca'[i % 3]}", "g") for i in range(6)]
        connection.executemany("INSERT INTO users VALUES (?, ?, ?, ?)", rows)
        cursor = connection.execute(sql)
        names = tuple(column[0] for column in cursor.description)
        return redact.apply(RawRows(names, cursor.fetchall()), made).rows


@pytest.mark.parametrize(
    "sql",
    [
        'SELECT "+password" FROM (SELECT +password FROM users)',
        'SELECT "++password" FROM (SELECT ++password FROM users)',
        "SELECT [+password] FROM (SELECT +password FROM users)",
        "SELECT `+password` FROM (SELECT +password FROM users)",
        'SELECT "a:2" FROM (SELECT name AS a, grp AS a, password AS "a:1" FROM users)',
        'WITH s AS (SELECT name AS a, grp AS a, password AS "a:1" FROM users) SELECT s."a:2" FROM s',
    ],
)
def test_names_that_the_engine_makes_show_nothing(sql: str) -> None:
    shown = cleaned(sql)
    assert shown is None or SECRET not in repr(shown)


def test_a_quoted_name_that_is_not_known_is_no_harmless_text() -> None:
    for sql in ('SELECT "zzz" FROM users', "SELECT id FROM users WHERE \"zzz\" LIKE '%a'", "SELECT [zzz] FROM users"):
        assert plan(sql).unknown == "zzz"


@pytest.mark.parametrize(
    "expression",
    [
        "CASE WHEN substr(password, 7, 1) = 'a' THEN 1 END",
        "nullif(password, 'S3CR3Ta')",
        "iif(password LIKE '%a', 1, NULL)",
    ],
)
def test_null_does_not_answer_a_guess(expression: str) -> None:
    shown = cleaned(f"SELECT id, {expression} AS guess FROM users ORDER BY id")
    assert shown is None or len({row[1] for row in shown}) == 1


def test_null_of_the_column_itself_stays() -> None:
    made = plan("SELECT password, upper(password) FROM users")
    raw = RawRows(("password", "upper(password)"), [(None, None), ("x", "X")])
    assert redact.apply(raw, made).rows == [(None, None), (redact.REDACTED, redact.REDACTED)]


@pytest.mark.parametrize(
    "sql",
    ["SELECT name AS password FROM users ORDER BY +password", "SELECT id AS x FROM va ORDER BY +x DESC LIMIT 1"],
)
def test_the_order_of_rows_does_not_tell(sql: str) -> None:
    assert plan(sql).refused


@pytest.mark.parametrize(
    ("sql", "dialect"),
    [
        ("SELECT jt.p FROM users, JSON_TABLE(grp, '$' COLUMNS(p VARCHAR(50) PATH '$.password')) jt", "mariadb"),
        ("SELECT json_extract(grp, '$.id', '$.password') FROM users", "sqlite"),
    ],
)
def test_every_path_into_a_document_is_looked_at(sql: str, dialect: str) -> None:
    made = plan(sql, dialect)
    assert made.refused or made.columns == (0,)


def test_a_view_over_what_is_not_known_is_refused() -> None:
    for body in ("SELECT hidden AS h FROM elsewhere", "SELECT id, getpw(id) AS h FROM users"):
        views = {"v": body}
        schema = {**SCHEMA, "v": {"h": "TEXT"}}
        assert redact.plan("SELECT h FROM v", dialect="mariadb", schema=schema, sensitive=[], views=views).refused


def test_what_is_no_text_is_refused() -> None:
    for call in (lambda: redact.classify(None), lambda: redact.scrub(None), lambda: plan(None)):  # type: ignore[arg-type]
        with pytest.raises(BadArgument) as caught:
            call()
        assert caught.value.code == "redaction-text"


@pytest.mark.parametrize("dialect", ["sqlite", "mysql", "mariadb", "postgres", "duckdb"])
def test_the_parsers_own_names_for_functions_hide_as_well(dialect: str) -> None:
    for sql in (
        "SELECT ANONYMOUS_AGG_FUNC(password, name) FROM users",
        "SELECT COMBINED_AGG_FUNC(password) FROM users",
    ):
        made = plan(sql, dialect)
        assert made.refused or made.columns == (0,)
