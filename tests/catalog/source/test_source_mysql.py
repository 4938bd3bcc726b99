"""Reading MariaDB catalogs: each pitfall on a real server."""

from __future__ import annotations

from typing import Any

import pytest

from dbgraph_nb.catalog.source import read
from dbgraph_nb.errors import BadArgument, QueryFailed
from dbgraph_nb.model import Column, DbObject, ForeignKey, Snapshot, TableIndex


def never(table: str, column: Column) -> bool:
    return False


def named(snapshot: Snapshot, name: str) -> DbObject:
    return next(item for item in snapshot.objects if item.name == name)


def column(snapshot: Snapshot, table: str, name: str) -> Column:
    return next(item for item in named(snapshot, table).columns if item.name == name)


def test_columns_types_and_defaults(shop: Any) -> None:
    shop.run(r"""CREATE TABLE t(
        id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY COMMENT '编号', doc JSON, b1 BIT(1), b9 BIT(9) DEFAULT b'101',
        bin BINARY(16), g POINT, zd DATE DEFAULT '0000-00-00', zt DATETIME DEFAULT '0000-00-00 00:00:00',
        ts TIMESTAMP DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, n VARCHAR(10) DEFAULT NULL,
        q VARCHAR(10) DEFAULT 'a''b\\c', empty VARCHAR(3) DEFAULT '', word VARCHAR(4) DEFAULT 'NULL',
        nodefault INT NOT NULL, inv INT INVISIBLE DEFAULT 5, v INT AS (nodefault + 1) VIRTUAL,
        s INT GENERATED ALWAYS AS (3 + 4) STORED, flag TINYINT(1), tiny TINYINT, u UUID, ip INET6, y YEAR,
        price DECIMAL(10,2) DEFAULT 1.50, e INT DEFAULT (1 + 2), big LONGTEXT, blb LONGBLOB, opts SET('x','y'),
        CHECK (price > 0)) COMMENT='表'""")
    snapshot = read(shop.engine(), "l1", is_sensitive=never)
    found = {c.name: c for c in named(snapshot, "t").columns}
    assert named(snapshot, "t").comment == "表"
    assert {name: c.type_class for name, c in found.items()} == {
        "id": "number", "doc": "json", "b1": "bool", "b9": "binary", "bin": "binary", "g": "other", "zd": "time",
        "zt": "time", "ts": "time", "n": "text", "q": "text", "empty": "text", "word": "text", "nodefault": "number",
        "inv": "number", "v": "number", "s": "number", "flag": "bool", "tiny": "number", "u": "text", "ip": "text",
        "y": "time", "price": "number", "e": "number", "big": "text", "blb": "binary", "opts": "enum",
    }  # fmt: skip
    assert {name: c.default for name, c in found.items() if c.default is not None} == {
        "b9": "b'101'", "zd": "0000-00-00", "zt": "0000-00-00 00:00:00", "ts": "current_timestamp()", "q": "a'b\\c",
        "empty": "", "word": "NULL", "inv": "5", "price": "1.50", "e": "(1 + 2)",
    }  # fmt: skip
    assert (found["id"].type, found["id"].comment, found["id"].unique) == ("bigint(20) unsigned", "编号", True)
    assert [name for name, c in found.items() if c.generated] == ["v", "s"]
    assert [name for name, c in found.items() if not c.nullable] == ["id", "nodefault"]
    assert [c.ordinal for c in found.values()] == list(range(1, len(found) + 1))
    assert found["opts"].enum_values == ("x", "y")
    assert (snapshot.engine, snapshot.database, snapshot.warnings) == ("mariadb", shop.name, ())


def test_enum_members_are_parsed_as_literals(shop: Any) -> None:
    shop.run(
        r"""CREATE TABLE t(a ENUM('a,b','it''s','enum(',')','','int','back\\slash','q"x','表 1','new\nline','tab	'),
        b VARCHAR(9) CHECK (b IN ('p,q','it''s')), c VARCHAR(9) CHECK (c IN ('x') OR c > 'y'))"""
    )
    expected = ("a,b", "it's", "enum(", ")", "", "int", "back\\slash", 'q"x', "表 1", "new\nline", "tab\t")
    snapshot = read(shop.engine(), "l1", is_sensitive=never)
    assert column(snapshot, "t", "a").enum_values == expected
    assert column(snapshot, "t", "b").enum_values == ("p,q", "it's")
    assert (column(snapshot, "t", "c").enum_values, column(snapshot, "t", "c").type_class) == (None, "text")
    engine = shop.engine()
    engine.catalog("SET SESSION sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'")
    assert column(read(engine, "l1", is_sensitive=never), "t", "a").enum_values == expected
    hidden = read(shop.engine(), "l1", is_sensitive=lambda table, column: True)
    assert all(c.enum_values is None for c in named(hidden, "t").columns)


