from __future__ import annotations

import _thread
import sqlite3
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dbgraph_nb.engines import Engine, open_engine
from dbgraph_nb.errors import BadArgument, ConnectionFailed, DbgraphError, QueryFailed, QueryTimeout
from dbgraph_nb.model import AllowedQuery, Target

SECRET = "hunter2-秘密"
ENDLESS = "SELECT count(*) FROM users a, users b, users c, users d, users e"


def allowed(sql: str) -> AllowedQuery:
    return AllowedQuery(sql, "sqlite", None)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "订单 #1 50%.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, password TEXT)")
        rows = [(i, f"用户{i}", SECRET) for i in range(1, 1001)]
        connection.executemany("INSERT INTO users VALUES (?, ?, ?)", rows)
    connection.close()
    return file


@pytest.fixture
def engine(path: Path) -> Iterator[Engine]:
    with open_engine(Target("sqlite", str(path)), None) as opened:
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


def test_what_it_says_of_itself(engine: Engine, path: Path) -> None:
    assert (engine.dialect, engine.default_schema) == ("sqlite", "main")
    assert engine.server == f"SQLite {sqlite3.sqlite_version}"
    assert repr(engine) == f"SqliteEngine({str(path)!r})"


def test_rows_and_their_true_number(engine: Engine) -> None:
    raw = engine.run(allowed("SELECT id, name, id FROM users ORDER BY id"), fetch=3)
    assert raw.columns == ("id", "name", "id")
    assert raw.rows == [(1, "用户1", 1), (2, "用户2", 2), (3, "用户3", 3)]
    assert (raw.row_count, raw.exact, raw.truncated) == (1000, True, True)
    whole = engine.run(allowed("SELECT id FROM users"), fetch=1000)
    assert (len(whole.rows), whole.row_count, whole.exact, whole.truncated) == (1000, 1000, True, False)
    empty = engine.run(allowed("SELECT id FROM users WHERE id < 0"))
    assert (empty.columns, empty.rows, empty.row_count, empty.truncated) == (("id",), [], 0, False)


def test_counting_ends_with_the_time_and_says_so(engine: Engine) -> None:
    raw = engine.run(allowed("SELECT 1 FROM users a, users b, users c"), fetch=10, timeout=0.3)
    assert len(raw.rows) == 10
    assert (raw.row_count, raw.exact, raw.truncated) == (10, False, True)
    assert engine.run(allowed("SELECT 1")).rows == [(1,)]


def test_parameters_are_bound(engine: Engine) -> None:
    sql = "SELECT id FROM users WHERE name = :name AND ':x' <> '' -- :y"
    assert engine.run(allowed(sql), {"name": "用户7"}).rows == [(7,)]
    assert engine.run(allowed(sql), {"name": "' OR 1=1 --"}).rows == []
    assert engine.run(allowed("SELECT ?, ?"), [b"\0", None]).rows == [(b"\0", None)]
    assert failure(engine, "SELECT :a").code == "missing-parameter"
    assert failure(engine, "SELECT @a").code == "missing-parameter"
    assert failure(engine, "SELECT ?5").code == "missing-parameter"
    assert engine.run(allowed("SELECT @a, $b"), {"a": 1, "b": 2}).rows == [(1, 2)]


def test_values_are_faithful(tmp_path: Path) -> None:
    file = tmp_path / "v.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE v (i, r, t, b, broken, n)")
        connection.execute(
            "INSERT INTO v VALUES (9223372036854775807, 0.1, '007', x'00ff', CAST(x'ff41' AS TEXT), NULL)"
        )
    connection.close()
    with open_engine(Target("sqlite", str(file)), None) as engine:
        raw = engine.run(allowed("SELECT * FROM v"))
        assert raw.rows == [(2**63 - 1, 0.1, "007", b"\0\xff", b"\xffA", None)]
        assert engine.run(allowed("SELECT t FROM v")).rows == [("007",)]
        assert engine.catalog("SELECT broken FROM v WHERE i > ?", [1]) == [("\ufffdA",)]


# --- stopping -------------------------------------------------------------------------------------------------


def test_an_interrupt_stops_the_query_and_the_engine_goes_on(engine: Engine) -> None:
    for _ in range(3):
        threading.Timer(0.2, _thread.interrupt_main).start()
        started = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            engine.run(allowed(ENDLESS))
        assert time.monotonic() - started < 0.2 + 3, "generous; measured: a few milliseconds"
        assert engine.run(allowed("SELECT 1")).rows == [(1,)]


def test_a_timeout_stops_the_query(engine: Engine) -> None:
    error = failure(engine, ENDLESS, timeout=0.2)
    assert isinstance(error, QueryTimeout)
    assert error.code == "query-timeout"
    recursion = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT count(*) FROM r"
    assert failure(engine, recursion, timeout=0.2).code == "query-timeout"
    assert engine.run(allowed("SELECT 1")).rows == [(1,)]
    assert failure(engine, "SELECT 1", timeout=0).code == "bad-timeout"


def test_cancel_and_close_from_another_thread(engine: Engine) -> None:
    threading.Timer(0.2, engine.cancel).start()
    assert failure(engine, ENDLESS).code == "query-cancelled"
    threading.Timer(0.2, engine.close).start()
    assert failure(engine, ENDLESS).code == "query-cancelled"
    assert failure(engine, "SELECT 1").code == "connection-closed"
    engine.close()


