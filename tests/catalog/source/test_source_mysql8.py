"""What MySQL 8 and newer MariaDB report differently, replayed: rows as those servers give them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from dbgraph_nb.catalog.source import read
from dbgraph_nb.errors import BadArgument, QueryFailed
from dbgraph_nb.model import Dialect, ForeignKey, TableIndex

INT = ("NULL", "YES", "int", "int", "", "", "", None, "select,insert")


class Replay:
    """An engine that answers from a table: a piece of the query → rows."""

    default_schema = "shop"

    def __init__(self, server: str, answers: dict[str, list[tuple[Any, ...]]], dialect: Dialect = "mysql") -> None:
        self.server, self._answers = server, answers
        self.dialect: Dialect = dialect
        self.statements: list[str] = []

    def catalog(self, sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        self.statements.append(sql)
        if sql.startswith("SELECT DATABASE()"):
            return self._answers.get("session", [("shop", "reader@%", 0)])
        for piece, rows in self._answers.items():
            if piece in sql:
                return rows
        if "LIMIT 0" in sql and "broken" in sql:
            raise QueryFailed("The view is broken.")
        return []


def never(table: str, column: Any) -> bool:
    return False


def test_mysql_8() -> None:
    engine = Replay(
        "MySQL 8.0.36",
        {
            "TABLE_TYPE": [
                ("orders", "BASE TABLE", "InnoDB", "订单", "utf8mb4_0900_ai_ci"),
                ("broken", "VIEW", None, "View 'shop.broken' references invalid table(s)", None),
                ("hurt", "BASE TABLE", None, "Table 'hurt' is marked as crashed", None),
            ],
            "GENERATION_EXPRESSION": [("orders", "low", "(`id` + 1)")],
            "information_schema.COLUMNS": [
                ("orders", 1, "id", None, "NO", "bigint", "bigint unsigned", "PRI", "auto_increment", "", None,
                 "select"),
                ("orders", 2, "st", "paid", "YES", "enum", "enum('paid','it''s')", "", "", "", "utf8mb4_bin", "select"),
                ("orders", 3, "at", "CURRENT_TIMESTAMP", "YES", "timestamp", "timestamp", "", "DEFAULT_GENERATED", "",
                 None, "select"),
                ("orders", 4, "doc", None, "YES", "json", "json", "", "", "", None, "select"),
                ("orders", 5, "low", None, "YES", "int", "int", "", "VIRTUAL GENERATED", "", None, "select"),
                ("orders", 6, "word", "NULL", "YES", "varchar", "varchar(9)", "", "", "", "utf8mb4_bin", "select"),
            ],
            "information_schema.STATISTICS": [
                ("orders", "PRIMARY", 1, 0, "id"),
                ("orders", "functional", 1, 0, None),
                ("orders", "mixed", 2, 0, None),
                ("orders", "mixed", 1, 0, "st"),
            ],
        },
    )  # fmt: skip
    snapshot = read(engine, "l2", is_sensitive=never)
    assert (snapshot.engine, snapshot.engine_version) == ("mysql", "8.0.36")
    broken, hurt, orders = snapshot.objects
    assert broken.note == "View 'shop.broken' references invalid table(s)"
    assert (hurt.note, hurt.comment) == ("Table 'hurt' is marked as crashed", None)
    assert [(c.name, c.default, c.type_class, c.generated) for c in orders.columns] == [
        ("id", None, "number", False),
        ("st", "paid", "enum", False),
        ("at", "CURRENT_TIMESTAMP", "time", False),
        ("doc", None, "json", False),
        ("low", None, "number", True),
        ("word", "NULL", "text", False),  # MySQL does not quote its literals: this is the word
    ]
    assert orders.columns[1].enum_values == ("paid", "it's")
    assert [c.expression for c in orders.columns if c.expression] == ["(`id` + 1)"]
    assert snapshot.indexes == (
        TableIndex("orders", "PRIMARY", ("id",), unique=True),
        TableIndex("orders", "functional", ()),
        TableIndex("orders", "mixed", ("st",)),  # with an expression, so st alone is not unique
    )
    assert snapshot.warnings == ("2 objects could not be read: broken, hurt.",)
    assert not any("CHECK_CONSTRAINTS" in sql for sql in engine.statements)
    assert [sql for sql in engine.statements if "`word`" in sql] == [
        "SELECT /*+ MAX_EXECUTION_TIME(2000) */ DISTINCT LEFT(`word`, 65)"
        " FROM (SELECT `word` FROM `orders` LIMIT 10000) AS s LIMIT 22"
    ]


def test_one_name_of_a_key_on_two_tables_and_targets_in_lower_case() -> None:
    engine = Replay(
        "MariaDB 12.1.2",
        {
            "session": [("Shop", "reader@%", 2)],  # lower_case_table_names = 2: kept as written, compared folded
            "TABLE_TYPE": [(name, "BASE TABLE", "InnoDB", "", None) for name in ("Users", "a", "b", "twin", "Twin")],
            "information_schema.COLUMNS": [
                ("Users", 1, "ID", *INT), ("Users", 2, "No", *INT), ("a", 1, "x", *INT), ("b", 1, "y", *INT),
                ("twin", 1, "i", *INT), ("Twin", 1, "i", *INT),
            ],
            "KEY_COLUMN_USAGE": [
                ("b", "owner_fk", 1, "y", "shop", "users", "no"),
                ("a", "owner_fk", 1, "x", "shop", "users", "id"),
                ("a", "to_twin", 1, "x", "shop", "TWIN", "i"),
                ("a", "gone", 1, "x", "shop", "nothing", "id"),
                ("a", "far", 1, "x", "crm", "users", "id"),
            ],
        },
    )  # fmt: skip
    assert read(engine, "l2", is_sensitive=never).foreign_keys == (
        ForeignKey("a", ("x",), "TWIN", ("i",), name="to_twin"),  # two could be meant
        ForeignKey("a", ("x",), "Users", ("ID",), name="owner_fk"),
        ForeignKey("a", ("x",), "nothing", ("id",), name="gone"),
        ForeignKey("a", ("x",), "users", ("id",), target_schema="crm", name="far"),
        ForeignKey("b", ("y",), "Users", ("No",), name="owner_fk"),
    )


def test_other_dialects_are_refused() -> None:
    with pytest.raises(BadArgument) as caught:
        read(Replay("Oracle 23", {}, "oracle"), "l1", is_sensitive=never)
    assert caught.value.code == "no-source"
