"""SQL and peek: what is bound, how much is returned, what is refused, and that values come back as they are."""

from __future__ import annotations

import datetime as dt
import sqlite3
import time
import traceback
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import dbservers
import numpy as np
import pandas as pd
import pytest
from conftest import MariaDatabase
from explore.conftest import Shop

import dbgraph_nb as dg
from dbgraph_nb.errors import (
    BadArgument,
    GateRefused,
    IndexUnavailable,
    QueryFailed,
    QueryTimeout,
    RedactionRefused,
    UnknownName,
)
from dbgraph_nb.explore import querying
from dbgraph_nb.result import ResultFrame

ENDLESS = {
    "SQLite": "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c",
    "MariaDB": "SELECT count(*) FROM orders a, orders b, orders c, orders d, orders e",
}


def rows(sql: str, params: Any = None, **more: Any) -> list[list[Any]]:
    frame = dg.sql("shop", sql, params, **more)
    return [list(row) for row in frame.itertuples(index=False, name=None)]


def one(sql: str, params: Any = None, **more: Any) -> Any:
    """The only value of a result, as the frame holds it."""
    frame = dg.sql("shop", sql, params, **more)
    assert frame.shape == (1, 1)
    return frame.iloc[0, 0]


def refusal(sql: Any, params: Any = None, **more: Any) -> dg.DbgraphError:
    """The error of a statement: one line, and no other error behind it."""
    with pytest.raises(dg.DbgraphError) as caught:
        dg.sql("shop", sql, params, **more)
    assert "\n" not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    assert caught.value._render_traceback_() == [f"{type(caught.value).__name__}: {caught.value}"]
    return caught.value


