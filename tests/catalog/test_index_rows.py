"""A snapshot as rows: ids, edges, what is kept of sensitive columns, and what SQLite cannot take."""

from __future__ import annotations

from dataclasses import replace

import pytest
from catalog.index_snapshots import PASSWORD_DEFAULT, classify, odd, shop

from dbgraph_nb.catalog.edge_rows import edge_rows
from dbgraph_nb.catalog.rows import Rows, index_rows
from dbgraph_nb.model import Column, DbObject, ForeignKey, Sensitivity, Snapshot


@pytest.fixture
def rows() -> Rows:
    return index_rows(shop(), classify)


def test_objects_come_first_and_columns_follow_in_one_id_space(rows: Rows) -> None:
    assert [(row[0], row[2]) for row in rows.objects] == [
        (1, "order_items"),
        (2, "shipping"),
        (3, "users"),
        (4, "v_active"),
        (5, "订单"),
    ]
    assert [row[0] for row in rows.columns] == list(range(6, 20))
    assert [row[3] for row in rows.columns if row[1] == 1] == ["order_id", "line_no", "金额"]
    assert rows.owners == [(n, None) for n in range(1, 6)] + [(row[1], row[0]) for row in rows.columns]


def test_each_target_has_three_texts_in_the_order_of_its_id(rows: Rows) -> None:
    targets = [row[2] for row in rows.objects] + [row[3] for row in rows.columns]
    assert rows.texts[0::3] == targets
    assert len(rows.texts) == 3 * len(targets)
    assert rows.texts[1::3][2] == "用户表 user accounts"
    assert rows.texts[2::3][targets.index("status")] == "active\n已停用"


def test_a_sensitive_column_keeps_no_value(rows: Rows) -> None:
    held = repr(rows)
    assert PASSWORD_DEFAULT not in held
    assert "female" not in held
    by_name = {row[3]: row for row in rows.columns}
    assert by_name["password_hash"][7] == "[REDACTED]"
    assert by_name["password_hash"][13:] == ("credential", "name:password")
    assert by_name["gender"][4] == "enum"
    assert by_name["gender"][11] is None
    assert by_name["status"][4] == "enum('active','已停用')"


def test_overrides_win_over_classify() -> None:
    overrides = {("users", "gender"): None, ("users", "status"): Sensitivity("contact", "policy")}
    by_name = {row[3]: row for row in index_rows(shop(), classify, overrides).columns}
    assert by_name["gender"][11] == '["male", "female"]'
    assert by_name["status"][11] is None
    assert by_name["status"][13:] == ("contact", "policy")


def test_classify_is_asked_once_per_distinct_question() -> None:
    asked = []

    def ask(name: str, *, comment: str | None, type: str | None) -> None:  # noqa: A002
        asked.append((name, comment, type))

    index_rows(shop(), ask)
    assert len(asked) == len(set(asked))
    assert sum(kind is not None for _, _, kind in asked) == 14 - 1  # id bigint without a comment is in two tables


def test_edges_are_one_row_per_column_pair(rows: Rows) -> None:
    names = {row[0]: row[3] for row in rows.columns} | {row[0]: row[2] for row in rows.objects}
    told = [(e[1], e[2], e[3], *(names.get(e[i]) for i in (4, 5, 6, 7)), e[8]) for e in rows.edges]
    assert told == [
        ("fk", "fk_user", 1, "订单", "user_id", "users", "id", None),  # found without regard to case
        ("fk", "fk_shop", 1, "订单", "shop_id", None, None, "shops.id"),
        ("fk", "fk_line", 1, "shipping", "o", "order_items", "order_id", None),  # no columns: the primary key
        ("fk", "fk_line", 2, "shipping", "l", "order_items", "line_no", None),
        ("fk", "fk_lost", 1, "shipping", "o", "订单", None, "订单.nowhere"),
        ("index", "PRIMARY", 1, "users", "id", None, None, "unique"),
        ("index", "ix_user", 1, "订单", "user_id", None, None, None),
        ("index", "ix_user", 2, "订单", "id", None, None, None),
        ("index", "ix_lower", 1, "users", None, None, None, None),
    ]


def test_dangling_edges_are_told_even_when_they_have_no_row(rows: Rows) -> None:
    assert rows.dangling == (
        "foreign key 订单(shop_id) -> shops(id): shops is not in the catalog",
        "foreign key shipping(o) -> 订单(nowhere): 订单.nowhere is not in the catalog",
        "foreign key archive(id) -> users(id): archive is not in the catalog",
    )


def test_exact_names_go_before_folded_ones() -> None:
    objects = [(1, "", "T"), (2, "", "t")]
    columns = [(3, 1, 1, "A", "", "", 1, None, None, 0), (4, 1, 2, "a", "", "", 1, None, None, 0)]
    snapshot = Snapshot("sqlite", "x", (), foreign_keys=(ForeignKey("t", ("x",), "T", ("a",)),))
    (row,), _ = edge_rows(snapshot, objects, columns)
    assert row[4:8] == (2, None, 1, 4)


def test_an_edge_looks_for_its_target_in_its_own_schema_first() -> None:
    column = (Column("id", 1, "int", "number"),)
    objects = tuple(DbObject(name, "table", column, schema=schema) for schema in "ab" for name in ("t", "u"))
    keys = (
        ForeignKey("t", ("id",), "u", ("id",), schema="b"),
        ForeignKey("t", ("id",), "u", ("id",), schema="b", target_schema="a"),
    )
    rows = index_rows(Snapshot("postgres", "x", objects, foreign_keys=keys))
    assert [row[2] for row in rows.objects] == ["t", "u", "t", "u"]
    assert [(row[4], row[6]) for row in rows.edges] == [(3, 4), (3, 2)]


def test_what_sqlite_cannot_store_is_made_storable() -> None:
    rows = index_rows(odd())
    everything = "".join(str(value) for row in (*rows.objects, *rows.columns, *rows.edges, rows.texts) for value in row)
    everything.encode()  # no lone surrogate is left
    assert rows.unreadable == 1
    assert [row[5] for row in rows.objects] == [None, -(2**63) + 1, None]
    assert [row[5] for row in index_rows(shop()).objects if row[2] == "users"] == [2**63 - 1]


def test_the_order_of_the_snapshot_does_not_matter() -> None:
    turned = replace(shop(), objects=shop().objects[::-1])
    assert index_rows(turned, classify) == index_rows(shop(), classify)