def test_broken_views_and_missing_definers_end_nothing(shop: Any) -> None:
    shop.run(
        "CREATE TABLE t(id INT, status VARCHAR(9))",
        "CREATE VIEW v1 AS SELECT id FROM t",
        "CREATE VIEW v2 AS SELECT id FROM v1",
        "DROP VIEW v1",
        "CREATE DEFINER='ghost'@'x' VIEW vg AS SELECT id FROM t",
        "CREATE VIEW good AS SELECT id, status FROM t",
    )
    for level in ("l1", "l2"):
        snapshot = read(shop.engine(), level, is_sensitive=never)
        assert [(item.name, item.kind) for item in snapshot.objects] == [
            ("good", "view"), ("t", "table"), ("v2", "view"), ("vg", "view"),
        ]  # fmt: skip
        assert named(snapshot, "v2").columns == ()
        assert "None of its columns can be read." in (named(snapshot, "v2").note or "")
        assert [c.name for c in named(snapshot, "vg").columns] == ["id"]
        assert "v2 could not be read." in snapshot.warnings
    assert "names something that is not there" in (named(snapshot, "v2").note or "")
    assert "Its definer is ghost@x." in (named(snapshot, "vg").note or "")
    assert named(snapshot, "good").note is None
    assert named(snapshot, "good").comment is None
    assert named(snapshot, "good").definition == (
        "select `t`.`id` AS `id`,`t`.`status` AS `status` from `t`"
    )  # without its own database's name
    assert "View vg cannot be queried." in snapshot.warnings


def test_keys_by_position_and_into_another_database(shop: Any) -> None:
    other = f"{shop.name}_other"
    shop.run(
        "CREATE TABLE par(a INT, b INT, c INT, PRIMARY KEY(b, a), UNIQUE KEY u(c), KEY two(c, a))",
        "CREATE TABLE child(x INT, y INT, z INT, CONSTRAINT owner_fk FOREIGN KEY (y, x) REFERENCES par(b, a),"
        " CONSTRAINT c_fk FOREIGN KEY (z) REFERENCES par(c))",
        f"CREATE DATABASE `{other}`",
        f"CREATE TABLE `{other}`.far(id INT PRIMARY KEY)",
        f"CREATE TABLE near(far_id INT, FOREIGN KEY far_fk(far_id) REFERENCES `{other}`.far(id))",
        "CREATE TABLE txt(t VARCHAR(300), n INT, FULLTEXT ft(t), KEY pre(t(10)), UNIQUE KEY un(n, t))",
    )
    try:
        snapshot = read(shop.engine(), "l2", is_sensitive=never)
    finally:
        shop.run("DROP TABLE near", f"DROP DATABASE `{other}`")
    far = [key for key in snapshot.foreign_keys if key.table == "near"]
    assert [(key.columns, key.target_schema, key.target_table, key.target_columns) for key in far] == [
        (("far_id",), other, "far", ("id",))
    ]
    assert ForeignKey("child", ("y", "x"), "par", ("b", "a"), name="owner_fk") in snapshot.foreign_keys
    assert ForeignKey("child", ("z",), "par", ("c",), name="c_fk") in snapshot.foreign_keys
    assert [item.name for item in snapshot.objects] == ["child", "near", "par", "txt"]
    assert [c.pk for c in named(snapshot, "par").columns] == [2, 1, 0]
    assert [c.unique for c in named(snapshot, "par").columns] == [False, False, True]
    assert TableIndex("par", "PRIMARY", ("b", "a"), unique=True) in snapshot.indexes
    assert TableIndex("par", "two", ("c", "a")) in snapshot.indexes
    assert TableIndex("txt", "un", ("n", "t"), unique=True) in snapshot.indexes
    assert TableIndex("txt", "pre", ("t",)) in snapshot.indexes
    assert not column(snapshot, "txt", "n").unique


