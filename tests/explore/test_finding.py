"""``find``: one statement for words, the reasons for it, and nothing executed where the words do not decide."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from explore.conftest import Shop

import dbgraph_nb as dg
from dbgraph_nb.errors import BadArgument, IndexUnavailable, RedactionRefused, UnknownName
from dbgraph_nb.explore.finding import find_words
from dbgraph_nb.result import FindAnswer


def found(entity: str, fields: Any = (), where: Any = None, **more: Any) -> list[list[Any]]:
    """The rows of an answer that must be ok."""
    answer = dg.find("shop", entity, fields, where, **more)
    assert answer.status == "ok", answer
    assert answer.frame is not None
    return [list(row) for row in answer.frame.itertuples(index=False, name=None)]


def used(answer: FindAnswer, role: str) -> list[str]:
    return [f"{item.table}.{item.column}" if item.column else item.table for item in answer.used if item.role == role]


def hits(answer: FindAnswer) -> list[str]:
    return [f"{hit.table}.{hit.column}" if hit.column else hit.table for hit in answer.candidates]


@pytest.fixture
def unopened(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever opens a database fails the test: nothing can be executed."""

    def opened(*arguments: object, **more: object) -> None:
        raise AssertionError("a database was opened")

    monkeypatch.setattr("dbgraph_nb.explore.context.open_engine", opened)


# --- ok ---------------------------------------------------------------------------------------------------------


def test_the_main_question(either: Shop) -> None:
    answer = dg.find("shop", "用户", ["密码"], {"name": "张三"})
    assert answer.status == "ok"
    assert answer.frame is not None
    assert answer.frame["password"].tolist() == ["[REDACTED]"]
    assert [(column.name, column.tier) for column in answer.frame.meta.redacted] == [("password", "credential")]
    assert answer.params == {"p1": "张三"}
    assert answer.sql is not None
    assert "张三" not in answer.sql
    assert answer.frame.meta.sql == answer.sql
    assert (used(answer, "entity"), used(answer, "field"), used(answer, "where")) == (
        ["users"], ["users.password"], ["users.name"],
    )  # fmt: skip
    assert all(item.reason for item in answer.used)
    text = repr(answer)
    for said in ("用户 → users (", "密码 → users.password (", "name → users.name (", "[REDACTED]", either.engine):
        assert said in text
    assert dg.samples.DEMO_PASSWORD not in text


def test_the_phone_of_a_person(either: Shop) -> None:
    assert found("user", ["phone", "email"], {"name": "张三"}) == [["12900000001", "zhangsan@example.com"]]
    assert found("员工", ["身份证", "工资卡"], {"工号": "E0003"}) == [["[REDACTED]", "[REDACTED]"]]


def test_fields_of_a_neighbour_are_joined(either: Shop) -> None:
    answer = dg.find("shop", "订单", ["订单号"], {"用户姓名": "张三"})
    assert answer.status == "ok"
    assert used(answer, "join") == ["users"]
    assert used(answer, "where") == ["users.name"]
    assert "Joined with users by orders.user_id = users.id" in answer.message
    assert answer.frame is not None
    expected = dg.sql("shop", "SELECT order_no FROM orders WHERE user_id = 1")["order_no"].tolist()
    assert sorted(answer.frame["order_no"]) == sorted(expected)
    joined = dg.find("shop", "用户", ["姓名", "等级名称"], {"id": 1})
    assert used(joined, "join") == ["会员等级"]
    assert joined.frame is not None
    assert joined.frame.iloc[0].tolist() == ["张三", "金卡"]


def test_all_columns_and_the_first_rows(either: Shop) -> None:
    answer = dg.find("shop", "用户", [], {})
    assert answer.frame is not None
    assert answer.frame.shape == (60, 18)
    assert answer.frame["id"].tolist() == list(range(1, 61)), "in the order of the key"
    assert set(answer.frame["password"]) == {"[REDACTED]"}
    assert found("用户", ["*"], {"id": 1})[0][:3] == [1, "张三", "zhangsan"]
    assert found("用户", "姓名", {"id": 1}) == [["张三"]]
    assert found("用户", ("姓名",), {"id": 99}) == []


