from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dbgraph_nb.engines.params import bind, bind_query, placeholders, plain
from dbgraph_nb.errors import BadArgument
from dbgraph_nb.model import AllowedQuery


def names(sql: str, dialect: Any = "mysql") -> list[str | None]:
    return [name for _, _, name in placeholders(sql, dialect)]


@pytest.mark.parametrize(
    "sql",
    [
        "select ':a'",
        'select ":a"',
        "select `:a`",
        "select 'it''s :a'",
        "select 1 -- :a\n",
        "select 1 /* :a ? */",
        "select ':a",
        "select @x := 5",
        "select a::text",
        "select '[1:2]', \"x?\"",
    ],
)
def test_colons_that_mark_no_parameter(sql: str) -> None:
    assert names(sql) == []


def test_each_dialect_reads_its_own_literals_and_comments() -> None:
    assert names(r"select 'a\' :a', :b") == ["b"]
    assert names(r"select 'a\', :b", "sqlite") == ["b"]
    assert names("select 1--:a") == ["a"], "MySQL: no space, no comment"
    assert names("select 1--:a", "sqlite") == []
    assert names("select 1 # :a") == []
    assert names("select [:a], :b", "sqlite") == ["b"]
    assert names("select a[:b]") == ["b"]
    assert names("select $a, @b, @@c", "sqlite") == ["a", "b", "c"], "SQLite has three marks for a name"
    assert names("select a$b, c", "sqlite") == [], "a dollar may be inside a name"
    assert names("select @a, @@b, $c") == [], "in MySQL these are variables"


def test_names_in_any_script() -> None:
    assert names("select :姓名, :a_1, :a+:b") == ["姓名", "a_1", "a", "b"]


def test_without_placeholders_the_text_is_untouched() -> None:
    sql = "select '50%', '%s', '%(x)s' -- 100%"
    assert bind(sql, None, "mysql") == (sql, None)
    assert bind(sql, {}, "mysql") == (sql, None)


def test_mysql_gets_its_drivers_placeholders() -> None:
    sql, args = bind("select '5%' from t where a = :b and c like :b and d = :c", {"b": 1, "c": "x"}, "mysql")
    assert sql % tuple(map(repr, args)) == "select '5%' from t where a = 1 and c like 1 and d = 'x'"
    assert bind("select ?, ?", [1, 2], "mysql") == ("select %s, %s", (1, 2))


def test_sqlite_keeps_its_own() -> None:
    assert bind("select :a", {"a": 1}, "sqlite") == ("select :a", {"a": 1})
    assert bind("select ?", [1], "sqlite") == ("select ?", [1])


@pytest.mark.parametrize(
    ("sql", "params", "code"),
    [
        ("select :a", None, "missing-parameter"),
        ("select :a", {}, "missing-parameter"),
        ("select :a", {"b": 1}, "missing-parameter"),
        ("select :a", {"a": 1, "b": 2}, "unknown-parameter"),
        ("select 1", {"b": 2}, "unknown-parameter"),
        ("select ?", [], "missing-parameter"),
        ("select ?", [1, 2], "missing-parameter"),
        ("select 1", [1], "missing-parameter"),
        ("select ?", {"a": 1}, "missing-parameter"),
        ("select :a, ?", {"a": 1}, "unclear-parameter"),
        ("select :a", {"a": [1, 2]}, "bad-parameter"),
        ("select :a", {"a": float("nan")}, "bad-parameter"),
        ("select :a", {"a": Decimal("Infinity")}, "bad-parameter"),
        ("select :a", {"a": "\ud800"}, "bad-parameter"),
        ("select :a", {"a": object()}, "bad-parameter"),
    ],
)
@pytest.mark.parametrize("dialect", ["mysql", "sqlite"])
def test_parameters_that_do_not_fit(sql: str, params: Any, code: str, dialect: Any) -> None:
    with pytest.raises(BadArgument) as caught:
        bind(sql, params, dialect)
    assert caught.value.code == code


def test_a_text_that_the_gate_reads_differently_is_refused() -> None:
    assert bind("select :a", {"a": 1}, "sqlite", ("a",))[1] == {"a": 1}
    with pytest.raises(BadArgument) as caught:
        bind("select ':a'", {}, "sqlite", ("a",))
    assert caught.value.code == "unclear-parameter"


def test_only_what_the_gate_checked() -> None:
    for query in ("select 1", AllowedQuery("select 1", "mysql", None)):
        with pytest.raises(BadArgument) as caught:
            bind_query(query, None, "sqlite")  # type: ignore[arg-type]
        assert caught.value.code == "not-checked"


MOMENT = dt.datetime(2024, 1, 2, 3, 4, 5)


@pytest.mark.parametrize(
    ("value", "mysql", "sqlite"),
    [
        (None, None, None),
        (True, True, True),
        (2**62, 2**62, 2**62),
        ("张三", "张三", "张三"),
        (b"\0\xff", b"\0\xff", b"\0\xff"),
        (bytearray(b"a"), b"a", b"a"),
        (Decimal("1.50"), Decimal("1.50"), 1.5),
        (Decimal(7), Decimal(7), 7),
        (MOMENT, MOMENT, "2024-01-02 03:04:05"),
        (dt.date(2024, 1, 2), dt.date(2024, 1, 2), "2024-01-02"),
        (dt.time(3, 4), dt.time(3, 4), "03:04:00"),
        (np.int64(5), 5, 5),
        (np.float32(0.5), 0.5, 0.5),
        (np.bool_(True), True, True),
        (np.str_("x"), "x", "x"),
        (np.datetime64("2024-01-02T03:04:05", "ns"), MOMENT, "2024-01-02 03:04:05"),
        (pd.Timestamp(MOMENT), MOMENT, "2024-01-02 03:04:05"),
        (pd.NaT, None, None),
        (pd.NA, None, None),
    ],
)
def test_values(value: Any, mysql: Any, sqlite: Any) -> None:
    for dialect, expected in (("mysql", mysql), ("sqlite", sqlite)):
        bound = plain(value, dialect, ":a")  # type: ignore[arg-type]
        assert bound == expected
        assert type(bound) is type(expected)


def test_values_that_one_engine_cannot_hold() -> None:
    assert plain(dt.timedelta(hours=30), "mysql", ":a") == dt.timedelta(hours=30)
    assert plain(2**64, "mysql", ":a") == 2**64
    for value in (dt.timedelta(hours=30), 2**63):
        with pytest.raises(BadArgument):
            plain(value, "sqlite", ":a")
    with pytest.raises(BadArgument):  # the driver would drop the zone in silence
        plain(MOMENT.replace(tzinfo=dt.UTC), "mysql", ":a")


@pytest.mark.parametrize("dialect", ["sqlite", "mariadb"])
def test_nanoseconds_are_refused_and_never_dropped(dialect: Any) -> None:
    assert plain(pd.Timestamp("2024-01-01 00:00:00.123456"), dialect, ":v") is not None
    with pytest.raises(BadArgument) as refused:
        plain(pd.Timestamp("2024-01-01 00:00:00.123456789"), dialect, ":v")
    assert refused.value.code == "bad-parameter"