@pytest.fixture
def unopened(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever opens a database fails the test."""

    def opened(*arguments: object, **more: object) -> None:
        raise AssertionError("a database was opened")

    monkeypatch.setattr("dbgraph_nb.explore.context.open_engine", opened)


# --- parameters -------------------------------------------------------------------------------------------------


def test_parameters_are_bound_and_never_spliced(either: Shop) -> None:
    sql = "SELECT name FROM users WHERE name = :name AND id < :most AND ':other' <> '%s' -- :comment"
    assert rows(sql, {"name": "张三", "most": 5, "unused": object()}) == [["张三"]]
    assert rows(sql, {"name": "' OR '1'='1", "most": 5}) == []
    assert rows(sql, {"name": "张三' -- ", "most": 5}) == []
    assert rows("SELECT :a AS x, :b AS y, :a AS z", {"a": "O'Brien \\", "b": "100%"}) == [
        ["O'Brien \\", "100%", "O'Brien \\"]
    ]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (np.int64(7), 7),
        (np.uint8(7), 7),
        (np.float64(1.5), 1.5),
        (np.bool_(True), 1),
        (np.str_("张三"), "张三"),
        (np.array(7), 7),
        (np.datetime64("2024-01-02T03:04:05"), "2024-01-02 03:04:05"),
        (pd.Timestamp("2024-01-02 03:04:05"), "2024-01-02 03:04:05"),
        (pd.NaT, None),
        (pd.NA, None),
        (pd.Series([3, 4]).iloc[1], 4),
        (dt.date(2024, 1, 2), "2024-01-02"),
        (True, 1),
        (None, None),
        ("", ""),
    ],
)
def test_scalars_of_other_packages(given: object, expected: object, either: Shop) -> None:
    value = one("SELECT :v AS v", {"v": given})
    assert (value if expected is not None else pd.isna(value)) == (expected if expected is not None else True)


@pytest.mark.parametrize(
    "given",
    [[1], (1, 2), {"a": 1}, {1}, np.array([1, 2]), pd.Series([1]), object(), float("nan"), np.inf, 1j],
    ids=lambda given: type(given).__name__,
)
def test_what_is_no_single_value(given: object, shop: Shop, unopened: None) -> None:
    error = refusal("SELECT :v AS v", {"v": given})
    assert (type(error), error.code) == (BadArgument, "bad-parameter")
    assert ":v" in str(error)


def test_parameters_that_are_missing(shop: Shop, unopened: None) -> None:
    error = refusal("SELECT :a + :b", {"a": 1})
    assert (type(error), error.code) == (BadArgument, "missing-parameter")
    assert ":b" in str(error)
    assert refusal("SELECT :a").code == "missing-parameter"
    assert refusal("SELECT ?", {"a": 1}).code == "missing-parameter"
    for params in ([1], "a", 5, {1}):
        assert refusal("SELECT :a", params).code == "bad-params"


# --- the text of a statement ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT '50%' AS a, ':x' AS b, '%s %(n)s' AS c, 'it''s' AS d", [["50%", ":x", "%s %(n)s", "it's"]]),
        ("SELECT 7 % 4 AS a -- trailing % :x\n", [[3]]),
        ("SELECT 1 AS a;", [[1]]),
        ("  \n SELECT 1 AS a ; \n ", [[1]]),
        ("-- before\n/* :x % ; */ SELECT 1 AS a -- after ; SELECT 2", [[1]]),
        ("SELECT 1 AS a /* ; */ ; -- ; x", [[1]]),
        ("SELECT '张三; DROP TABLE users' AS a", [["张三; DROP TABLE users"]]),
        ("WITH p AS (SELECT id FROM users) SELECT count(*) AS n FROM p", [[60]]),
        ("SELECT 1 AS a UNION ALL SELECT 2", [[1], [2]]),
        ("VALUES (1, 'a'), (2, 'b')", [[1, "a"], [2, "b"]]),
        ("SELECT 姓名 FROM (SELECT name AS 姓名 FROM users WHERE id = 1) AS 人", [["张三"]]),
    ],
)
def test_the_text_reaches_the_engine_as_it_is(sql: str, expected: list[list[Any]], either: Shop) -> None:
    assert rows(sql) == expected
    assert dg.sql("shop", sql).meta.sql == sql


def test_statements_about_the_catalog(maria_shop: Shop) -> None:
    assert ["users"] in rows("SHOW TABLES")
    assert rows("DESCRIBE users")[0][0] == "id"
    assert len(rows("SHOW COLUMNS FROM users")) == 18
    assert rows("EXPLAIN SELECT name FROM users")[0][2] == "users"
    assert "[REDACTED]" not in repr(dg.sql("shop", "SHOW TABLES"))
    assert type(refusal("EXPLAIN SELECT name FROM users WHERE password = 'x'")) is RedactionRefused
    assert type(refusal("SHOW GRANTS")) is GateRefused


def test_the_gate_reads_as_the_server_does(maria: MariaDatabase) -> None:
    """A mysql:// URL may lead to MariaDB, which knows other functions and shows a hash in its grants."""
    dg.connect("shop", maria.url_with_password)
    for _ in ("not indexed", "indexed"):
        for sql in ("SHOW GRANTS", "SELECT regexp_like('a', 'a')"):
            assert type(refusal(sql, show_sensitive=True)) is GateRefused
        dg.index("shop", "l1")
    assert one("SELECT json_detailed('[]') AS x") == "[]"


def test_statements_about_a_sqlite_catalog(shop: Shop) -> None:
    assert len(rows("PRAGMA table_info(users)")) == 18
    assert "users" in rows("EXPLAIN QUERY PLAN SELECT name FROM users")[0][3]
    assert type(refusal("PRAGMA writable_schema = 1")) is GateRefused


# --- how much is returned ---------------------------------------------------------------------------------------


def meta(frame: ResultFrame) -> tuple[int, int, bool, bool]:
    return len(frame), frame.meta.row_count, frame.meta.row_count_exact, frame.meta.truncated


def test_sqlite_counts_what_it_cuts(shop: Shop) -> None:
    frame = dg.sql("shop", "SELECT id FROM orders", max_rows=5)
    assert meta(frame) == (5, 140, True, True)
    assert frame.meta.summary(5) == "5 of 140 rows · shop (SQLite)"
    assert meta(dg.sql("shop", "SELECT id FROM orders", max_rows=140)) == (140, 140, True, False)


def test_a_server_counts_only_when_asked(maria_shop: Shop) -> None:
    frame = dg.sql("shop", "SELECT id FROM orders", max_rows=5)
    assert meta(frame) == (5, 5, False, True)
    assert frame.meta.summary(5) == "5 of more than 5 rows · shop (MariaDB)"
    assert meta(dg.sql("shop", "SELECT id FROM orders", max_rows=5, count=True)) == (5, 140, True, True)
    assert meta(dg.sql("shop", "SELECT id FROM orders", max_rows=140)) == (140, 140, True, False)


def test_the_whole_result(either: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(dg.sql("shop", "SELECT 1 FROM orders a, users b")) == 200, "what a person reads"
    assert len(dg.sql("shop", "SELECT 1 FROM orders a, users b", full=True)) == 140 * 60
    monkeypatch.setenv("DBGRAPH_NB_FETCH_ROWS", "300")
    frame = dg.sql("shop", "SELECT 1 FROM orders a, users b", full=True)
    assert (len(frame), frame.meta.truncated) == (300, True), "and a cut is said"
    monkeypatch.setenv("DBGRAPH_NB_MAX_ROWS", "7")
    assert len(dg.sql("shop", "SELECT id FROM orders")) == 7
    frame = dg.sql("shop", "SELECT id, id AS id FROM orders", full=True)
    shown = querying.preview(frame, 3)
    assert (shown.shape, shown.meta.row_count) == ((3, 2), 140)
    assert "3 of 140 rows" in repr(shown)


@pytest.mark.parametrize("wanted", [0, -1, 1001, True, 5.0, "5"])
def test_max_rows_has_bounds(wanted: Any, shop: Shop, unopened: None) -> None:
    for action in (
        lambda: dg.sql("shop", "SELECT 1", max_rows=wanted),
        lambda: dg.peek("shop", "users", max_rows=wanted),
    ):
        with pytest.raises(BadArgument) as caught:
            action()
        assert caught.value.code == "bad-max-rows"
        assert "from 1 to 1,000" in str(caught.value)


def test_the_bounds_are_allowed(either: Shop) -> None:
    assert len(dg.sql("shop", "SELECT 1 FROM orders a, users b", max_rows=1)) == 1
    assert len(dg.sql("shop", "SELECT 1 FROM orders a, users b", max_rows=1000)) == 1000


# --- time -------------------------------------------------------------------------------------------------------


def test_a_timeout_stops_the_statement(either: Shop) -> None:
    started = time.monotonic()
    error = refusal(ENDLESS[either.engine], timeout=0.3)
    assert (type(error), error.code) == (QueryTimeout, "query-timeout")
    assert time.monotonic() - started < 5
    assert one("SELECT 1") == 1


@pytest.mark.parametrize("timeout", [0, -1, True, "5", float("nan"), float("inf"), 1e9])
def test_a_timeout_that_cannot_be(timeout: Any, shop: Shop, unopened: None) -> None:
    assert refusal("SELECT 1", timeout=timeout).code == "bad-timeout"
    with pytest.raises(BadArgument):
        dg.peek("shop", "users", timeout=timeout)


# --- values -----------------------------------------------------------------------------------------------------


def test_sqlite_values_are_faithful(tmp_path: Path) -> None:
    file = tmp_path / "values.db"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE v (big INT, zip TEXT, blob BLOB, day TEXT, mixed, price REAL, none INT)")
        connection.execute(
            "INSERT INTO v VALUES (9223372036854775807, '00123', x'00ff27', '9999-12-31', 'abc', 0.1, NULL)"
        )
        connection.execute("INSERT INTO v VALUES (-9007199254740993, '1e5', x'', '0001-01-01', 5, 1e300, 3)")
    dg.connect("shop", f"sqlite:///{file}")
    frame = dg.sql("shop", "SELECT * FROM v ORDER BY price")
    assert frame["big"].tolist() == [9223372036854775807, -9007199254740993]
    assert frame["zip"].tolist() == ["00123", "1e5"]
    assert frame["blob"].tolist() == [b"\x00\xff'", b""]
    assert frame["day"].tolist() == ["9999-12-31", "0001-01-01"]
    assert frame["mixed"].tolist() == ["abc", 5]
    assert frame["price"].tolist() == [0.1, 1e300]
    assert str(frame["none"].dtype) == "Int64"
    assert frame["none"][1] == 3


def test_mariadb_values_are_faithful(maria: MariaDatabase) -> None:
    maria.execute(
        "CREATE TABLE v (big BIGINT UNSIGNED, money DECIMAL(30,10), zip VARCHAR(9), bin VARBINARY(9), day DATE,"
        " moment DATETIME(6), span TIME, js JSON, ok BOOL, f DOUBLE, none INT)",
        "INSERT INTO v VALUES (18446744073709551615, '12345678901234567890.0123456789', '00123', x'00ff27',"
        " '9999-12-31', '2024-01-02 03:04:05.678901', '-838:59:59', '{\"a\": 1}', 1, 0.1, NULL)",
    )
    dg.connect("shop", maria.url_with_password)
    row = dg.sql("shop", "SELECT * FROM v").iloc[0]
    assert row["big"] == 18446744073709551615
    assert row["money"] == Decimal("12345678901234567890.0123456789")
    assert (row["zip"], row["bin"], row["js"]) == ("00123", b"\x00\xff'", '{"a": 1}')
    assert row["day"] == dt.date(9999, 12, 31)
    assert row["moment"] == dt.datetime(2024, 1, 2, 3, 4, 5, 678901)
    assert row["span"] == -dt.timedelta(hours=838, minutes=59, seconds=59)
    assert (row["ok"], row["f"]) == (1, 0.1)
    assert row["none"] is None
    assert one("SELECT money FROM v") == Decimal("12345678901234567890.0123456789")


def test_duplicate_names_and_no_rows(either: Shop) -> None:
    frame = dg.sql("shop", "SELECT id AS a, name AS a, id AS a FROM users WHERE id = 1")
    assert list(frame.columns) == ["a", "a", "a"]
    assert frame.iloc[0].tolist() == [1, "张三", 1]
    empty = dg.sql("shop", "SELECT id, name FROM users WHERE id < 0")
    assert (list(empty.columns), len(empty), meta(empty)) == (["id", "name"], 0, (0, 0, True, False))
    assert "0 rows" in repr(empty)


# --- what is hidden ---------------------------------------------------------------------------------------------


def test_sensitive_columns_are_redacted(either: Shop) -> None:
    frame = dg.sql("shop", "SELECT id, password, upper(password) AS p, mobile FROM users WHERE id = 1")
    assert frame.iloc[0].tolist() == [1, "[REDACTED]", "[REDACTED]", "12900000001"]
    assert [(column.index, column.name, column.tier) for column in frame.meta.redacted] == [
        (1, "password", "credential"), (2, "p", "credential"),
    ]  # fmt: skip
    assert "2 columns redacted" in repr(frame)
    assert rows("SELECT id_card, bank_card FROM employees LIMIT 1") == [["[REDACTED]"] * 2]
    assert rows("SELECT 收款账号 FROM v_payroll LIMIT 1") == [["[REDACTED]"]], "through a view"
    assert one("SELECT session_token FROM 登录日志 WHERE session_token IS NULL LIMIT 1") is None, "NULL stays"


def test_a_statement_may_show_them_and_says_so(either: Shop) -> None:
    frame = dg.sql("shop", "SELECT password FROM users WHERE id = 1", show_sensitive=True)
    assert frame["password"].tolist() == [dg.samples.DEMO_PASSWORD]
    assert frame.meta.warnings == ("sensitive values shown",)
    assert "sensitive values shown" in repr(frame)
    assert one("SELECT password FROM users WHERE id = 1") == "[REDACTED]", "the next one does not"


def test_an_index_that_is_behind_shows_nothing_new(tmp_path: Path, shop_file: Path) -> None:
    file = tmp_path / "own.db"
    file.write_bytes(shop_file.read_bytes())
    dg.connect("shop", f"sqlite:///{file}")
    dg.index("shop")
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("ALTER TABLE coupons ADD COLUMN api_token TEXT")
        connection.execute("UPDATE coupons SET api_token = 'tok-en'")
        connection.execute("CREATE TABLE keys (id INT, api_token TEXT)")
        connection.execute("INSERT INTO keys VALUES (1, 'tok-en')")
        connection.execute("CREATE VIEW renamed AS SELECT password AS zz FROM users")
    for sql in ("SELECT * FROM coupons", "SELECT api_token FROM coupons"):
        assert type(refusal(sql)) is RedactionRefused
    for sql in ("SELECT * FROM keys", "SELECT zz FROM renamed", "SELECT c.code FROM coupons c, renamed r"):
        error = refusal(sql)
        assert (type(error), error.code) == (UnknownName, "table-not-known")
        assert "%dbgraph index shop" in str(error)
    assert dg.sql("shop", "SELECT id FROM keys", show_sensitive=True).shape == (1, 1), "nothing to hide then"
    dg.index("shop")
    assert rows("SELECT * FROM keys") == [[1, "[REDACTED]"]]
    assert rows("SELECT zz FROM renamed LIMIT 1") == [["[REDACTED]"]]


def test_without_an_index_names_decide_and_that_is_said(shop_file: Path) -> None:
    dg.connect("shop", f"sqlite:///{shop_file}")
    frame = dg.sql("shop", "SELECT * FROM users WHERE id = 1")
    assert (frame["password"][0], frame["name"][0]) == ("[REDACTED]", "张三")
    assert "not indexed" in frame.meta.summary(1)


# --- peek -------------------------------------------------------------------------------------------------------


def test_peek(either: Shop) -> None:
    frame = dg.peek("shop", "USERS")
    assert meta(frame) == (20, 20, False, True)
    assert frame["password"].tolist() == ["[REDACTED]"] * 20
    assert "20 of more than 20 rows" in repr(frame)
    assert meta(dg.peek("shop", "会员等级")) == (4, 4, True, False)
    assert meta(dg.peek("shop", "users", max_rows=60)) == (60, 60, True, False)
    assert len(dg.peek("shop", "v_user_contact", max_rows=3)) == 3
    assert dg.peek("shop", "v_payroll")["收款账号"][0] == "[REDACTED]"


def test_peek_needs_an_index_and_a_table_of_it(shop_file: Path) -> None:
    dg.connect("shop", f"sqlite:///{shop_file}")
    with pytest.raises(IndexUnavailable):
        dg.peek("shop", "users")
    dg.index("shop", "l1")
    with pytest.raises(UnknownName) as caught:
        dg.peek("shop", "users; DROP TABLE users")
    assert caught.value.code == "unknown-table"


# --- what is refused --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("", "gate-empty-statement"),
        ("-- nothing", "gate-empty-statement"),
        ("SELECT 1; SELECT 2", "gate-several-statements"),
        ("INSERT INTO users (id) VALUES (99)", "gate-statement-form"),
        ("UPDATE users SET name = 'x'", "gate-statement-form"),
        ("DELETE FROM users", "gate-statement-form"),
        ("DROP TABLE users", "gate-statement-form"),
        ("CREATE TABLE x (a INT)", "gate-statement-form"),
        ("WITH a AS (SELECT 1) DELETE FROM users", "gate-data-change"),
        ("SELECT no_such_function(name) FROM users", "gate-unknown-function"),
        ("SELECT name FROM users WHERE", "gate-not-understood"),
        ("SELECT 'abc", "gate-unterminated"),
        ("SELECT (1", "gate-unbalanced"),
    ],
)
def test_the_gate_refuses_before_anything_is_opened(sql: str, code: str, either: Shop, unopened: None) -> None:
    error = refusal(sql)
    assert (type(error), error.code) == (GateRefused, code)
    assert error.line is not None


