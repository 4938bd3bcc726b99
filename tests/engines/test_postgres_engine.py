"""The PostgreSQL engine on a private server: rows, values, parameters, errors, the session, stopping."""

from __future__ import annotations

import datetime as dt
import signal
import threading
import time
import uuid
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import dbservers
import psycopg
import pytest
from conftest import PostgresDatabase

from dbgraph_nb import gate
from dbgraph_nb.engines import Engine, open_engine
from dbgraph_nb.errors import BadArgument, Cancelled, ConnectionFailed, QueryFailed, QueryTimeout
from dbgraph_nb.model import AllowedQuery, RawRows, Target

SECRET = "geheim-7f3a"
LONG = "SELECT max(a.i + b.i * c.i) FROM many AS a, many AS b, many AS c"


def target(database: PostgresDatabase, user: str | None = None, **options: str) -> Target:
    where = ("127.0.0.1", database.server.port, user or database.user, tuple(sorted(options.items())))
    return Target("postgres", database.name, *where)


@pytest.fixture
def engine(postgres: PostgresDatabase) -> Iterator[Engine]:
    postgres.execute(
        "CREATE TABLE users AS SELECT i AS id, 'n' || i AS name FROM generate_series(0, 2) AS i",
        "CREATE TABLE many AS SELECT i FROM generate_series(1, 5000) AS i",
        'CREATE TABLE empty (a int, "a b" text)',
        "CREATE TABLE hidden (a int)",
    )
    dsn = postgres.server.dsn.replace("dbname=postgres", f"dbname={postgres.name}")
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"REVOKE ALL ON hidden FROM {postgres.user}")
    with open_engine(target(postgres), None) as opened:
        yield opened


def run(engine: Engine, sql: str, params: Any = None, **more: Any) -> RawRows:
    return engine.run(gate.check(sql, dialect="postgres"), params, **more)


def test_rows_names_and_types(engine: Engine) -> None:
    found = run(engine, "SELECT id, name AS id FROM users ORDER BY 1")
    assert (found.columns, found.types) == (("id", "id"), ("int4", "text"))
    assert found.rows == [(0, "n0"), (1, "n1"), (2, "n2")]
    assert (found.row_count, found.exact, found.truncated) == (3, True, False)


def test_the_server_counts_only_when_asked(engine: Engine) -> None:
    sql = "SELECT a.i FROM many AS a, generate_series(1, 20)"
    cut = run(engine, sql, fetch=10)
    assert (len(cut.rows), cut.row_count, cut.exact, cut.truncated) == (10, 10, False, True)
    whole = run(engine, sql, fetch=10, count=True)
    assert (len(whole.rows), whole.row_count, whole.exact, whole.truncated) == (10, 100_000, True, True)


def test_no_rows_have_their_headers(engine: Engine) -> None:
    for sql, params in (("TABLE empty", None), ("SELECT * FROM empty WHERE a = :a AND '%' = '%'", {"a": 1})):
        found = run(engine, sql, params)
        assert (found.columns, found.rows, found.row_count, found.truncated) == (("a", "a b"), [], 0, False)
        assert found.types == ("int4", "text")


