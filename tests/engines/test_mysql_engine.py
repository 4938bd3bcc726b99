from __future__ import annotations

import _thread
import datetime as dt
import threading
import time
import traceback
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from conftest import MariaDatabase

from dbgraph_nb.engines import Engine, open_engine
from dbgraph_nb.engines.mysql import MysqlEngine
from dbgraph_nb.errors import DbgraphError, QueryFailed, QueryTimeout
from dbgraph_nb.model import AllowedQuery, Target

SECRET = "hunter2-秘密"
# A join over real rows: a killed SLEEP or BENCHMARK would answer as if it had finished.
ENDLESS = (
    "SELECT count(*) FROM information_schema.columns a, information_schema.columns b, information_schema.columns c"
)


def allowed(sql: str) -> AllowedQuery:
    return AllowedQuery(sql, "mysql", None)


def target(maria: MariaDatabase, **changes: Any) -> Target:
    values = {"dialect": "mysql", "database": maria.name, "host": "127.0.0.1", "port": maria.server.port}
    return Target(**{**values, "user": maria.user, **changes})


@pytest.fixture
def engine(maria: MariaDatabase) -> Iterator[Engine]:
    maria.execute(
        "CREATE TABLE users (id INT PRIMARY KEY, name VARCHAR(40), password VARCHAR(40))",
        f"INSERT INTO users VALUES (1, '张三', '{SECRET}'), (2, '李四 50%', '{SECRET}'), (3, 'O''Brien \\\\', NULL)",
    )
    with open_engine(target(maria), maria.password) as opened:
        yield opened


def failure(engine: Engine, sql: str, params: Any = None, **more: Any) -> DbgraphError:
    with pytest.raises(DbgraphError) as caught:
        engine.run(allowed(sql), params, **more)
    error = caught.value
    said = "".join(traceback.format_exception(error)) + repr(error)
    assert SECRET not in said
    assert error.__context__ is None, "no driver's error behind ours"
    assert "\n" not in str(error)
    return error


def session(engine: Engine) -> int:
    return int(engine.run(allowed("SELECT connection_id()")).rows[0][0])


def test_what_it_says_of_itself(engine: Engine, maria: MariaDatabase) -> None:
    version = maria.server.version.split("-")[0]
    assert (engine.dialect, engine.server, engine.default_schema) == ("mariadb", f"MariaDB {version}", maria.name)
    assert repr(engine) == f"MysqlEngine('{maria.url}')"
    assert maria.password not in str(vars(engine)) + repr(engine)


def test_rows(engine: Engine) -> None:
    raw = engine.run(allowed("SELECT id, name, id FROM users ORDER BY id"))
    assert raw.columns == ("id", "name", "id")
    assert raw.rows == [(1, "张三", 1), (2, "李四 50%", 2), (3, "O'Brien \\", 3)]
    assert raw.types == ("INT", "VARCHAR", "INT")
    assert (raw.row_count, raw.exact, raw.truncated) == (3, True, False)
    empty = engine.run(allowed("SELECT id FROM users WHERE id < 0"))
    assert (empty.columns, empty.rows, empty.row_count, empty.exact) == (("id",), [], 0, True)


def test_the_rest_is_counted_only_when_asked_for(engine: Engine) -> None:
    sql = "SELECT 1 FROM users a, users b, users c"
    raw = engine.run(allowed(sql), fetch=5)
    assert (len(raw.rows), raw.row_count, raw.exact, raw.truncated) == (5, 5, False, True)
    raw = engine.run(allowed(sql), fetch=5, count=True)
    assert (len(raw.rows), raw.row_count, raw.exact, raw.truncated) == (5, 27, True, True)
    for count in (False, True):
        raw = engine.run(allowed(sql), fetch=27, count=count)
        assert (len(raw.rows), raw.row_count, raw.exact, raw.truncated) == (27, 27, True, False)