def test_a_unique_column_that_looks_like_a_primary_key_is_none(shop: Any) -> None:
    shop.run("CREATE TABLE t(a INT NOT NULL UNIQUE)")  # its COLUMN_KEY is PRI
    found = column(read(shop.engine(), "l2", is_sensitive=never), "t", "a")
    assert (found.pk, found.unique) == (0, True)


@pytest.mark.parametrize(
    "name", ["a b", "a.b", "x`y", 'q"z', "select", "表 1", "it's", "100%", "%s", "back\\slash", "#c", "a;b"]
)
def test_odd_names_are_read_and_sampled(shop: Any, name: Any) -> None:
    quoted = "`" + name.replace("`", "``") + "`"
    shop.run(
        f"CREATE TABLE {quoted}({quoted} INT PRIMARY KEY, status VARCHAR(9), KEY {quoted}(status))",
        f"INSERT INTO {quoted} VALUES (1, 'on'), (2, 'off')",
        f"CREATE TABLE child(r INT, CONSTRAINT fk FOREIGN KEY (r) REFERENCES {quoted}({quoted}))",
    )
    snapshot = read(shop.engine(), "l2", is_sensitive=never)
    assert {item.name for item in snapshot.objects} == {name, "child"}
    assert column(snapshot, name, "status").enum_values == ("off", "on")
    assert snapshot.foreign_keys == (ForeignKey("child", ("r",), name, (name,), name="fk"),)
    assert snapshot.warnings == ()


def test_mojibake_is_repaired_and_lost_comments_are_dropped(shop: Any) -> None:
    bad = "用户名".encode().decode("latin-1")  # as MySQL's latin1 keeps it, 0x90 and 0x8d included
    windows = "".join(bytes([b]).decode("cp1252") if b not in (0x81, 0x8D, 0x8F, 0x90, 0x9D) else chr(b)
                      for b in "用户名".encode())  # fmt: skip
    shop.run(
        f"CREATE TABLE t(a INT COMMENT '{windows}', b INT COMMENT '????', c INT COMMENT 'café', d INT COMMENT '姓名',"
        " e INT COMMENT 'why??') COMMENT='???'"
    )
    snapshot = read(shop.engine(), "l2", is_sensitive=never)
    assert [c.comment for c in named(snapshot, "t").columns] == ["用户名", None, "café", "姓名", "why??"]
    assert named(snapshot, "t").comment is None
    assert "????" in (named(snapshot, "t").note or "")
    assert "t has comments that are lost (stored as ????)." in snapshot.warnings
    assert bad != windows


def test_zero_dates_and_unsigned_numbers_do_not_abort_the_samples(shop: Any) -> None:
    shop.run(
        "SET SESSION sql_mode = ''",
        "CREATE TABLE t(status BIGINT UNSIGNED, state_at DATETIME, state DATE, bits BIT(9), raw BINARY(2),"
        " class CHAR(2))",
        "INSERT INTO t VALUES (18446744073709551615, '0000-00-00 00:00:00', '0000-00-00', b'101', x'00ff', 'a')",
    )
    snapshot = read(shop.engine(), "l2", is_sensitive=never)
    assert {c.name: c.enum_values for c in named(snapshot, "t").columns} == {
        "status": ("18446744073709551615",), "state_at": None, "state": None, "bits": None, "raw": None,
        "class": ("a",),
    }  # fmt: skip
    shop.run("INSERT INTO t SELECT * FROM t", "INSERT INTO t SELECT * FROM t")
    snapshot = read(shop.engine(), "l2", is_sensitive=never)
    assert column(snapshot, "t", "bits").enum_values == ("0x0005",)
    assert column(snapshot, "t", "raw").enum_values == ("0x00ff",)
    assert snapshot.warnings == ()


def test_partitions_sequences_and_versions(shop: Any) -> None:
    shop.run(
        "CREATE TABLE parts(id INT, d INT) PARTITION BY RANGE(d)"
        " (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN MAXVALUE)",
        "CREATE SEQUENCE numbers",
        "CREATE TABLE versioned(a INT) WITH SYSTEM VERSIONING",
        "CREATE TEMPORARY TABLE passing(a INT)",
    )
    snapshot = read(shop.engine(), "l2", is_sensitive=never)
    assert [(item.name, item.kind) for item in snapshot.objects] == [("parts", "table"), ("versioned", "table")]


