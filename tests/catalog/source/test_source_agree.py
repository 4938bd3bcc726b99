"""The sample shop in SQLite and in MariaDB: two dialects read the same catalog, where the engines can tell it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dbgraph_nb import samples
from dbgraph_nb.catalog.source import read
from dbgraph_nb.engines import open_engine
from dbgraph_nb.model import Column, Snapshot, Target


def never(table: str, column: Column) -> bool:
    return False


def shape(snapshot: Snapshot) -> dict[str, Any]:
    return {
        item.name: (item.kind, [(c.name, c.ordinal, c.pk, c.unique, c.generated) for c in item.columns])
        for item in snapshot.objects
    }


def columns(snapshot: Snapshot, field: str) -> dict[str, Any]:
    return {
        f"{item.name}.{column.name}": getattr(column, field)
        for item in snapshot.objects
        for column in item.columns
        if item.kind == "table"
    }


def test_the_sample_shop_reads_alike(tmp_path: Path, maria: Any) -> None:
    samples.shop(tmp_path / "shop.db")
    with maria.server.connect(database=maria.name) as connection:
        samples.load_shop_mysql(connection)
    target = Target("mysql", maria.name, host="127.0.0.1", port=maria.server.port, user=maria.user)
    with (
        open_engine(Target("sqlite", str(tmp_path / "shop.db")), None) as one,
        open_engine(target, maria.password) as two,
    ):
        lite, server = (read(engine, "l2", is_sensitive=never) for engine in (one, two))
    assert shape(lite) == shape(server)
    for field in ("comment", "type_class", "enum_values", "nullable"):
        assert columns(lite, field) == columns(server, field), field
    pairs = [
        {(key.table, key.columns, key.target_table, key.target_columns) for key in snapshot.foreign_keys}
        for snapshot in (lite, server)
    ]
    assert pairs[0] == pairs[1]
    assert len(pairs[0]) > 10
    assert {item.name: item.comment for item in lite.objects if item.kind == "table"} == {
        item.name: item.comment for item in server.objects if item.kind == "table"
    }
    assert all(item.definition for item in (*lite.objects, *server.objects) if item.kind == "view")
    assert (lite.warnings, server.warnings) == ((), ())