def test_a_long_result_is_left_and_not_read(engine: Engine) -> None:
    sql = ENDLESS.replace("count(*)", "a.table_name")
    started = time.monotonic()
    raw = engine.run(allowed(sql), fetch=10, timeout=60)
    assert (len(raw.rows), raw.exact, raw.truncated) == (10, False, True)
    assert time.monotonic() - started < 20, "10^9 rows would take hours"
    assert engine.run(allowed("SELECT 1")).rows == [(1,)]


# --- what is on the wire ----------------------------------------------------------------------------------------


def test_one_statement_for_a_run_and_two_for_connecting(engine: Engine, maria: MariaDatabase) -> None:
    sql = "SELECT name /* 100% */ FROM users\n WHERE name LIKE '%50%%' -- %s :x"
    with maria.server.logging() as statements:
        assert engine.run(allowed(sql)).rows == [("李四 50%",)]
        assert statements() == [sql]
        with open_engine(target(maria), maria.password):
            pass
        assert [statement.split()[0] for statement in statements()[1:]] == ["SET", "SET"]
        assert statements()[1] == "SET NAMES utf8mb4"


@pytest.mark.parametrize("value", ["张三", "O'Brien \\", "李四 50%", "' OR 1=1 -- ", '" :name %s'])
def test_parameters_are_bound(engine: Engine, maria: MariaDatabase, value: str) -> None:
    sql = "SELECT name FROM users WHERE name = :name AND '%' = :p -- :y"
    with maria.server.logging() as statements:
        found = engine.run(allowed(sql), {"name": value, "p": "%"}).rows
        assert len(statements()) == 1
    assert found == ([(value,)] if value in ("张三", "O'Brien \\", "李四 50%") else [])


def test_each_kind_of_parameter_comes_back(engine: Engine) -> None:
    values = [
        None, 2**63, Decimal("1.10"), "口令😀", b"\0\xff'", dt.date(2024, 1, 2), dt.datetime(2024, 1, 2, 3, 4, 5),
        dt.timedelta(hours=30), "a'b\\c\"d\n\0%",
    ]  # fmt: skip
    row = engine.run(allowed("SELECT " + ", ".join("?" * len(values))), values).rows[0]
    assert row[:5] == tuple(values[:5])
    assert row[8] == values[8]
    assert [str(value) for value in row[5:7]] == ["2024-01-02", "2024-01-02 03:04:05"]
    assert failure(engine, "SELECT :a").code == "missing-parameter"


def test_values_are_faithful(maria: MariaDatabase) -> None:
    maria.execute(
        "SET sql_mode = ''",
        "CREATE TABLE v (d DECIMAL(30,10), big BIGINT UNSIGNED, day DATE, moment DATETIME(3), span TIME(1),"
        " bits BIT(9), bin VARBINARY(9), js JSON, y YEAR, e ENUM('a','b'), s SET('p','q'), f DOUBLE, t TEXT,"
        " bl BLOB, ok BOOL)",
        "INSERT INTO v VALUES ('12345678901234567890.0123456789', 18446744073709551615, '0000-00-00',"
        " '2024-01-02 03:04:05.678', '-838:59:59', b'101', x'00ff', '{\"a\": 1}', 1999, 'a',"
        " 'p,q', 0.1, '007', x'ff', 1)",
        "INSERT INTO v (day, moment, span) VALUES ('2024-00-10', '0000-00-00 00:00:00', '01:02:03.5')",
    )
    with open_engine(target(maria), maria.password) as engine:
        raw = engine.run(allowed("SELECT * FROM v"))
        assert engine.run(allowed("SELECT count(*) FROM v WHERE day = '0000-00-00'")).rows == [(1,)]
    assert raw.rows[0] == (
        Decimal("12345678901234567890.0123456789"), 2**64 - 1, "0000-00-00", dt.datetime(2024, 1, 2, 3, 4, 5, 678000),
        -dt.timedelta(hours=838, minutes=59, seconds=59), b"\x00\x05", b"\0\xff", '{"a": 1}', 1999, "a", "p,q", 0.1,
        "007", b"\xff", 1,
    )  # fmt: skip
    assert raw.rows[1][2:5] == (
        "2024-00-10",
        "0000-00-00 00:00:00.000",
        dt.timedelta(hours=1, minutes=2, seconds=3.5),
    )
    assert raw.types[:2] == ("DECIMAL", "BIGINT UNSIGNED")
    assert raw.types[-2:] == ("BLOB", "TINYINT")


