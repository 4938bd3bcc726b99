"""The pure parts of reading a catalog: literals, comments, CREATE statements, names that promise an enum."""

from __future__ import annotations

import sqlite3
from typing import Any, get_args

import pytest
import soak
from hypothesis import given, settings
from hypothesis import strategies as st

from dbgraph_nb.catalog.source import comments, enum_names, sql_text, sqlite_ddl, types
from dbgraph_nb.model import Column, TypeClass

CJK = st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF)
LITERAL = st.text(st.sampled_from("a,'()`\"\\ \n表-/*#"), max_size=8)


def as_mysql_writes(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "''").replace("\n", "\\n") + "'"


@settings(max_examples=soak.scale(4_000), deadline=None)
@given(st.lists(LITERAL, min_size=1, max_size=5))
def test_members_come_back_from_the_type(values: Any) -> None:
    assert sql_text.members(f"enum({','.join(map(as_mysql_writes, values))})") == tuple(values)


@settings(max_examples=soak.scale(4_000), deadline=None)
@given(st.text(CJK, min_size=1, max_size=10), st.text(st.sampled_from("abc (，:"), max_size=5))
def test_mojibake_comes_back_once_and_twice(chinese: Any, tail: Any) -> None:
    text = (chinese + tail).strip()
    once = "".join(map(as_latin1, text.encode()))
    twice = "".join(map(as_latin1, once.encode()))
    assert [comments.repaired(form) for form in (text, once, twice)] == [text] * 3


def as_latin1(byte: int) -> str:
    """A byte as MySQL's latin1 shows it."""
    return chr(byte) if byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D) else bytes([byte]).decode("cp1252")


@settings(max_examples=soak.scale(4_000), deadline=None)
@given(st.text(st.characters(max_codepoint=0x2FF)))
def test_european_text_is_left_alone(text: Any) -> None:
    assert comments.repaired(text) == text or any(c >= "\u2e80" for c in comments.repaired(text))


@settings(max_examples=soak.scale(4_000), deadline=None)
@given(
    st.lists(
        st.tuples(
            st.text(st.sampled_from("ab ,()'\"-/*`[]\n表"), min_size=1, max_size=6),
            st.none() | st.text(st.sampled_from("ab ,()'\"-/*`[];表"), min_size=1, max_size=8),
        ),
        min_size=1,
        max_size=5,
        unique_by=lambda pair: pair[0].lower(),
    ),
    LITERAL.filter(lambda text: "\0" not in text),
)
def test_comments_of_generated_tables_come_back(columns: Any, literal: Any) -> None:
    lines = []
    for number, (name, comment) in enumerate(columns):
        quoted = '"' + name.replace('"', '""') + '"'
        value = "'" + literal.replace("'", "''") + "'"
        comma = "," if number < len(columns) - 1 else ""
        lines.append(f"{quoted} TEXT DEFAULT {value} CHECK ({quoted} IN ({value}, 'x')){comma}"
                     + (f" -- {comment}" if comment else ""))  # fmt: skip
    sql = "CREATE TABLE t (\n" + "\n".join(lines) + "\n)"
    connection = sqlite3.connect(":memory:")
    connection.execute(sql)  # SQLite takes it, so the reading must be right
    stored = connection.execute("SELECT sql FROM sqlite_master").fetchone()[0]
    connection.close()
    ddl = sqlite_ddl.read_table(stored)
    expected = {name.lower(): " ".join(comment.split()) for name, comment in columns if comment and comment.strip()}
    assert ddl.comments == expected
    assert ddl.members == {name.lower(): (literal, "x") for name, _ in columns}