def test_row_counts_are_the_servers_estimates_and_never_counted(shop: Any) -> None:
    shop.run(
        "CREATE TABLE t(id INT PRIMARY KEY)",
        "CREATE VIEW v AS SELECT * FROM t",
        "INSERT INTO t VALUES (1), (2), (3)",
        "ANALYZE TABLE t",
    )
    engine = shop.engine()
    snapshot = read(engine, "l2", is_sensitive=never)
    assert named(snapshot, "t").row_estimate == 3
    assert named(snapshot, "v").row_estimate is None
    assert not any("count(" in sql.lower() for sql in engine.statements)


def test_column_grants_are_respected_and_said(shop: Any) -> None:
    user = f"h5{shop.name}"
    shop.run(
        "CREATE TABLE part(id INT, status VARCHAR(9), secret_kind VARCHAR(9))",
        "INSERT INTO part VALUES (1, 'on', 'no')",
        "CREATE TABLE writeonly(status VARCHAR(9))",
        "CREATE TABLE whole(status VARCHAR(9), doc JSON, note LONGTEXT)",
        "INSERT INTO whole(status) VALUES ('off')",
        "CREATE VIEW v AS SELECT id FROM part",
        "CREATE TABLE invisible_to_all(a INT)",
        f"CREATE USER '{user}'@'127.0.0.1' IDENTIFIED BY 'pw'",
        f"GRANT SELECT(id, status) ON part TO '{user}'@'127.0.0.1'",
        f"GRANT INSERT ON writeonly TO '{user}'@'127.0.0.1'",
        f"GRANT SELECT ON whole TO '{user}'@'127.0.0.1'",
        f"GRANT SELECT ON v TO '{user}'@'127.0.0.1'",
    )
    try:
        engine = shop.engine(user, "pw")
        snapshot = read(engine, "l2", is_sensitive=never)
        shop.run(f"GRANT SELECT ON `{shop.name.replace('_', chr(92) + '_')}`.* TO '{user}'@'127.0.0.1'")
        wide = read(shop.engine(user, "pw"), "l2", is_sensitive=never)
    finally:
        shop.run(f"DROP USER '{user}'@'127.0.0.1'")
    assert [item.name for item in snapshot.objects] == ["part", "v", "whole", "writeonly"]
    assert [c.name for c in named(snapshot, "part").columns] == ["id", "status"]
    assert named(snapshot, "part").note == "Only the columns granted to this account are listed."
    assert column(snapshot, "part", "status").enum_values == ("on",)
    assert "may not be read" in (named(snapshot, "writeonly").note or "")
    assert not any("`writeonly`" in sql for sql in engine.statements)
    assert column(snapshot, "whole", "status").enum_values == ("off",)
    # checks are not shown to this account, but JSON has a collation of its own
    assert column(snapshot, "whole", "doc").type_class == "json"
    assert column(snapshot, "whole", "note").type_class == "text"
    assert "SHOW VIEW" in (named(snapshot, "v").note or "")
    assert named(snapshot, "v").definition is None
    assert named(wide, "part").note is None
    assert len(named(wide, "part").columns) == 3


def test_a_database_whose_name_differs_in_case_is_another(shop: Any) -> None:
    twin = shop.name.upper()
    shop.run(
        "CREATE TABLE Users(ID INT PRIMARY KEY)",
        "CREATE TABLE users(a INT)",
        "CREATE TABLE c(x INT, FOREIGN KEY f(x) REFERENCES Users(ID))",
        f"CREATE DATABASE `{twin}`",
        f"CREATE TABLE `{twin}`.stranger(a INT)",
    )
    try:
        snapshot = read(shop.engine(), "l2", is_sensitive=never)
    finally:
        shop.run(f"DROP DATABASE `{twin}`")
    assert [item.name for item in snapshot.objects] == ["Users", "c", "users"]
    assert [(k.target_schema, k.target_table, k.target_columns) for k in snapshot.foreign_keys] == [
        ("", "Users", ("ID",))
    ]
    assert [c.name for c in named(snapshot, "users").columns] == ["a"]