# --- stopping -------------------------------------------------------------------------------------------------


def is_quiet(maria: MariaDatabase) -> bool:
    """Whether the server soon runs nothing of the reading user (a thread may take a moment to say so)."""
    ask = f"SELECT count(*) FROM information_schema.processlist WHERE user = '{maria.user}' AND command = 'Query'"
    end = time.monotonic() + 2
    while time.monotonic() < end:
        if maria.execute(ask) == [(0,)]:
            return True
        time.sleep(0.02)
    return False


def test_an_interrupt_stops_the_query_in_the_server_too(engine: Engine, maria: MariaDatabase) -> None:
    before = session(engine)
    for _ in range(3):
        threading.Timer(0.3, _thread.interrupt_main).start()
        started = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            engine.run(allowed(ENDLESS))
        assert time.monotonic() - started < 0.3 + 3, "generous; measured: about 0.02 s"
        assert is_quiet(maria)
        assert session(engine) == before, "the same connection goes on"


def test_a_timeout_stops_the_query(engine: Engine, maria: MariaDatabase) -> None:
    before = session(engine)
    error = failure(engine, ENDLESS, timeout=0.3)
    assert isinstance(error, QueryTimeout)
    assert "0.3 s" in str(error)
    assert is_quiet(maria)
    assert session(engine) == before


def test_the_answer_of_a_killed_statement_is_not_an_answer(engine: Engine) -> None:
    """The server answers a killed BENCHMARK with 0 and a killed SLEEP with 1, and no error."""
    for sql in ("SELECT BENCHMARK(1000000000, SHA2('x', 512))", "SELECT SLEEP(60)"):
        assert failure(engine, sql, timeout=0.3).code == "query-timeout"
    assert engine.run(allowed("SELECT 1")).rows == [(1,)]


def test_a_stop_while_rows_come(engine: Engine, maria: MariaDatabase) -> None:
    sql = ENDLESS.replace("count(*)", "a.table_name")
    assert failure(engine, sql, fetch=10**9, timeout=0.4).code == "query-timeout"
    assert failure(engine, sql, fetch=1, count=True, timeout=0.4).code == "query-timeout"
    assert engine.run(allowed("SELECT 1")).rows == [(1,)]


def test_cancel_and_close_from_another_thread(engine: Engine) -> None:
    threading.Timer(0.3, engine.cancel).start()
    assert failure(engine, ENDLESS).code == "query-cancelled"
    threading.Timer(0.3, engine.close).start()
    assert failure(engine, ENDLESS).code == "query-cancelled"
    assert failure(engine, "SELECT 1").code == "connection-closed"


def test_from_a_thread_that_is_not_the_main_one(engine: Engine) -> None:
    raised: list[BaseException] = []

    def body() -> None:
        try:
            engine.run(allowed(ENDLESS), timeout=0.3)
        except QueryTimeout as error:
            raised.append(error)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join(30)
    assert len(raised) == 1


def test_a_server_that_cannot_be_asked_to_kill_is_left(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MysqlEngine, "_kill", lambda self: None)
    started = time.monotonic()
    assert failure(engine, ENDLESS, timeout=0.3).code == "query-timeout"
    assert time.monotonic() - started < 5
    assert engine.run(allowed("SELECT 1")).rows == [(1,)]


