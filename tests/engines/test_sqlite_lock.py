"""The lock of a SQLite connection alone, without the gate: every statement here is handed over as if it had passed."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dbgraph_nb import gate
from dbgraph_nb.engines import Engine, open_engine
from dbgraph_nb.engines.sqlite_lock import FUNCTIONS
from dbgraph_nb.errors import DbgraphError
from dbgraph_nb.model import AllowedQuery, Target


def allowed(sql: str) -> AllowedQuery:
    return AllowedQuery(sql, "sqlite", None)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "a.db"
    with sqlite3.connect(file) as connection:
        connection.executescript(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, g AS (upper(a)));
            INSERT INTO t (a) VALUES ('x'), ('y');
            CREATE INDEX t_a ON t (a);
            CREATE TABLE child (t INTEGER REFERENCES t (id));
            CREATE VIEW v AS SELECT id, a FROM t;
            CREATE VIRTUAL TABLE docs USING fts5(body);
            INSERT INTO docs VALUES ('hello world');
            CREATE VIRTUAL TABLE old_docs USING fts4(body);
            INSERT INTO old_docs VALUES ('hello world');
            CREATE VIRTUAL TABLE places USING rtree(id, x0, x1);
            INSERT INTO places VALUES (1, 2, 3);
            CREATE VIEW found AS SELECT body FROM docs;
            """
        )
    connection.close()
    return file


@pytest.fixture
def engine(path: Path) -> Iterator[Engine]:
    with open_engine(Target("sqlite", str(path)), None) as opened:
        yield opened


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM v JOIN t USING (id)",
        "SELECT g, count(*) FROM t GROUP BY 1 HAVING count(*) > 0",
        "SELECT row_number() OVER (ORDER BY a) FROM t",
        "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r WHERE x < 5) SELECT sum(x) FROM r",
        "WITH m AS MATERIALIZED (SELECT 1 AS a) SELECT * FROM m, m AS n",
        "SELECT snippet(docs, 0, '[', ']', '…', 5), bm25(docs) FROM docs WHERE docs MATCH 'hello'",
        "SELECT * FROM old_docs WHERE old_docs MATCH 'hello'",
        "SELECT * FROM places WHERE x0 > 1",
        "SELECT * FROM found",
        "SELECT value FROM json_each('[1, 2]')",
        "SELECT '{\"a\": 1}' -> 'a', json_group_array(a) FROM t",
        "SELECT date('now'), strftime('%Y', '2024-01-01'), printf('%05d', 7), round(1.5), sqrt(4)",
        "SELECT name FROM sqlite_schema UNION SELECT name FROM sqlite_master",
        "SELECT name FROM pragma_table_info('t')",
        "SELECT * FROM pragma_index_list('t')",
        "PRAGMA table_xinfo(t)",
        "PRAGMA foreign_key_list('child')",
        "PRAGMA user_version",
        "PRAGMA integrity_check",
        "EXPLAIN QUERY PLAN SELECT * FROM t WHERE a = 'x'",
        "VALUES (1, 2), (3, 4)",
    ],
)
def test_what_reads_runs(engine: Engine, sql: str) -> None:
    assert engine.run(allowed(sql)).rows


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM t",
        "UPDATE t SET a = 'z'",
        "INSERT INTO t (a) VALUES ('z') RETURNING id",
        "REPLACE INTO t (a) VALUES ('z')",
        "WITH d AS (SELECT 1) DELETE FROM t",
        "CREATE TABLE z (a)",
        "CREATE TEMP TABLE z (a)",
        "CREATE TEMP VIEW z AS SELECT 1",
        "CREATE VIRTUAL TABLE z USING fts5(a)",
        "CREATE TEMP TRIGGER z AFTER INSERT ON t BEGIN SELECT 1; END",
        "DROP TABLE t",
        "ALTER TABLE t RENAME TO u",
        "ATTACH 'other.db' AS o",
        "DETACH main",
        "VACUUM",
        "VACUUM INTO 'copy.db'",
        "REINDEX",
        "ANALYZE",
        "BEGIN",
        "BEGIN IMMEDIATE",
        "COMMIT",
        "SAVEPOINT s",
        "INSERT INTO docs(docs) VALUES ('optimize')",
        "INSERT INTO places VALUES (2, 1, 1)",
        "UPDATE sqlite_master SET sql = ''",
        "DELETE FROM sqlite_master",
        "INSERT INTO sqlite_master VALUES (1, 2, 3, 4, 5)",
        "PRAGMA query_only = OFF",
        "PRAGMA writable_schema = ON",
        "PRAGMA journal_mode = DELETE",
        "PRAGMA journal_mode(WAL)",
        "PRAGMA user_version = 5",
        "PRAGMA temp_store_directory = '/tmp'",
        "PRAGMA wal_checkpoint",
        "PRAGMA optimize",
        "PRAGMA incremental_vacuum",
        "PRAGMA shrink_memory",
        "PRAGMA trusted_schema = ON",
        "EXPLAIN PRAGMA query_only = OFF",
        "SELECT load_extension('x')",
        "SELECT fts3_tokenizer('simple')",
        "SELECT optimize(old_docs) FROM old_docs",
        "SELECT sqlite_log(1, 'x')",
        "SELECT writefile('x', 'y')",
        "SELECT readfile('/etc/hostname')",
        "SELECT edit('x')",
    ],
)
def test_what_does_more_is_refused(engine: Engine, path: Path, sql: str) -> None:
    before = path.read_bytes()
    with pytest.raises(DbgraphError) as caught:
        engine.run(allowed(sql))
    # refused by the lock, or by a build of SQLite that does not even have that function
    assert caught.value.code in {"not-allowed", "no-such-function"}, caught.value
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["a.db"]
    assert engine.run(allowed("SELECT count(*) FROM t")).rows == [(2,)]
    assert engine.run(allowed("PRAGMA query_only")).rows == [(1,)]


