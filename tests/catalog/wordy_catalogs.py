"""Small catalogs for the tests of words: a snapshot in a few lines, its index, and the same tables in SQLite."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

from dbgraph_nb.catalog import index as index_module
from dbgraph_nb.catalog.store import CatalogIndex, open_index
from dbgraph_nb.model import Column, DbObject, ForeignKey, Sensitivity, Snapshot

CLASSES = {"int": "number", "num": "number", "text": "text", "time": "time", "bool": "bool", "enum": "enum"}


def column(line: str, ordinal: int) -> Column:
    """``name type [pk|unique] [{a|b}] [-- comment]``; a name with odd characters stands in double quotes."""
    spec, _, comment = line.partition(" -- ")
    match = re.match(r'\s*(?:"((?:[^"]|"")*)"|(\S+))\s+(\w+)(.*)', spec)
    assert match, line
    name = match[1].replace('""', '"') if match[1] is not None else match[2]
    values = re.search(r"\{(.*)\}", match[4])
    return Column(
        name,
        ordinal,
        match[3],
        CLASSES.get(match[3], "other"),
        comment=comment.strip() or None,
        pk=int(" pk" in match[4]),
        unique=" unique" in match[4],
        enum_values=tuple(values[1].split("|")) if values else None,
    )


def table(name: str, *lines: str, comment: str | None = None, kind: str = "table", schema: str = "") -> DbObject:
    columns = tuple(column(line, number) for number, line in enumerate(lines, 1))
    return DbObject(name, kind, columns, schema=schema, comment=comment)


def key(text: str) -> ForeignKey:
    """``orders.user_id -> users.id``; columns of a composite key are separated by +."""
    ends = [end.strip().rpartition(".") for end in text.split("->")]
    return ForeignKey(ends[0][0], tuple(ends[0][2].split("+")), ends[1][0], tuple(ends[1][2].split("+")))


def build(
    path: Path,
    *tables: DbObject,
    keys: tuple[str, ...] = (),
    engine: str = "sqlite",
    sensitive: tuple[str, ...] = ("password",),
) -> CatalogIndex:
    """The open index of some tables. ``sensitive``: names of columns that count as credentials."""
    snapshot = Snapshot(engine, "test", tables, level="l2", foreign_keys=tuple(map(key, keys)))

    def classify(name: str, /, *, comment: str | None, type: str | None) -> Sensitivity | None:  # noqa: A002
        return Sensitivity("credential", "test") if name in sensitive else None

    file = path / "index.db"
    index_module.build(snapshot, file, now="2026-01-01T00:00:00Z", writer="python", classify=classify)
    return open_index(file)


def database(*tables: DbObject, rows: dict[str, list[tuple[object, ...]]] | None = None) -> sqlite3.Connection:
    """The same tables in memory, with some rows."""

    def quoted(name: str) -> str:
        return '"' + name.replace('"', '""') + '"'

    types = {"number": "NUMERIC", "text": "TEXT", "time": "TEXT", "bool": "INTEGER", "enum": "TEXT", "other": ""}
    connection = sqlite3.connect(":memory:")
    for item in tables:
        columns = ", ".join(f"{quoted(c.name)} {types[c.type_class]}" for c in item.columns)
        connection.execute(f"CREATE TABLE {quoted(item.name)} ({columns})")
        for row in (rows or {}).get(item.name, []):
            marks = ", ".join("?" * len(row))
            connection.execute(f"INSERT INTO {quoted(item.name)} VALUES ({marks})", row)
    return connection


SHOP = (
    table(
        "users",
        "id int pk -- 用户编号",
        "name text -- 姓名",
        "password text -- 登录密码",
        "mobile text -- 手机号",
        "email text",
        "level_id int -- 会员等级",
        "invited_by int -- 邀请人",
        "created_at time -- 注册时间",
        "is_active bool -- 是否启用",
        comment="用户表",
    ),
    table("levels", "id int pk", "title text unique -- 等级名称", "rate num -- 折扣率", comment="会员等级"),
    table(
        "orders",
        "id int pk",
        "order_no text unique -- 订单号",
        "user_id int -- 下单用户",
        "status enum {pending|paid|shipped} -- 订单状态",
        "amount num -- 订单金额",
        "discount_amount num -- 优惠金额",
        "shipping_address_id int -- 收货地址",
        "billing_address_id int -- 账单地址",
        "created_at time -- 下单时间",
        "shipped_at time -- 发货时间",
        comment="订单",
    ),
    table("addresses", "id int pk", "user_id int -- 所属用户", "city text -- 城市", comment="地址"),
    table("order_items", "order_id int", "product text -- 商品", "qty int -- 数量", comment="订单明细"),
    table("v_users", "id int", "name text", comment="用户", kind="view"),
)
SHOP_KEYS = (
    "users.level_id -> levels.id",
    "users.invited_by -> users.id",
    "orders.user_id -> users.id",
    "orders.shipping_address_id -> addresses.id",
    "orders.billing_address_id -> addresses.id",
    "addresses.user_id -> users.id",
    "order_items.order_id -> orders.id",
)
SHOP_ROWS: dict[str, list[tuple[object, ...]]] = {
    "users": [
        (1, "张三", "pw1", "13800000001", "a@x.cn", 1, None, "2024-01-02 08:00:00", 1),
        (2, "李四", "pw2", "13800000002", None, 2, 1, "2024-02-03 09:00:00", 0),
        (3, "100%_!", "pw3", "13800000003", "c@x.cn", None, 1, "2024-03-04 10:00:00", 1),
    ],
    "levels": [(1, "金卡", 0.9), (2, "银卡", 0.95)],
    "orders": [
        (1, "SO1", 1, "paid", 100, 0, 1, 2, "2024-05-01", "2024-05-02"),
        (2, "SO2", 1, "shipped", 900.5, 5, 1, 1, "2024-05-03", None),
        (3, "SO3", 2, "pending", 7, 0, 3, None, "2024-05-04", None),
    ],
    "addresses": [(1, 1, "杭州市"), (2, 1, "成都市"), (3, 2, "北京市")],
    "order_items": [(1, "茶", 2), (1, "杯", 1), (2, "茶", 9)],
    "v_users": [(1, "张三")],
}
