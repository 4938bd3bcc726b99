"""SQL over files of the workspace, end to end."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path
from typing import Any

import duckdb
import pytest

import dbgraph_nb as dg
from dbgraph_nb.errors import BadArgument, DbgraphError, GateRefused, PathRefused, QueryFailed, UnknownName

SECRET = "geheim-7f3a"
SALES = """city,amount,zip,phone
BJ,100,010001,+8613800138000
SH,200,200000,+8613900139000
BJ,200,100000,+861
HZ,100,310000,+862
"""


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "sales.csv").write_text(SALES, "utf-8")
    (folder / "sales.csv.gz").write_bytes(gzip.compress(SALES.encode()))
    (folder / "t.tsv").write_text("a\tb\n1\tx,y\n", "utf-8")
    (folder / "lines.jsonl").write_text('{"a": 1, "tags": ["x"]}\n{"a": 2, "tags": []}\n', "utf-8")
    (folder / "doc.json").write_text('[{"a": 1}, {"a": 2}]', "utf-8")
    (folder / "users.csv").write_text(f"id,name,password\n1,张三,{SECRET}\n", "utf-8")
    (folder / "空.csv").write_text("甲,乙\n", "utf-8")
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT i AS id FROM range(5000) r(i)) TO '{folder}/p1.parquet'")
        connection.execute(f"COPY (SELECT i AS id FROM range(5) r(i)) TO '{folder}/p2.parquet'")
    (tmp_path / "outside.csv").write_text(f"x\n{SECRET}\n", "utf-8")
    monkeypatch.chdir(folder)
    return folder


def rows(sql: str, *files: str, **more: Any) -> list[tuple[Any, ...]]:
    return list(dg.duckdb_query(sql, files, **more).itertuples(index=False, name=None))


def test_the_sums_of_cities_are_whole_numbers(workspace: Path) -> None:
    frame = dg.duckdb_query("SELECT city, sum(amount) AS total FROM f0 GROUP BY city ORDER BY city", ["sales.csv"])
    assert list(frame.itertuples(index=False, name=None)) == [("BJ", 300), ("HZ", 100), ("SH", 200)]
    assert all(isinstance(value, int) for value in frame["total"].tolist())
    assert frame.meta.source == "sales.csv"


@pytest.mark.parametrize(
    ("file", "sql", "found"),
    [
        ("sales.csv.gz", "SELECT count(*), min(zip) FROM f0", [(4, "010001")]),
        ("t.tsv", "SELECT a, b FROM f0", [(1, "x,y")]),
        ("lines.jsonl", "SELECT sum(a), max(len(tags)) FROM f0", [(3, 1)]),
        ("doc.json", "SELECT sum(a) FROM f0", [(3,)]),
        ("p1.parquet", "SELECT count(*) FROM f0", [(5000,)]),
        ("p*.parquet", "SELECT count(*) FROM f0", [(5005,)]),
        ("空.csv", "SELECT count(*) FROM f0", [(0,)]),
        ("s=./sales.csv", "SELECT count(*) FROM s JOIN f0 USING (zip)", [(4,)]),
    ],
)
def test_formats(workspace: Path, file: str, sql: str, found: list[tuple[Any, ...]]) -> None:
    assert rows(sql, file) == found


def test_digits_that_are_no_number_stay_text(workspace: Path) -> None:
    assert rows("SELECT zip, phone, amount FROM f0 LIMIT 1", "sales.csv") == [("010001", "+8613800138000", 100)]


def test_several_files_and_parameters(workspace: Path) -> None:
    sql = "SELECT s.city, l.a FROM f0 AS s, lines AS l WHERE s.amount >= :least AND l.a = :a ORDER BY city"
    assert rows(sql, "sales.csv", "lines=lines.jsonl", params={"least": 200, "a": 2}) == [("BJ", 2), ("SH", 2)]


def test_the_rest_is_counted_and_not_fetched(workspace: Path) -> None:
    frame = dg.duckdb_query("FROM f0", ["p1.parquet"], max_rows=10)
    assert (len(frame), frame.meta.row_count, frame.meta.row_count_exact, frame.meta.truncated) == (
        10,
        5000,
        True,
        True,
    )
    assert len(dg.duckdb_query("FROM f0", ["p1.parquet"], full=True)) == 5000


def test_secrets_of_files_are_hidden(workspace: Path) -> None:
    frame = dg.duckdb_query("SELECT name, password, upper(password) AS p FROM f0", ["users.csv"])
    assert list(frame.itertuples(index=False, name=None)) == [("张三", "[REDACTED]", "[REDACTED]")]
    with pytest.raises(DbgraphError) as caught:
        dg.duckdb_query("SELECT name FROM f0 WHERE password LIKE 'g%'", ["users.csv"])
    assert caught.value.code == "redaction-refused"
    shown = dg.duckdb_query("SELECT password FROM f0", ["users.csv"], show_sensitive=True)
    assert shown["password"].tolist() == [SECRET]
    assert shown.meta.warnings == ("sensitive values shown",)


ATTEMPTS = [
    "SELECT * FROM '{outside}'",
    'SELECT * FROM "{outside}"',
    "SELECT * FROM read_csv('{outside}')",
    "SELECT * FROM read_text('{outside}')",
    "SELECT * FROM read_blob('../outside.csv')",
    "SELECT * FROM glob('{folder}/*')",
    "SELECT * FROM sniff_csv('{outside}')",
    "FROM histogram('{outside}', 'x')",
    "SELECT * FROM query('FROM ''{outside}''')",
    "SELECT * FROM query_table('f0')",
    "ATTACH '{outside}' AS x",
    "COPY f0 TO '{folder}/planted.csv'",
    "WITH x AS (COPY f0 TO '{folder}/planted.csv') SELECT * FROM x",
    "EXPLAIN ANALYZE COPY f0 TO '{folder}/planted.csv'",
    "EXPORT DATABASE '{folder}/planted'",
    "CREATE VIEW f0 AS SELECT 1",
    "CREATE OR REPLACE TEMP VIEW f0 AS SELECT 1",
    "CREATE MACRO f0() AS 1",
    "SET enable_external_access = true",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SELECT getenv('HOME')",
    "SELECT 1; COPY f0 TO '{folder}/planted.csv'",
    "DELETE FROM f0",
    "PRAGMA enable_external_access",
    "SELECT * FROM sales",
]


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_a_statement_reads_mounts_only_and_changes_nothing(workspace: Path, attempt: str) -> None:
    outside = workspace.parent / "outside.csv"
    sql = attempt.replace("{outside}", str(outside)).replace("{folder}", str(workspace))
    before = _state(workspace)
    with pytest.raises((GateRefused, UnknownName)) as caught:
        dg.duckdb_query(sql, ["sales.csv"])
    assert SECRET not in str(caught.value)
    assert _state(workspace) == before


def _state(folder: Path) -> list[tuple[str, int, str]]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [(str(f), f.stat().st_mtime_ns, hashlib.sha256(f.read_bytes()).hexdigest()) for f in files]


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("../outside.csv", "path-parent"),
        ("{outside}", "path-outside"),
        ("link.csv", "link-outside"),
        ("/dev/stdin", "unknown-file-type"),
        ("https://example.com/a.csv", "path-is-url"),
        ("nowhere.csv", "path-missing"),
        ("sales.dta", "unknown-file-type"),
    ],
)
def test_files_outside_are_not_mounted(workspace: Path, file: str, code: str) -> None:
    outside = workspace.parent / "outside.csv"
    (workspace / "link.csv").symlink_to(outside)
    with pytest.raises(PathRefused) as caught:
        dg.duckdb_query("SELECT * FROM f0", [file.replace("{outside}", str(outside))])
    assert caught.value.code == code
    assert SECRET not in str(caught.value)


def test_a_name_that_is_not_mounted(workspace: Path) -> None:
    with pytest.raises(UnknownName) as caught:
        dg.duckdb_query("SELECT * FROM f1", ["sales.csv"])
    assert caught.value.code == "not-mounted"
    assert "Mounted: f0." in str(caught.value)


def test_a_file_that_is_not_what_its_name_says(workspace: Path) -> None:
    (workspace / "bad.parquet").write_text("no parquet " + SECRET, "utf-8")
    with pytest.raises(QueryFailed) as caught:
        dg.duckdb_query("SELECT * FROM f0", ["bad.parquet"])
    assert caught.value.code == "file-not-understood"
    assert SECRET not in str(caught.value)


def test_the_workspace_can_be_set(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    monkeypatch.setenv("DBGRAPH_NB_WORKSPACE", str(workspace))
    assert rows("SELECT count(*) FROM f0", "sales.csv") == [(4,)]
    assert rows("SELECT count(*) FROM f0", str(workspace / "sales.csv")) == [(4,)]


@pytest.mark.parametrize("more", [{"max_rows": 0}, {"timeout": -1}, {"params": [1]}])
def test_arguments_that_cannot_be(workspace: Path, more: dict[str, Any]) -> None:
    with pytest.raises(BadArgument):
        dg.duckdb_query("SELECT 1", ["sales.csv"], **more)


def test_no_files_at_all() -> None:
    assert rows("SELECT 1 + 1 AS two") == [(2,)]


def test_long_statements_tell_how_far_they_are(workspace: Path) -> None:
    told: list[tuple[float | None, str]] = []
    sql = "SELECT max(a.range * b.range) AS m FROM range(1000000) AS a, range(2000) AS b"
    dg.duckdb_query(sql, progress=lambda share, message: told.append((share, message)))
    assert told
    assert all(share is None or 0 <= share <= 1 for share, _ in told)
    assert {message for _, message in told} == {"reading"}
