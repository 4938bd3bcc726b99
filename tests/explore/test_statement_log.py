"""What is on the wire, from the general log of a private MariaDB: one SELECT for a find, none for the structure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import dbservers
import pytest
from explore.conftest import MARIA_SHOP, Shop

import dbgraph_nb as dg

# What each new session sends before its first statement, from the driver and from engines/mysql.py.
SESSION = ("SET NAMES utf8mb4", "SET @@SESSION.sql_mode")


@dataclass
class Wire:
    """What the reader sent: statements without those of a new session, and how often it connected."""

    statements: list[str] = field(default_factory=list)
    connections: int = 0


@contextmanager
def watched(server: dbservers.MariaServer) -> Iterator[Wire]:
    wire = Wire()
    with server.logging() as statements:
        start = server.log.stat().st_size
        yield wire
        text = server.log.read_bytes()[start:].decode("utf-8", "replace")
        sent = statements()
    wire.connections = sum("\tConnect\t" in line.replace(" ", "\t") and "reader@" in line for line in text.splitlines())
    wire.statements = [one for one in sent if not one.startswith(SESSION)]
    for setting in SESSION:
        assert sum(one.startswith(setting) for one in sent) == wire.connections, "once in each session"


def test_the_log_is_real(maria_shop: Shop, mariadb: dbservers.MariaServer) -> None:
    with watched(mariadb) as wire:
        dg.sql("shop", "SELECT 1 /* seen */")
    assert wire.statements == ["SELECT 1 /* seen */"]
    assert wire.connections == 1
    assert "MariaDB" in mariadb.version


def test_exactly_one_select_for_a_find(maria_shop: Shop, mariadb: dbservers.MariaServer) -> None:
    with watched(mariadb) as wire:
        answer = dg.find("shop", "用户", ["密码"], {"name": "张三"})
    assert answer.status == "ok"
    assert wire.statements == ["SELECT `users`.`password` FROM `users` WHERE `users`.`name` = '张三' LIMIT 201"]
    assert wire.connections == 1


@pytest.mark.parametrize(
    ("entity", "fields", "where"),
    [
        ("订单", ["订单号"], {"用户姓名": "张三"}),
        ("用户", [], {}),
        ("订单", ["金额"], {"状态": ["paid", "pending"], "金额": (">", 100)}),
    ],
)
def test_joins_and_lists_are_one_select_too(
    entity: str, fields: list[str], where: dict[str, Any], maria_shop: Shop, mariadb: dbservers.MariaServer
) -> None:
    with watched(mariadb) as wire:
        assert dg.find("shop", entity, fields, where).status == "ok"
    assert len(wire.statements) == 1
    assert wire.statements[0].startswith("SELECT ")


def test_peek_and_sql_are_one_statement_each(maria_shop: Shop, mariadb: dbservers.MariaServer) -> None:
    body = "/* a ; */ SELECT name AS 姓名 -- 100% :x\nFROM users WHERE id = 1"  # the log itself cuts a last ;
    with watched(mariadb) as wire:
        dg.sql("shop", body)
        dg.sql("shop", "SELECT id FROM orders", count=True, max_rows=5)
        dg.peek("shop", "users")
    assert wire.statements[:2] == [body, "SELECT id FROM orders"], "byte for byte, and no count query"
    assert len(wire.statements) == 3
    assert wire.statements[2] == "SELECT * FROM `users` LIMIT 21"


ACTIONS: dict[str, Callable[[], object]] = {
    "schema": lambda: dg.schema("shop"),
    "schema of a table": lambda: dg.schema("shop", "users"),
    "objects": lambda: dg.objects("shop", "用户"),
    "columns": lambda: dg.columns("shop", "users", "密码"),
    "resolve": lambda: dg.resolve("shop", "张三的电话是多少"),
    "digest": lambda: dg.digest("shop"),
    "all digests": dg.digest,
    "status": lambda: dg.status("shop"),
    "connections": dg.connections,
    "alias": lambda: dg.alias("shop", "顾客", "users"),
    "find without a predicate": lambda: dg.find("shop", "用户"),
    "an ambiguous find": lambda: dg.find("shop", "档案", [], {}),
    "a find of nothing": lambda: dg.find("shop", "xyzzy", [], {}),
    "drop": lambda: dg.drop("shop"),
}


def refused() -> None:
    for sql in ("DELETE FROM users", "SELECT sleep(1)", "SELECT id FROM users WHERE password = 'x'"):
        with pytest.raises(dg.DbgraphError):
            dg.sql("shop", sql)
    with pytest.raises(dg.DbgraphError):
        dg.find("shop", "用户", ["姓名"], {"密码": "x"})


@pytest.mark.parametrize("action", [*ACTIONS.values(), refused], ids=[*ACTIONS, "refused statements"])
def test_nothing_at_all_for_the_structure(
    action: Callable[[], object], maria_shop: Shop, mariadb: dbservers.MariaServer
) -> None:
    with watched(mariadb) as wire:
        action()
    assert wire == Wire([], 0)


def test_indexing_only_reads_and_never_a_secret(maria_shop: Shop, mariadb: dbservers.MariaServer) -> None:
    with watched(mariadb) as wire:
        dg.index("shop")
    assert wire.connections == 1
    bounded = r"^SET STATEMENT max_statement_time = \d+ FOR "
    plain = [re.sub(bounded, "", one).lstrip("( \n") for one in wire.statements]
    assert all(one.startswith(("SELECT", "SHOW")) for one in plain)
    sampled = [one for one in plain if f"`{MARIA_SHOP}`" in one or "FROM `" in one]
    assert sampled, "enum values are sampled"
    for column in (
        "password",
        "password_salt",
        "id_card",
        "bank_card",
        "银行账号",
        "session_token",
        "mobile",
    ):
        assert not [one for one in sampled if f"`{column}`" in one], column
    with watched(mariadb) as flat:
        dg.index("shop", "l1")
    assert len(flat.statements) <= 5, "no statement for each table"
