"""Whole results as files, as tables of Arrow and polars, and what describes a file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

import dbgraph_nb as dg
from dbgraph_nb.engines import duckdb_spare
from dbgraph_nb.errors import DbgraphError
from dbgraph_nb.explore import scratch
from dbgraph_nb.localdata import kept

SECRET = "geheim-7f3a"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "users.csv").write_text(f"id,name,password\n2,李四,\n1,张三,{SECRET}\n", "utf-8")
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT i AS a, i::VARCHAR AS b FROM range(5000) r(i)) TO '{tmp_path}/p.parquet'")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    scratch.drop()


def back(path: str) -> list[tuple[Any, ...]]:
    return duckdb.sql(f"FROM '{path}'").fetchall()


def code(sql: str, **more: Any) -> str:
    with pytest.raises(DbgraphError) as caught:
        dg.duckdb_query(sql, ["users.csv"], **more)
    return str(caught.value.code)


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".csv.gz", ".tsv", ".json", ".jsonl", ".ndjson"])
def test_every_ending(folder: Path, ending: str) -> None:
    path = f"out{ending}"
    frame = dg.duckdb_query("SELECT a, b FROM f0 ORDER BY a DESC; -- all of them", ["p.parquet"], to=path)
    ((file, rows, columns, size),) = frame.itertuples(index=False, name=None)
    assert (file, rows, columns, size) == (path, 5000, 2, (folder / path).stat().st_size)
    assert back(path)[0][0] == 4999
    assert len(back(path)) == 5000
    assert frame.meta.source == path


def test_secrets_stay_out_of_files(folder: Path) -> None:
    sql = "SELECT id, password, upper(password) AS u, password IS NULL AS n FROM f0 ORDER BY id"
    frame = dg.duckdb_query(sql, ["users.csv"], to="u.parquet")
    hidden = "[REDACTED]"
    assert back("u.parquet") == [(1, hidden, hidden, hidden), (2, None, None, hidden)]
    assert [column.name for column in frame.meta.redacted] == ["password", "u", "n"]
    dg.duckdb_query(sql, ["users.csv"], to="shown.csv", show_sensitive=True)
    assert SECRET in (folder / "shown.csv").read_text("utf-8")


def test_numbers_and_names_in_files(folder: Path) -> None:
    dg.duckdb_query("SELECT sum(id) AS s, 9007199254740993 AS s, 1.10 AS d FROM f0", ["users.csv"], to="n.parquet")
    relation = duckdb.sql("FROM 'n.parquet'")
    assert relation.columns == ["s", "s_1", "d"]
    assert relation.fetchall() == [(Decimal(3), 9007199254740993, Decimal("1.10"))]


def test_parameters_and_other_forms(folder: Path) -> None:
    dg.duckdb_query("SELECT id FROM f0 WHERE name = :n", ["users.csv"], params={"n": "张三"}, to="a.csv")
    assert back("a.csv") == [(1,)]
    dg.duckdb_query("SUMMARIZE f0", ["p.parquet"], to="s.json")
    assert [row[0] for row in back("s.json")] == ["a", "b"]
    frame = pd.DataFrame({"a": [1, 2, 2]})
    dg.duckdb_query("PIVOT f0 ON a IN (1, 2) USING count(*)", [frame], to="pivot.parquet")
    assert back("pivot.parquet") == [(1, 2)]
    assert dg.duckdb_query("PIVOT f0 ON a USING count(*)", [frame], form="arrow").num_rows == 1
    with pytest.raises(DbgraphError) as caught:
        dg.duckdb_query("PIVOT f0 ON a USING count(*)", [frame], to="again.csv")
    assert caught.value.code == "no-rows-to-write"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("users.csv", "file-exists"),
        ("../out.csv", "path-parent"),
        ("/tmp/out.csv", "path-outside"),
        ("out.txt", "unknown-file-type"),
        ("no/out.csv", "path-missing"),
        ("", "bad-path"),
        ("s3://bucket/out.csv", "path-is-url"),
    ],
)
def test_places_that_cannot_be(folder: Path, path: str, expected: str) -> None:
    before = hashlib.sha256((folder / "users.csv").read_bytes()).hexdigest()
    assert code("FROM f0", to=path) == expected
    assert hashlib.sha256((folder / "users.csv").read_bytes()).hexdigest() == before
    assert sorted(path.name for path in folder.iterdir()) == ["p.parquet", "users.csv"]


def test_half_a_file_is_none(folder: Path) -> None:
    assert code("SELECT CAST(name AS INTEGER) AS x FROM f0", to="x.csv") == "csv-line"
    assert code("SELECT a.range FROM range(10000000) a, range(100000) b", to="y.csv", timeout=0.3) == "query-timeout"
    assert code("EXPLAIN FROM f0", to="z.csv") == "no-rows-to-write"
    assert code("CREATE TABLE t AS FROM f0", to="z.csv", read_only=False) == "gate-statement-form"
    assert sorted(path.name for path in folder.iterdir()) == ["p.parquet", "users.csv"]


def test_tables_of_arrow_and_polars(folder: Path) -> None:
    import polars as pl
    import pyarrow as pa

    sql = "SELECT id, name, password, sum(id) OVER () AS s, INTERVAL 1 MONTH AS m FROM f0 ORDER BY id"
    table = dg.duckdb_query(sql, ["users.csv"], form="arrow")
    assert isinstance(table, pa.Table)
    assert table.column("password").to_pylist() == ["[REDACTED]", None]
    assert table.column("s").to_pylist() == [Decimal(3), Decimal(3)]
    frame = dg.duckdb_query(sql, ["users.csv"], form="polars")
    assert isinstance(frame, pl.DataFrame)
    assert frame["name"].to_list() == ["张三", "李四"]
    assert frame["m"].to_list() == ["1 month", "1 month"]
    assert code("FROM f0", form="excel") == "bad-form"
    assert code("EXPLAIN FROM f0", form="arrow") == "no-rows-to-write"


def test_tables_are_cut_as_frames_are(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBGRAPH_NB_FETCH_ROWS", "1000")
    assert dg.duckdb_query("FROM f0", ["p.parquet"], form="arrow").num_rows == 1000


def test_a_package_that_is_not_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "polars", None)
    assert code("FROM f0", form="polars") == "package-missing"
    monkeypatch.setitem(__import__("sys").modules, "python_calamine", None)
    pd.DataFrame({"a": [1]}).to_excel("x.xlsx", index=False)
    with pytest.raises(DbgraphError) as caught:
        dg.duckdb_query("FROM f0", ["x.xlsx"])
    assert caught.value.code == "package-missing"


def test_a_database_server_writes_files_too(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBGRAPH_NB_HOME", str(folder.parent / "home"))
    dg.connect("shop", dg.samples.shop(folder.parent / "shop.sqlite"))
    dg.index("shop")
    frame = dg.sql("shop", "SELECT id, name, password FROM users ORDER BY id", to="users.parquet")
    assert frame["rows"].tolist() == [len(back("users.parquet"))]
    assert {row[2] for row in back("users.parquet")} <= {"[REDACTED]", None}
    for path, expected in (("users.parquet", "file-exists"), ("../x.csv", "path-parent")):
        with pytest.raises(DbgraphError) as caught:
            dg.sql("shop", "SELECT 1 AS a", to=path)
        assert caught.value.code == expected
    monkeypatch.setenv("DBGRAPH_NB_FETCH_ROWS", "5")
    with pytest.raises(DbgraphError) as caught:
        dg.sql("shop", "SELECT id FROM orders", to="cut.csv")
    assert caught.value.code == "result-cut"
    assert not (folder / "cut.csv").exists()


# --- the engine that is kept ----------------------------------------------------------------------------------------


def test_a_changed_file_is_read_anew(folder: Path) -> None:
    for text, total in (("a\n1\n", 1), ("a\n22\n", 22), ("b;a\n1;3\n", 3)):
        (folder / "c.csv").write_text(text, "utf-8")
        assert dg.duckdb_query("SELECT sum(a) AS s FROM f0", ["c.csv"])["s"].tolist() == [total]


def test_the_same_file_is_looked_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dbgraph_nb.localdata import csv_shape

    looks: list[str] = []
    original = csv_shape.examine
    monkeypatch.setattr(csv_shape, "examine", lambda *a: looks.append(a[1]) or original(*a))
    kept.drop()
    for _ in range(3):
        dg.duckdb_query("FROM f0", ["users.csv"])
    assert looks == [".csv"]
    dg.duckdb_query("FROM f0", ["users.csv"], csv={"header": "no"})
    assert looks == [".csv", ".csv"]
    with pytest.raises(DbgraphError):
        dg.duckdb_query("SELECT nope FROM f0", ["users.csv"], csv={"header": "no"})
    dg.duckdb_query("FROM f0", ["users.csv"], csv={"header": "no"})
    assert looks[2:] in ([], [".csv"])


def test_nothing_stays_in_the_temporary_folder(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.drop()
    duckdb_spare.settle()
    place = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr("tempfile.tempdir", str(place))
    (folder / "g.csv").write_bytes("姓名,城市\n张三,北京\n".encode("gbk"))
    with duckdb.connect(str(folder / "d.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS a")
    assert dg.duckdb_query("SELECT 姓名 FROM f0", ["g.csv"]).iloc[0, 0] == "张三"
    assert dg.duckdb_query("FROM f0", ["d.duckdb"])["a"].tolist() == [1]
    dg.duckdb_query("CREATE TABLE t AS SELECT * FROM range(100000) ORDER BY hash(range)", read_only=False)
    for drop in (kept.drop, scratch.drop, duckdb_spare.settle):
        drop()
    assert list(place.iterdir()) == []


# --- what is in a file ----------------------------------------------------------------------------------------------


def test_what_is_in_a_csv(folder: Path) -> None:
    found = dg.duckdb_schema("users.csv")
    assert found.columns.values.tolist() == [
        ["id", "BIGINT", "yes", ""],
        ["name", "VARCHAR", "yes", ""],
        ["password", "VARCHAR", "yes", "credential"],
    ]
    assert found.sample is not None
    assert found.sample.fillna("").values.tolist() == [[2, "李四", ""], [1, "张三", "[REDACTED]"]]
    size = (folder / "users.csv").stat().st_size
    assert (found.rows, found.rows_exact, found.size) == (2, True, size)
    assert found.headline() == f"users.csv · 2 rows · 3 columns · {size} bytes"


def test_names_frames_and_tables(folder: Path) -> None:
    assert dg.duckdb_schema("p.parquet", sample_rows=0).sample is None
    assert dg.duckdb_schema("p.parquet").rows == 5000
    assert dg.duckdb_schema("U", files=["p.parquet", "u=users.csv"]).target == "users.csv"
    assert dg.duckdb_schema(pd.DataFrame({"a": [1]})).columns["type"].tolist() == ["BIGINT"]
    with duckdb.connect(str(folder / "d.duckdb")) as connection:
        connection.execute("CREATE TABLE t (a INTEGER NOT NULL, b VARCHAR); CREATE TABLE u (c DATE)")
    assert dg.duckdb_schema("f0.t", files=["d.duckdb"]).columns["null"].tolist() == ["no", "yes"]
    assert dg.duckdb_schema("d.duckdb").columns.iloc[:, :2].values.tolist() == [["t", "a"], ["t", "b"], ["u", "c"]]
    dg.duckdb_query("CREATE TABLE made AS SELECT 1 AS x", read_only=False)
    assert dg.duckdb_schema("made").rows == 1


@pytest.mark.parametrize("wrong", [-1, 51, "5", True, None])
def test_sample_rows_that_cannot_be(folder: Path, wrong: Any) -> None:
    with pytest.raises(DbgraphError) as caught:
        dg.duckdb_schema("users.csv", sample_rows=wrong)
    assert caught.value.code == "bad-sample-rows"


def test_nothing_of_that_name(folder: Path) -> None:
    with pytest.raises(DbgraphError) as caught:
        dg.duckdb_schema("nothing", files=["users.csv"])
    assert caught.value.code == "not-mounted"


def test_a_large_text_is_not_counted(folder: Path) -> None:
    lines = "12345,abcdefghij\n"
    (folder / "big.csv").write_text("a,b\n" + lines * 1_200_000, "utf-8")
    found = dg.duckdb_schema("big.csv")
    assert not found.rows_exact
    assert found.rows == pytest.approx(1_200_000, rel=0.01)
    assert "about " in found.headline()