@settings(max_examples=soak.scale(4_000), deadline=None)
@given(st.text(st.sampled_from("abAS ,()'\"-/*`[]\n表CREATEVIWTBLCHECK.;")))
def test_broken_text_is_never_an_error(text: Any) -> None:
    for sql in (text, f"CREATE TABLE t({text}", f"CREATE VIEW v{text}", f"CREATE VIEW v AS {text}"):
        sqlite_ddl.read_table(sql)
        sqlite_ddl.read_view(sql)
        sqlite_ddl.why_broken(sql, ["t"])
        sql_text.plain_default(sql, backslash=True)
        sql_text.without_schema(sql, "a")
        assert types.sqlite_class(sql) in get_args(TypeClass)
        assert types.mysql_class(sql, sql) in get_args(TypeClass)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("CREATE VIEW v AS SELECT 1", (None, "SELECT 1")),
        ("CREATE VIEW v AS -- 说明\nSELECT 1", ("说明", "SELECT 1")),
        ("CREATE VIEW v AS\n-- a heading\nSELECT 1", (None, "SELECT 1")),
        ("CREATE VIEW \"a AS b\"(\"x y\", z) AS SELECT 1, 2 -- end",
         (None, 'WITH "a AS b"("x y", "z") AS (SELECT 1, 2 -- end\n) SELECT * FROM "a AS b"')),
        ("CREATE VIEW v AS WITH c AS (SELECT 1 AS n) SELECT n AS m FROM c",
         (None, "WITH c AS (SELECT 1 AS n) SELECT n AS m FROM c")),
        (None, (None, None)),
        ("CREATE TABLE t(a)", (None, None)),
    ],
)  # fmt: skip
def test_bodies_of_views(sql: Any, expected: Any) -> None:
    assert sqlite_ddl.read_view(sql) == expected
    if sql and expected[1]:
        connection = sqlite3.connect(":memory:")
        connection.execute(sql)
        name = connection.execute("SELECT name FROM sqlite_master").fetchone()[0]
        view = connection.execute(f'SELECT * FROM "{name}"')
        body = connection.execute(expected[1])
        assert [c[0] for c in view.description] == [c[0] for c in body.description]
        connection.close()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("select `s`.`t`.`a` AS `a` from `s`.`t`", "select `t`.`a` AS `a` from `t`"),
        ("select `o`.`t`.`a` AS `a` from `o`.`t` join `s`.`u`", "select `o`.`t`.`a` AS `a` from `o`.`t` join `u`"),
        ("select `s`.`a` AS `a` from `s`.`t` `s`", None),  # s is an alias too: which one is meant cannot be told
        ("select `t`.`s` AS `s` from `s`.`t`", None),
        ("select 1 AS `x`", "select 1 AS `x`"),
    ],
)
def test_own_schema_is_taken_off_only_where_it_is_certain(body: Any, expected: Any) -> None:
    assert sql_text.without_schema(body, "s") == (expected or body)


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("INTEGER", "number"), ("UNSIGNED BIG INT", "number"), ("INT8", "number"), ("FLOATING POINT", "number"),
        ("DOUBLE PRECISION", "number"), ("NUMERIC", "number"), ("DECIMAL(10,5)", "number"), ("REAL", "number"),
        ("CHARACTER(20)", "text"), ("NATIVE CHARACTER(70)", "text"), ("CLOB", "text"), ("STRING", "text"),
        ("DATETIME", "time"), ("TIMESTAMP WITH TIME ZONE", "time"), ("INTERVAL", "time"), ("BOOLEAN", "bool"),
        ("JSON", "json"), ("JSONB", "json"), ("BLOB", "binary"), ("VARBINARY(9)", "binary"), ("POINT", "other"),
        ("", "other"), ("ANY", "other"), ("表", "other"),
    ],
)  # fmt: skip
def test_classes_of_sqlite_types(declared: Any, expected: Any) -> None:
    assert types.sqlite_class(declared) == expected


@pytest.mark.parametrize(
    ("name", "comment", "enum", "free"),
    [
        ("status", None, True, False), ("orderStatus", None, True, False), ("STATUS_CODE", None, True, True),
        ("zt", "订单状态：0 未付, 1 已付", True, False), ("f1", "修改状态的时间", False, False),
        ("status_id", None, False, True), ("state_changed_by", None, False, True), ("性别", None, True, False),
        ("name", None, False, True), ("user_name", None, False, True), ("city", "城市", False, False),
        ("c7", "联系人", False, True), ("dept_nm", "部门名称", False, False), ("客户名称", None, False, True),
        ("code", None, False, True), ("", None, False, False),
    ],
)  # fmt: skip
def test_what_names_promise(name: Any, comment: Any, enum: Any, free: Any) -> None:
    column = Column(name, 1, "text", "text", comment=comment)
    assert (enum_names.says_enum(column), enum_names.says_free(column)) == (enum, free)
