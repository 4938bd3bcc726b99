"""What a catalog must not tell of sensitive columns by a way round: generated columns, settings, views, mirrors."""

from __future__ import annotations

from typing import Any

import pytest

from dbgraph_nb.catalog.source import read, version
from dbgraph_nb.errors import QueryFailed
from dbgraph_nb.model import Column, Snapshot

SECRET = "S3cr3t-tail"


def is_sensitive(table: str, column: Column) -> bool:
    return "password" in column.name.casefold() or "密码" in (column.comment or "")


def samples(snapshot: Snapshot) -> dict[str, tuple[str, ...]]:
    return {
        f"{item.name}.{column.name}": column.enum_values
        for item in snapshot.objects
        for column in item.columns
        if column.enum_values is not None
    }


def looked_at(engine: Any) -> str:
    return " ".join(sql for sql in engine.statements if "DISTINCT" in sql)


def test_what_sqlite_generates_from_a_sensitive_column_is_not_sampled(sqlite_engine: Any) -> None:
    engine = sqlite_engine(f"""
        CREATE TABLE t(
            Password TEXT, level TEXT, -- , x AS (no)
            hint_type TEXT AS (substr("PASSWORD", 1, 8)) STORED, again_type TEXT GENERATED ALWAYS AS (Hint_Type || ')'),
            "level_type" TEXT CHECK ("level_type" IN ('x', 'y')) AS (CASE [password] WHEN 'a' THEN 'x' ELSE 'y' END),
            upper_type TEXT AS (upper(level)));
        INSERT INTO t(Password, level) VALUES ('{SECRET}', 'a'), ('{SECRET}', 'a');
    """)
    snapshot = read(engine, "l2", is_sensitive=is_sensitive)
    assert samples(snapshot) == {"t.level": ("a",), "t.upper_type": ("A",)}
    expressions = {column.name: column.expression for column in snapshot.objects[0].columns if column.generated}
    assert expressions == {
        "hint_type": 'substr("PASSWORD", 1, 8)',
        "again_type": "Hint_Type || ')'",
        "level_type": "CASE [password] WHEN 'a' THEN 'x' ELSE 'y' END",
        "upper_type": "upper(level)",
    }
    assert "hint_type" not in looked_at(engine)
    assert SECRET not in repr(snapshot)


def test_what_mariadb_generates_from_a_sensitive_column_is_not_sampled(shop: Any) -> None:
    shop.run(
        "CREATE TABLE t(id INT PRIMARY KEY, note VARCHAR(20) COMMENT '密码', v_type VARCHAR(20) AS (note) STORED,"
        " w_type VARCHAR(40) AS (concat(v_type, 'x')) VIRTUAL,"
        " e_type ENUM('on', 'off') AS (if(note = '', 'on', 'off')),"
        " `odd``name` VARCHAR(9), o_type VARCHAR(20) AS (`odd``name`))",
        f"INSERT INTO t(id, note, `odd``name`) VALUES (1, '{SECRET}', 'q'), (2, '{SECRET}', 'q')",
    )
    engine = shop.engine()
    snapshot = read(engine, "l2", is_sensitive=is_sensitive)
    assert samples(snapshot) == {"t.o_type": ("q",)}
    assert [c.expression is not None for c in snapshot.objects[0].columns] == [False] * 2 + [True] * 3 + [False, True]
    assert SECRET not in repr(snapshot)


def test_without_its_expression_a_generated_column_beside_a_sensitive_one_is_not_sampled(shop: Any) -> None:
    shop.run(
        "CREATE TABLE t(password VARCHAR(20), state VARCHAR(9), g_type VARCHAR(20) AS (state))",
        "CREATE TABLE u(state VARCHAR(9), g_type VARCHAR(20) AS (state))",
        f"INSERT INTO t(password, state) VALUES ('{SECRET}', 'a')",
        "INSERT INTO u(state) VALUES ('a')",
    )
    engine = shop.engine()
    engine.fail = {"GENERATION_EXPRESSION": QueryFailed("denied")}
    snapshot = read(engine, "l2", is_sensitive=is_sensitive)
    assert samples(snapshot).keys() == {"t.state", "u.state", "u.g_type"}
    assert snapshot.warnings == ("Expressions of generated columns could not be read: denied",)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("setting_key", "setting_value"),
        ("name", "val"),
        ("k", "v"),
        ("configCode", "configContent"),
        ("param_name", "value_text"),
        ("attribute_id", "value"),
        ("参数名", "参数值"),
        ("编码", "内容"),
        ("option", "data"),
    ],
)
def test_values_of_settings_are_not_sampled(sqlite_engine: Any, key: str, value: str) -> None:
    rows = ", ".join(f"('smtp_password', '{SECRET}', 'on')" for _ in range(6))
    engine = sqlite_engine(
        f'CREATE TABLE settings("{key}" TEXT, "{value}" TEXT, state); INSERT INTO settings VALUES {rows};'
    )
    snapshot = read(engine, "l2", is_sensitive=is_sensitive)
    assert f"settings.{value}" not in samples(snapshot)
    assert samples(snapshot)["settings.state"] == ("on",)
    assert f'"{value}"' not in looked_at(engine)