@pytest.mark.parametrize("sql", ["SHOW server_version", "EXPLAIN SELECT 1", "VALUES (1, 2)", "(SELECT 1)"])
def test_other_reading_forms(engine: Engine, sql: str) -> None:
    assert len(run(engine, sql).rows) >= 1


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("9223372036854775807", 2**63 - 1),
        ("12345678901234567890.10::numeric", Decimal("12345678901234567890.10")),
        ("'Infinity'::numeric", Decimal("Infinity")),
        ("'infinity'::date", "infinity"),
        ("'-infinity'::timestamptz", "-infinity"),
        ("'0044-03-15 BC'::date", "0044-03-15 BC"),
        ("'20000-01-01'::timestamp", "20000-01-01 00:00:00"),
        ("'9999-12-31'::date", dt.date(9999, 12, 31)),
        ("'24:00'::time", "24:00:00"),
        ("'10:00:00.5'::time", dt.time(10, 0, 0, 500_000)),
        ("'1 mon 2 days'::interval", "1 mon 2 days"),
        ("'3 days 04:00'::interval", dt.timedelta(days=3, hours=4)),
        ("""'{"a": 1.10, "b": 9007199254740993}'::json""", '{"a": 1.10, "b": 9007199254740993}'),
        ("""'{"a": 1.10}'::jsonb""", '{"a": 1.10}'),
        ("'\\xaa00'::bytea", b"\xaa\x00"),
        ("ARRAY[1, NULL]", [1, None]),
        ("ARRAY['infinity'::date]", ["infinity"]),
        ("'10.0.0.1'::inet", "10.0.0.1"),
        ("int4range(1, 5)", "[1,5)"),
        ("B'101'", "101"),
        ("'$5.00'::money::text", "$5.00"),
        ("'7f3a91c2-0000-4000-8000-000000000000'::uuid", uuid.UUID("7f3a91c2-0000-4000-8000-000000000000")),
        ("'007'::text", "007"),
        ("true", True),
        ("NULL", None),
        ("E'it\\'s'", "it's"),
        (r"'a\b'", r"a\b"),
    ],
)
def test_values_are_faithful(engine: Engine, expression: str, value: object) -> None:
    (found,) = engine.run(AllowedQuery(f"SELECT {expression}", "postgres", None)).rows[0]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("sql", "params", "rows"),
    [
        ("SELECT name FROM users WHERE id = :id OR id = :id", {"id": 1}, [("n1",)]),
        ("SELECT name FROM users WHERE name LIKE 'n%' AND id::text = :x", {"x": "2"}, [("n2",)]),
        ("SELECT (ARRAY[1, 2, 3])[2:3], ':y', $$:z$$ FROM users -- :d\nWHERE id = :x", {"x": 0},
         [([2, 3], ":y", ":z")]),
        ("""SELECT '{"a": 1}'::jsonb ? :k""", {"k": "a"}, [(True,)]),
        ("SELECT (ARRAY[10, 20, 30])[:x], :x FROM (SELECT 2 AS x) AS t", {"x": 7}, [([10, 20], 7)]),
        ("SELECT (ARRAY[10, 20])[1 :x], :x FROM (SELECT 2 AS x) AS t", {"x": 7}, [([10, 20], 7)]),
        (r"SELECT name'\', ':x', :x", {"x": 7}, [("\\", ":x", 7)]),
        ("SELECT :a::text", {"a": "it's; DROP TABLE users"}, [("it's; DROP TABLE users",)]),
        ("SELECT :a::numeric, :b::text, :c::date", {"a": Decimal("1.5"), "b": None, "c": dt.date(2024, 1, 2)},
         [(Decimal("1.5"), None, dt.date(2024, 1, 2))]),
        ("SELECT count(*) FROM many LIMIT :n", {"n": 1}, [(5000,)]),
    ],
)  # fmt: skip
def test_parameters_are_bound(engine: Engine, sql: str, params: Any, rows: list[Any]) -> None:
    assert run(engine, sql, params).rows == rows


@pytest.mark.parametrize(
    ("sql", "params", "code"),
    [
        ("SELECT :a", {}, "missing-parameter"),
        ("SELECT :a", {"a": 1, "b": 2}, "unknown-parameter"),
        ("SELECT 1", {"b": 2}, "unknown-parameter"),
        ("SELECT :a", {"a": [1]}, "bad-parameter"),
        ("SELECT b'1', $1, :x", {"x": 2}, "unclear-parameter"),
    ],
)
def test_wrong_parameters(engine: Engine, sql: str, params: Any, code: str) -> None:
    with pytest.raises(BadArgument) as caught:
        run(engine, sql, params)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("sql", "code", "token"),
    [
        ("SELECT * FROM usrs", "no-such-table", "usrs"),
        ("SELECT nme FROM users", "no-such-column", "nme"),
        ("SELECT id FROM users AS a, users AS b", "ambiguous-column", "id"),
        ("SELECT name, count(*) FROM users", "not-grouped", None),
        ("SELECT nosuch(1)", "no-such-function", "nosuch"),
        ("SELECT 1 + 'x'::text", "no-such-function", None),
        ("SELECT row_number() OVER () FROM users WHERE rank() OVER () > 1", "misplaced-function", None),
        (f"SELECT '{SECRET}'::int", "bad-conversion", None),
        (f"SELECT '{SECRET}'::date", "bad-conversion", None),
        ("SELECT 1 / (id - 1) FROM users", "division-by-zero", None),
        ("SELECT 2000000000 * 2000000000", "value-out-of-range", None),
        ("SELECT (SELECT id FROM users)", "column-count", None),
        ("SELECT * FROM hidden", "not-granted", "hidden"),
        ("SELECT FROM FROM", "syntax-error", None),
        ("SELECT 1; SELECT 2", "not-one-statement", None),
        ("SELECT id FROM users UNION SELECT name FROM users", "bad-conversion", None),
        ("SELECT id FROM users FOR UPDATE", "not-allowed", None),
        ("WITH x AS (DELETE FROM users RETURNING 1) SELECT * FROM x", "not-allowed", None),
        ("DELETE FROM users", "not-allowed", None),
        (f"SELECT substring('x' FROM '{SECRET}[')", "bad-value", None),
        ("SELECT * FROM users TABLESAMPLE SYSTEM (200)", "bad-value", None),
        ("SELECT currval('pg_class')", "bad-statement", None),
        ("SELECT repeat('x', 2000000000)", "too-complex", None),
    ],
)
def test_errors_are_our_own_sentences(engine: Engine, sql: str, code: str, token: str | None) -> None:
    with pytest.raises(QueryFailed) as caught:
        engine.run(AllowedQuery(sql, "postgres", None))
    assert caught.value.code == code
    assert SECRET not in str(caught.value)
    if token:
        assert caught.value.token == token
    assert run(engine, "SELECT 1").rows == [(1,)]