def amounts(where: Any, **more: Any) -> list[float]:
    return sorted(float(row[0]) for row in found("订单", ["金额"], where, **more))


def test_operators(either: Shop) -> None:
    every = amounts({})
    assert len(every) == 140
    middle = every[70]
    tests: dict[str, list[float]] = {
        "=": [one for one in every if one == middle],
        "!=": [one for one in every if one != middle],
        "<": [one for one in every if one < middle],
        "<=": [one for one in every if one <= middle],
        ">": [one for one in every if one > middle],
        ">=": [one for one in every if one >= middle],
    }
    for operator, expected in tests.items():
        assert amounts({"金额": (operator, Decimal(str(middle)))}) == expected, operator
    between = [one for one in every if 100 < one < 500]
    assert amounts({"金额": [(">", 100), ("<", 500)]}) == between
    assert amounts({"金额": (">", "100"), "订单号": ("~", "SO")}) == [one for one in every if one > 100]
    assert len(amounts({"订单号": ("~", "%")})) == 0, "a wildcard means itself"
    paid, pending = amounts({"状态": "paid"}), amounts({"状态": "PENDING"})
    assert amounts({"状态": ["paid", "pending"]}) == sorted([*paid, *pending])
    assert len(amounts({"coupon_id": None})) + len(amounts({"coupon_id": ("!=", None)})) == 140


@pytest.mark.parametrize(
    ("word", "value", "expected"),
    [
        ("id", np.int64(3), [3]),
        ("id", "3", [3]),
        ("id", [1, np.int64(2)], [1, 2]),
        ("id", Decimal(3), [3]),
        ("id", 3.0, [3]),
        ("手机号", 12900000001, [1]),
        ("姓名", "张三", [1]),
        ("姓名", "Siobhán O'Brien", None),
        ("姓名", "' OR 1=1 -- ", []),
        ("注册时间", ("<", pd.Timestamp("2024-01-13")), [1]),
        ("注册时间", ("<", dt.date(2024, 1, 13)), [1]),
        ("注册时间", ("<", "2024-01-13"), [1]),
        ("是否启用", True, None),
    ],
)
def test_values(word: str, value: object, expected: list[int] | None, either: Shop) -> None:
    rows = sorted(row[0] for row in found("用户", ["id"], {word: value}))
    assert rows == expected if expected is not None else rows


def test_words_of_one_line(either: Shop) -> None:
    answer = find_words("shop", ["用户", "密码", "where", "姓名=张三"])
    assert (answer.status, answer.params) == ("ok", {"p1": "张三"})
    assert find_words("shop", ["用户", "姓名"], everything=True, limit=3).status == "ok"
    assert find_words("shop", ["用户", "姓名"]).status == "missing_predicate"
    for words, code in ((["用户", "where", "姓名"], "find-predicate"), ([], "find-no-entity")):
        with pytest.raises(BadArgument) as caught:
            find_words("shop", words)
        assert caught.value.code == code


# --- how much ---------------------------------------------------------------------------------------------------


def test_a_cut_is_said(either: Shop) -> None:
    for limit, shown, exact in ((5, 5, False), (60, 60, True), (61, 60, True)):
        frame = dg.find("shop", "用户", ["姓名"], {}, limit=limit).frame
        assert frame is not None
        assert (len(frame), frame.meta.row_count_exact, frame.meta.truncated) == (shown, exact, not exact)
    frame = dg.find("shop", "用户", ["姓名"], {}, limit=5).frame
    assert "5 of more than 5 rows" in repr(frame)


@pytest.mark.parametrize("limit", [0, -1, 1001, True, 5.0, "5"])
def test_the_limit_has_bounds(limit: Any, shop: Shop, unopened: None) -> None:
    with pytest.raises(BadArgument) as caught:
        dg.find("shop", "用户", ["姓名"], {}, limit=limit)
    assert str(caught.value).startswith(f"limit is {limit!r}; it must be a whole number from 1 to 1,000")


