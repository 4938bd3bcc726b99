"""Reading an index back, and the files that are none."""

from __future__ import annotations

import os
import sqlite3
import sys
from contextlib import closing
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest
from catalog.index_snapshots import NOW, classify, empty, odd, shop

from dbgraph_nb.catalog.index import build
from dbgraph_nb.catalog.store import CatalogIndex, open_index
from dbgraph_nb.errors import IndexUnavailable
from dbgraph_nb.model import Sensitivity


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "shop #1.db"
    build(shop(), made, now=NOW, writer="python", classify=classify)
    return made


@pytest.fixture
def index(path: Path):  # type: ignore[no-untyped-def]
    with open_index(path, name="shop") as opened:
        yield opened


def test_rows_come_back_as_they_went_in(index: CatalogIndex) -> None:
    assert [row.name for row in index.objects()] == ["order_items", "shipping", "users", "v_active", "订单"]
    users = index.objects()[2]
    assert (users.kind, users.comment, users.row_estimate, users.column_count) == (
        "table",
        "用户表 user accounts",
        2**63 - 1,
        5,
    )
    columns = index.columns(users.id)
    assert [column.name for column in columns] == ["id", "userName", "password_hash", "gender", "status"]
    first, _, password, _, status = columns
    assert (first.type, first.nullable, first.pk, first.unique) == ("bigint unsigned", False, 1, True)
    assert (password.default, password.sensitivity) == ("[REDACTED]", Sensitivity("credential", "name:password"))
    assert (status.enum_values, status.sensitivity, status.nullable) == (("active", "已停用"), None, True)
    generated = [column.name for column in index.columns() if column.generated]
    assert generated == ["金额"]
    with pytest.raises(FrozenInstanceError):
        first.name = "other"  # type: ignore[misc]


def test_columns_of_one_object_and_of_all_agree(index: CatalogIndex) -> None:
    apart = [column for row in index.objects() for column in index.columns(row.id)]
    assert tuple(apart) == index.columns()
    assert tuple(column for row in index.objects() for column in index.columns(row.id)) == index.columns()
    assert index.columns(999) == ()


def test_edges_by_kind(index: CatalogIndex) -> None:
    assert index.edges("fk") + index.edges("index") == index.edges()
    assert index.edges("view_ref") == ()
    dangling = [edge for edge in index.edges("fk") if edge.dst_column is None]
    assert [(edge.name, edge.detail) for edge in dangling] == [("fk_shop", "shops.id"), ("fk_lost", "订单.nowhere")]


def test_maps_for_the_gate_and_the_redaction(index: CatalogIndex) -> None:
    assert index.view_definitions() == {"v_active": "SELECT id FROM users WHERE status = 1"}
    schema = index.schema_map()
    assert list(schema) == ["order_items", "shipping", "users", "v_active", "订单"]
    assert schema["订单"] == {"id": "bigint", "user_id": "bigint", "shop_id": "bigint"}
    assert index.sensitive() == {
        ("users", "password_hash"): Sensitivity("credential", "name:password"),
        ("users", "gender"): Sensitivity("identity", "name:gender"),
    }


def test_meta_is_a_copy(index: CatalogIndex) -> None:
    index.meta()["engine"] = "changed"
    assert index.meta()["engine"] == "mariadb"
    assert index.meta()["l1IndexedAt"] == NOW


def test_objects_are_found_without_regard_to_case(tmp_path: Path, index: CatalogIndex) -> None:
    assert index.find_object("USERS") == index.find_object("users") == index.objects()[2]
    assert index.find_object("订单") == index.objects()[4]
    assert index.find_object("user") is None
    build(odd(), tmp_path / "odd", now=NOW, writer="python")
    with open_index(tmp_path / "odd") as other:
        names = ("users", "Users", "USERS", "b.users", "B.USERS", "a.Users", "c.users")
        found = [other.find_object(name) for name in names]
        assert [row and row.id for row in found] == [1, 2, 1, 3, 3, 1, None]


def test_an_index_without_objects_answers(tmp_path: Path) -> None:
    build(empty(), tmp_path / "empty", now=NOW, writer="python")
    with open_index(tmp_path / "empty") as index:
        assert index.objects() == index.columns() == index.edges() == ()
        assert index.schema_map() == index.sensitive() == index.view_definitions() == {}


def test_it_cannot_be_written(index: CatalogIndex) -> None:
    with pytest.raises(IndexUnavailable, match="readonly"):
        index.query("DELETE FROM objects")
    with pytest.raises(sqlite3.OperationalError):
        index.connection.execute("CREATE TEMP TABLE t (x)")


def test_a_missing_index_says_how_to_build_it(tmp_path: Path) -> None:
    with pytest.raises(IndexUnavailable, match="%dbgraph index shop") as caught:
        open_index(tmp_path / "shop.db")
    assert caught.value.code == "index-missing"
    assert not list(tmp_path.iterdir())
    with pytest.raises(IndexUnavailable) as caught:
        open_index(tmp_path)
    assert caught.value.code == "index-missing"


def test_another_schema_version_is_to_be_rebuilt(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 7")
    with pytest.raises(IndexUnavailable, match=r"version 7.*is rebuilt by %dbgraph index shop") as caught:
        open_index(path, name="shop")
    assert caught.value.code == "index-schema-version"
    build(shop(), path, now=NOW, writer="python")
    open_index(path).close()


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0", b"not a database at all" * 300])
def test_what_is_no_index_is_said_to_be_none(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    path.write_bytes(content)
    with pytest.raises(IndexUnavailable, match="%dbgraph index index") as caught:
        open_index(path)
    assert caught.value.code == "index-corrupt"


def test_any_other_sqlite_file_is_no_index(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE meta (key, value)")
    with pytest.raises(IndexUnavailable, match="no index file") as caught:
        open_index(path)
    assert caught.value.code == "index-corrupt"


def test_a_cut_file_is_damaged(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:8192])
    with pytest.raises(IndexUnavailable) as caught, open_index(path) as index:
        index.objects()
    assert caught.value.code == "index-corrupt"


def test_damage_in_the_middle_is_said_when_it_is_met(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'columns'").fetchone()
    content = bytearray(path.read_bytes())
    content[(page - 1) * 4096 : page * 4096] = b"\xff" * 4096
    path.write_bytes(content)
    with open_index(path) as index:
        assert index.objects()
        with pytest.raises(IndexUnavailable) as caught:
            index.columns()
        assert caught.value.code == "index-corrupt"


@pytest.mark.skipif(sys.platform == "win32", reason="rights are another matter there")
@pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() == 0, reason="root may read anything")
def test_a_file_that_may_not_be_read(path: Path) -> None:
    path.chmod(0)
    with pytest.raises(IndexUnavailable) as caught:
        open_index(path)
    assert caught.value.code == "index-unreadable"


def test_closed_means_closed(path: Path) -> None:
    with open_index(path) as index:
        objects = index.objects()
    assert index.objects() == objects
    with pytest.raises(sqlite3.ProgrammingError):
        index.edges()
