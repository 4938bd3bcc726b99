"""Attacks on what SQL over files hides: two worlds that differ only in passwords and tokens must answer alike.

A line of ``ATTACKS`` is a list of statements, run one after another with ``read_only=False``. All that comes out of
them (rows, headers, counts, notes, errors with all that hangs on them, files) is compared between the worlds; so a
value, and an answer to a guess about one, are both found. Every statement may fail, and must fail alike.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from explore.leaks import files_holding

import dbgraph_nb as dg
from dbgraph_nb.engines.duckdb_files import DuckdbFiles
from dbgraph_nb.explore import scratch
from dbgraph_nb.localdata import kept

WORLDS = (("alpha-k1", "bravo-k1"), ("delta-k9", "echo9-k9"))  # of equal length
GUESS = WORLDS[0][0]
CARD = "CARD-33010"
FILES = ["users.csv", "notes.csv", "nested.parquet", "db=shop.duckdb"]  # f0, f1, f2, f3 and db
SHORT = {
    "@T": "CREATE TABLE t AS SELECT id, password AS p FROM f0",
    "@O": "CREATE TABLE o(x VARCHAR) ;; INSERT INTO o VALUES ('z')",
    "@W": "CREATE TABLE w(id BIGINT, a VARCHAR, b VARCHAR, c VARCHAR, d VARCHAR)",
    "@K": "CREATE TABLE t(id INT PRIMARY KEY, name VARCHAR, p VARCHAR) ;; INSERT INTO t(id, name) VALUES (1, 'z')",
    "@R": "SELECT * FROM o",
    "@G": GUESS,
}

# What is read of files, without a table of the scratch database.
READING = """
SELECT * FROM f0 ;; SELECT f0 FROM f0 ;; SELECT to_json(f0) FROM f0
SELECT MAP {password: id} AS m FROM f0
SELECT map_keys(MAP {upper(password): id}) AS m FROM f0
SELECT id FROM f0 WHERE MAP {password: 1}['@G'] IS NOT NULL
SELECT MAP {'k': password} AS m FROM f0 ;; SELECT MAP([password], [id]) AS m FROM f0 ;; \
SELECT {'k': password} AS m FROM f0
SELECT * FROM f2 ;; SELECT s.password FROM f2 ;; SELECT (s).password FROM f2 ;; SELECT unnest(s) FROM f2
SELECT * FROM db.label ;; SELECT label FROM db.label
SELECT * FROM db.relabel
SELECT made FROM db.users
SELECT lab FROM f0 AS q(a, b, lab) ;; SELECT #3 FROM f0 ;; SELECT COLUMNS('pass.*') AS lab FROM f0
SELECT v FROM (UNPIVOT f0 ON COLUMNS('pass.*') INTO NAME n VALUE v) ;; SELECT max FROM (SUMMARIZE f0)
SELECT nullif(password, '@G') AS z FROM f0 ;; SELECT CASE WHEN password LIKE 'a%' THEN 1 END AS z FROM f0
WITH f1 AS (SELECT password AS note FROM f0) SELECT note FROM f1
SELECT id FROM f0 ORDER BY password ;; SELECT count(*) FROM f0 GROUP BY password ;; SELECT id FROM f0 WHERE token = '@G'
SELECT min(p), max(p), mode(p), histogram(p), first(p) FROM (SELECT password AS p FROM f0)
SELECT * FROM memory.f0 ;; SELECT * FROM main.f0 ;; SELECT * FROM memory.main.f0 ;; SELECT password FROM "F0"
CREATE SEQUENCE s ;; SELECT CASE WHEN password LIKE 'a%' THEN nextval('s') END FROM f0 ;; SELECT nextval('s')
"""

# CREATE TABLE … AS and INSERT … SELECT: the origin of a column is followed.
TRACED = """
@T ;; SELECT * FROM t ;; SELECT p FROM T ;; SELECT t FROM t ;; SELECT * FROM main.t ;; SELECT "P" FROM t
@T ;; SELECT p[1], p[1:2], upper(p), p || 'x' FROM t
@T ;; SELECT min(p), max(p), any_value(p), mode(p), histogram(p), string_agg(p), list(p) FROM t
@T ;; SELECT count(p), count(DISTINCT p), count(*) FROM t ;; SELECT count(*) FROM t GROUP BY p
@T ;; SELECT id FROM t WHERE p = '@G' ;; SELECT id FROM t ORDER BY p ;; SELECT id, rank() OVER (ORDER BY p) FROM t
@T ;; SUMMARIZE t ;; DESCRIBE t ;; PRAGMA table_info('t') ;; EXPLAIN SELECT * FROM t ORDER BY p
@T ;; PRAGMA storage_info('t') ;; SELECT * FROM pragma_storage_info('t') ;; SELECT stats(p) FROM t
@T ;; SELECT * FROM duckdb_tables() WHERE table_name = 't' ;; SELECT sql FROM sqlite_master
@T ;; CREATE TABLE u AS SELECT p AS q FROM t ;; CREATE TABLE o AS SELECT q AS x FROM u ;; @R
@T ;; CREATE VIEW v AS SELECT p AS q FROM t ;; SELECT q FROM v ;; CREATE TABLE o AS SELECT q AS x FROM v ;; @R
@T ;; CREATE VIEW v AS SELECT p AS q FROM t ;; CREATE VIEW u AS SELECT q AS r FROM v ;; SELECT r FROM u
@T ;; CREATE VIEW v AS SELECT id FROM t WHERE p LIKE 'a%' ;; SELECT * FROM v ;; SELECT count(*) FROM v
@T ;; CREATE VIEW v(a, b) AS FROM t ;; SELECT b FROM v ;; CREATE OR REPLACE VIEW v AS SELECT p AS z FROM t ;; \
SELECT z FROM v
CREATE TABLE t AS SELECT id, name AS p FROM f0 ;; CREATE VIEW v AS SELECT p AS q FROM t ;; CREATE OR REPLACE @T ;; \
FROM v
CREATE TABLE o AS SELECT MAP {password: id} AS x FROM f0 ;; @R
CREATE TABLE o AS SELECT {'k': password} AS s FROM f0 ;; SELECT s.k FROM o ;; SELECT unnest(s) FROM o ;; @R
CREATE TABLE o AS SELECT list(password) AS s FROM f0 ;; SELECT s[1] FROM o ;; SELECT unnest(s) FROM o ;; \
SELECT len(s) FROM o
CREATE TABLE o AS SELECT f0 AS r FROM f0 ;; SELECT r.password FROM o ;; @R
CREATE TABLE o AS SELECT to_json(f0) AS r FROM f0 ;; SELECT r->>'password' FROM o ;; @R
CREATE TABLE o AS SELECT s AS x FROM f2 ;; SELECT x.password FROM o ;; @R
CREATE TABLE o(a, b) AS SELECT id, password FROM f0 ;; @R
CREATE TABLE o AS FROM f0 SELECT password AS x ;; @R
CREATE TABLE o AS SELECT c AS x FROM f0 AS q(a, b, c) ;; @R
CREATE TABLE o AS SELECT #3 AS x FROM f0 ;; @R
CREATE TABLE o AS SELECT COLUMNS('pass.*') AS x FROM f0 ;; @R
CREATE TABLE o AS SELECT v AS x FROM (UNPIVOT f0 ON COLUMNS('pass.*') INTO NAME n VALUE v) ;; @R
CREATE TABLE o AS SELECT max AS x FROM (SUMMARIZE f0) ;; @R
CREATE TABLE o AS WITH f1 AS (SELECT password AS note FROM f0) SELECT note AS x FROM f1 ;; @R
CREATE TABLE o AS WITH q(a, b, x, c, d) AS (FROM f0) SELECT x FROM q ;; @R
CREATE TABLE o AS WITH RECURSIVE q(x, n) AS (SELECT password, 1 FROM f0 UNION ALL SELECT x, n + 1 FROM q WHERE n < \
2) FROM q ;; @R
CREATE TABLE o AS SELECT password AS x FROM memory.f0 ;; @R
CREATE TABLE o AS SELECT label AS x FROM db.label ;; @R
CREATE TABLE o AS SELECT id AS x FROM f0 WHERE password LIKE 'a%' ;; @R
CREATE TABLE o AS SELECT id AS x FROM f0 ORDER BY password ;; @R
CREATE TABLE o AS SELECT password AS x FROM f0 ;; CREATE OR REPLACE TABLE o AS SELECT x AS y FROM o ;; @R
CREATE TABLE o AS SELECT n.note AS x FROM f1 n JOIN (SELECT true AS conflict) ON conflict UNION ALL SELECT password \
FROM f0 ;; @R
@O ;; INSERT INTO o SELECT n.note FROM f1 n JOIN (SELECT true AS conflict) ON conflict UNION ALL SELECT password \
FROM f0 ;; @R
@O ;; INSERT INTO o SELECT password FROM f0 ;; @R ;; SELECT x FROM o WHERE x = 'z'
@O ;; INSERT INTO o SELECT string_agg(password, ',') FROM f0 ;; @R
@O ;; INSERT INTO o BY NAME SELECT password AS "X" FROM f0 ;; @R
@O ;; INSERT INTO o BY POSITION SELECT password FROM f0 ;; @R
@W ;; INSERT INTO w BY NAME SELECT id, password AS c FROM f0 ;; SELECT * FROM w
@W ;; INSERT INTO w("C", A) SELECT password, name FROM f0 ;; SELECT * FROM w
@W ;; INSERT INTO w FROM f0 ;; SELECT * FROM w
@O ;; INSERT INTO o SELECT password FROM f0 RETURNING x
CREATE TABLE o(j JSON) ;; INSERT INTO o SELECT to_json(password) FROM f0 ;; @R
CREATE TABLE o(u UNION(a INT, b VARCHAR)) ;; INSERT INTO o SELECT password FROM f0 ;; SELECT u.b FROM o
CREATE TABLE o(g VARCHAR GENERATED ALWAYS AS ('y'), a VARCHAR, x VARCHAR) ;; \
INSERT INTO o SELECT name, password FROM f0 ;; @R
CREATE TABLE o(x VARCHAR, g VARCHAR GENERATED ALWAYS AS (x || '!')) ;; INSERT INTO o(x) SELECT password FROM f0 ;; @R
CREATE TABLE o(password VARCHAR, g VARCHAR GENERATED ALWAYS AS (password || '!')) ;; \
INSERT INTO o(password) SELECT password FROM f0 ;; @R
@K ;; INSERT INTO t SELECT id, name, password FROM f0 ON CONFLICT (id) DO UPDATE SET name = excluded.p ;; \
SELECT name FROM t
@K ;; INSERT INTO t SELECT id, name, password FROM f0 ON CONFLICT (id) DO UPDATE SET name = 'hit' WHERE excluded.p \
LIKE 'a%' ;; SELECT name FROM t
@K ;; INSERT OR REPLACE INTO t SELECT id, name, password FROM f0 ;; SELECT * FROM t
"""

# NULL, numbers and distinct values of something computed from a password answer a guess about a part of it.
PARTS = """
CREATE TABLE t AS SELECT id, nullif(password, '@G') AS p FROM f0 ;; SELECT * FROM t
CREATE TABLE t AS SELECT id, CASE WHEN password LIKE 'a%' THEN 1 END AS p FROM f0 ;; SELECT count(p) FROM t
CREATE TABLE t AS SELECT id, CASE WHEN password LIKE 'a%' THEN 1 END AS p FROM f0 ;; SELECT id FROM t WHERE p IS NULL
CREATE TABLE t AS SELECT id, password LIKE 'a%' AS p FROM f0 ;; SELECT count(DISTINCT p) FROM t ;; SUMMARIZE t
CREATE SEQUENCE s ;; CREATE TABLE t AS SELECT CASE WHEN password LIKE 'a%' THEN nextval('s') END AS p FROM f0 ;; \
SELECT nextval('s')
CREATE TABLE t(p VARCHAR NOT NULL) ;; INSERT INTO t SELECT nullif(password, '@G') FROM f0
CREATE TABLE t(p VARCHAR CHECK (p NOT LIKE 'a%')) ;; INSERT INTO t SELECT password FROM f0
CREATE TABLE t(p INT) ;; INSERT INTO t SELECT CASE WHEN password LIKE 'a%' THEN 'x' ELSE '1' END FROM f0
CREATE TABLE t(p ENUM ('alpha-k1', 'bravo-k1')) ;; INSERT INTO t SELECT password FROM f0
@T ;; CREATE INDEX i ON t((CAST(CASE WHEN p LIKE 'a%' THEN 'x' ELSE '1' END AS INT)))
@T ;; ALTER TABLE t ALTER p TYPE INT USING (CASE WHEN p LIKE 'a%' THEN 1 ELSE 2 END) ;; SELECT p FROM t
"""

# A typed guess beside the real values, compared by a constraint or a count.
WHOLE = """
@T ;; INSERT INTO t VALUES (9, '@G') ;; SELECT count(DISTINCT p) FROM t
@T ;; INSERT INTO t VALUES (9, '@G') ;; SUMMARIZE t
@T ;; INSERT INTO t VALUES (9, '@G') ;; CREATE UNIQUE INDEX i ON t(p)
CREATE TABLE t AS SELECT password AS p FROM f0 UNION ALL SELECT '@G' ;; SELECT count(DISTINCT p) FROM t
CREATE TABLE t(p VARCHAR PRIMARY KEY) ;; INSERT INTO t SELECT password FROM f0 ;; INSERT INTO t VALUES ('@G')
CREATE TABLE t(p VARCHAR UNIQUE) ;; INSERT INTO t VALUES ('@G') ;; \
INSERT OR IGNORE INTO t SELECT password FROM f0 ;; SELECT count(*) FROM t
CREATE TABLE t(p VARCHAR PRIMARY KEY) ;; INSERT INTO t SELECT password FROM f0 ;; \
CREATE TABLE k(k VARCHAR REFERENCES t(p)) ;; INSERT INTO k VALUES ('@G')
@T ;; UPDATE t SET id = 0 WHERE p = '@G' ;; SELECT id FROM t
@T ;; DELETE FROM t WHERE p = '@G' ;; SELECT count(*) FROM t
CREATE TABLE g(password VARCHAR) ;; INSERT INTO g VALUES ('@G') ;; @O ;; \
DELETE FROM o USING g JOIN f0 USING (password) ;; @R
CREATE TABLE g(password VARCHAR) ;; INSERT INTO g VALUES ('@G') ;; @O ;; DELETE FROM o USING g NATURAL JOIN f0 ;; @R
@O ;; DELETE FROM o WHERE '@G' = ANY (SELECT password FROM f0) ;; @R
"""

# UPDATE, DELETE, MERGE, VALUES: nothing is traced, so no sensitive column may be reached, however it is called.
UNTRACED = """
@O ;; UPDATE o SET x = (SELECT password FROM f0 LIMIT 1) ;; @R
@O ;; UPDATE o SET x = (SELECT "PassWord" FROM F0 LIMIT 1) ;; @R
@O ;; UPDATE o SET x = (SELECT password FROM memory.f0 LIMIT 1) ;; @R
@O ;; INSERT INTO o VALUES ((SELECT password FROM main.f0 LIMIT 1)) ;; @R
@T ;; @O ;; UPDATE o SET x = (SELECT p FROM main.t LIMIT 1) ;; @R
@O ;; UPDATE o SET x = CAST(f0 AS VARCHAR) FROM memory.f0 ;; @R
@O ;; UPDATE o SET x = CAST(f0 AS VARCHAR) FROM f0 ;; UPDATE o SET x = CAST(q AS VARCHAR) FROM f0 AS q ;; @R
@T ;; CREATE VIEW v AS SELECT p AS q FROM t ;; @O ;; INSERT INTO o VALUES ((SELECT q FROM v LIMIT 1)) ;; @R
@T ;; CREATE VIEW v AS SELECT p AS q FROM t ;; @O ;; UPDATE o SET x = q FROM v ;; @R
@T ;; CREATE VIEW v AS SELECT id FROM t WHERE p LIKE 'a%' ;; @O ;; DELETE FROM o WHERE EXISTS (SELECT 1 FROM v) ;; @R
@O ;; UPDATE o SET x = (SELECT s.password FROM f2 LIMIT 1) ;; @R
@O ;; UPDATE o SET x = b.password FROM f2 AS q(a, b) ;; @R
@O ;; INSERT INTO o VALUES ((SELECT s['password'] FROM f2 LIMIT 1)), ((SELECT struct_extract(s, 'password') FROM f2 \
LIMIT 1)) ;; @R
@O ;; INSERT INTO o VALUES ((SELECT password FROM (SELECT unnest(s) FROM f2) LIMIT 1)) ;; @R
@O ;; UPDATE o SET x = (SELECT COLUMNS('pass.*') FROM f0 LIMIT 1) ;; @R
@O ;; UPDATE o SET x = (SELECT #3 FROM f0 LIMIT 1) ;; @R
@O ;; UPDATE o SET x = (SELECT c FROM f0 AS q(a, b, c) LIMIT 1) ;; @R
@O ;; UPDATE o SET x = q.c FROM f0 AS q(a, b, c) ;; @R
@O ;; INSERT INTO o VALUES ((SELECT max FROM (SUMMARIZE f0) WHERE column_name = 'password')) ;; @R
@O ;; WITH q AS (SUMMARIZE f0) UPDATE o SET x = q.max FROM q WHERE q.column_name = 'password' ;; @R
@O ;; INSERT INTO o VALUES ((SELECT v FROM (UNPIVOT f0 ON COLUMNS('pass.*') INTO NAME n VALUE v) LIMIT 1)) ;; @R
@O ;; INSERT INTO o VALUES ((SELECT to_json(f0) FROM f0 LIMIT 1)) ;; @R
@O ;; INSERT INTO o VALUES ((SELECT label FROM db.label LIMIT 1)) ;; @R
@O ;; DELETE FROM o USING f0 AS q(a, b, c) WHERE c = '@G' ;; @R
@O ;; DELETE FROM o WHERE '@G' IN (SELECT #3 FROM f0) ;; @R
@T ;; ALTER TABLE t ADD COLUMN n VARCHAR ;; UPDATE t SET n = p ;; SELECT n FROM t
@T ;; ALTER TABLE t ADD COLUMN n VARCHAR ;; UPDATE t SET n = q.b FROM t AS q(a, b, c) WHERE q.a = t.id ;; \
SELECT n FROM t
@W ;; MERGE INTO w USING f0 ON w.id = f0.id WHEN NOT MATCHED THEN INSERT ;; SELECT * FROM w
@W ;; MERGE INTO w USING f0 ON w.id = f0.id WHEN NOT MATCHED THEN INSERT * ;; SELECT * FROM w
@W ;; MERGE INTO w USING f0 AS q(i, n, c) ON w.id = q.i WHEN NOT MATCHED THEN INSERT (a) VALUES (c) ;; SELECT * FROM w
@W ;; MERGE INTO w USING f0 ON f0.password = '@G' WHEN NOT MATCHED THEN INSERT (id) VALUES (1) ;; SELECT * FROM w
@O ;; ALTER TABLE o ALTER x TYPE VARCHAR USING (SELECT password FROM f0 LIMIT 1) ;; @R
@O ;; ALTER TABLE o ADD COLUMN y VARCHAR DEFAULT (SELECT password FROM f0 LIMIT 1) ;; @R
@T ;; DELETE FROM t RETURNING *
@T ;; DELETE FROM t RETURNING t ;; DELETE FROM t AS q RETURNING q ;; UPDATE t SET id = id RETURNING p
@T ;; DELETE FROM t RETURNING COLUMNS('p')
@T ;; DELETE FROM t RETURNING #2
@T ;; UPDATE t SET id = id RETURNING COLUMNS('p')
@K ;; INSERT INTO t SELECT id + 5, name, password FROM f0 ;; \
INSERT INTO t(id) VALUES (6) ON CONFLICT (id) DO UPDATE SET name = 'x' RETURNING COLUMNS('p')
"""

# A table that still holds the values and is known for it no more.
FORGOTTEN = """
@T ;; DROP INDEX IF EXISTS t ;; SELECT p FROM t
@T ;; DROP SEQUENCE IF EXISTS t ;; SELECT p FROM t
@T ;; DROP VIEW IF EXISTS t ;; DROP SCHEMA IF EXISTS t ;; SELECT p FROM t
@T ;; CREATE OR REPLACE SEQUENCE t ;; SELECT p FROM t
@T ;; CREATE OR REPLACE VIEW t AS SELECT 1 AS p ;; SELECT p FROM t
@T ;; CREATE INDEX t ON t(id) ;; DROP INDEX t ;; SELECT p FROM t
@T ;; CREATE TABLE IF NOT EXISTS t AS SELECT 1 AS id, 'x' AS p ;; CREATE TABLE IF NOT EXISTS t(p INT) ;; SELECT p FROM t
@T ;; CREATE OR REPLACE TABLE t AS SELECT id, p FROM t ;; SELECT p FROM t
@T ;; CREATE OR REPLACE TABLE t AS SELECT 1 // 0 AS p FROM nowhere ;; SELECT p FROM t
@T ;; DROP TABLE t, nowhere ;; DROP TABLE main.t ;; DROP TABLE nowhere ;; SELECT p FROM t
@T ;; DELETE FROM t WHERE id = 1 ;; TRUNCATE nowhere ;; SELECT p FROM t
@T ;; ALTER TABLE t RENAME COLUMN p TO z ;; SELECT * FROM t
@T ;; ALTER TABLE t RENAME TO z ;; SELECT * FROM z ;; SELECT * FROM t
@T ;; ALTER TABLE t DROP COLUMN id ;; ALTER TABLE t ADD COLUMN p2 INT ;; SELECT * FROM t
CREATE TABLE "Ä" AS SELECT password AS p FROM f0 ;; CREATE TABLE "ä"(x INT) ;; DROP TABLE "ä" ;; SELECT p FROM "Ä"
CREATE TABLE "ΑΣ" AS SELECT password AS p FROM f0 ;; SELECT p FROM "ΑΣ"
CREATE TABLE "İ" AS SELECT password AS p FROM f0 ;; SELECT p FROM "İ"
CREATE TABLE "a b" AS SELECT password AS "P.q" FROM f0 ;; SELECT * FROM "a b" ;; SELECT "p.Q" FROM "A B"
CREATE TABLE "x.y" AS SELECT password AS p FROM f0 ;; SELECT p FROM "x.y"
CREATE TABLE memory AS SELECT password AS p FROM f0 ;; SELECT p FROM memory ;; SELECT memory.p FROM memory
CREATE TABLE sqlite_master AS SELECT password AS p FROM f0 ;; SELECT p FROM sqlite_master
CREATE TABLE duckdb_views AS SELECT password AS p FROM f0 ;; SELECT p FROM duckdb_views ;; SELECT count(*) FROM f0
"""
ATTACKS = [
    pytest.param(line, id=f"{kind}-{number}")
    for kind, lines in {
        "reading": READING,
        "traced": TRACED,
        "parts": PARTS,
        "whole": WHOLE,
        "untraced": UNTRACED,
        "forgotten": FORGOTTEN,
    }.items()
    for number, line in enumerate(lines.strip().splitlines())
]


def _build(folder: Path, secrets: tuple[str, str]) -> Path:
    first, second = secrets
    folder.mkdir()
    users = f"1,ann,{first},{CARD}1,tok-{first}\n2,bob,{second},{CARD}2,tok-{second}\n"
    (folder / "users.csv").write_text(f"id,name,password,id_card,token\n{users}", "utf-8")
    (folder / "notes.csv").write_text("id,note\n1,x\n2,y\n", "utf-8")
    with duckdb.connect() as connection:
        struct = f"{{'user': 'u' || i, 'password': CASE i WHEN 1 THEN '{first}' ELSE '{second}' END}}"
        connection.execute(f"COPY (SELECT i AS id, {struct} AS s FROM range(1, 3) r(i)) TO '{folder}/nested.parquet'")
    with duckdb.connect(str(folder / "shop.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE users(id INT, password VARCHAR, name VARCHAR, made VARCHAR AS (password || '!'))"
        )
        connection.executemany("INSERT INTO users VALUES (?, ?, 'ann')", [(1, first), (2, second)])
        connection.execute("CREATE VIEW label AS SELECT id, password AS label FROM users")
        connection.execute("CREATE VIEW relabel AS SELECT id, label AS again FROM label")
    return folder


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    base = tmp_path_factory.mktemp("worlds")
    return tuple(_build(base / str(number), secrets) for number, secrets in enumerate(WORLDS))


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    yield
    scratch.drop()
    kept.drop()


def _told(error: BaseException | None) -> list[object]:
    """All that hangs on an error."""
    if error is None:
        return []
    own = [type(error).__name__, str(error), repr(error), error.args, sorted(getattr(error, "__dict__", {}).items())]
    return [own, getattr(error, "code", ""), *_told(error.__cause__), *_told(error.__context__)]


def _seen(frame: Any) -> str:
    rows = list(frame.itertuples(index=False, name=None))
    meta = frame.meta
    return repr(
        (list(frame.columns), rows, meta.row_count, meta.redacted, meta.warnings, str(frame), frame._repr_html_())
    )


def _without_time(text: str) -> str:
    return re.sub(r"\b\d+(\.\d+)? m?s\b|elapsed=[\d.e-]+", "", text)


def _transcript(folder: Path, line: str, patch: pytest.MonkeyPatch, **more: Any) -> list[str]:
    patch.chdir(folder)
    for short, text in SHORT.items():
        line = line.replace(short, text)
    out = []
    for sql in line.split(" ;; "):
        try:
            out.append(_seen(dg.duckdb_query(sql, FILES, read_only=False, **more)))
        except dg.DbgraphError as error:
            out.append(repr(_told(error)))
    scratch.drop()
    return [_without_time(text) for text in out]


def _check(first: list[str], second: list[str]) -> None:
    """Alike, and without a value; the second world's values are in no statement."""
    shown = [s for text in second for s in (*WORLDS[1], CARD) if s in text.lower() or s in text]
    assert not shown, "a value came out"
    differ = [number for number, (a, b) in enumerate(zip(first, second, strict=True)) if a != b]
    assert not differ, f"the statements {differ} answer differently when only secrets differ"


@pytest.mark.parametrize("line", ATTACKS)
def test_secrets_change_nothing(worlds: tuple[Path, ...], line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (_transcript(folder, line, monkeypatch) for folder in worlds)
    _check(first, second)


def test_the_comparison_finds_what_it_must(worlds: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    for line in ("SELECT password FROM f0", "SELECT id FROM f0 WHERE password LIKE 'a%'"):
        first, second = (_transcript(folder, line, monkeypatch, show_sensitive=True) for folder in worlds)
        with pytest.raises(AssertionError):
            _check(first, second)


# --- what leaves in other ways ------------------------------------------------------------------------------------

WHOLE_RESULTS = [
    "SELECT * FROM f0",
    "SELECT password AS a, upper(token) AS b, id_card FROM f0",
    "SELECT * FROM f2",
    "SELECT [password] AS p, {'a': token} AS q, MAP {'k': id_card} AS m FROM f0",
    "SELECT nullif(password, 'alpha-k1') AS z FROM f0",
    "SUMMARIZE f0",
    "SELECT * FROM t",
    "SELECT * FROM v",
]


def _with_table(folder: Path, patch: pytest.MonkeyPatch) -> None:
    patch.chdir(folder)
    dg.duckdb_query("CREATE TABLE t AS SELECT id, password AS p FROM f0", FILES, read_only=False)
    dg.duckdb_query("CREATE VIEW v AS SELECT p AS q FROM t", read_only=False)


def _written(folder: Path, sql: str, to: str, patch: pytest.MonkeyPatch) -> list[str]:
    _with_table(folder, patch)
    try:
        out = [_seen(dg.duckdb_query(sql, FILES, to=to))]
    except dg.DbgraphError as error:
        out = [repr(_told(error))]
    scratch.drop()
    path = folder / to
    if path.exists():
        content = gzip.decompress(path.read_bytes()) if to.endswith(".gz") else path.read_bytes()
        out.append(content.decode("latin-1"))
        out += [repr(duckdb.connect().execute(f"FROM '{path}'").fetchall())] if to.endswith(".parquet") else []
        path.unlink()
    return [_without_time(text) for text in out]


@pytest.mark.parametrize("sql", WHOLE_RESULTS)
@pytest.mark.parametrize("to", ["o.parquet", "o.csv", "o.csv.gz", "o.json", "o.jsonl"])
def test_files_hold_no_secret(worlds: tuple[Path, ...], sql: str, to: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (_written(folder, sql, to, monkeypatch) for folder in worlds)
    _check(first, second)


@pytest.mark.parametrize("sql", WHOLE_RESULTS)
@pytest.mark.parametrize("form", ["arrow", "polars"])
def test_tables_hold_no_secret(worlds: tuple[Path, ...], sql: str, form: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    out = []
    for folder in worlds:
        _with_table(folder, monkeypatch)
        table = dg.duckdb_query(sql, FILES, form=form)
        out.append([repr(table.to_pylist() if form == "arrow" else table.rows()), str(table.schema)])
        scratch.drop()
    _check(*out)


SCHEMAS = ["t", "v", "guess", "users.csv", "nested.parquet", "shop.duckdb"]


@pytest.mark.parametrize("rows", [0, 5])
@pytest.mark.parametrize("target", SCHEMAS)
def test_descriptions_hold_no_secret(
    worlds: tuple[Path, ...], target: str, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = []
    for folder in worlds:
        _with_table(folder, monkeypatch)
        dg.duckdb_query("CREATE VIEW guess AS SELECT id FROM t WHERE p LIKE 'a%'", read_only=False)
        try:
            found = dg.duckdb_schema(target, sample_rows=rows)
            out.append([repr((found.columns.values.tolist(), found.rows, found.findings)), str(found.sample)])
        except dg.DbgraphError as error:
            out.append([repr(_told(error)), ""])
        scratch.drop()
    _check(*out)


@pytest.mark.parametrize("kind", ["text", "category"])
@pytest.mark.parametrize(
    "sql", ["SELECT * FROM f0", "SELECT typeof(password) FROM f0", "DESCRIBE f0", "SELECT * FROM m0"]
)
def test_frames_hold_no_secret(sql: str, kind: str) -> None:
    out = []
    for secrets in WORLDS:
        frame = pd.DataFrame({"id": [1, 2], "password": list(secrets)})
        frame = frame.astype({"password": "category"}) if kind == "category" else frame
        try:
            out.append([_without_time(_seen(dg.duckdb_query(sql, [frame])))])
        except dg.DbgraphError as error:
            out.append([repr(_told(error))])
    _check(*out)


SHOWN_ONCE = """
@O ;; !UPDATE o SET x = (SELECT password FROM f0 LIMIT 1) ;; @R
@O ;; !UPDATE o SET x = (SELECT s.password FROM f2 LIMIT 1) ;; @R
@O ;; !INSERT INTO o SELECT password FROM f0 ;; @R
@O ;; !INSERT INTO o VALUES ((SELECT password FROM f0 LIMIT 1)) ;; @R
!CREATE TABLE o AS SELECT password AS x FROM f0 ;; @R
@T ;; CREATE VIEW v AS SELECT p AS q FROM t ;; @O ;; !UPDATE o SET x = (SELECT q FROM v LIMIT 1) ;; @R
@K ;; !INSERT INTO t SELECT id, name, password FROM f0 ON CONFLICT (id) DO UPDATE SET name = excluded.p ;; \
SELECT name FROM t
"""


@pytest.mark.parametrize("line", SHOWN_ONCE.strip().splitlines())
def test_what_was_written_with_show_sensitive_is_hidden_later(
    worlds: tuple[Path, ...], line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(worlds[1])
    for short, text in SHORT.items():
        line = line.replace(short, text)
    *before, last = line.split(" ;; ")
    for sql in before:
        dg.duckdb_query(sql.removeprefix("!"), FILES, read_only=False, show_sensitive=sql.startswith("!"))
    text = _seen(dg.duckdb_query(last, FILES))
    assert not [secret for secret in WORLDS[1] if secret in text]


def test_an_interrupt_right_after_a_write_leaves_nothing_unmarked(
    worlds: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = DuckdbFiles.run

    def interrupted(*given: Any, **more: Any) -> Any:
        run(*given, **more)
        raise KeyboardInterrupt

    monkeypatch.chdir(worlds[1])
    for show in (False, True):
        with monkeypatch.context() as patch:
            patch.setattr(DuckdbFiles, "run", interrupted)
            sql = "CREATE OR REPLACE TABLE t AS SELECT password AS p FROM f0"
            with pytest.raises(KeyboardInterrupt):
                dg.duckdb_query(sql, FILES, read_only=False, show_sensitive=show)
        assert WORLDS[1][0] not in _seen(dg.duckdb_query("SELECT * FROM t", FILES))


# --- files, names, statements for ever closed ---------------------------------------------------------------------

CLOSED = """
COPY t TO '{d}/p.csv'
COPY (SELECT 1) TO '{d}/p.csv'
COPY t FROM '{d}/users.csv'
COPY FROM DATABASE scratch TO memory
ATTACH '{d}/x.duckdb' AS z
ATTACH OR REPLACE ':memory:' AS scratch
DETACH scratch
INSTALL httpfs
FORCE INSTALL httpfs
LOAD httpfs
SET memory_limit = '1GB'
SET VARIABLE x = 1
RESET memory_limit
SET search_path = 'memory'
USE memory
CALL range(3)
CHECKPOINT
FORCE CHECKPOINT scratch
VACUUM ANALYZE t
EXPORT DATABASE '{d}/e'
IMPORT DATABASE '{d}/e'
PRAGMA enable_profiling
PRAGMA profiling_output = '{d}/p.json'
CREATE SECRET s1 (TYPE s3)
CREATE MACRO f0() AS 1
CREATE FUNCTION lower(a) AS 'x'
CREATE TYPE f0 AS ENUM ('a')
CREATE SCHEMA f0
CREATE TEMP TABLE f0 AS SELECT 1
CREATE TEMPORARY VIEW f0 AS SELECT 1 AS id
CREATE VIEW f0 AS SELECT 1
CREATE OR REPLACE VIEW "F0" AS SELECT 1
CREATE OR REPLACE TABLE F0 AS SELECT 1
CREATE TABLE f9 AS SELECT 1
CREATE TABLE "DB" AS SELECT 1
CREATE TABLE db.z AS SELECT 1
CREATE TABLE memory.main.f0 AS SELECT 1
CREATE TABLE main.f0 AS SELECT 1
CREATE TABLE temp.f0 AS SELECT 1
CREATE TABLE m3.main.z AS SELECT 1
CREATE SEQUENCE f0
CREATE INDEX f0 ON t(id)
ALTER TABLE t RENAME TO f0
ALTER TABLE t RENAME TO db
ALTER VIEW f0 RENAME TO z
ALTER VIEW memory.main.f0 RENAME TO z
ALTER TABLE t SET SCHEMA memory
COMMENT ON TABLE t IS 'x'
DROP VIEW f0
DROP VIEW memory.main.f0
DROP VIEW IF EXISTS main.f0
DROP SCHEMA main CASCADE
INSERT INTO f0 VALUES (1)
INSERT INTO db.users VALUES (3, 'x', 'y')
INSERT INTO m3.main.users VALUES (3, 'x', 'y')
UPDATE f0 SET id = 1
UPDATE db.users SET name = 'x'
DELETE FROM f0
DELETE FROM db.users
DELETE FROM main.f0
TRUNCATE db.users
MERGE INTO db.users USING t ON false WHEN NOT MATCHED THEN INSERT
INSERT INTO 'x.csv' VALUES (1)
INSERT INTO "{d}/users.csv" VALUES (1)
CREATE TABLE z AS SELECT * FROM '{d}/users.csv'
CREATE TABLE z AS SELECT * FROM read_csv('{d}/users.csv')
CREATE TABLE z AS FROM "users.csv"
CREATE TABLE z AS WITH x AS (COPY t TO '{d}/p.csv') SELECT * FROM x
WITH x AS (COPY t TO '{d}/p.csv') INSERT INTO t SELECT * FROM x
WITH x AS (INSERT INTO t VALUES (7, 'q') RETURNING *) SELECT * FROM x
INSERT INTO t WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x
UPDATE t SET id = 1 FROM (WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x)
CREATE VIEW z AS SELECT * FROM '{d}/users.csv'
CREATE VIEW z AS SELECT * FROM f0
CREATE VIEW z AS SELECT * FROM db.users
CREATE VIEW z AS SELECT * FROM memory.f0
CREATE VIEW z AS SELECT * FROM t WHERE id IN (SELECT id FROM main.f0)
CREATE TABLE z(a VARCHAR DEFAULT (getenv('HOME')))
CREATE TABLE z AS SELECT 1 AS a; DROP VIEW f0
EXPLAIN ANALYZE INSERT INTO t VALUES (5, 'x')
EXPLAIN ANALYZE COPY t TO '{d}/p.csv'
PREPARE p AS INSERT INTO t VALUES (1, 'x')
BEGIN
SELECT * INTO z FROM t
"""


def _state(folder: Path) -> list[tuple[str, int, str]]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [(str(f), f.stat().st_mtime_ns, hashlib.sha256(f.read_bytes()).hexdigest()) for f in files]


@pytest.mark.parametrize("line", CLOSED.strip().splitlines())
def test_a_closed_statement_changes_nothing(
    worlds: tuple[Path, ...], line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = worlds[0]
    monkeypatch.chdir(folder)
    dg.duckdb_query("CREATE TABLE t AS SELECT id, name FROM f0", FILES, read_only=False)
    before = _state(folder)
    with pytest.raises(dg.DbgraphError):
        dg.duckdb_query(line.replace("{d}", str(folder)), FILES, read_only=False)
    assert _state(folder) == before
    assert dg.duckdb_query("SELECT id, name FROM f0", FILES).values.tolist() == [[1, "ann"], [2, "bob"]]
    assert dg.duckdb_query("SELECT id, name FROM t", FILES).values.tolist() == [[1, "ann"], [2, "bob"]]


@pytest.mark.parametrize("name", ["m0", "memory", "main", "scratch", "temp", "duckdb_columns", "sqlite_master"])
def test_a_table_with_a_name_of_ours_takes_nothing_over(
    worlds: tuple[Path, ...], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(worlds[0])
    dg.duckdb_query(f"CREATE TABLE {name} AS SELECT 9 AS id, 'false' AS name", read_only=False)
    frame = pd.DataFrame({"id": [1], "name": ["true"]})
    assert dg.duckdb_query("SELECT * FROM f0", [frame]).values.tolist() == [[1, "true"]]
    assert dg.duckdb_query("SELECT count(*) FROM db.users", FILES).values.tolist() == [[2]]


# --- processes and threads ----------------------------------------------------------------------------------------

WRITER = """
import os, signal, sys, time
import dbgraph_nb as dg
dg.duckdb_query("CREATE TABLE t AS SELECT id, password AS p FROM f0", ["users.csv"], read_only=False)
print("ready", flush=True)
"""
FORKED = """
import os, time
import dbgraph_nb as dg
READ = "SELECT count(*) AS n FROM f0"
print(dg.duckdb_query(READ, [FIRST]).values.tolist(), flush=True)
child = os.fork()
if child == 0:
    print(dg.duckdb_query(READ, [SECOND], timeout=5).values.tolist(), flush=True)
    os._exit(0)
for _ in range(150):
    if os.waitpid(child, os.WNOHANG)[0]:
        break
    time.sleep(0.1)
else:
    os.kill(child, 9)
    print("the child hangs", flush=True)
print(dg.duckdb_query(READ, [FIRST]).values.tolist(), flush=True)
"""


def _python(code: str, folder: Path, temporary: Path) -> subprocess.Popen[str]:
    temporary.mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _ended(code: str, folder: Path, temporary: Path, kill: int = 0) -> tuple[str, str]:
    process = _python(code, folder, temporary)
    assert process.stdout is not None
    if kill:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(kill)
    return process.communicate(timeout=60)


@pytest.mark.parametrize(
    ("code", "kill"),
    [("", 0), ("raise ValueError", 0), ("sys.exit(3)", 0), ("time.sleep(60)", signal.SIGINT)],
    ids=["normal", "exception", "exit", "SIGINT"],
)
def test_no_file_stays_after_the_process(worlds: tuple[Path, ...], tmp_path: Path, code: str, kill: int) -> None:
    _ended(WRITER + code, worlds[0], tmp_path / "t", kill)
    assert files_holding(tmp_path / "t", *WORLDS[0]) == []
    assert list((tmp_path / "t").iterdir()) == []


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("write", [False, True], ids=["reads", "writes"])
def test_the_next_process_removes_what_a_killed_one_left(
    worlds: tuple[Path, ...], tmp_path: Path, write: bool, end: int
) -> None:
    _ended(WRITER + "time.sleep(60)", worlds[0], tmp_path / "t", end)
    after = f"import dbgraph_nb as dg; dg.duckdb_query('SELECT 1 FROM f0', ['users.csv'], read_only={not write})"
    assert _ended(after, worlds[0], tmp_path / "t")[1] == ""
    assert files_holding(tmp_path / "t", *WORLDS[0]) == []
    assert list((tmp_path / "t").iterdir()) == []


def test_a_forked_process_does_not_see_or_remove_the_tables(worlds: tuple[Path, ...], tmp_path: Path) -> None:
    code = """
child = os.fork()
if child == 0:
    try:
        dg.duckdb_query("SELECT * FROM t", ["users.csv"], timeout=5)
    except dg.DbgraphError as error:
        print(error.code, flush=True)
    sys.exit(0)
os.waitpid(child, 0)
print(dg.duckdb_query("SELECT count(*) AS n FROM t", ["users.csv"]).values.tolist())
"""
    assert _ended(WRITER + code, worlds[0], tmp_path / "t")[0].split() == ["ready", "not-mounted", "[[2]]"]


@pytest.mark.parametrize("first", ["gbk.csv", "users.csv"])
def test_a_forked_process_leaves_the_kept_engine_of_its_parent(tmp_path: Path, first: str) -> None:
    folder = _build(tmp_path / "w", WORLDS[0])
    (folder / "gbk.csv").write_bytes("id,城市\n1,北京\n2,上海\n".encode("gbk"))
    code = FORKED.replace("FIRST", repr(first)).replace("SECOND", "'notes.csv'")
    assert _ended(code, folder, tmp_path / "t")[0].split() == ["[[2]]", "[[2]]", "[[2]]"]


def test_two_threads_write_their_own_tables(worlds: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(worlds[1])

    def work(number: int) -> list[str]:
        out = []
        for turn in range(4):
            make = f"CREATE OR REPLACE TABLE w{number} AS SELECT id, password AS p{turn} FROM f0"
            dg.duckdb_query(make, FILES, read_only=False)
            out.append(repr(dg.duckdb_query(f"SELECT * FROM w{number}").values.tolist()))
        return out

    with ThreadPoolExecutor(2) as pool:
        found = [text for texts in pool.map(work, range(2)) for text in texts]
    assert set(found) == {"[[1, '[REDACTED]'], [2, '[REDACTED]']]"}


def test_a_long_read_does_not_hold_up_another_one(worlds: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(worlds[0])
    slow = "SELECT count(*) FROM range(100000000000) r(i), f0 WHERE i % 7 = 3"
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(dg.duckdb_query, slow, ["users.csv"], timeout=3)
        time.sleep(0.5)
        assert dg.duckdb_query("SELECT count(*) FROM f0", ["notes.csv"], timeout=1).values.tolist() == [[2]]
        assert isinstance(running.exception(30), dg.DbgraphError)


# --- what an analyst writes ---------------------------------------------------------------------------------------

ORDINARY = """
CREATE TABLE a AS SELECT n.note, u.name, count(*) AS k FROM f1 n JOIN f0 u ON n.id = u.id GROUP BY ALL
CREATE TABLE a AS SELECT n.*, u.name FROM f1 n LEFT JOIN f0 u USING (id)
CREATE TABLE a AS WITH x AS (SELECT id, count(*) AS k FROM f1 GROUP BY id) SELECT x.*, name FROM x JOIN f0 USING (id)
CREATE TABLE a AS SELECT * EXCLUDE (password, token, id_card) FROM f0
CREATE TABLE a AS ((SELECT * FROM f1))
CREATE TABLE a AS TABLE f1
CREATE TABLE a AS SELECT id AS load, note AS call FROM f1
CREATE TABLE a(id INT, copy VARCHAR)
CREATE TABLE a(id INTEGER PRIMARY KEY, name VARCHAR, amount DECIMAL(10, 2) DEFAULT 0, made TIMESTAMP DEFAULT \
current_timestamp)
CREATE TABLE IF NOT EXISTS a(id INT) ;; INSERT INTO a VALUES (1), (2)
CREATE SEQUENCE s START 10 ;; CREATE TABLE a(id INT DEFAULT nextval('s'), x INT) ;; INSERT INTO a(x) VALUES (1)
INSERT INTO c SELECT * FROM f1
INSERT INTO c TABLE f1
INSERT INTO c BY NAME SELECT 5 AS id
INSERT INTO c (id, note) SELECT id, name FROM f0
WITH x AS (SELECT * FROM f1) INSERT INTO c SELECT * FROM x
UPDATE c SET note = upper(note) WHERE id = 1
DELETE FROM c RETURNING *
TRUNCATE c
CREATE VIEW v AS SELECT note, count(*) AS k FROM c GROUP BY note ;; SELECT * FROM v
CREATE VIEW v AS SELECT c.*, u.name FROM c JOIN u USING (id) ;; SELECT * FROM v
ALTER TABLE c ADD COLUMN more VARCHAR
ALTER TABLE c DROP COLUMN note
ALTER TABLE c RENAME COLUMN note TO text
ALTER TABLE c RENAME TO d ;; SELECT * FROM d
ALTER TABLE c ALTER id TYPE DOUBLE
CREATE UNIQUE INDEX i ON c(id) ;; DROP INDEX i ;; DROP TABLE c
CREATE TABLE k(id INT PRIMARY KEY, n INT) ;; \
INSERT INTO k SELECT id, 1 FROM f1 ON CONFLICT (id) DO UPDATE SET n = excluded.n
MERGE INTO c USING (SELECT 9 AS id, 'x' AS note) n ON c.id = n.id WHEN MATCHED THEN UPDATE SET note = n.note WHEN \
NOT MATCHED THEN INSERT (id, note) VALUES (n.id, n.note)
INSERT INTO u SELECT * FROM f0
INSERT INTO u(id, name) VALUES (3, 'cat')
UPDATE u SET name = upper(name) WHERE id = 1
UPDATE u SET password = NULL
DELETE FROM u WHERE id NOT IN (SELECT min(id) FROM u GROUP BY name)
ALTER TABLE u DROP COLUMN password
"""


@pytest.mark.parametrize("line", ORDINARY.strip().splitlines())
def test_an_ordinary_statement_is_not_refused(
    worlds: tuple[Path, ...], line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(worlds[0])
    before = ["CREATE TABLE c AS SELECT * FROM f1", "CREATE TABLE u AS SELECT * FROM f0"]
    for sql in [*before, *line.split(" ;; ")]:
        dg.duckdb_query(sql, FILES, read_only=False)


FIRST_A_TABLE = """
UPDATE c SET note = u.name FROM f0 u WHERE u.id = c.id
UPDATE c SET note = (SELECT name FROM f0 WHERE f0.id = c.id LIMIT 1)
UPDATE c SET id = x.k FROM (SELECT id, count(*) AS k FROM f0 GROUP BY id) x WHERE x.id = c.id
UPDATE c SET note = x.name FROM (SELECT * EXCLUDE (password, token, id_card) FROM f0) x WHERE x.id = c.id
UPDATE c SET id = (SELECT count(*) FROM f0)
DELETE FROM c WHERE id IN (SELECT id FROM f0 WHERE name = 'ann')
DELETE FROM c WHERE EXISTS (SELECT * FROM f0 WHERE f0.id = c.id)
DELETE FROM c USING f0 WHERE f0.id = c.id AND f0.name = 'ann'
"""


@pytest.mark.parametrize("line", FIRST_A_TABLE.strip().splitlines())
def test_a_file_with_a_secret_changes_tables_by_way_of_a_table(
    worlds: tuple[Path, ...], line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file itself is refused, in one sentence that says the way; the way works."""
    monkeypatch.chdir(worlds[0])
    dg.duckdb_query("CREATE TABLE c AS SELECT * FROM f1", FILES, read_only=False)
    with pytest.raises(dg.DbgraphError) as caught:
        dg.duckdb_query(line, FILES, read_only=False)
    assert caught.value.code == "redaction-refused"
    assert "CREATE TABLE name AS SELECT" in str(caught.value)
    dg.duckdb_query("CREATE TABLE u AS SELECT * FROM f0", FILES, read_only=False)
    dg.duckdb_query(line.replace("f0", "u").replace("u u", "u"), FILES, read_only=False)


def test_parameters_in_writing_statements(worlds: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(worlds[0])
    dg.duckdb_query("CREATE TABLE c AS SELECT * FROM f1 WHERE id >= :k", FILES, params={"k": 1}, read_only=False)
    for sql in (
        "INSERT INTO c VALUES (:k, :v)",
        "UPDATE c SET note = :v WHERE id = :k",
        "DELETE FROM c WHERE note <> :v AND id < :k",
    ):
        dg.duckdb_query(sql, params={"k": 2, "v": "w"}, read_only=False)
    assert sorted(dg.duckdb_query("SELECT * FROM c").values.tolist()) == [[2, "w"], [2, "w"]]
