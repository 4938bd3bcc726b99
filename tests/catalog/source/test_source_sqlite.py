"""Reading SQLite catalogs: each pitfall on a real file."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from dbgraph_nb.catalog.source import read
from dbgraph_nb.model import Column, DbObject, ForeignKey, Snapshot, TableIndex


def never(table: str, column: Column) -> bool:
    return False


def named(snapshot: Snapshot, name: str) -> DbObject:
    return next(item for item in snapshot.objects if item.name == name)


def column(snapshot: Snapshot, table: str, name: str) -> Column:
    return next(item for item in named(snapshot, table).columns if item.name == name)


def test_objects_and_columns_come_sorted_with_their_types(sqlite_engine: Any) -> None:
    engine = sqlite_engine("""
        CREATE TABLE zoo(id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT 'it''s', seen DATETIME,
                         ok BOOLEAN DEFAULT NULL);
        CREATE TABLE "Ant"(a, b JSON, c BLOB, d DECIMAL(10,2) DEFAULT 1.5, e FLOATING POINT DEFAULT (1+2));
        CREATE VIEW both AS SELECT z.id, a.b AS doc FROM zoo z, "Ant" a;
    """)
    snapshot = read(engine, "l1", is_sensitive=never)
    assert [(item.name, item.kind) for item in snapshot.objects] == [
        ("Ant", "table"),
        ("both", "view"),
        ("zoo", "table"),
    ]
    assert [(c.name, c.ordinal, c.type, c.type_class) for c in named(snapshot, "zoo").columns] == [
        ("id", 1, "INTEGER", "number"),
        ("name", 2, "TEXT", "text"),
        ("seen", 3, "DATETIME", "time"),
        ("ok", 4, "BOOLEAN", "bool"),
    ]
    assert [c.type_class for c in named(snapshot, "Ant").columns] == ["other", "json", "binary", "number", "number"]
    assert [(c.name, c.type) for c in named(snapshot, "both").columns] == [("id", "INTEGER"), ("doc", "JSON")]
    assert column(snapshot, "zoo", "name").default == "it's"
    assert column(snapshot, "zoo", "ok").default is None
    assert column(snapshot, "Ant", "e").default == "1+2"
    assert not column(snapshot, "zoo", "name").nullable
    assert (snapshot.engine, snapshot.level, snapshot.database, snapshot.warnings) == ("sqlite", "l1", "0.db", ())


def test_primary_keys_unique_columns_and_nullability(sqlite_engine: Any) -> None:
    engine = sqlite_engine("""
        CREATE TABLE a(id INTEGER PRIMARY KEY, mail TEXT UNIQUE, part TEXT, x INT, y INT, UNIQUE(x, y));
        CREATE TABLE b(code TEXT PRIMARY KEY);
        CREATE TABLE c(p INT, q INT, r INT, PRIMARY KEY(q, p));
        CREATE UNIQUE INDEX a_part ON a(part) WHERE x > 1;
        CREATE UNIQUE INDEX a_low ON a(lower(part));
        CREATE INDEX a_y ON a(y DESC, x);
    """)
    snapshot = read(engine, "l2", is_sensitive=never)
    assert (column(snapshot, "a", "id").pk, column(snapshot, "a", "id").unique) == (1, True)
    assert not column(snapshot, "a", "id").nullable
    assert column(snapshot, "b", "code").nullable  # SQLite lets a primary key that is no row id be NULL
    assert [c.pk for c in named(snapshot, "c").columns] == [2, 1, 0]
    assert not any(c.unique for c in named(snapshot, "c").columns)
    assert column(snapshot, "a", "mail").unique
    assert not column(snapshot, "a", "part").unique  # only a part of the rows, or an expression
    assert not column(snapshot, "a", "x").unique
    assert TableIndex("a", "a_y", ("y", "x")) in snapshot.indexes
    assert TableIndex("a", "a_part", ("part",), unique=False) in snapshot.indexes
    assert TableIndex("a", "a_low", (), unique=False) in snapshot.indexes
    assert TableIndex("c", "sqlite_autoindex_c_1", ("q", "p"), unique=True) in snapshot.indexes


def test_generated_columns_are_there_and_hidden_ones_are_not(sqlite_engine: Any) -> None:
    engine = sqlite_engine("""
        CREATE TABLE t(a INT, v INT AS (a + 1), s INT GENERATED ALWAYS AS (a + 2) STORED, b TEXT);
        CREATE VIRTUAL TABLE f USING fts5(title, body);
    """)
    snapshot = read(engine, "l1", is_sensitive=never)
    assert [(c.name, c.ordinal, c.type, c.generated) for c in named(snapshot, "t").columns] == [
        ("a", 1, "INT", False),
        ("v", 2, "INT", True),
        ("s", 3, "INT", True),
        ("b", 4, "TEXT", False),
    ]
    assert named(snapshot, "f").kind == "virtual table"
    assert [(c.name, c.type_class) for c in named(snapshot, "f").columns] == [("title", "text"), ("body", "text")]


def test_strict_tables_without_rowid_keep_their_columns(sqlite_engine: Any) -> None:
    engine = sqlite_engine("CREATE TABLE t(a INT PRIMARY KEY, b INT AS (a+1), c ANY) STRICT, WITHOUT ROWID;")
    snapshot = read(engine, "l2", is_sensitive=never)
    assert [(c.name, c.type, c.pk, c.nullable) for c in named(snapshot, "t").columns] == [
        ("a", "INT", 1, False),
        ("b", "INT", 0, True),
        ("c", "ANY", 0, True),
    ]
    assert snapshot.warnings == ()


def test_own_and_shadow_tables_are_hidden(sqlite_engine: Any) -> None:
    script = """
        CREATE TABLE seq(i INTEGER PRIMARY KEY AUTOINCREMENT);
        INSERT INTO seq VALUES (NULL);
        CREATE TABLE f_other(a INT);
        CREATE INDEX seq_i ON seq(i);
        CREATE VIRTUAL TABLE f USING fts5(x);
        CREATE VIRTUAL TABLE r USING rtree(id, a0, a1);
        ANALYZE;
    """
    engine = sqlite_engine(script)
    snapshot = read(engine, "l2", is_sensitive=never)
    assert [item.name for item in snapshot.objects] == ["f", "f_other", "r", "seq"]
    assert {index.table for index in snapshot.indexes} == {"seq"}
    old = sqlite_engine(script)  # before SQLite 3.37 there is no table_list
    from dbgraph_nb.errors import QueryFailed

    old.fail["pragma_table_list"] = QueryFailed("no such table: pragma_table_list")
    assert [item.name for item in read(old, "l2", is_sensitive=never).objects] == ["f", "f_other", "r", "seq"]


def test_a_broken_view_is_listed_with_a_note_and_ends_nothing(sqlite_engine: Any) -> None:
    engine = sqlite_engine("""
        CREATE TABLE t(a INT);
        CREATE VIEW v1 AS SELECT a FROM t;
        CREATE VIEW v2 AS SELECT a FROM v1;
        CREATE VIEW ok(x, y) AS SELECT a, a + 1 FROM t;
        DROP VIEW v1;
    """)
    for level in ("l1", "l2"):
        snapshot = read(engine, level, is_sensitive=never)
        assert [item.name for item in snapshot.objects] == ["ok", "t", "v2"]
        assert named(snapshot, "v2").columns == ()
        assert "v1, which is not there" in (named(snapshot, "v2").note or "")
        assert [c.name for c in named(snapshot, "ok").columns] == ["x", "y"]
        assert [text for text in snapshot.warnings if "v2" in text]
    assert named(snapshot, "v2").definition == "SELECT a FROM v1"


def test_a_virtual_table_without_its_module_is_listed_with_a_note(sqlite_engine: Any) -> None:
    def damage(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA writable_schema = on")
        connection.execute(
            "INSERT INTO sqlite_master(type, name, tbl_name, rootpage, sql)"
            " VALUES ('table', 'vec', 'vec', 0, 'CREATE VIRTUAL TABLE vec USING vec0(a)')"
        )

    engine = sqlite_engine(
        "CREATE TABLE t(a INT REFERENCES u(b)); CREATE TABLE u(b INT PRIMARY KEY);"
        "CREATE VIRTUAL TABLE f USING fts5(x); CREATE INDEX ta ON t(a);",
        setup=damage,
    )
    snapshot = read(engine, "l2", is_sensitive=never)
    assert [item.name for item in snapshot.objects] == ["f", "t", "u", "vec"]
    assert (named(snapshot, "vec").kind, named(snapshot, "vec").columns) == ("virtual table", ())
    assert "vec0" in (named(snapshot, "vec").note or "")
    assert [c.name for c in named(snapshot, "f").columns] == ["x"]
    assert len(snapshot.foreign_keys) == 1
    assert TableIndex("t", "ta", ("a",)) in snapshot.indexes


def test_foreign_keys_by_position_with_the_real_names_of_their_targets(sqlite_engine: Any) -> None:
    engine = sqlite_engine("""
        CREATE TABLE "Par"(a INT, "B" INT, PRIMARY KEY("B", a));
        CREATE TABLE child(
            y INT, x INT, z INT REFERENCES nowhere, w INT REFERENCES gone(id), one INT REFERENCES keyless,
            FOREIGN KEY (y, x) REFERENCES PAR(b, A), FOREIGN KEY (x, y) REFERENCES par, FOREIGN KEY (z) REFERENCES par);
        CREATE TABLE keyless(k INT);
        CREATE TABLE self(id INTEGER PRIMARY KEY, boss INT REFERENCES self);
    """)
    keys = read(engine, "l2", is_sensitive=never).foreign_keys
    assert ForeignKey("child", ("y", "x"), "Par", ("B", "a")) in keys
    assert ForeignKey("child", ("x", "y"), "Par", ("B", "a")) in keys  # the primary key, in its order
    assert ForeignKey("child", ("z",), "Par", ()) in keys  # one column cannot mean a key of two
    assert ForeignKey("child", ("z",), "nowhere", ()) in keys
    assert ForeignKey("child", ("w",), "gone", ("id",)) in keys
    assert ForeignKey("child", ("one",), "keyless", ()) in keys
    assert ForeignKey("self", ("boss",), "self", ("id",)) in keys
    assert len(keys) == 7
    assert list(keys) == sorted(keys, key=lambda k: (k.table, k.columns, k.target_table))


@pytest.mark.parametrize(
    "name", ["a b", "a.b", "x`y", 'q"z', "select", "表 1", "it's", "100%", "[k]", "a?b", ":n", "$1", "@x"]
)
def test_odd_names_are_read_and_sampled(sqlite_engine: Any, name: Any) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    engine = sqlite_engine(
        f"CREATE TABLE {quoted}({quoted} INT PRIMARY KEY, status TEXT);"
        f"INSERT INTO {quoted} VALUES (1, 'on'), (2, 'off');"
        f"CREATE TABLE child(r INT REFERENCES {quoted});"
        f'CREATE INDEX {quoted[:-1]}i" ON {quoted}(status);'
        f'CREATE VIEW {quoted[:-1]}v" AS SELECT * FROM {quoted};'
    )
    snapshot = read(engine, "l2", is_sensitive=never)
    assert {item.name for item in snapshot.objects} == {name, "child", name + "v"}
    assert column(snapshot, name, "status").enum_values == ("off", "on")
    assert snapshot.foreign_keys == (ForeignKey("child", ("r",), name, (name,)),)
    assert [c.name for c in named(snapshot, name + "v").columns] == [name, "status"]
    assert named(snapshot, name).row_estimate == 2
    assert snapshot.warnings == ()


def test_names_that_differ_only_in_case_of_letters_beyond_ascii_are_kept_apart(sqlite_engine: Any) -> None:
    engine = sqlite_engine(
        "CREATE TABLE Ä(a INT PRIMARY KEY); CREATE TABLE ä(b INT); CREATE TABLE c(x REFERENCES Ä(A));"
    )
    snapshot = read(engine, "l2", is_sensitive=never)
    assert [item.name for item in snapshot.objects] == ["c", "Ä", "ä"]
    assert snapshot.foreign_keys == (ForeignKey("c", ("x",), "Ä", ("a",)),)


def test_comments_in_the_create_text(sqlite_engine: Any) -> None:
    engine = sqlite_engine(
        "CREATE TABLE users ( -- 用户表\n"
        "  -- a heading that belongs to nobody\n"
        "  id INTEGER PRIMARY KEY, -- 用户编号\n"
        "  name TEXT /* 姓名 */, phone TEXT, -- 手机号, 含逗号 ' 和 (括号\n"
        "  /* 邮箱 */ mail TEXT,\n"
        "  \"odd -- name\" TEXT DEFAULT '-- no comment',\n"
        "  total DECIMAL(10, 2) -- 金额\n"
        "    NOT NULL, -- 元\n"
        "  last TEXT -- 最后\n"
        ");\n"
        "CREATE VIEW v AS -- 视图\nSELECT id FROM users;"
    )
    for level in ("l1", "l2"):
        snapshot = read(engine, level, is_sensitive=never)
        assert named(snapshot, "users").comment == "用户表"
        assert {c.name: c.comment for c in named(snapshot, "users").columns} == {
            "id": "用户编号",
            "name": "姓名",
            "phone": "手机号, 含逗号 ' 和 (括号",
            "mail": "邮箱",
            "odd -- name": None,
            "total": "金额 元",
            "last": "最后",
        }
        assert named(snapshot, "v").comment == "视图"
    assert named(snapshot, "v").definition == "SELECT id FROM users"


def test_checks_of_a_column_against_literals_are_its_members(sqlite_engine: Any) -> None:
    engine = sqlite_engine("""
        CREATE TABLE t(
            a VARCHAR(9) CHECK (a IN ('x,y', 'it''s', ')')),
            b INT CHECK(b IN (0, 1, -1)),
            c TEXT CHECK (c IN ('p', 'q') OR c = 'r'),
            d TEXT CHECK (d NOT IN ('p')),
            e TEXT, CONSTRAINT e_ok CHECK ("e" IN ('m', 'n')));
    """)
    snapshot = read(engine, "l1", is_sensitive=never)
    assert {c.name: (c.enum_values, c.type_class) for c in named(snapshot, "t").columns} == {
        "a": (("x,y", "it's", ")"), "enum"),
        "b": (("0", "1", "-1"), "number"),
        "c": (None, "text"),
        "d": (None, "text"),
        "e": (("m", "n"), "enum"),
    }
    hidden = read(engine, "l1", is_sensitive=lambda table, column: (table, column.name) == ("t", "a"))
    assert column(hidden, "t", "a").enum_values is None


def test_row_estimates_are_bounded(sqlite_engine: Any) -> None:
    many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000) "
    engine = sqlite_engine(f"""
        CREATE TABLE empty(a INT);
        CREATE TABLE few(a INT); INSERT INTO few VALUES (1), (2), (3);
        CREATE TABLE running(a INT); {many} INSERT INTO running SELECT i FROM n;
        CREATE TABLE sparse(a INTEGER PRIMARY KEY); {many} INSERT INTO sparse SELECT i * 1000000000 FROM n;
        CREATE TABLE keyed(a INT PRIMARY KEY) WITHOUT ROWID; {many} INSERT INTO keyed SELECT i FROM n;
        CREATE TABLE shadowed(rowid TEXT, b INT); {many} INSERT INTO shadowed SELECT 'x', i FROM n;
        CREATE VIEW v AS SELECT * FROM few;
    """)
    snapshot = read(engine, "l2", is_sensitive=never)
    assert {item.name: item.row_estimate for item in snapshot.objects} == {
        "empty": 0, "few": 3, "running": 12_000, "sparse": None, "keyed": None, "shadowed": 12_000, "v": None,
    }  # fmt: skip
    assert all("LIMIT 10001" in sql for sql in engine.statements if "count(" in sql)
    assert read(engine, "l1", is_sensitive=never).objects[0].row_estimate is None


def test_row_estimates_of_large_tables_come_from_analyze(sqlite_engine: Any) -> None:
    many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000) "
    engine = sqlite_engine(f"""
        CREATE TABLE t(a INT PRIMARY KEY, b INT) WITHOUT ROWID; {many} INSERT INTO t SELECT i, i FROM n;
        CREATE INDEX part ON t(b) WHERE b < 5; CREATE INDEX all_ ON t(b); ANALYZE;
    """)
    assert named(read(engine, "l2", is_sensitive=never), "t").row_estimate == 12_000


def test_the_number_of_statements_at_l1_does_not_grow(sqlite_engine: Any) -> None:
    def counted(tables: int) -> int:
        engine = sqlite_engine(
            *(
                f"CREATE TABLE t{i}(id INTEGER PRIMARY KEY, a TEXT); CREATE VIEW v{i} AS SELECT a FROM t{i};"
                for i in range(tables)
            )
        )
        assert len(read(engine, "l1", is_sensitive=never).objects) == 2 * tables
        return len(engine.statements)

    assert counted(5) == counted(60) <= 6


def test_the_same_file_gives_an_equal_snapshot(sqlite_engine: Any) -> None:
    script = """
        CREATE TABLE p(id INTEGER PRIMARY KEY, kind TEXT); INSERT INTO p(kind) VALUES ('b'), ('a'), ('b');
        CREATE TABLE c(x INT REFERENCES p, y INT REFERENCES p(id)); CREATE INDEX cx ON c(x);
        CREATE VIEW v AS SELECT * FROM p;
    """
    engine = sqlite_engine(script)
    first, second = (read(engine, "l2", is_sensitive=never) for _ in range(2))
    assert first == second
    assert column(first, "p", "kind").enum_values == ("a", "b")


def test_an_empty_file_is_an_empty_catalog(sqlite_engine: Any) -> None:
    snapshot = read(sqlite_engine(), "l2", is_sensitive=never)
    assert (snapshot.objects, snapshot.foreign_keys, snapshot.indexes, snapshot.warnings) == ((), (), (), ())
