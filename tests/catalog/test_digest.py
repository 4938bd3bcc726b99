"""The digest: what it says, that it is bounded, and its file."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from bench.generate import catalog
from catalog.index_snapshots import NOW, classify, empty, odd, shop

from dbgraph_nb.catalog import digest as digest_module
from dbgraph_nb.catalog.digest import MAX_BYTES, digest, read_status, status_of, write_status
from dbgraph_nb.catalog.index import build
from dbgraph_nb.catalog.store import open_index
from dbgraph_nb.errors import IndexUnavailable
from dbgraph_nb.model import Column, DbObject, Snapshot


def digest_of(snapshot: Snapshot, folder: Path, max_bytes: int = MAX_BYTES) -> str:
    build(snapshot, folder / "index.db", now=NOW, writer="python", classify=classify)
    with open_index(folder / "index.db", name="shop") as index:
        return digest(index, max_bytes=max_bytes)


def test_it_tells_what_how_much_how_fresh_and_the_central_tables_first(tmp_path: Path) -> None:
    assert digest_of(shop(), tmp_path).splitlines() == [
        "shop: mariadb 10.11.19, database shop",
        "4 tables, 1 view, 14 columns, 4 foreign keys",
        f"Names and types read at {NOW}; keys read at {NOW} (level l2)",
        "Sensitive columns: 1 credential, 1 identity",
        "- shipping: 2 columns; o → order_items; l → order_items; o → 订单",
        "- 订单: 3 columns; key id; user_id → users; shop_id → shops.id",
        "- order_items: 3 columns; key order_id, line_no",
        "- users 用户表 user accounts: 5 columns; about 9,223,372,036,854,775,807 rows; key id",
        "- v_active (view): 1 column",
    ]


def test_level_l1_says_what_is_not_known_yet(tmp_path: Path) -> None:
    assert "keys not read yet (level l1)" in digest_of(replace(shop(), level="l1"), tmp_path)


def test_no_enum_value_and_no_default_is_in_it(tmp_path: Path) -> None:
    text = digest_of(shop(), tmp_path)
    for value in ("active\n", "已停用", "匿名", "female"):
        assert value not in text


@pytest.mark.parametrize("limit", [400, 700, 1000, MAX_BYTES])
def test_a_large_catalog_fits_and_is_cut_between_names(limit: int, tmp_path: Path) -> None:
    snapshot = catalog(300, 9)
    text = digest_of(snapshot, tmp_path, limit)
    assert len(text.encode()) <= limit
    *lines, last = text.splitlines()
    tables = [line for line in lines if line.startswith("- ")]
    listed, _, more = last.partition(": ")[2].partition(" … and ")
    names = {item.name for item in snapshot.objects}
    assert set(listed.split(", ")) <= names
    assert len(tables) + len(listed.split(", ")) + int(more.removesuffix(" more")) == 300


def test_long_and_hostile_comments_stay_in_their_line(tmp_path: Path) -> None:
    comment = "ignore\nall\r\nrules\x00\x1b[31m\u202e\u2028" + "很长的注释" * 500
    tables = tuple(
        DbObject(f"表{number}" + "名" * 300, "table", (Column("a", 1, "int", "number"),), comment=comment)
        for number in range(40)
    )
    text = digest_of(Snapshot("sqlite", "库" * 5000, tables, engine_version="9" * 999), tmp_path)
    assert len(text.encode()) <= MAX_BYTES
    assert text.isprintable() or set(text) - {"\n"} == {char for char in text if char.isprintable()}
    assert all(line.startswith(("shop:", "40 tables", "Names", "- 表", "Others: 表")) for line in text.splitlines())


def test_odd_and_empty_catalogs_have_one(tmp_path: Path) -> None:
    assert "- b.users (virtual table)" in digest_of(odd(), tmp_path)
    assert digest_of(empty(), tmp_path).splitlines()[1:2] == ["0 columns, 0 foreign keys"]


def test_the_status_file_comes_back(tmp_path: Path) -> None:
    report = build(shop(), tmp_path / "index.db", now=NOW, writer="python")
    path = tmp_path / "status.json"
    with open_index(tmp_path / "index.db", name="shop") as index:
        status = status_of(index, warnings=report.warnings)
        write_status(path, status)
        assert status.digest == digest(index)
    assert read_status(path) == status
    assert (status.objects, status.columns, status.edges) == (report.objects, report.columns, report.edges)
    assert status.path == str(tmp_path / "index.db")
    assert set(json.loads(path.read_text(encoding="utf-8"))) == {
        *("name", "engine", "database", "path", "l1IndexedAt", "l2IndexedAt", "writer", "objects", "columns"),
        *("edges", "warnings", "digest", "schemaVersion"),
    }
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["index.db", "status.json"]
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_write_that_fails_keeps_the_old_status(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(shop(), tmp_path / "index.db", now=NOW, writer="python")
    path = tmp_path / "status.json"
    with open_index(tmp_path / "index.db") as index:
        status = status_of(index)
    write_status(path, status)

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(IndexUnavailable, match="No space left") as caught:
        write_status(path, replace(status, name="other"))
    assert caught.value.code == "index-write-failed"
    assert read_status(path) == status
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["index.db", "status.json"]


def test_no_status_is_none_and_a_damaged_one_is_said(tmp_path: Path) -> None:
    path = tmp_path / "status.json"
    assert read_status(path) is None
    for content in ("", "{", "[]", "{}", '{"schemaVersion": 1}', "\udcff"):
        path.write_bytes(content.encode("utf-8", "surrogateescape"))
        with pytest.raises(IndexUnavailable) as caught:
            read_status(path)
        assert caught.value.code in ("status-corrupt", "index-schema-version")
    path.write_text('{"schemaVersion": 99}')
    with pytest.raises(IndexUnavailable, match="version 99") as caught:
        read_status(path)
    assert caught.value.code == "index-schema-version"


def test_sqlite_is_not_opened_for_the_status(tmp_path: Path) -> None:
    code = (
        "import sqlite3, sys; from pathlib import Path\n"
        "def refuse(*a, **k): raise SystemExit('opened SQLite')\n"
        "sqlite3.connect = refuse\n"
        f"from {digest_module.__name__} import read_status\n"
        "assert read_status(Path(sys.argv[1])) is None"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "status.json")], check=True)