def test_sql_that_is_no_text(shop: Shop, unopened: None) -> None:
    for sql in (None, 5, b"SELECT 1", ["SELECT 1"]):
        assert refusal(sql).code == "sql-not-text"


def test_an_oracle_is_refused_before_anything_is_opened(either: Shop, unopened: None) -> None:
    for sql in (
        "SELECT id FROM users WHERE password = 'kite'",
        "SELECT id FROM users ORDER BY password",
        "SELECT count(*) FROM users WHERE password LIKE 'k%'",
        "SELECT no_such_column FROM users",
    ):
        assert type(refusal(sql)) is RedactionRefused


def test_names_that_do_not_exist(either: Shop) -> None:
    error = refusal("SELECT name\n  FROM usrs")
    assert (type(error), error.code, error.token, error.line, error.column) == (
        UnknownName, "table-not-known", "usrs", 2, 8,
    )  # fmt: skip
    assert "knows no table or view usrs" in str(error)
    assert "Did you mean users?" in str(error)
    with pytest.raises(UnknownName) as caught:
        dg.sql("shopp", "SELECT 1")
    assert caught.value.code == "unknown-connection"
    assert "Known: shop." in str(caught.value)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name FROM usrs WHERE name = 'S3CRET-VALUE'",
        "SELECT name FROM users WHERE name = 'S3CRET-VALUE' ORDERED BY 1",
        "SELECT name FROM users WHERE name = 'S3CRET-VALUE' AND",
        "SELECT json_extract('S3CRET-VALUE{', '$[') AS x",
        "SELECT no_such_function('S3CRET-VALUE')",
        "SELECT name FROM users WHERE name = 'S3CRET-VALUE",
        "SELECT name FROM users WHERE password = 'S3CRET-VALUE'",
        "SELECT 'S3CRET-VALUE' REGEXP '['",
    ],
)
def test_no_error_repeats_a_literal(sql: str, either: Shop) -> None:
    try:
        dg.sql("shop", sql)
    except dg.DbgraphError as error:
        told = "".join(traceback.format_exception(error)) + repr(error) + repr(error.token) + repr(error.args)
        told = told.replace(repr(sql), "").replace(sql, "")  # the frames of the test itself
        assert "S3CRET-VALUE" not in told
    else:  # what one engine refuses, the other may answer
        assert "json_extract" in sql or "REGEXP" in sql