def test_no_function_with_an_effect_is_on_the_list() -> None:
    effects = {"load_extension", "fts3_tokenizer", "optimize", "sqlite_log", "edit", "readfile", "writefile", "fts5"}
    assert not FUNCTIONS & effects
    with sqlite3.connect(":memory:") as connection:
        own = {row[0] for row in connection.execute("SELECT DISTINCT name FROM pragma_function_list")}
    connection.close()
    assert len(own & FUNCTIONS) > 100, "most of what this SQLite has can be used"


def test_the_lock_is_not_narrower_than_the_gate(engine: Engine) -> None:
    own = [str(row[0]) for row in engine.catalog("SELECT DISTINCT name FROM pragma_function_list")]
    for name in own:
        arguments = "" if name.startswith("current_") else "()"
        if passes(f"SELECT {name}{arguments}"):
            assert name.lower() in FUNCTIONS, name
    for (pragma,) in engine.catalog("PRAGMA pragma_list"):
        for sql in (f"PRAGMA {pragma}", f"PRAGMA {pragma}(t)"):
            if passes(sql):
                engine.run(allowed(sql))


def passes(sql: str) -> bool:
    """Whether the gate lets a statement pass."""
    try:
        gate.check(sql, dialect="sqlite")
    except DbgraphError:
        return False
    return True


# --- WAL mode: nothing is created beside the database --------------------------------------------------------------


@pytest.fixture
def wal(tmp_path: Path) -> Path:
    folder = tmp_path / "wal"
    folder.mkdir()
    file = folder / "w.db"
    write(file, "PRAGMA journal_mode = WAL", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)")
    assert [path.name for path in folder.iterdir()] == ["w.db"]
    return file


def write(file: Path, *statements: str) -> None:
    connection = sqlite3.connect(file, isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()


def test_a_reader_leaves_no_file_beside_a_wal_database(wal: Path) -> None:
    with open_engine(Target("sqlite", str(wal)), None) as engine:
        assert engine.run(allowed("SELECT a FROM t")).rows == [(1,)]
        assert [path.name for path in wal.parent.iterdir()] == ["w.db"]
    assert [path.name for path in wal.parent.iterdir()] == ["w.db"]


def test_writes_between_two_statements_are_seen(wal: Path) -> None:
    with open_engine(Target("sqlite", str(wal)), None) as engine:
        assert engine.run(allowed("SELECT count(*) FROM t")).rows == [(1,)]
        write(wal, "INSERT INTO t VALUES (2)")
        assert engine.run(allowed("SELECT count(*) FROM t")).rows == [(2,)]
        live = sqlite3.connect(wal, isolation_level=None)
        live.execute("INSERT INTO t VALUES (3)")
        assert engine.run(allowed("SELECT count(*) FROM t")).rows == [(3,)]
        live.execute("INSERT INTO t VALUES (4)")
        assert engine.run(allowed("SELECT count(*) FROM t")).rows == [(4,)]
        live.close()


def test_a_write_during_a_statement_is_noticed(wal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import dbgraph_nb.engines.sqlite as module

    reads: list[int] = []
    original = module._tolerant

    def tolerant(job, connection, stop):  # type: ignore[no-untyped-def]
        value = original(job, connection, stop)
        reads.append(1)
        if len(reads) == 2:  # the first is the opening
            write(wal, "INSERT INTO t VALUES (2)")
        return value

    monkeypatch.setattr(module, "_tolerant", tolerant)
    with open_engine(Target("sqlite", str(wal)), None) as engine:
        assert engine.run(allowed("SELECT count(*) FROM t")).rows == [(2,)]
    assert len(reads) == 3


CHILD = """
import os, sys, urllib.parse, urllib.request
from dbgraph_nb.engines import open_engine, sqlite
from dbgraph_nb.errors import DbgraphError
from dbgraph_nb.model import AllowedQuery, Target
if os.getuid() == 0:  # after the imports: the stranger may not even see this Python
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    with open_engine(Target("sqlite", sys.argv[1]), None) as engine:
        print(engine.run(AllowedQuery("SELECT count(*) FROM t", "sqlite", None)).rows)
except DbgraphError as error:
    print(error.code)
"""


def as_stranger(file: Path) -> str:
    """What a user sees who may read the folder and not write to it."""
    root = os.getuid() == 0
    changed = list(file.parents)[:-2] if root else [file.parent]
    modes = [folder.stat().st_mode for folder in changed]
    for folder, mode in zip(changed, modes, strict=True):
        folder.chmod(mode | 0o055 if root else 0o555)
    command = [sys.executable, "-c", CHILD, str(file)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    finally:
        for folder, mode in zip(changed, modes, strict=True):
            folder.chmod(mode)
    return done.stdout.strip() or done.stderr


def test_a_folder_that_may_only_be_read(wal: Path, path: Path) -> None:
    assert as_stranger(wal) == "[(1,)]"
    assert as_stranger(path) == "[(2,)]"
    assert [file.name for file in wal.parent.iterdir()] == ["w.db"]


def test_a_file_that_may_not_be_read(path: Path) -> None:
    path.chmod(0o600 if os.getuid() == 0 else 0)
    assert as_stranger(path) == "file-not-readable"