def test_the_number_of_statements_at_l1_does_not_grow(shop: Any) -> None:
    shop.run(*(f"CREATE TABLE t{i}(id INT PRIMARY KEY, a VARCHAR(9), doc JSON)" for i in range(5)))
    few = shop.engine()
    assert len(read(few, "l1", is_sensitive=never).objects) == 5
    shop.run(*(f"CREATE TABLE t{i}(id INT PRIMARY KEY, a VARCHAR(9)) ENGINE=MEMORY" for i in range(5, 200)))
    many = shop.engine()
    assert len(read(many, "l1", is_sensitive=never).objects) == 200
    assert many.statements == few.statements
    assert len(many.statements) == 4
    deep = shop.engine()
    read(deep, "l2", is_sensitive=lambda table, column: True)  # nothing to sample
    assert len(deep.statements) == 9
    text = " ".join(deep.statements).upper()
    assert not any(word in text for word in ("ROUTINES", "PARAMETERS", "MYSQL.", " JOIN ", "REFERENTIAL", "COUNT("))


def test_sensitive_columns_are_never_read(shop: Any) -> None:
    shop.run("CREATE TABLE t(password_type VARCHAR(9), status VARCHAR(9))", "INSERT INTO t VALUES ('hunter2', 'on')")
    engine = shop.engine()
    with shop.logging() as statements:
        snapshot = read(engine, "l2", is_sensitive=lambda table, column: column.name == "password_type")
        log = statements()
    assert len(log) >= len(engine.statements)  # what the server saw, not what we think we sent
    assert not any("password_type" in sql for sql in log)
    assert "hunter2" not in repr(snapshot)
    assert column(snapshot, "t", "status").enum_values == ("on",)
    assert [sql for sql in log if "`status`" in sql] == [
        "SET STATEMENT max_statement_time = 2 FOR "
        "SELECT DISTINCT LEFT(`status`, 65) FROM (SELECT `status` FROM `t` LIMIT 10000) AS s LIMIT 22"
    ]


def test_long_texts_and_keys_are_not_sampled(shop: Any) -> None:
    shop.run(
        "CREATE TABLE p(id INT PRIMARY KEY, kind VARCHAR(9) UNIQUE)",
        "CREATE TABLE t(status TEXT, type LONGTEXT, state BLOB, doc JSON, role INT, class VARCHAR(300), mode FLOAT,"
        " level ENUM('a','b'), FOREIGN KEY f(role) REFERENCES p(id))",
        "INSERT INTO p VALUES (1, 'k')",
        "INSERT INTO t VALUES ('s', 't', 'b', '{}', 1, 'c', 1.5, 'a')",
    )
    engine = shop.engine()
    snapshot = read(engine, "l2", is_sensitive=never)
    assert sum("DISTINCT" in sql for sql in engine.statements) == 1
    assert column(snapshot, "t", "class").enum_values == ("c",)
    assert column(snapshot, "t", "level").enum_values == ("a", "b")


def test_the_same_database_gives_an_equal_snapshot(shop: Any) -> None:
    shop.run(
        "CREATE TABLE b(id INT PRIMARY KEY, status VARCHAR(9))",
        "CREATE TABLE a(x INT, FOREIGN KEY f(x) REFERENCES b(id))",
        "INSERT INTO b VALUES (1, 'z'), (2, 'a')",
        "CREATE VIEW v AS SELECT * FROM b",
    )
    first, second = (read(shop.engine(), "l2", is_sensitive=never) for _ in range(2))
    assert first == second


def test_details_that_fail_cost_only_themselves(shop: Any) -> None:
    shop.run("CREATE TABLE b(id INT PRIMARY KEY, status VARCHAR(9))", "INSERT INTO b VALUES (1, 'z')")
    engine = shop.engine()
    views = ("STATISTICS", "KEY_COLUMN_USAGE", "VIEWS", "CHECK_CONSTRAINTS", "COLUMN_PRIVILEGES")
    engine.fail = {f"information_schema.{view}": QueryFailed("denied") for view in views}
    snapshot = read(engine, "l2", is_sensitive=never)
    assert [item.name for item in snapshot.objects] == ["b"]
    assert column(snapshot, "b", "status").enum_values == ("z",)
    assert len(snapshot.warnings) == 5
    assert all(text.endswith("could not be read: denied") for text in snapshot.warnings)
    assert column(snapshot, "b", "id").pk == 0  # unknown, so nothing is claimed
    engine.fail = {"information_schema.COLUMNS": QueryFailed("denied")}
    with pytest.raises(QueryFailed):
        read(engine, "l1", is_sensitive=never)


def test_a_connection_without_a_database_is_told_so(shop: Any) -> None:
    with pytest.raises(BadArgument) as caught:
        read(shop.engine(database=""), "l1", is_sensitive=never)
    assert caught.value.code == "no-database"
