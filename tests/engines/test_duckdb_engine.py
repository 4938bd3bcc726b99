"""The DuckDB engine on real files: rows, values, parameters, errors, other programs, stopping."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from dbgraph_nb import gate
from dbgraph_nb.engines import Engine, duckdb_spare, open_engine
from dbgraph_nb.errors import BadArgument, Cancelled, ConnectionFailed, DbgraphError, QueryFailed, QueryTimeout
from dbgraph_nb.model import AllowedQuery, RawRows, Target

MOMENT = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
LONG = "SELECT count(*) FROM range(10000000) AS a, range(10000000) AS b WHERE a.range + b.range = -1"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "库.duckdb"
    with duckdb.connect(file) as connection:
        connection.execute("CREATE TABLE users AS SELECT i AS id, 'n' || i AS name FROM range(3) r(i)")
        connection.execute('CREATE TABLE empty (a INTEGER, "a b" VARCHAR)')
    return file


@pytest.fixture
def engine(path: Path) -> Iterator[Engine]:
    with open_engine(Target("duckdb", str(path)), None) as opened:
        yield opened


def run(engine: Engine, sql: str, params: Any = None, **more: Any) -> RawRows:
    return engine.run(gate.check(sql, dialect="duckdb"), params, **more)


def test_rows_names_types_and_the_true_count(engine: Engine) -> None:
    found = run(engine, "SELECT id, name AS id FROM users ORDER BY 1", fetch=2)
    assert found.columns == ("id", "id")
    assert found.types == ("BIGINT", "VARCHAR")
    assert found.rows == [(0, "n0"), (1, "n1")]
    assert (found.row_count, found.exact, found.truncated) == (3, True, True)


def test_many_rows_are_counted_and_not_kept(engine: Engine) -> None:
    found = run(engine, "SELECT range, 'x' FROM range(1000003)")
    assert (len(found.rows), found.row_count, found.exact) == (200, 1_000_003, True)


def test_no_rows_have_their_headers(engine: Engine) -> None:
    found = run(engine, "FROM empty")
    assert (found.columns, found.rows, found.row_count, found.truncated) == (("a", "a b"), [], 0, False)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("170141183460469231731687303715884105727::HUGEINT", 2**127 - 1),
        ("18446744073709551615::UBIGINT", 2**64 - 1),
        ("1.10::DECIMAL(38, 10)", Decimal("1.1000000000")),
        ("sum(x) FROM (VALUES (9007199254740993::BIGINT)) AS v(x)", 2**53 + 1),
        ("DATE '20000-01-01'", "20000-01-01"),
        ("DATE '9999-12-31'", dt.date(9999, 12, 31)),
        ("TIMESTAMPTZ '2024-01-01 10:00:00+02'", dt.datetime(2024, 1, 1, 8, tzinfo=dt.UTC)),
        ("TIME '10:00:00.5'", dt.time(10, 0, 0, 500_000)),
        ("'\\xAA\\x00'::BLOB", b"\xaa\x00"),
        ("'10101'::BIT", "10101"),
        ("'a'::ENUM('a', 'b')", "a"),
        ("[1, 2, NULL]", [1, 2, None]),
        ("{'k': 1, '名': [2]}", {"k": 1, "名": [2]}),
        ("MAP {'k': 1}", {"k": 1}),
        ("'007'", "007"),
        ("NULL", None),
        ("'x' || chr(0) || 'y'", "x\0y"),
        ("'7f3a91c2-0000-4000-8000-000000000000'::UUID", uuid.UUID("7f3a91c2-0000-4000-8000-000000000000")),
    ],
)
def test_values_are_faithful(engine: Engine, expression: str, value: object) -> None:
    (found,) = run(engine, f"SELECT {expression}").rows[0]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("sql", "params", "rows"),
    [
        ("SELECT name FROM users WHERE id = :id OR id = :id", {"id": 1}, [("n1",)]),
        ("SELECT name FROM users WHERE id = $id", {"id": 1}, [("n1",)]),
        ("SELECT name FROM users WHERE id = ?", [2], [("n2",)]),
        ("SELECT [1, 2, 3][:2], 'a:b', id::VARCHAR, $$:c$$ FROM users -- :d\nWHERE id = :x", {"x": 0},
         [([1, 2], "a:b", "0", ":c")]),
        ("SELECT {'k':id} FROM users WHERE id = :v", {"v": 2}, [({"k": 2},)]),
        ("SELECT :a, :b, :c", {"a": "it's; DROP TABLE users", "b": None, "c": Decimal("1.5")},
         [("it's; DROP TABLE users", None, Decimal("1.5"))]),
        ("SELECT :moment", {"moment": MOMENT}, [(MOMENT,)]),
        ("SELECT [10, 20, 30][:x], :x FROM (SELECT 2 AS x)", {"x": 7}, [([10, 20], 7)]),
        ("SELECT [10, 20, 30][1 :x], :x FROM (SELECT 2 AS x)", {"x": 7}, [([10, 20], 7)]),
        ("SELECT {'a' :x}, :x FROM (SELECT 2 AS x)", {"x": 7}, [({"a": 2}, 7)]),
        ("SELECT date'2024-01-01', ':x', CASE WHEN true THEN :x END", {"x": 1}, [(dt.date(2024, 1, 1), ":x", 1)]),
        ("SELECT '100%' WHERE '100%' LIKE '%' || :x", {"x": "%"}, [("100%",)]),
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
        ("SELECT :a", {"a": [1, 2]}, "bad-parameter"),
        ("SELECT ?", {"a": 1}, "missing-parameter"),
        ("SELECT ?, ?", [1], "missing-parameter"),
        ("SELECT :a, ?", {"a": 1}, "unclear-parameter"),
    ],
)
def test_wrong_parameters(engine: Engine, sql: str, params: Any, code: str) -> None:
    with pytest.raises(BadArgument) as caught:
        run(engine, sql, params)
    assert caught.value.code == code


@pytest.mark.parametrize("sql", ["SELECT [1, 2][:x], :x", "SELECT {'a' :x}, :x", "SELECT b :x, :x"])
def test_without_the_gates_word_a_colon_that_may_be_a_slice_is_unclear(engine: Engine, sql: str) -> None:
    with pytest.raises(BadArgument) as caught:
        engine.run(AllowedQuery(sql, "duckdb", None, parameters=("x",)), {"x": 1})
    assert caught.value.code == "unclear-parameter"


def test_a_parameter_that_text_hides_is_unclear(engine: Engine) -> None:
    with pytest.raises(BadArgument) as caught:
        engine.run(AllowedQuery("SELECT ':a'", "duckdb", None, parameters=("a",)), {"a": 1})
    assert caught.value.code == "unclear-parameter"


SECRET = "geheim-7f3a"


@pytest.mark.parametrize(
    ("sql", "code", "token"),
    [
        ("SELECT * FROM usrs", "no-such-table", "usrs"),
        ("SELECT nme FROM users", "no-such-column", "nme"),
        ("SELECT x.id FROM users", "no-such-table", "x"),
        ("SELECT id FROM users AS a, users AS b", "ambiguous-column", "id"),
        ("SELECT name, count(*) FROM users", "not-grouped", None),
        ("SELECT nosuch(1)", "no-such-function", "nosuch"),
        ("SELECT upper(1, 2)", "wrong-arguments", "upper"),
        ("SELECT 1 FROM users WHERE count(*) > 1", "misplaced-function", None),
        ("SELECT 1 UNION SELECT 1, 2", "column-count", None),
        ("SELECT DATE '2024-01-01' = 5", "bad-conversion", None),
        (f"SELECT CAST('{SECRET}' AS INTEGER)", "bad-conversion", None),
        (f"SELECT error('{SECRET}')", "bad-value", None),
        ("SELECT 2000000000::INTEGER * 2000000000::INTEGER", "value-out-of-range", None),
        ("SELECT FROM FROM", "syntax-error", None),
        ("SELECT * FROM read_text('/etc/passwd')", "not-allowed", None),
        ("SELECT id FROM users LIMIT id", "bad-statement", None),
        ("SELECT 1; SELECT 2", "not-one-statement", None),
        ("DELETE FROM users", "not-allowed", None),
        ("EXPLAIN ANALYZE CREATE TABLE memory.main.z AS SELECT 1", "not-allowed", None),
        ("SELECT 'x' COLLATE nosuch", "no-such-object", None),
    ],
)
def test_errors_are_our_own_sentences(engine: Engine, sql: str, code: str, token: str | None) -> None:
    with pytest.raises(QueryFailed) as caught:
        engine.run(AllowedQuery(sql, "duckdb", None))
    assert caught.value.code == code
    assert SECRET not in str(caught.value)
    if token:
        assert caught.value.token == token


def test_only_checked_statements_run(engine: Engine) -> None:
    for wrong in ("SELECT 1", AllowedQuery("SELECT 1", "sqlite", None)):
        with pytest.raises(BadArgument) as caught:
            engine.run(wrong)  # type: ignore[arg-type]
        assert caught.value.code == "not-checked"


def test_a_missing_file_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(ConnectionFailed) as caught:
        open_engine(Target("duckdb", str(tmp_path / "no.duckdb")), None)
    assert caught.value.code == "file-missing"
    assert list(tmp_path.iterdir()) == []


def test_another_file_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "a.duckdb").write_text("no database" * 1000, "utf-8")
    with pytest.raises(ConnectionFailed) as caught:
        open_engine(Target("duckdb", str(tmp_path / "a.duckdb")), None)
    assert caught.value.code == "not-a-database"


def test_a_file_that_is_open_for_writing(path: Path) -> None:
    with duckdb.connect(path), pytest.raises(ConnectionFailed) as caught:
        open_engine(Target("duckdb", str(path)), None)
    assert caught.value.code == "database-locked"
    script = f"import duckdb, sys; c = duckdb.connect({str(path)!r}); print('open', flush=True); sys.stdin.read()"
    other = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert other.stdout is not None
    assert other.stdout.readline() == "open\n"
    with pytest.raises(ConnectionFailed) as caught:
        open_engine(Target("duckdb", str(path)), None)
    assert caught.value.code == "database-locked"
    other.communicate("")
    with open_engine(Target("duckdb", str(path)), None) as engine:
        assert run(engine, "SELECT count(*) FROM users").rows == [(3,)]


def test_a_reader_beside_us_is_no_trouble(path: Path, engine: Engine) -> None:
    with duckdb.connect(path, read_only=True) as other:
        assert other.execute("SELECT count(*) FROM users").fetchone() == (3,)
        assert run(engine, "SELECT count(*) FROM users").rows == [(3,)]


def test_changes_of_another_program_are_seen(path: Path, engine: Engine) -> None:
    assert run(engine, "SELECT count(*) FROM users").rows == [(3,)]
    with duckdb.connect(path) as other:
        other.execute("INSERT INTO users VALUES (9, 'new')")
    assert run(engine, "SELECT count(*) FROM users").rows == [(4,)]


def test_what_a_crashed_program_left_is_read_and_not_touched(path: Path) -> None:
    """Its last changes stand beside the file, in a .wal; they are read, and neither file is changed."""
    script = (
        f"import duckdb, os; c = duckdb.connect({str(path)!r}); c.execute('SET wal_autocheckpoint = \\'1TB\\'');"
        "c.execute(\"INSERT INTO users VALUES (9, 'late')\"); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
    files = {file: file.read_bytes() for file in path.parent.iterdir()}
    assert len(files) == 2
    with open_engine(Target("duckdb", str(path)), None) as engine:
        assert run(engine, "SELECT count(*) FROM users").rows == [(4,)]
    assert {file: file.read_bytes() for file in path.parent.iterdir()} == files


def test_nothing_is_left_in_the_temporary_folder(
    path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    with open_engine(Target("duckdb", str(path)), None) as engine:
        run(engine, "SELECT * FROM range(100000) ORDER BY hash(range)")
        with pytest.raises(DbgraphError):
            run(engine, "SELECT error('x')")
    duckdb_spare.settle()
    assert list(folder.iterdir()) == []


def test_a_timeout_stops_the_statement(engine: Engine) -> None:
    started = time.monotonic()
    with pytest.raises(QueryTimeout):
        run(engine, LONG, timeout=0.3)
    assert time.monotonic() - started < 1.3
    assert run(engine, "SELECT 1").rows == [(1,)]


def test_counting_ends_with_the_time(engine: Engine) -> None:
    found = run(engine, "SELECT a.range FROM range(10000000) AS a, range(10000000) AS b", timeout=1.0)
    assert (len(found.rows), found.exact, found.truncated) == (200, False, True)


def test_cancel_from_another_thread(engine: Engine) -> None:
    threading.Timer(0.2, engine.cancel).start()
    with pytest.raises(Cancelled):
        run(engine, LONG)
    assert run(engine, "SELECT 1").rows == [(1,)]


def test_a_closed_engine_says_so(engine: Engine) -> None:
    engine.close()
    engine.close()
    with pytest.raises(ConnectionFailed) as caught:
        run(engine, "SELECT 1")
    assert caught.value.code == "connection-closed"


def test_names_of_files_that_duckdb_uses_itself(tmp_path: Path) -> None:
    for name in ("memory.duckdb", "temp.db", "main", 'odd "name.duckdb', "it's.duckdb"):
        with duckdb.connect(tmp_path / "plain.duckdb") as connection:
            connection.execute("CREATE OR REPLACE TABLE t AS SELECT 42 AS a")
        (tmp_path / "plain.duckdb").replace(tmp_path / name)
        with open_engine(Target("duckdb", str(tmp_path / name)), None) as engine:
            assert run(engine, "SELECT a FROM t").rows == [(42,)]


def test_views_that_name_their_own_file(tmp_path: Path) -> None:
    file = tmp_path / "sales.duckdb"
    with duckdb.connect(file) as connection:
        connection.execute("CREATE TABLE t AS SELECT 42 AS a")
        connection.execute("CREATE VIEW v AS SELECT a FROM sales.main.t")
    with open_engine(Target("duckdb", str(file)), None) as engine:
        assert run(engine, "SELECT a FROM v").rows == [(42,)]