def test_no_error_repeats_a_value_of_a_row(maria: MariaDatabase) -> None:
    maria.execute("CREATE TABLE t (a VARCHAR(40))", "INSERT INTO t VALUES ('geheim-4711')")
    dg.connect("shop", maria.url_with_password)
    error = refusal("SELECT (SELECT a FROM t UNION ALL SELECT a FROM t) AS x")
    assert type(error) is QueryFailed
    assert "geheim" not in "".join(traceback.format_exception(error))


def test_a_column_that_the_index_does_not_know_is_named_with_the_nearest(shop: Shop, unopened: None) -> None:
    caught = refusal("SELECT u.nmae FROM users u")
    assert caught.code == "column-not-known"
    assert caught.token == "u.nmae"
    assert caught.hint is not None
    assert caught.hint.startswith("Did you mean name?")
    assert "%dbgraph index" in caught.hint


def test_what_the_parser_drops_is_not_lost_to_the_lineage(shop: Shop, unopened: None) -> None:
    """sqlglot reads three arguments of mod as two; the third is a password."""
    assert refusal("SELECT mod(id, 2, password) FROM users").code in ("redaction-refused", "gate-not-understood")


def test_another_database_of_the_server_is_not_read_unseen(maria_shop: Shop, mariadb: dbservers.MariaServer) -> None:
    mariadb.execute(
        "CREATE DATABASE IF NOT EXISTS otherdb",
        "CREATE TABLE IF NOT EXISTS otherdb.t (id INT, password VARCHAR(20))",
        "CREATE OR REPLACE VIEW otherdb.ov AS SELECT password AS hidden FROM otherdb.t",
    )
    try:
        for sql in ("SELECT hidden FROM otherdb.ov", "SELECT u.name FROM users u JOIN otherdb.ov o ON o.hidden = 'x'"):
            assert refusal(sql).code == "table-not-known"
        assert refusal("SELECT user FROM mysql.user").code == "table-not-known"
        assert rows("SELECT count(*) FROM information_schema.tables WHERE table_name = 'users'")[0][0] >= 1
    finally:
        mariadb.execute("DROP DATABASE otherdb")