def test_the_servers_own_limit_is_the_second_line(
    engine: Engine, maria: MariaDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = allowed("SELECT @@max_statement_time")
    assert engine.run(ask).rows == [(31.0,)]
    assert engine.run(ask, timeout=100).rows == [(101.0,)], "a longer timeout needs another session"
    monkeypatch.setattr("dbgraph_nb.engines.mysql._SPARE", -4.7)
    with open_engine(target(maria), maria.password, timeout=5) as hasty:
        assert "The server stopped the statement" in str(failure(hasty, ENDLESS, timeout=5))


# --- the lock, without the gate ---------------------------------------------------------------------------------


@pytest.fixture
def root_engine(engine: Engine, maria: MariaDatabase) -> Iterator[Engine]:
    """An engine whose user has every right: only the session itself protects the data."""
    with open_engine(target(maria, user="root"), None) as opened:
        yield opened


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("INSERT INTO users VALUES (9, 'x', 'y')", "not-allowed"),
        ("DELETE FROM users", "not-allowed"),
        ("/* a */ DROP TABLE users", "not-allowed"),
        ("/*! DELETE FROM users */", "not-allowed"),
        ("/*M! DELETE FROM users */", "not-allowed"),
        ("SET SESSION TRANSACTION READ WRITE", "not-allowed"),
        ("COMMIT", "not-allowed"),
        ("CREATE TEMPORARY TABLE z (a INT)", "not-allowed"),
        ("CALL p()", "not-allowed"),
        ("LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE users", "not-allowed"),
        ("KILL 1", "not-allowed"),
        ("ANALYZE TABLE users", "not-allowed"),
        ("BEGIN NOT ATOMIC DELETE FROM users; END", "not-allowed"),
        ("SELECT 1; DELETE FROM users", "syntax-error"),
        ("SELECT id FROM users FOR UPDATE", "read-only"),
        ("EXPLAIN DELETE FROM users", "read-only"),
        ("ANALYZE FORMAT=JSON DELETE FROM users", "read-only"),
        ("WITH d AS (SELECT 1) DELETE FROM users", "syntax-error"),
        ("SELECT NEXTVAL(numbers)", "read-only"),
    ],
)
def test_writes_are_refused_even_to_root(root_engine: Engine, maria: MariaDatabase, sql: str, code: str) -> None:
    maria.execute("CREATE SEQUENCE numbers")
    error = None
    try:
        root_engine.run(allowed(sql))
    except DbgraphError as refused:
        error = refused
    assert maria.execute("SELECT count(*) FROM users") == [(3,)]
    if sql.startswith(("EXPLAIN", "SELECT id")) and error is None:
        return  # explains, or locks nothing, without writing
    assert error is not None
    assert error.code == code


def test_the_session_is_set_up_whatever_the_servers_own_mode(maria: MariaDatabase) -> None:
    maria.execute("SET GLOBAL sql_mode = 'ANSI,NO_BACKSLASH_ESCAPES'", "SET GLOBAL autocommit = 0")
    try:
        with open_engine(target(maria), maria.password) as engine:
            rows = engine.run(allowed("SELECT @@sql_mode, @@autocommit, @@tx_read_only, @@character_set_client")).rows
            assert rows[0][1:] == (1, 1, "utf8mb4")
            assert not {"ANSI_QUOTES", "NO_BACKSLASH_ESCAPES", "PIPES_AS_CONCAT"} & set(rows[0][0].split(","))
            assert engine.run(allowed("SELECT \"text\", 'it\\'s', :a"), {"a": "\\'"}).rows == [("text", "it's", "\\'")]
    finally:
        maria.execute("SET GLOBAL sql_mode = DEFAULT", "SET GLOBAL autocommit = 1")


