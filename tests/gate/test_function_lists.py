"""Every function of the running engines has been looked at: it is in the allowed list or in the refused one."""

import re
import sqlite3
from typing import get_args

import dbservers
import pytest

from dbgraph_nb.gate import functions
from dbgraph_nb.gate.functions import CLASSES, allowed, allowed_tables, refused
from dbgraph_nb.model import Dialect

DIALECTS: tuple[Dialect, ...] = get_args(Dialect)
NAME = re.compile(r"[a-z_][a-z0-9_]*")

# PostgreSQL: what only its own machinery can call (arguments of type internal or cstring).
CALLABLE = """
SELECT DISTINCT proname FROM pg_proc
WHERE pronamespace = 'pg_catalog'::regnamespace
  AND prorettype::regtype::text !~ 'internal|trigger|handler|cstring'
  AND proargtypes::regtype[]::text !~ 'internal|cstring'
"""


def unknown(dialect: Dialect, names: set[str]) -> list[str]:
    known = allowed(dialect) | (allowed_tables(dialect) or frozenset()) | refused(dialect).keys()
    return sorted(name for name in names if NAME.fullmatch(name) and name not in known)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_lists_are_sorted_and_apart(dialect: Dialect) -> None:
    files = [f"functions_{dialect}.txt", f"functions_{dialect}_refused.tsv"]
    if allowed_tables(dialect) is not None:
        files.append(f"functions_{dialect}_table.txt")
    for name in files:
        lines = functions._lines(name)
        assert lines == sorted(set(lines)), name
    callable_names = allowed(dialect) | (allowed_tables(dialect) or frozenset())
    assert not callable_names & refused(dialect).keys()
    assert set(refused(dialect).values()) <= CLASSES.keys()
    assert all(NAME.fullmatch(name) for name in callable_names)


def test_every_duckdb_function_is_reviewed() -> None:
    duckdb = pytest.importorskip("duckdb")
    rows = duckdb.connect().execute(
        "SELECT lower(function_name), function_type, bool_or(has_side_effects) FROM duckdb_functions() GROUP BY ALL"
    )
    names, effects = set(), set()
    for name, kind, has_effect in rows.fetchall():
        if kind != "pragma":  # a pragma is a form of its own
            names.add(name)
        if has_effect:
            effects.add(name)
    assert unknown("duckdb", names) == [], "put each into functions_duckdb.txt, …_table.txt or …_refused.tsv"
    # with an effect by the engine's own word, and still only reading
    harmless = {"random", "uuid", "uuidv4", "uuidv7", "gen_random_uuid", "currval", "vector_type"}
    assert {name for name in effects & allowed("duckdb") if not name.startswith("current_")} <= harmless


def test_every_sqlite_function_is_reviewed() -> None:
    connection = sqlite3.connect(":memory:")
    names = {row[0] for row in connection.execute("SELECT name FROM pragma_function_list")}
    names |= {row[0] for row in connection.execute("SELECT name FROM pragma_module_list WHERE name LIKE 'pragma%'")}
    assert unknown("sqlite", names) == [], f"SQLite {sqlite3.sqlite_version}"


def test_every_postgres_function_is_reviewed() -> None:
    psycopg = pytest.importorskip("psycopg")
    with dbservers.postgres() as server, psycopg.connect(server.dsn) as connection:
        names = {row[0] for row in connection.execute(CALLABLE)}
        volatile = {row[0] for row in connection.execute(CALLABLE + " AND provolatile = 'v'")}
    assert unknown("postgres", names) == [], server.version
    # volatile by the catalogue, and looked at one by one
    doubtful = {name for name in volatile & allowed("postgres") if not name.startswith(("pg_stat_", "pg_"))}
    assert doubtful <= {
        "clock_timestamp", "current_query", "currval", "gen_random_uuid", "lastval", "random", "timeofday",
        "txid_status",
    }  # fmt: skip


def test_every_mariadb_function_is_reviewed(mariadb: dbservers.MariaServer) -> None:
    names = {name for (name,) in mariadb.execute("SELECT lower(function) FROM information_schema.sql_functions")}
    assert unknown("mariadb", names) == [], mariadb.version
