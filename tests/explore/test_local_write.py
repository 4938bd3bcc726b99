"""The scratch database: what --write may do, and that nothing sensitive leaves through it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import dbgraph_nb as dg
from dbgraph_nb.errors import DbgraphError
from dbgraph_nb.explore import scratch

SECRET = "geheim-7f3a"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "sales.csv").write_text("city,amount\nBJ,100\nSH,200\nBJ,200\n", "utf-8")
    (tmp_path / "users.csv").write_text(f"id,name,password\n1,张三,{SECRET}\n2,李四,x\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    scratch.drop()
    yield tmp_path
    scratch.drop()


def write(sql: str, *files: str, **more: Any) -> list[tuple[Any, ...]]:
    return list(dg.duckdb_query(sql, files, read_only=False, **more).itertuples(index=False, name=None))


def read(sql: str, *files: str, **more: Any) -> list[tuple[Any, ...]]:
    return list(dg.duckdb_query(sql, files, **more).itertuples(index=False, name=None))


def code(sql: str, *files: str, **more: Any) -> str:
    with pytest.raises(DbgraphError) as caught:
        dg.duckdb_query(sql, files, **more)
    assert SECRET not in repr(caught.value)
    return str(caught.value.code)


def test_a_table_is_there_in_later_statements(folder: Path) -> None:
    made = write("CREATE TABLE t AS SELECT city, sum(amount) AS total FROM f0 GROUP BY city", "sales.csv")
    assert made == [(2,)]
    assert read("FROM t ORDER BY city") == [("BJ", 300), ("SH", 200)]
    assert read("SELECT amount, total FROM f0 JOIN t USING (city) ORDER BY ALL", "sales.csv")[0] == (100, 300)
    assert write("INSERT INTO t VALUES (:c, 7)", params={"c": "HZ"}) == [(1,)]
    assert write("UPDATE t SET total = total + 1 WHERE city = 'HZ'") == [(1,)]
    assert write("DELETE FROM t WHERE city = 'BJ'") == [(1,)]
    assert write("CREATE VIEW v AS SELECT max(total) AS m FROM t") == []
    assert read("FROM v") == [(200,)]
    assert write("CREATE OR REPLACE TABLE t AS SELECT 1 AS a") == [(1,)]
    assert write("ALTER TABLE t ADD COLUMN b INTEGER") == []
    assert read("FROM t")[0][0] == 1
    assert write("DROP VIEW v") == []
    assert write("DROP TABLE t") == []
    assert code("FROM t") == "not-mounted"
    assert sorted(path.name for path in folder.iterdir()) == ["sales.csv", "users.csv"]


def test_a_statement_without_write_only_reads(folder: Path) -> None:
    write("CREATE TABLE t AS SELECT 1 AS a")
    for sql in ("INSERT INTO t VALUES (2)", "DROP TABLE t", "CREATE TABLE u (a INTEGER)", "UPDATE t SET a = 2"):
        assert code(sql) == "gate-statement-form"
    assert read("FROM t") == [(1,)]


FOR_EVER = [
    "COPY t TO 'x.csv'", "COPY t FROM 'sales.csv'", "COPY FROM DATABASE scratch TO memory", "ATTACH 'x.duckdb'",
    "DETACH scratch", "INSTALL httpfs", "LOAD httpfs", "SET threads = 1", "RESET threads", "CALL pragma_version()",
    "CHECKPOINT", "FORCE CHECKPOINT scratch", "EXPORT DATABASE 'x'", "IMPORT DATABASE 'x'", "USE memory", "BEGIN",
    "VACUUM", "PRAGMA enable_profiling", "CREATE SECRET s (TYPE s3)", "CREATE MACRO m(a) AS a", "SET VARIABLE x = 1",
    "PREPARE p AS SELECT 1", "CREATE TYPE e AS ENUM ('a')", "COMMENT ON TABLE t IS 'x'", "EXECUTE p",
    "INSERT INTO t WITH c AS (COPY t TO 'x.csv') SELECT 1", "CREATE TABLE u AS SELECT * FROM 'sales.csv'",
    "CREATE TABLE u AS FROM read_csv('sales.csv')", "INSERT INTO t SELECT 1; DROP TABLE t",
]  # fmt: skip


@pytest.mark.parametrize("sql", FOR_EVER)
def test_what_is_never_allowed(folder: Path, sql: str) -> None:
    write("CREATE TABLE t AS SELECT 1 AS a")
    assert code(sql, "sales.csv", read_only=False).startswith("gate-")
    assert read("FROM t") == [(1,)]
    assert sorted(path.name for path in folder.iterdir()) == ["sales.csv", "users.csv"]


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("CREATE TABLE f0 (a INTEGER)", "mount-name"),
        ("CREATE OR REPLACE VIEW F7 AS SELECT 1 AS a", "mount-name"),
        ("CREATE TABLE s (a INTEGER)", "mount-name"),
        ("DROP VIEW f0", "mount-name"),
        ("INSERT INTO f0 VALUES ('x', 1)", "mount-name"),
        ("UPDATE s SET amount = 0", "mount-name"),
        ("ALTER TABLE t RENAME TO f0", "mount-name"),
        ("ALTER TABLE t RENAME TO S", "mount-name"),
        ("CREATE INDEX f0 ON t (a)", "mount-name"),
        ("CREATE TEMP TABLE x AS SELECT 1 AS a", "scratch-temporary"),
        ("CREATE SCHEMA x", "scratch-target"),
        ("CREATE TABLE memory.main.x (a INTEGER)", "scratch-target"),
        ("CREATE TABLE main.x (a INTEGER)", "scratch-target"),
        ("CREATE VIEW v AS SELECT * FROM f0", "view-of-file"),
    ],
)
def test_names_mean_one_thing(folder: Path, sql: str, found: str) -> None:
    write("CREATE TABLE t AS SELECT 1 AS a")
    assert code(sql, "s=sales.csv", read_only=False) == found
    assert read("SELECT count(*) FROM f0", "s=sales.csv") == [(3,)]


def test_a_mount_cannot_have_the_name_of_a_table(folder: Path) -> None:
    write("CREATE TABLE t AS SELECT 1 AS a")
    assert code("FROM t", "T=sales.csv") == "mount-name-taken"


@pytest.mark.parametrize(
    ("made", "asked"),
    [
        (["CREATE TABLE p AS SELECT id, password AS p FROM f0"], "SELECT p FROM p"),
        (["CREATE TABLE p AS SELECT upper(password) || '!' AS p FROM f0"], "SELECT min(p) FROM p"),
        (["CREATE TABLE p AS FROM f0", "CREATE TABLE q AS SELECT password AS x FROM p"], "FROM q"),
        (["CREATE TABLE p AS FROM f0", "CREATE VIEW q AS SELECT password AS x FROM p"], "FROM q"),
        (["CREATE TABLE p (a VARCHAR, b VARCHAR)", "INSERT INTO p SELECT name, password FROM f0"], "SELECT b FROM p"),
        (["CREATE TABLE p (a TEXT, b TEXT)", "INSERT INTO p (b, a) SELECT name, password FROM f0"], "SELECT a FROM p"),
        (["CREATE TABLE p (a VARCHAR)", "INSERT INTO p BY NAME SELECT password AS a FROM f0"], "SELECT a FROM p"),
        (["CREATE TABLE p AS SELECT {'k': password} AS s FROM f0"], "SELECT s FROM p"),
        (["CREATE TABLE P AS SELECT password AS \"Pp\" FROM f0"], "SELECT pP FROM p"),
        (["CREATE TABLE p AS SELECT 1 AS p", "CREATE OR REPLACE TABLE p AS SELECT password AS p FROM f0"], "FROM p"),
        (["CREATE TABLE IF NOT EXISTS p AS SELECT password AS p FROM f0"], "FROM p"),
    ],
)  # fmt: skip
def test_what_derives_from_a_secret_stays_hidden(folder: Path, made: list[str], asked: str) -> None:
    for sql in made:
        write(sql, "users.csv")
    for show in (False, True):  # the table itself holds no secret
        frame = dg.duckdb_query(asked, show_sensitive=show)
        assert SECRET not in str(frame.values.tolist()).lower()
        assert "[REDACTED]" in str(frame.values.tolist())


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE t SET b = (SELECT max(password) FROM f0)",
        "UPDATE t SET b = f0.password FROM f0 WHERE f0.id = t.a",
        "UPDATE t SET b = x.p FROM (SELECT id, password AS p FROM f0) AS x WHERE x.id = t.a",
        "UPDATE t SET b = f0::VARCHAR FROM f0",
        "DELETE FROM t WHERE a IN (SELECT id FROM f0 WHERE password LIKE 'g%')",
        "DELETE FROM t USING f0 WHERE f0.password = 'x'",
        "MERGE INTO t USING f0 ON t.a = f0.id WHEN MATCHED THEN UPDATE SET b = password",
        "MERGE INTO t USING f0 ON t.b = f0.password WHEN MATCHED THEN DELETE",
        "MERGE INTO t USING (SELECT * FROM f0) AS s ON t.a = s.id WHEN MATCHED THEN UPDATE SET b = s.password",
        "INSERT INTO t SELECT id, password FROM f0 RETURNING b",
        "INSERT INTO t SELECT id, name FROM f0 WHERE password LIKE 'g%'",
        "CREATE TABLE u AS SELECT id FROM f0 WHERE password LIKE 'g%'",
        "INSERT INTO t SELECT id, CASE WHEN password > 'b' THEN nextval('s') END FROM f0",
        "INSERT INTO t SELECT id, name FROM memory.f0 ON CONFLICT DO NOTHING",
        "WITH c AS (SELECT password AS p FROM f0) INSERT INTO t SELECT 1, p FROM c",
    ],
)
def test_what_cannot_be_followed_is_refused(folder: Path, sql: str) -> None:
    write("CREATE TABLE t AS SELECT 1 AS a, 'b' AS b")
    write("CREATE SEQUENCE s")
    assert code(sql, "users.csv", read_only=False) == "redaction-refused"
    assert read("FROM t") == [(1, "b")]


def test_tables_without_secrets_are_changed_freely(folder: Path) -> None:
    write("CREATE TABLE p AS FROM f0", "users.csv")
    write("UPDATE p SET password = NULL WHERE id = 1")
    write("ALTER TABLE p RENAME COLUMN password TO old")
    write("ALTER TABLE p RENAME TO q")
    assert read("SELECT id, coalesce(old, '-') FROM q ORDER BY id") == [(1, "-"), (2, "[REDACTED]")]
    assert write("DELETE FROM q WHERE id IN (SELECT id FROM q WHERE name LIKE '张%')") == [(1,)]


def test_shown_on_purpose_and_hidden_afterwards(folder: Path) -> None:
    write("CREATE TABLE t AS SELECT 1 AS a, 'b' AS b")
    write("UPDATE t SET b = (SELECT max(password) FROM f0)", "users.csv", show_sensitive=True)
    assert read("SELECT b FROM t") == [("[REDACTED]",)]
    write("DROP TABLE t")
    write("CREATE TABLE t AS SELECT 'b' AS b")
    assert read("SELECT b FROM t") == [("b",)]


def test_an_error_leaves_the_tables_as_they_were(folder: Path) -> None:
    write("CREATE TABLE t (a INTEGER PRIMARY KEY)")
    assert code("INSERT INTO t SELECT i // 2 FROM range(10) AS r(i)", read_only=False) == "constraint-failed"
    assert read("SELECT count(*) FROM t") == [(0,)]
    assert code("CREATE TABLE t (a INTEGER)", read_only=False) == "table-exists"


PROGRAM = """
import os, sys, dbgraph_nb as dg
dg.duckdb_query("CREATE TABLE t AS SELECT 1 AS a", read_only=False)
print(dg.duckdb_query("SELECT a FROM t")["a"].tolist(), flush=True)
{end}
"""


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("end", ["", "raise SystemExit(3)", "1 / 0", "os.kill(os.getpid(), 9)"])
def test_no_file_stays(tmp_path: Path, end: str) -> None:
    """Not after an end, and not after the next start where the process was killed."""
    env = {**os.environ, "TMPDIR": str(tmp_path), "DBGRAPH_NB_HOME": str(tmp_path / "home")}
    for program in (end, ""):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM.format(end=program)], env=env, capture_output=True, text=True
        )
        assert done.stdout == "[1]\n", done.stderr
        assert done.returncode in (0, 1, 3, -signal.SIGKILL)
    assert [path.name for path in tmp_path.glob("dbgraph_nb-*")] == []
    assert tempfile.gettempdir() != str(tmp_path)
