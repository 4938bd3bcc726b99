"""The snapshots that the index tests share, and an index file as plain data."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from dbgraph_nb.model import Column, DbObject, ForeignKey, Sensitivity, Snapshot, TableIndex

NOW = "2026-11-30T08:00:00Z"
PASSWORD_DEFAULT = "Tr0ub4dor-default"
FIXTURES = Path(__file__).parents[1] / "fixtures" / "catalog"


def classify(name: str, *, comment: str | None, type: str | None) -> Sensitivity | None:  # noqa: A002
    """A stand-in for ``redact.classify``: these tests are about what is done with its answers."""
    if "password" in name or "密码" in name:
        return Sensitivity("credential", "name:password")
    if "gender" in name:
        return Sensitivity("identity", "name:gender")
    return None


def shop() -> Snapshot:
    """Names and comments in two languages, all kinds of edges, sensitive columns, given in no order."""
    users = DbObject(
        "users",
        "table",
        (
            Column("id", 1, "bigint unsigned", "number", nullable=False, comment="主键", pk=1, unique=True),
            Column("userName", 2, "varchar(64)", "text", nullable=False, comment="用户姓名", default="匿名"),
            Column("password_hash", 3, "varchar(255)", "text", comment="登录密码", default=PASSWORD_DEFAULT),
            Column("gender", 4, "enum('male','female')", "enum", comment="性别", enum_values=("male", "female")),
            Column("status", 5, "enum('active','已停用')", "enum", enum_values=("active", "已停用")),
        ),
        comment="用户表 user accounts",
        row_estimate=2**64 - 1,
    )
    lines = DbObject(
        "order_items",
        "table",
        (
            Column("line_no", 2, "int", "number", pk=2),
            Column("order_id", 1, "bigint", "number", pk=1),
            Column("金额", 3, "decimal(18,2)", "number", comment="金額（元）", generated=True),
        ),
    )
    orders = DbObject(
        "订单",
        "table",
        (
            Column("id", 1, "bigint", "number", pk=1),
            Column("user_id", 2, "bigint", "number", comment="下单的用户ID"),
            Column("shop_id", 3, "bigint", "number"),
        ),
        note="row estimate not readable",
    )
    shipping = DbObject(
        "shipping", "table", (Column("o", 1, "bigint", "number"), Column("l", 2, "int", "number")), comment=""
    )
    view = DbObject(
        "v_active", "view", (Column("id", 1, "bigint", "number"),), definition="SELECT id FROM users WHERE status = 1"
    )
    return Snapshot(
        engine="mariadb",
        database="shop",
        objects=(view, users, orders, shipping, lines),
        level="l2",
        engine_version="10.11.19",
        foreign_keys=(
            ForeignKey("订单", ("user_id",), "USERS", ("ID",), name="fk_user"),
            ForeignKey("订单", ("shop_id",), "shops", ("id",), name="fk_shop"),
            ForeignKey("shipping", ("o", "l"), "order_items", (), name="fk_line"),
            ForeignKey("shipping", ("o",), "订单", ("nowhere",), name="fk_lost"),
            ForeignKey("archive", ("id",), "users", ("id",), name="fk_from_nowhere"),
        ),
        indexes=(
            TableIndex("users", "PRIMARY", ("id",), unique=True),
            TableIndex("订单", "ix_user", ("user_id", "id")),
            TableIndex("users", "ix_lower", ("lower(userName)",)),
        ),
        warnings=("row counts are estimates",),
    )


def odd() -> Snapshot:
    """What no sane catalog has: lone surrogates, NULs, characters beyond the BMP, names equal but for case."""
    columns = (
        Column("caf\udce9", 1, "t\ud800xt", "other", comment="\udfff\x00tail", default="\ud83d"),
        Column("𠮷野\x00家", 2, "", "other", comment="ﬁ Ⅲ ㎡ e\u0301", enum_values=("\udc80", "a\x00b", "")),
        Column("", 3, "int", "number", comment="x" * 3000, enum_values=()),
    )
    return Snapshot(
        engine="sqlite",
        database="/tmp/b\udcffd.db",
        objects=(
            DbObject("Users", "table", columns, schema="b", row_estimate=-(2**70)),
            DbObject("users", "virtual table", (Column("a", 1, "", "other"),), schema="b"),
            DbObject("users", "table", (), schema="a", comment="空"),
        ),
        foreign_keys=(
            ForeignKey("users", ("A",), "Users", ("caf\udce9",), schema="b"),
            ForeignKey("users", ("a",), "users", ("gone",), schema="b", target_schema="a"),
        ),
    )


def empty() -> Snapshot:
    """A database without a table."""
    return Snapshot(engine="sqlite", database="empty.db", objects=())


SNAPSHOTS: dict[str, Callable[[], Snapshot]] = {"shop": shop, "odd": odd, "empty": empty}


def tables_of(path: Path, *, shadow: bool = True) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table of an index, rowids too; ``shadow``: with the full-text index's own tables."""
    with closing(sqlite3.connect(path)) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        kept = [name for name in sorted(names) if shadow or not name.startswith("search_")]
        return {
            name: connection.execute(f"SELECT {'rowid, ' if name == 'search' else ''}* FROM {name}").fetchall()
            for name in kept
        }
