"""Options of CSV files, and the errors of files and mounts that have no exam of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import dbgraph_nb as dg
from dbgraph_nb.errors import BadArgument, DbgraphError
from dbgraph_nb.localdata.options import CsvOptions, csv_options, pairs


def test_what_can_be_said() -> None:
    assert csv_options(None) == CsvOptions()
    told = {"encoding": "gbk", "delim": "tab", "quote": "none", "header": "no", "skip": "2", "decimal": ",",
            "ragged": "pad", "text": ["a", "b"]}  # fmt: skip
    assert csv_options(told) == CsvOptions("gbk", "\t", "", False, 2, ",", "pad", ("a", "b"))
    assert pairs(["delim=;", "text=a=b"]) == {"delim": ";", "text": "a=b"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"nope": 1}, {"encoding": 5}, {"delim": ""}, {"delim": "abcde"}, {"delim": "\n"}, {"quote": "''"},
        {"header": "x"}, {"skip": -1}, {"skip": "two"}, {"skip": True}, {"decimal": ";"}, {"ragged": "drop"},
        {"text": 5}, {"text": [""]}, ["delim"], "delim=;",
    ],
)  # fmt: skip
def test_what_cannot(wrong: Any) -> None:
    with pytest.raises(BadArgument) as caught:
        csv_options(wrong)
    assert caught.value.code == "bad-csv-option"
    with pytest.raises(BadArgument):
        pairs(["delim"])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def code(file: str, sql: str = "FROM f0", **more: Any) -> str:
    with pytest.raises(DbgraphError) as caught:
        dg.duckdb_query(sql, [file], **more)
    assert file.partition("#")[0] in str(caught.value) or caught.value.code in ("csv-line", "unknown-encoding")
    return str(caught.value.code)


def test_files_that_are_something_else(folder: Path) -> None:
    for name in ("a.json", "a.parquet", "a.csv.gz", "a.csv.zst", "a.xlsx"):
        (folder / name).write_text('{"a":', "utf-8")
        assert code(name) == "file-not-understood"
    (folder / "a.duckdb").write_text("no", "utf-8")
    assert code("a.duckdb") == "not-a-database"


def test_encodings(folder: Path) -> None:
    (folder / "a.csv").write_bytes("姓名,城市\n张三,北京\n".encode() + b"Jos\xe9,x\n")
    assert code("a.csv") == "bad-encoding"
    assert code("a.csv", csv={"encoding": "nope"}) == "unknown-encoding"
    (folder / "b.csv").write_bytes("name,ort\nJosé,Köln\n".encode("latin-1"))
    for told in ({}, {"encoding": "latin-1"}):
        assert dg.duckdb_query("FROM f0", ["b.csv"], csv=told).values.tolist() == [["José", "Köln"]]


def test_sheets(folder: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["a", "b", "a", None])
    book.active.append([1, "x", 2.5, None])
    book.active.append([2, None, 3, "z"])
    book.create_sheet("第二").append(["只有标题"])
    book.save("book.xlsx")
    frame = dg.duckdb_query("FROM f0", ["book.xlsx"])
    assert list(frame.columns) == ["a", "b", "a_1", "column3"]
    assert frame["a"].tolist() == [1, 2]
    assert frame["a_1"].tolist() == [2.5, 3.0]
    assert frame.meta.warnings == ("f0: sheet Sheet of 2",)
    assert list(dg.duckdb_query("FROM s", ["s=book.xlsx#第二"]).columns) == ["只有标题"]
    assert code("book.xlsx#none") == "unknown-sheet"


def test_databases(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import duckdb

    from dbgraph_nb.localdata import copies, databases

    with duckdb.connect("d.duckdb") as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS a; CREATE TABLE u AS SELECT 2 AS b")
        assert code("d.duckdb") == "database-locked"
    assert dg.duckdb_query("SELECT a, b FROM d.t, f0.u", ["d=d.duckdb"]).values.tolist() == [[1, 2]]
    monkeypatch.setattr(databases, "MOST", 1)
    assert code("d.duckdb", csv={"header": True}) == "too-many-tables"
    monkeypatch.setattr(copies, "MOST_BYTES", 1)
    assert code("d.duckdb", csv={"header": False}) == "database-too-large"


def test_an_engine_that_cannot_be_kept_is_not(folder: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame({"a": [1]})
    assert dg.duckdb_query("SELECT sum(a) AS s FROM f0", [frame])["s"].tolist() == [1]
    frame["a"] = [5]
    assert dg.duckdb_query("SELECT sum(a) AS s FROM f0", [frame])["s"].tolist() == [5]


def test_polars_and_arrow_without_an_interval(folder: Path) -> None:
    with pytest.raises(BadArgument) as caught:
        dg.duckdb_query("SELECT [INTERVAL 1 MONTH] AS a", form="polars")
    assert caught.value.code == "form-not-possible"
