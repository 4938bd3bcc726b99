"""The catalog of a DuckDB file, read through the real engine."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from dbgraph_nb.catalog import source
from dbgraph_nb.engines import open_engine
from dbgraph_nb.model import Column, DbObject, Snapshot, Target

DDL = (
    "CREATE TYPE mood AS ENUM ('ok', 'it''s, bad')",
    """CREATE TABLE products (id INTEGER PRIMARY KEY, m mood DEFAULT 'ok', state ENUM('a', 'b'),
       twice INTEGER GENERATED ALWAYS AS (id * 2), j JSON, price DECIMAL(10,2) NOT NULL CHECK (price > 0),
       list INTEGER[], s STRUCT(a INT, b VARCHAR), u UUID, UNIQUE (price, u))""",
    "CREATE TABLE orders (product INTEGER REFERENCES products (id), status VARCHAR, secret VARCHAR, n UBIGINT)",
    "INSERT INTO products (id, price) VALUES (1, 2)",
    "INSERT INTO orders SELECT 1, ['open', 'paid'][i % 2 + 1], 's' || i % 2, i FROM range(20) r(i)",
    "COMMENT ON TABLE products IS '产品'",
    "COMMENT ON COLUMN products.price IS '价格'",
    'CREATE VIEW dear (id, "the price") AS SELECT id, price FROM products WHERE price > 100',
    "CREATE INDEX by_status ON orders (status, n)",
    "CREATE UNIQUE INDEX by_more ON orders ((n + 1))",
    "CREATE SCHEMA other",
    "CREATE TABLE other.hidden (a INTEGER)",
    'CREATE TABLE "odd ""name" ("select" INTEGER)',
    "CREATE TABLE gone (a INTEGER)",
    "CREATE VIEW dangling AS SELECT a FROM gone",
    "DROP TABLE gone",
    "CREATE MACRO f(x) AS x + 1",
    "CREATE SEQUENCE sq",
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "shop.v1.duckdb"
    with duckdb.connect(file) as connection:
        for statement in DDL:
            connection.execute(statement)
    return file


def snapshot(path: Path, level: str = "l2") -> Snapshot:
    with open_engine(Target("duckdb", str(path)), None) as engine:
        return source.read(engine, level, is_sensitive=lambda table, column: column.name == "secret")  # type: ignore[arg-type]


def table(found: Snapshot, name: str) -> DbObject:
    return next(item for item in found.objects if item.name == name)


def column(found: Snapshot, owner: str, name: str) -> Column:
    return next(item for item in table(found, owner).columns if item.name == name)


def test_tables_views_and_columns(path: Path) -> None:
    found = snapshot(path)
    assert found.engine == "duckdb"
    assert found.database == "shop.v1"
    assert [(item.name, item.kind) for item in found.objects] == [
        ("dangling", "view"), ("dear", "view"), ('odd "name', "table"), ("orders", "table"), ("products", "table"),
    ]  # fmt: skip
    assert table(found, "products").comment == "产品"
    price = column(found, "products", "price")
    assert (price.type, price.type_class, price.nullable, price.comment) == ("DECIMAL(10,2)", "number", False, "价格")
    assert [c.type_class for c in table(found, "products").columns] == [
        "number", "enum", "enum", "number", "json", "number", "other", "other", "text",
    ]  # fmt: skip
    assert column(found, "products", "m").enum_values == ("ok", "it's, bad")
    assert column(found, "products", "m").default == "ok"
    twice = column(found, "products", "twice")
    assert twice.generated
    assert twice.default is None
    assert twice.expression == "CAST((id * 2) AS INTEGER)"
    assert [c.name for c in table(found, "dear").columns] == ["id", "the price"]


def test_keys_indexes_and_estimates(path: Path) -> None:
    found = snapshot(path)
    assert column(found, "products", "id").pk == 1
    assert column(found, "products", "id").unique
    assert [(k.table, k.columns, k.target_table, k.target_columns) for k in found.foreign_keys] == [
        ("orders", ("product",), "products", ("id",))
    ]
    by_name = {index.name: index for index in found.indexes}
    assert by_name["by_status"].columns == ("status", "n")
    assert not by_name["by_more"].unique  # over an expression
    assert by_name["products_price_u_key"].columns == ("price", "u")
    assert table(found, "orders").row_estimate == 20


def test_bodies_of_views_carry_their_own_names(path: Path) -> None:
    body = table(snapshot(path), "dear").definition
    assert body is not None
    with duckdb.connect(path, read_only=True) as connection:
        assert [c[0] for c in connection.execute(body).description or ()] == ["id", "the price"]


def test_a_dangling_view_does_not_end_the_reading(path: Path) -> None:
    assert [c.name for c in table(snapshot(path), "dangling").columns] == ["a"]


def test_samples_skip_what_is_sensitive(path: Path) -> None:
    found = snapshot(path)
    assert column(found, "orders", "status").enum_values == ("open", "paid")
    assert column(found, "orders", "secret").enum_values is None


def test_other_schemas_are_said(path: Path) -> None:
    assert snapshot(path, "l1").warnings == ("The schema other with 1 tables is not indexed; only main is.",)


def test_reading_leaves_the_file_as_it_was(path: Path) -> None:
    before = path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir())
    snapshot(path)
    assert (path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir())) == before