# --- errors ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sql", "code", "said"),
    [
        ("SELECT * FROM usr", "no-such-table", "There is no table usr (line 1, column 15)."),
        ("SELECT nope\nFROM users", "no-such-column", "There is no column nope (line 1, column 8)."),
        ("SELECT id\nFROM users\nWERE id = 1", "syntax-error", "near id (line 3, column 6)"),
        ("SELECT id FROM", "syntax-error", "ends too early"),
        ("SELECT 'hunter2", "syntax-error", "does not understand"),
        ("SELECT 'a' 'it's hunter2'", "syntax-error", "does not understand"),
        ("SELECT id FROM users a, users b", "ambiguous-column", "The column id is in more than one"),
        ("SELECT nofunc(1)", "no-such-function", "There is no function nofunc"),
        ("SELECT abs(1, 2)", "wrong-arguments", "arguments"),
        ("SELECT * FROM mysql.user", "table-denied", "may not read the table user"),
        ("SELECT load_file(1) FROM users INTO OUTFILE '/tmp/x'", "table-denied", "right"),
        ("SELECT (SELECT id FROM users)", "too-many-rows", "several rows"),
        ("SELECT 1 UNION SELECT 1, 2", "column-count", "different numbers"),
        ("SELECT 1 WHERE count(*) > 1", "misplaced-function", "aggregate"),
        ("SELECT exp(10000)", "value-out-of-range", "too large"),
        ("SELECT * FROM users JOIN users", "bad-alias", "alias"),
        ("SELECT 'a' COLLATE utf8mb4_bin = 'b' COLLATE utf8mb4_general_ci", "bad-collation", "collations"),
        ("SELECT 1 FROM users WHERE MATCH (name) AGAINST ('x')", "bad-match", "full-text index"),
        ("SELECT 1 REGEXP '('", "bad-pattern", "regular expression"),
        ("SELECT extractvalue(1, concat('~', (SELECT password FROM users LIMIT 1)))", "engine-error", "error 1105"),
    ],
)
def test_errors_are_one_sentence(engine: Engine, sql: str, code: str, said: str) -> None:
    error = failure(engine, sql)
    assert (type(error), error.code) == (QueryFailed, code)
    assert said in str(error)
    assert "hunter2" not in str(error)


def test_a_view_of_a_dropped_table(engine: Engine, maria: MariaDatabase) -> None:
    maria.execute("CREATE TABLE gone (a INT)", "CREATE VIEW v AS SELECT a FROM gone", "DROP TABLE gone")
    assert failure(engine, "SELECT * FROM v").code == "broken-view"


def test_a_message_of_a_routine_is_not_repeated(engine: Engine, maria: MariaDatabase) -> None:
    maria.execute(
        "CREATE FUNCTION tell() RETURNS INT READS SQL DATA BEGIN DECLARE p VARCHAR(40);"
        " SELECT password INTO p FROM users LIMIT 1; SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = p; RETURN 1; END",
        f"GRANT EXECUTE ON {maria.name}.* TO {maria.user}@'127.0.0.1'",
    )
    with open_engine(target(maria), maria.password) as another:
        error = failure(another, "SELECT tell()")
    assert error.code == "engine-error"
    assert "raised by a routine" in str(error)


# --- connections that come and go ---------------------------------------------------------------------------------


def test_an_idle_connection_that_the_server_closed_is_opened_again(engine: Engine, maria: MariaDatabase) -> None:
    first = session(engine)
    maria.execute(f"KILL {first}")
    time.sleep(0.2)
    with maria.server.logging() as statements:
        assert session(engine) != first
        assert [s for s in statements() if s.startswith("SELECT")] == ["SELECT connection_id()"]


def test_a_connection_lost_during_a_statement(engine: Engine, maria: MariaDatabase) -> None:
    number = session(engine)
    threading.Timer(0.3, maria.execute, [f"KILL {number}"]).start()
    assert failure(engine, ENDLESS).code == "connection-lost"
    assert engine.run(allowed("SELECT 1")).rows == [(1,)]


def test_a_statement_killed_by_somebody_else(engine: Engine, maria: MariaDatabase) -> None:
    number = session(engine)
    threading.Timer(0.3, maria.execute, [f"KILL QUERY {number}"]).start()
    assert failure(engine, ENDLESS).code == "statement-killed"
    assert session(engine) == number


def test_catalog_queries(engine: Engine, maria: MariaDatabase) -> None:
    sql = "SELECT table_name FROM information_schema.tables WHERE table_schema = %s AND table_name LIKE 'user%%'"
    assert engine.catalog(sql, [maria.name]) == [("users",)]
    assert engine.catalog("SELECT '50%%', 'a%'") == [("50%%", "a%")]
    with pytest.raises(QueryFailed):
        engine.catalog("SELECT * FROM nope")


def test_a_recursive_query_is_not_cut_without_a_word(engine: Engine) -> None:
    query = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 5000) SELECT count(*) FROM c"
    assert engine.run(allowed(query)).rows == [(5000,)]