def test_only_checked_statements_run(engine: Engine) -> None:
    for wrong in ("SELECT 1", AllowedQuery("SELECT 1", "mysql", None)):
        with pytest.raises(BadArgument) as caught:
            engine.run(wrong)  # type: ignore[arg-type]
        assert caught.value.code == "not-checked"


def test_texts_are_read_as_the_gate_reads_them(postgres: PostgresDatabase) -> None:
    """Whatever the database or the role has set."""
    postgres.execute(f"ALTER DATABASE {postgres.name} SET standard_conforming_strings = off")
    postgres.execute(f"ALTER ROLE {postgres.user} SET default_transaction_read_only = off")
    with open_engine(target(postgres), None) as engine:
        assert run(engine, "SHOW standard_conforming_strings").rows == [("on",)]
        assert run(engine, "SHOW transaction_read_only").rows == [("on",)]
        assert run(engine, r"SELECT 'a\'").rows == [("a\\",)]


def test_nothing_of_a_statement_stays(engine: Engine, postgres: PostgresDatabase) -> None:
    for sql in (
        "SELECT set_config('search_path', 'pg_catalog', false)",
        "SELECT set_config('work_mem', '1MB', false)",
        "SELECT pg_advisory_lock(77)",
        "SELECT pg_notify('x', 'y')",
    ):
        engine.run(AllowedQuery(sql, "postgres", None))
    assert run(engine, "SELECT count(*) FROM users").rows == [(3,)]
    assert run(engine, "SHOW work_mem").rows != [("1MB",)]
    assert postgres.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") == [(0,)]


def test_the_log_shows_one_statement_in_a_read_only_transaction(engine: Engine, postgres: PostgresDatabase) -> None:
    run(engine, "SELECT 1")
    before = postgres.server.log.stat().st_size
    run(engine, "SELECT 'the one'")
    time.sleep(0.05)
    log = postgres.server.log.read_bytes()[before:].decode("utf-8", "replace")
    assert log.count("the one") == 1
    assert "BEGIN TRANSACTION READ ONLY" in log
    assert "ROLLBACK" in log


def test_a_timeout_stops_the_statement(engine: Engine) -> None:
    started = time.monotonic()
    with pytest.raises(QueryTimeout):
        run(engine, LONG, timeout=0.3)
    assert time.monotonic() - started < 1.3
    assert run(engine, "SELECT 1").rows == [(1,)]


def test_cancel_from_another_thread(engine: Engine, postgres: PostgresDatabase) -> None:
    threading.Timer(0.2, engine.cancel).start()
    with pytest.raises(Cancelled):
        run(engine, LONG)
    assert postgres.execute("SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%many%' "
                            "AND pid <> pg_backend_pid()") == [(0,)]  # fmt: skip
    assert run(engine, "SELECT 1").rows == [(1,)]


def test_somebody_ends_the_statement_or_the_connection(engine: Engine, postgres: PostgresDatabase) -> None:
    for function, kind, code in (
        ("pg_cancel_backend", QueryFailed, "statement-killed"),
        ("pg_terminate_backend", ConnectionFailed, "connection-lost"),
    ):
        kill = f"SELECT {function}(pid) FROM pg_stat_activity WHERE usename = '{postgres.user}'"
        threading.Timer(0.3, postgres.execute, [kill]).start()
        with pytest.raises(kind) as caught:
            run(engine, LONG)
        assert caught.value.code == code
        assert run(engine, "SELECT 1").rows == [(1,)], "it connects anew"