# --- nothing executed -------------------------------------------------------------------------------------------


def test_without_a_predicate(either: Shop, unopened: None) -> None:
    for fields in ((), ["密码"]):
        answer = dg.find("shop", "用户", fields)
        assert (answer.status, answer.frame, answer.sql) == ("missing_predicate", None, None)
        assert used(answer, "entity") == ["users"]
        assert "predicate" in answer.message
        assert hits(answer)[0] == "users"
        assert "users.password" not in hits(answer)


def test_a_word_that_fits_two_tables(either: Shop, unopened: None) -> None:
    answer = dg.find("shop", "档案", [], {})
    assert (answer.status, answer.frame, answer.sql) == ("ambiguous", None, None)
    assert set(hits(answer)) >= {"employees", "供应商"}
    assert answer.candidates[0].score == answer.candidates[1].score
    assert all(hit.reasons for hit in answer.candidates)
    assert "name one, or set an alias" in answer.message
    dg.alias("shop", "档案", "供应商")
    assert dg.find("shop", "档案").status == "missing_predicate", "an alias decides"


def test_a_word_that_fits_two_columns(either: Shop, unopened: None) -> None:
    answer = dg.find("shop", "employees", ["card"], {"emp_no": "E0003"})
    assert (answer.status, answer.frame, answer.sql) == ("ambiguous", None, None)
    assert set(hits(answer)) >= {"employees.id_card", "employees.bank_card"}
    assert used(answer, "where") == ["employees.emp_no"], "what is known is said"


def test_two_ways_to_a_neighbour(either: Shop, unopened: None) -> None:
    answer = dg.find("shop", "订单", ["收货人"], {"id": 1})
    assert answer.status == "ambiguous"
    assert "shipping_address_id" in answer.message
    assert "billing_address_id" in answer.message


def test_words_that_fit_nothing(either: Shop, unopened: None) -> None:
    for entity, fields in (("宇宙飞船编制", []), ("xyzzy", ["a"]), ("用户", ["xyzzy"])):
        answer = dg.find("shop", entity, fields, {})
        assert (answer.status, answer.frame, answer.sql) == ("not_found", None, None)
        assert answer.message
    assert "users" in hits(dg.find("shop", "usres", [], {})), "the nearest names"


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        ("find-words", ("", [], {})),
        ("find-words", (5, [], {})),
        ("find-words", ("用户", [5], {})),
        ("find-words", ("用户", ["姓名"], "姓名=张三")),
        ("find-words", ("用户", ["姓名"], {5: 1})),
        ("where-operator", ("用户", ["姓名"], {"id": ("<", [1, 2])})),
        ("where-empty-list", ("用户", ["姓名"], {"id": []})),
        ("where-value", ("用户", ["姓名"], {"姓名": {"a": 1}})),
        ("value-type", ("用户", ["姓名"], {"积分": "many"})),
        ("value-type", ("用户", ["姓名"], {"注册时间": "yesterday or so"})),
    ],
)
def test_words_and_values_that_cannot_be(code: str, arguments: Any, either: Shop, unopened: None) -> None:
    with pytest.raises(BadArgument) as caught:
        dg.find("shop", *arguments)
    assert caught.value.code == code
    assert "\n" not in str(caught.value)


def test_a_credential_is_no_predicate(either: Shop, unopened: None) -> None:
    for value in ("x", ("~", "kite"), [dg.samples.DEMO_PASSWORD]):
        with pytest.raises(RedactionRefused) as caught:
            dg.find("shop", "用户", ["姓名"], {"密码": value})
        assert dg.samples.DEMO_PASSWORD not in str(caught.value)


def test_what_find_needs(shop: Shop, unopened: None) -> None:
    with pytest.raises(UnknownName):
        dg.find("shopp", "用户")
    dg.drop("shop")
    with pytest.raises(IndexUnavailable) as caught:
        dg.find("shop", "用户")
    assert caught.value.code == "index-missing"
    assert "%dbgraph index shop" in str(caught.value)
