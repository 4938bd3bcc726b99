"""Names that an engine tells apart and lineage does not, or the other way: refused, or the facts of both count."""

from __future__ import annotations

import pytest

from dbgraph_nb import redact
from dbgraph_nb.model import Dialect, RedactionPlan

SCHEMA = {"users": {"id": "INT", "name": "TEXT", "password": "TEXT"}, "VV": {"id": "INT", "p": "TEXT"}}
PAIRS = [("users", "password")]


def plan(sql: str, dialect: Dialect, **more: object) -> RedactionPlan:
    given = {"schema": SCHEMA, "sensitive": PAIRS, **more}
    return redact.plan(sql, dialect=dialect, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sql", "dialect"),
    [
        ("WITH t AS (SELECT password AS p FROM users), \"T\" AS (SELECT 'a' AS p) SELECT p FROM t", "postgres"),
        ("WITH \"é\" AS (SELECT password AS p FROM users), \"É\" AS (SELECT 'a' AS p) SELECT p FROM \"é\"", "sqlite"),
        ("WITH \"İ\" AS (SELECT password AS p FROM users), \"i̇\" AS (SELECT 'a' AS p) SELECT p FROM \"İ\"", "duckdb"),
        ("WITH \"USERS\" AS (SELECT 'a' AS password) SELECT password FROM users", "postgres"),
        ("WITH t AS (SELECT password AS p FROM users), q AS (WITH \"T\" AS (SELECT 'a' AS p) SELECT p FROM t) "
         "SELECT p FROM q", "postgres"),
        ("WITH \"K\" AS (SELECT 'a' AS p), q AS (SELECT p FROM k) SELECT p FROM q", "postgres"),
    ],
)  # fmt: skip
def test_with_names_that_differ_only_in_case(sql: str, dialect: Dialect) -> None:
    found = plan(sql, dialect)
    assert found.refused or found.columns == (0,), found


@pytest.mark.parametrize("dialect", ["postgres", "sqlite", "duckdb", "mysql", "mariadb"])
def test_plain_with_names_in_any_case_pass(dialect: Dialect) -> None:
    found = plan("WITH Totals AS (SELECT id, name FROM users) SELECT name FROM totals", dialect)
    assert (found.refused, found.columns) == (None, ())


def test_views_that_differ_only_in_case() -> None:
    views = {"VV": "SELECT id, name AS p FROM users", "vv": "SELECT id, password AS p FROM users"}
    schema = {**SCHEMA, "vv": {"id": "INT", "p": "TEXT"}}
    for sql in ("SELECT p FROM vv", 'SELECT * FROM "VV"'):
        assert plan(sql, "postgres", views=views, schema=schema).refused


@pytest.mark.parametrize(
    "sql", ["SELECT a.x AS y FROM t AS a", "FROM t AS a SELECT a.x AS y", "SELECT y FROM (SELECT a.x AS y FROM t a)"]
)
def test_an_alias_does_not_hide_what_was_declared_of_an_unknown_table(sql: str) -> None:
    found = plan(sql, "duckdb", schema={}, sensitive=[("t", "x")])
    assert found.refused or found.columns == (0,), found
    assert plan("SELECT 1 FROM t AS a WHERE a.x LIKE 'S%'", "duckdb", schema={}, sensitive=[("t", "x")]).refused


@pytest.mark.parametrize(
    ("sql", "dialect", "refused"),
    [
        ("EXPLAIN SELECT * FROM users", "sqlite", True),
        ("EXPLAIN QUERY PLAN SELECT * FROM users", "sqlite", False),
        ("EXPLAIN SELECT id, password FROM users ORDER BY id", "duckdb", True),
        ("EXPLAIN SELECT DISTINCT password FROM users", "duckdb", True),
        ("EXPLAIN SELECT * FROM users WHERE id = 1", "duckdb", False),
        ("EXPLAIN (VERBOSE) SELECT password FROM users", "postgres", True),
        ("EXPLAIN SELECT password FROM users", "postgres", False),
        ("EXPLAIN SELECT name FROM users ORDER BY id", "duckdb", False),
    ],
)
def test_plans_that_show_values(sql: str, dialect: Dialect, refused: bool) -> None:
    assert bool(plan(sql, dialect).refused) == refused


def test_a_description_inside_a_query_hides_defaults() -> None:
    assert plan("SELECT * FROM (DESCRIBE users)", "duckdb").columns == (4,)
    assert plan('SELECT "default" FROM (DESCRIBE users)', "duckdb").columns == (0,)
    assert plan("SELECT column_name, column_type FROM (DESCRIBE users)", "duckdb").columns == ()
    assert plan("SELECT column_name FROM (DESCRIBE users) WHERE \"default\" LIKE '%x%'", "duckdb").refused


@pytest.mark.parametrize(
    ("declared", "paths"),
    [
        ("INTEGER", []),
        ("STRUCT(a INTEGER, b VARCHAR)", []),
        ('STRUCT(a INTEGER, "password" VARCHAR)', ["s.password"]),
        ("STRUCT(a DECIMAL(10,2), api_key VARCHAR, n STRUCT(token VARCHAR, x INT)[])[]", ["s.api_key", "s.n.token"]),
        (
            'STRUCT("odd ""name" INT, password VARCHAR, m MAP(VARCHAR, STRUCT(pin INT)), z INT)',
            ["s.password", "s.m.pin"],
        ),
        ("STRUCT(n STRUCT(x INT), secret VARCHAR)", ["s.secret"]),
    ],
)
def test_fields_of_structs(declared: str, paths: list[str]) -> None:
    assert [path for path, _ in redact.sensitive_fields("s", declared)] == paths