def test_an_idle_connection_that_was_closed_is_opened_again(engine: Engine, postgres: PostgresDatabase) -> None:
    run(engine, "SELECT 1")
    postgres.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{postgres.user}'")
    time.sleep(0.1)
    assert run(engine, "SELECT 1").rows == [(1,)]


def test_a_table_that_is_locked(engine: Engine, postgres: PostgresDatabase) -> None:
    with psycopg.connect(postgres.server.dsn.replace("dbname=postgres", f"dbname={postgres.name}")) as other:
        other.execute("LOCK TABLE users IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(QueryFailed) as caught:
            run(engine, "SELECT * FROM users", timeout=20)
    assert caught.value.code == "database-locked"


def test_a_wide_result_is_bounded(engine: Engine) -> None:
    with pytest.raises(QueryFailed) as caught:
        run(engine, "SELECT repeat('x', 100000000) FROM users", fetch=1000)
    assert caught.value.code == "result-too-large"
    assert run(engine, "SELECT 1").rows == [(1,)]


def test_what_a_login_may_do_beyond_reading(engine: Engine, postgres: PostgresDatabase) -> None:
    assert engine.privileges() == ()
    postgres.execute(f"GRANT pg_read_server_files TO {postgres.user}")
    assert engine.privileges() == ("read files of the server",)
    with open_engine(target(postgres, "postgres"), None) as superuser:
        assert superuser.privileges() == ("do everything on the server (it is a superuser)",)


def test_connections_that_fail(postgres: PostgresDatabase, postgres_server: dbservers.PostgresServer) -> None:
    port = postgres_server.port
    postgres.execute("CREATE ROLE nologin", f"REVOKE CONNECT ON DATABASE {postgres.name} FROM PUBLIC")
    cases = [
        (Target("postgres", "nope", "127.0.0.1", port, "postgres"), "unknown-database"),
        (Target("postgres", postgres.name, "127.0.0.1", port, "nobody"), "access-denied"),
        (Target("postgres", postgres.name, "127.0.0.1", port, "nologin"), "account-locked"),
        (Target("postgres", postgres.name, "127.0.0.1", port, postgres.user), "database-denied"),
        (Target("postgres", "x", "127.0.0.1", dbservers.free_port(), "x"), "connection-refused"),
        (Target("postgres", "x", None, None, "x", (("host", "/nowhere"),)), "connection-refused"),
        (Target("postgres", "x", "no-such-host.invalid", None, "x"), "unknown-host"),
        (Target("postgres", "x", "127.0.0.1", port, "postgres", (("sslmode", "require"),)), "tls-not-offered"),
    ]
    try:
        for where, code in cases:
            with pytest.raises(ConnectionFailed) as caught:
                open_engine(where, SECRET)
            assert caught.value.code == code, caught.value
            assert SECRET not in str(caught.value)
            assert "\n" not in str(caught.value)
    finally:
        postgres.execute("DROP ROLE nologin")


def test_another_server_behind_the_port(mariadb: dbservers.MariaServer) -> None:
    with pytest.raises(ConnectionFailed) as caught:
        open_engine(Target("postgres", "x", "127.0.0.1", mariadb.port, "x", (("sslmode", "disable"),)), SECRET)
    assert caught.value.code == "not-a-server"


def test_the_environment_does_not_lead_elsewhere(postgres: PostgresDatabase) -> None:
    elsewhere = {"PGHOSTADDR": "127.0.0.9", "PGPASSWORD": SECRET, "PGOPTIONS": "-c jit=on", "PGUSER": "x"}
    with pytest.MonkeyPatch.context() as environment:
        for name, value in elsewhere.items():
            environment.setenv(name, value)
        with open_engine(target(postgres), None) as engine:
            assert run(engine, "SHOW jit").rows == [("off",)]


def test_a_stopped_server_is_noticed() -> None:
    with dbservers.postgres() as server:
        engine = open_engine(Target("postgres", "postgres", "127.0.0.1", server.port, "postgres"), None)
    with pytest.raises(ConnectionFailed) as caught:
        run(engine, "SELECT 1")
    assert caught.value.code == "connection-refused"
    engine.close()


def test_an_interrupt_is_an_interrupt(engine: Engine) -> None:
    threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run(engine, LONG)
    assert time.monotonic() - started < 1.3
    assert run(engine, "SELECT 1").rows == [(1,)]