def test_a_table_may_be_named_like_a_file(tmp_path: Path) -> None:
    file = tmp_path / "own.db"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute('CREATE TABLE "a/b.csv" (id INT)')
        connection.execute('INSERT INTO "a/b.csv" VALUES (7)')
    dg.connect("shop", f"sqlite:///{file}")
    dg.index("shop")
    assert rows('SELECT id FROM "a/b.csv"') == [[7]]
    assert dg.peek("shop", "a/b.csv").shape == (1, 1)


def test_a_policy_that_shows_a_tier_says_so(shop_file: Path) -> None:
    dg.connect("shop", f"sqlite:///{shop_file}", sensitive=dg.SensitivePolicy(credential=False))
    dg.index("shop")
    frame = dg.sql("shop", "SELECT password FROM users WHERE id = 1")
    assert frame.iloc[0, 0] != "[REDACTED]"
    assert "credential values shown" in frame.meta.summary(1)


def test_a_result_says_when_the_structure_changed_since_it_was_indexed(tmp_path: Path, shop_file: Path) -> None:
    file = tmp_path / "own.db"
    file.write_bytes(shop_file.read_bytes())
    dg.connect("shop", f"sqlite:///{file}")
    dg.index("shop")
    assert "changed" not in dg.sql("shop", "SELECT id FROM users").meta.summary(1)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE fresh (id INT)")
    assert "the structure changed since it was indexed" in dg.sql("shop", "SELECT id FROM users").meta.summary(1)
    assert "the structure changed" in dg.find("shop", "users", ["id"], {"name": "张三"}).frame.meta.summary(1)
    dg.index("shop")
    assert "changed" not in dg.sql("shop", "SELECT id FROM users").meta.summary(1)