# --- errors ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sql", "code", "said"),
    [
        ("SELECT * FROM usr", "no-such-table", "There is no table usr (line 1, column 15)."),
        ("SELECT nope\nFROM users", "no-such-column", "There is no column nope (line 1, column 8)."),
        ("SELECT\n  id\nFRM users WHERE id = 1", "syntax-error", "near"),
        ("SELECT id FROM users a, users b", "ambiguous-column", "The column id is in more than one"),
        ("SELECT nofunc(1)", "no-such-function", "SQLite has no function nofunc"),
        ("SELECT abs(1, 2)", "wrong-arguments", "The function abs gets"),
        ("SELECT 1 WHERE count(*) > 1", "misplaced-function", "count"),
        ("SELECT json_extract(password, '$.a') FROM users", "bad-json", "JSON"),
        ("SELECT sum(9223372036854775807) FROM users", "value-out-of-range", "64 bits"),
        ("SELECT 1 UNION SELECT 1, 2", "column-count", "different numbers of columns"),
        ("SELECT 1; SELECT 2", "not-one-statement", "Only one statement"),
        ("SELECT 'hunter2", "syntax-error", "quote"),
        ("SELECT '\0'", "syntax-error", "NUL"),
        ("SELECT zeroblob(1000000000)", "too-complex", "too large"),
    ],
)
def test_errors_are_one_sentence(engine: Engine, sql: str, code: str, said: str) -> None:
    error = failure(engine, sql)
    assert (type(error), error.code) == (QueryFailed, code)
    assert said in str(error)
    assert "hunter2" not in str(error)


def test_a_value_of_a_row_never_reaches_an_error(tmp_path: Path) -> None:
    file = tmp_path / "m.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE VIRTUAL TABLE docs USING fts5(body)")
        connection.execute("CREATE TABLE s (v)")
        connection.executemany("INSERT INTO s VALUES (?)", [("hunter2:x",), ('"hunter2',), ("hunter2 (",)])
    connection.close()
    with open_engine(Target("sqlite", str(file)), None) as engine:
        for row in (1, 2, 3):
            error = failure(engine, f"SELECT * FROM docs WHERE docs MATCH (SELECT v FROM s WHERE rowid = {row})")
            assert "hunter2" not in str(error)
        assert failure(engine, "SELECT json_extract('{}', v) FROM s").code == "bad-json"


# --- files ----------------------------------------------------------------------------------------------------


def opening(path: Path) -> ConnectionFailed:
    with pytest.raises(ConnectionFailed) as caught:
        open_engine(Target("sqlite", str(path)), None)
    assert caught.value.__context__ is None
    return caught.value


def test_a_missing_file_is_not_created(tmp_path: Path) -> None:
    assert opening(tmp_path / "nope.db").code == "file-missing"
    assert opening(tmp_path / "no" / "nope.db").code == "file-missing"
    assert list(tmp_path.iterdir()) == []


def test_files_that_are_no_databases(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("id,name\n1,张三\n" * 100)
    assert opening(tmp_path / "text.db").code == "not-a-database"
    assert opening(tmp_path).code == "file-not-readable"


def test_an_empty_file_is_an_empty_database(tmp_path: Path) -> None:
    (tmp_path / "e.db").touch()
    with open_engine(Target("sqlite", str(tmp_path / "e.db")), None) as engine:
        assert engine.run(allowed("SELECT count(*) FROM sqlite_schema")).rows == [(0,)]
    assert (tmp_path / "e.db").stat().st_size == 0


def test_a_damaged_file(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096 : 4096 * 3] = b"\xaa" * 4096 * 2
    path.write_bytes(content)
    with open_engine(Target("sqlite", str(path)), None) as engine:
        assert failure(engine, "SELECT sum(length(name)) FROM users").code == "database-corrupt"


def test_a_locked_file_is_waited_for(engine: Engine, path: Path) -> None:
    writer = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    writer.execute("BEGIN EXCLUSIVE")
    threading.Timer(0.4, writer.execute, ["COMMIT"]).start()
    assert engine.run(allowed("SELECT count(*) FROM users")).rows == [(1000,)]
    writer.close()


def test_a_file_that_stays_locked(engine: Engine, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dbgraph_nb.engines.sqlite._LOCK_SECONDS", 0.3)
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("BEGIN EXCLUSIVE")
    try:
        assert failure(engine, "SELECT 1 FROM users").code == "database-locked"
        threading.Timer(0.2, _thread.interrupt_main).start()
        monkeypatch.setattr("dbgraph_nb.engines.sqlite._LOCK_SECONDS", 20)
        with pytest.raises(KeyboardInterrupt):
            engine.run(allowed("SELECT 1 FROM users"))
    finally:
        writer.close()
    assert engine.run(allowed("SELECT count(*) FROM users")).rows == [(1000,)]


def test_another_file_at_the_same_path_is_noticed(engine: Engine, path: Path) -> None:
    other = path.with_name("other.db")
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE other (x)")
    connection.close()
    other.replace(path)
    assert engine.run(allowed("SELECT name FROM sqlite_schema")).rows == [("other",)]
    path.unlink()
    assert failure(engine, "SELECT 1").code == "file-missing"


def test_only_checked_statements_run(engine: Engine) -> None:
    with pytest.raises(BadArgument) as caught:
        engine.run("SELECT 1")  # type: ignore[arg-type]
    assert caught.value.code == "not-checked"