def test_comments_say_what_a_value_is_and_without_a_key_there_is_none(sqlite_engine: Any) -> None:
    engine = sqlite_engine("""
        CREATE TABLE a(f1 TEXT, -- 参数名
                       f2 TEXT -- 参数值
                       );
        CREATE TABLE b(id INTEGER PRIMARY KEY, -- 主键
                       value TEXT);
        INSERT INTO a VALUES ('x', 'y'), ('x', 'y'), ('x', 'y');
        INSERT INTO b(value) VALUES ('y'), ('y'), ('y');
    """)
    assert samples(read(engine, "l2", is_sensitive=is_sensitive)).keys() & {"a.f2", "b.value"} == {"b.value"}


def test_columns_of_views_have_no_defaults(shop: Any, sqlite_engine: Any) -> None:
    shop.run(
        f"CREATE TABLE users(id INT DEFAULT 7, password VARCHAR(20) DEFAULT '{SECRET}')",
        "CREATE VIEW v1 AS SELECT id, password AS label FROM users",
    )
    snapshot = read(shop.engine(), "l2", is_sensitive=is_sensitive)
    assert [[column.default for column in item.columns] for item in snapshot.objects] == [["7", SECRET], [None, None]]
    engine = sqlite_engine("CREATE TABLE t(a DEFAULT 7); CREATE VIEW v AS SELECT a FROM t;")
    found = read(engine, "l1", is_sensitive=is_sensitive).objects
    assert [item.columns[0].default for item in found] == ["7", None]


def test_tables_that_only_show_what_others_hold_are_left_out(sqlite_engine: Any) -> None:
    engine = sqlite_engine("""
        CREATE VIRTUAL TABLE docs USING fts5(password);
        CREATE VIRTUAL TABLE words USING fts5vocab(docs, row);
        CREATE VIRTUAL TABLE IF NOT EXISTS "using" USING /* x */ "FTS5VOCAB"('docs', 'instance');
        CREATE VIRTUAL TABLE old USING fts4(body);
        CREATE VIRTUAL TABLE old_words USING fts4aux(old);
        CREATE VIRTUAL TABLE pages USING dbstat(main);
        CREATE TABLE fts5vocab(a);
    """)
    snapshot = read(engine, "l2", is_sensitive=is_sensitive)
    assert [item.name for item in snapshot.objects] == ["docs", "fts5vocab", "old"]
    assert snapshot.warnings == ()


def test_the_version_follows_the_schema_and_not_the_rows(sqlite_engine: Any, shop: Any) -> None:
    engine = sqlite_engine("CREATE TABLE t(a)")
    first = read(engine, "l1", is_sensitive=is_sensitive).catalog_version
    asked = len(engine.statements)
    assert version(engine) == first != ""
    assert len(engine.statements) == asked + 1
    path = engine.catalog("SELECT file FROM pragma_database_list")[0][0]
    import sqlite3

    with sqlite3.connect(path) as other:
        other.execute("INSERT INTO t VALUES (1)")
        other.commit()
        assert version(engine) == first
        other.execute("ALTER TABLE t ADD COLUMN b")
    other.close()
    assert version(engine) != first
    assert read(engine, "l2", is_sensitive=is_sensitive).catalog_version == version(engine)
    engine.fail = {"schema_version": QueryFailed("busy")}
    assert version(engine) == ""
    server = shop.engine()
    assert version(server) == ""
    assert server.statements == []