def test_find_never_takes_a_lost_column_for_a_text(tmp_path: Path) -> None:
    file = tmp_path / "own.db"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE u(id INTEGER PRIMARY KEY, name TEXT, label TEXT)")
        connection.execute("INSERT INTO u VALUES (1, 'a', 'b')")
    dg.connect("shop", f"sqlite:///{file}")
    dg.index("shop")
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("ALTER TABLE u DROP COLUMN label")
    with pytest.raises(QueryFailed) as caught:
        dg.find("shop", "u", ["name", "label"], {"id": 1})
    assert caught.value.code == "no-such-column"
    assert "%dbgraph index" in str(caught.value)


def test_a_generated_column_hides_what_it_is_generated_from(tmp_path: Path) -> None:
    file = tmp_path / "own.db"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(
            "CREATE TABLE u(id INTEGER PRIMARY KEY, password TEXT, hint_type TEXT AS (substr(password, 1, 8)) STORED)"
        )
        connection.executemany("INSERT INTO u(password) VALUES (?)", [(f"S3CR3T{i % 3}",) for i in range(30)])
    dg.connect("shop", f"sqlite:///{file}")
    dg.index("shop")
    assert rows("SELECT hint_type FROM u LIMIT 1") == [["[REDACTED]"]]
    assert "S3CR3T" not in dg.columns("shop").to_csv()
    assert not any(b"S3CR3T" in p.read_bytes() for p in Path(context_home()).rglob("*") if p.is_file())


def context_home() -> str:
    import os

    return os.environ["DBGRAPH_NB_HOME"]
