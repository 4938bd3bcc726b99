"""The catalog of a PostgreSQL database, read through the real engine."""

from __future__ import annotations

import pytest
from conftest import PostgresDatabase

from dbgraph_nb.catalog import source
from dbgraph_nb.engines import open_engine
from dbgraph_nb.errors import BadArgument
from dbgraph_nb.model import Column, DbObject, Snapshot, Target

DDL = (
    "CREATE TYPE mood AS ENUM ('ok', 'it''s, bad')",
    "CREATE DOMAIN email AS varchar(50)",
    """CREATE TABLE products (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, m mood DEFAULT 'ok',
       twice int GENERATED ALWAYS AS (1 + 1) STORED, doc jsonb, price numeric(10,2) NOT NULL, list int[], mail email,
       seen timestamp(3) with time zone DEFAULT now(), code varchar(5) DEFAULT 'it''s')""",
    "COMMENT ON TABLE products IS '产品 😀'",
    "COMMENT ON COLUMN products.price IS '价格'",
    "CREATE TABLE orders (b int, a int, product int REFERENCES products, status text, secret text, PRIMARY KEY (a, b))",
    "CREATE TABLE lines (x int, y int, FOREIGN KEY (y, x) REFERENCES orders (a, b))",
    "CREATE UNIQUE INDEX a_part ON orders (status) WHERE b < 2",
    "CREATE UNIQUE INDEX an_expression ON orders (lower(status), b)",
    "CREATE TABLE days (id int, k int) PARTITION BY RANGE (id)",
    "CREATE TABLE days1 PARTITION OF days FOR VALUES FROM (0) TO (10)",
    "CREATE VIEW dear (x) AS SELECT id FROM products WHERE price > 100",
    "CREATE MATERIALIZED VIEW kept AS SELECT a, status FROM orders",
    "CREATE TABLE bare ()",
    'CREATE TABLE "Odd ""name" ("Select" int, gone int)',
    'ALTER TABLE "Odd ""name" DROP COLUMN gone',
    "CREATE SCHEMA other",
    "CREATE TABLE other.hidden (a int)",
    "INSERT INTO orders SELECT i, i, NULL, (ARRAY['open', 'paid'])[i % 2 + 1], 's' || i % 2 "
    "FROM generate_series(1, 20) AS i",
    "INSERT INTO days VALUES (1, 1), (2, 2)",
)


@pytest.fixture
def database(postgres: PostgresDatabase) -> PostgresDatabase:
    postgres.execute(*DDL)
    return postgres


def snapshot(database: PostgresDatabase, level: str = "l2", user: str = "") -> Snapshot:
    target = Target("postgres", database.name, "127.0.0.1", database.server.port, user or database.user)
    with open_engine(target, None) as engine:
        return source.read(engine, level, is_sensitive=lambda table, column: column.name == "secret")  # type: ignore[arg-type]


def table(found: Snapshot, name: str) -> DbObject:
    return next(item for item in found.objects if item.name == name)


def column(found: Snapshot, owner: str, name: str) -> Column:
    return next(item for item in table(found, owner).columns if item.name == name)


def test_tables_views_and_columns(database: PostgresDatabase) -> None:
    found = snapshot(database)
    assert (found.engine, found.database) == ("postgres", database.name)
    assert [(item.name, item.kind) for item in found.objects] == [
        ('Odd "name', "table"), ("bare", "table"), ("days", "table"), ("dear", "view"), ("kept", "materialized view"),
        ("lines", "table"), ("orders", "table"), ("products", "table"),
    ]  # fmt: skip
    assert table(found, "products").comment == "产品 😀"
    price = column(found, "products", "price")
    assert (price.type, price.type_class, price.nullable, price.comment) == ("numeric(10,2)", "number", False, "价格")
    assert [c.type_class for c in table(found, "products").columns] == [
        "number", "enum", "number", "json", "number", "other", "text", "time", "text",
    ]  # fmt: skip
    assert column(found, "products", "m").enum_values == ("ok", "it's, bad")
    assert column(found, "products", "code").default == "it's"
    twice = column(found, "products", "twice")
    assert (twice.generated, twice.default, twice.expression) == (True, None, "(1 + 1)")
    assert [c.name for c in table(found, 'Odd "name').columns] == ["Select"], "a dropped column is gone"
    assert table(found, "bare").columns == ()


def test_keys_and_indexes_by_position(database: PostgresDatabase) -> None:
    found = snapshot(database)
    assert [(c.name, c.pk) for c in table(found, "orders").columns if c.pk] == [("b", 2), ("a", 1)]
    assert [(k.table, k.columns, k.target_table, k.target_columns) for k in found.foreign_keys] == [
        ("lines", ("y", "x"), "orders", ("a", "b")),
        ("orders", ("product",), "products", ("id",)),
    ]
    by_name = {index.name: index for index in found.indexes}
    assert not by_name["a_part"].unique, "only a part of the rows"
    assert not by_name["an_expression"].unique, "over an expression"
    assert by_name["orders_pkey"].columns == ("a", "b")


def test_nobody_counted_yet(database: PostgresDatabase) -> None:
    assert table(snapshot(database), "orders").row_estimate is None
    database.execute("ANALYZE orders", "ANALYZE days1")
    found = snapshot(database)
    assert table(found, "orders").row_estimate == 20
    assert table(found, "days").row_estimate == 2, "the sum of its partitions"


def test_bodies_of_views_carry_their_own_names(database: PostgresDatabase) -> None:
    found = snapshot(database)
    assert "products.id AS x" in str(table(found, "dear").definition)
    assert "orders.status" in str(table(found, "kept").definition)


def test_samples_skip_what_is_sensitive(database: PostgresDatabase) -> None:
    found = snapshot(database)
    assert column(found, "orders", "status").enum_values == ("open", "paid")
    assert column(found, "orders", "secret").enum_values is None


def test_what_may_not_be_read_is_listed_with_a_note(database: PostgresDatabase) -> None:
    import psycopg

    with psycopg.connect(database.server.dsn.replace("dbname=postgres", f"dbname={database.name}")) as connection:
        connection.execute(f"REVOKE ALL ON orders, products FROM {database.user}")
        connection.execute(f"GRANT SELECT (id, price) ON products TO {database.user}")
    found = snapshot(database)
    assert "may not read it" in str(table(found, "orders").note)
    assert "Values of 7 of its 9 columns may not be read." in str(table(found, "products").note)
    assert column(found, "orders", "status").enum_values is None
    assert [k.table for k in found.foreign_keys] == ["lines", "orders"], "keys are seen without the right to read"


def test_other_schemas_are_said(database: PostgresDatabase) -> None:
    said = "The schema other with 1 tables and views is not indexed; only public is."
    assert snapshot(database, "l1", user="postgres").warnings == (said,)


def test_a_search_path_that_leads_nowhere(database: PostgresDatabase) -> None:
    database.execute(f"ALTER ROLE {database.user} SET search_path = nowhere")
    with pytest.raises(BadArgument) as caught:
        snapshot(database, "l1")
    assert caught.value.code == "no-database"
