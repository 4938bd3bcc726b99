"""Statements about statements, what a parser loses, and texts of any kind: a plan or a reason, never a crash."""

import random
from typing import Any

import pytest
import sqlglot
from soak import scale

from dbgraph_nb import redact
from dbgraph_nb.model import Sensitivity

SCHEMA = {
    "users": {"id": "INTEGER", "name": "TEXT", "password": "TEXT"},
    "orders": {"id": "INTEGER", "user_id": "INTEGER"},
}
WHY = {("users", "password"): Sensitivity("credential", "name: password")}


def plan(sql: str, dialect: Any = "sqlite", **more: Any) -> Any:
    return redact.plan(sql, **{"dialect": dialect, "schema": SCHEMA, "sensitive": WHY, **more})


def test_explain_and_show_come_with_their_text() -> None:
    inner = sqlglot.parse_one("SELECT password FROM users", read="postgres")
    explain = "EXPLAIN (COSTS off) SELECT password FROM users"
    made = redact.plan_tree(inner, dialect="postgres", schema=SCHEMA, sensitive=WHY, sql=explain)
    assert (made.refused, made.columns, made.outputs) == (None, (), None)
    for sql, dialect in [
        ("SHOW TABLES", "mysql"), ("SHOW FULL COLUMNS FROM users", "mysql"), ("DESC users", "mysql"),
        ("PRAGMA table_info(users)", "sqlite"), ("PRAGMA main.index_list('users');", "sqlite"),
        ("SHOW users", "duckdb"),
        ("SHOW server_version", "postgres"), ("EXPLAIN QUERY PLAN SELECT 1", "sqlite"), ("DESCRIBE users", "duckdb"),
        ("EXPLAIN FORMAT=JSON SELECT id FROM users", "mysql"), ("  -- note\n EXPLAIN SELECT 1", "duckdb"),
    ]:  # fmt: skip
        assert plan(sql, dialect).refused is None, sql
    for sql, dialect in [
        ("SHOW WARNINGS", "mysql"), ("SHOW GRANTS", "mysql"), ("SHOW PROCESSLIST", "mysql"),
        ("SHOW BINLOG EVENTS", "mysql"),
        ("PRAGMA writable_schema = 1", "sqlite"), ("PRAGMA storage_info('users')", "duckdb"), ("PRAGMA", "sqlite"),
        ("EXPLAIN DELETE FROM users", "postgres"), ("EXPLAIN", "duckdb"),
        ("EXPLAIN SELECT id FROM users WHERE password = 1", "mysql"),
    ]:  # fmt: skip
        assert plan(sql, dialect).refused, sql


def test_the_plan_of_a_search_by_identity_is_not_explained() -> None:
    identity = {("users", "password"): Sensitivity("identity", "x")}
    assert "plan" in plan("EXPLAIN SELECT id FROM users WHERE password = 1", "duckdb", sensitive=identity).refused


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT mod(1, 2, password) FROM users",
        "SELECT to_hex(id, (SELECT password FROM users LIMIT 1)) FROM users",
        "SELECT mod(1, 2, #3) FROM users",
        "SELECT mod(1, 2, COLUMNS(*)) FROM users",
    ],
)
def test_what_the_parser_drops_is_noticed(sql: str) -> None:
    assert "is lost" in plan(sql, "duckdb").refused


def test_functions_lose_no_argument() -> None:
    """Every function that sqlglot knows, with the secret in every place, in every dialect."""
    from sqlglot.dialects.dialect import Dialect

    calls = []
    for dialect in ("duckdb", "sqlite", "mysql", "postgres"):
        parser = Dialect.get_or_raise(dialect).parser_class
        for name in sorted({*parser.FUNCTIONS, *parser.FUNCTION_PARSERS}):
            for width in range(1, 5):
                for place in range(width):
                    arguments = ["id", "name", "1", "'x'"][:width]
                    arguments[place] = "password"
                    calls.append((dialect, name, f"SELECT {name}({', '.join(arguments)}) FROM users"))
    counts = {"COUNT", "APPROX_COUNT_DISTINCT", "APPROX_DISTINCT"}
    random.Random(1).shuffle(calls)
    for dialect, name, sql in calls[: scale(len(calls) * 2)]:
        made = plan(sql, dialect)
        as_type = name in ("CONVERT", "TRY_CONVERT")  # CONVERT(x, t) converts x to a type t
        assert made.refused or made.columns == (0,) or name in counts or as_type, sql


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "mysql", "mariadb", "postgres"])
def test_deep_and_long_statements_end(dialect: Any) -> None:
    deep = "SELECT " + "(" * 3000 + "password" + ")" * 3000 + " FROM users"
    assert plan(deep, dialect).refused
    nested = "password"
    for _ in range(400):
        nested = f"upper({nested})"
    made = plan(f"SELECT {nested} FROM users", dialect)
    assert made.refused or made.columns == (0,)
    chain = plan("SELECT id FROM users WHERE " + " AND ".join(f"id <> {i}" for i in range(2000)), dialect)
    assert (chain.refused, chain.columns) == (None, ())
    union = plan(" UNION ALL ".join(["SELECT id FROM users"] * 500 + ["SELECT password FROM users"]), dialect)
    assert (union.refused, union.columns) == (None, (0,))
    inner = "SELECT password AS p FROM users"
    for i in range(60):
        inner = f"SELECT p FROM ({inner}) AS t{i}"
    made = plan(inner, dialect)
    assert made.refused or made.columns == (0,)


def test_a_chain_of_names_does_not_explode() -> None:
    parts = ["t0 AS (SELECT id, password FROM users)"]
    parts += [f"t{i} AS (SELECT a.id, b.password FROM t{i - 1} a, t{i - 1} b)" for i in range(1, 60)]
    made = plan(f"WITH {', '.join(parts)} SELECT * FROM t59")
    assert made.columns == (1,)


FRAGMENTS = (
    "SELECT FROM WHERE users password id , . * ( ) ' \" ` [ ] ; -- /* */ AS UNION ALL WITH t RECURSIVE ORDER BY 1 JOIN "
    "USING ON = NULL CASE WHEN END LATERAL unnest PIVOT UNPIVOT SUMMARIZE COLUMNS EXCLUDE REPLACE -> ->> '$.a' :: "
    "VALUES LIMIT GROUP HAVING OVER PARTITION EXISTS IN ANY count max #3 @x $1 ? := lambda x: {'a': 1} $$ \x00 💥 密码"
)
SEEDS = (
    "SELECT u.id, password FROM users u JOIN orders o ON o.user_id = u.id WHERE u.id IN (SELECT id FROM orders)",
    "WITH t(a) AS (SELECT password FROM users) SELECT a FROM t UNION SELECT name FROM users ORDER BY 1",
)


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "mysql", "mariadb", "postgres"])
@pytest.mark.soak
def test_any_text_gives_a_plan(dialect: Any) -> None:
    rng = random.Random(7)
    fragments = FRAGMENTS.split()
    for _ in range(scale(6000)):
        words = rng.choice(SEEDS).split(" ")
        for _ in range(rng.randint(1, 6)):
            place = rng.randrange(len(words) + 1)
            if rng.random() < 0.5 and words:
                words.pop(min(place, len(words) - 1))
            else:
                words.insert(place, rng.choice(fragments))
        made = plan(" ".join(words), dialect)
        assert made.refused is None or isinstance(made.refused, str)
        assert "S3CR3T" not in str(made)
