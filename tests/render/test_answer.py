"""Answers of find, hits, reports and connections: what was used and why, and nothing that differs from run to run."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from dbgraph_nb.model import (
    CatalogHit,
    CleanRows,
    Connection,
    Hits,
    IndexReport,
    RawRows,
    RedactedColumn,
    SensitivePolicy,
    Used,
)
from dbgraph_nb.render import answer as render
from dbgraph_nb.result import FindAnswer, ResultMeta, build

Read = Callable[[str], Any]

USED = (
    Used("entity", "用户", "users", None, "comment = 用户"),
    Used("field", "密码", "users", "password", "comment = 密码"),
    Used("where", "姓名", "users", "name", "comment = 姓名"),
)
FIRST = CatalogHit("users", None, 0.97, ("comment = 用户",))
HITS = Hits([FIRST, CatalogHit("users", "id", 0.0, ("could say which",))])
HOSTILE = "<script>alert('&\")</script>"


def rows() -> Any:
    redacted = (RedactedColumn(0, "password", "credential", "name: password"),)
    clean = CleanRows(RawRows(("password",), [("[REDACTED]",)]), [("[REDACTED]",)], redacted)
    return build(clean, ResultMeta(1, redacted=redacted, source="shop (SQLite)"))


def answered(**changes: Any) -> FindAnswer:
    sql = 'SELECT "password" FROM "users" WHERE "name" = :p1 AND "points" > :p2'
    made = FindAnswer("ok", rows(), sql, {"p1": "张三", "p2": 5}, USED, HITS)
    return replace(made, **changes)


def test_an_answer_is_its_rows_and_the_reasons(read: Read) -> None:
    assert render.answer_text(answered()) == (
        "password\n[REDACTED]\n1 row · 1 column redacted · shop (SQLite)\n"
        "用户 → users (comment = 用户)\n密码 → users.password (comment = 密码)\n姓名 → users.name (comment = 姓名)"
    )
    page = read(render.answer_html(answered()))
    assert page.cells == [["[REDACTED]"]]
    assert page.texts == [
        "1 row · 1 column redacted · shop (SQLite)",
        "用户 → users (comment = 用户)",
        "密码 → users.password (comment = 密码)",
        "姓名 → users.name (comment = 姓名)",
    ]


def test_a_column_that_is_asked_for_and_compared_is_said_once() -> None:
    again = Used("where", "密码", "users", "password", "comment = 密码")
    assert render.answer_text(answered(used=(*USED, again))).count("密码 → users.password") == 1


def test_explain_adds_the_statement_its_values_and_what_else_was_considered(read: Read) -> None:
    text = render.answer_text(answered(explain=True))
    assert 'SQL: SELECT "password" FROM "users" WHERE "name" = :p1 AND "points" > :p2\n' in text
    assert "with :p1 = '张三', :p2 = 5\n" in text
    assert "1. users  0.97  comment = 用户" in text
    page = read(render.answer_html(answered(explain=True)))
    assert page.texts[-1].splitlines()[1] == "with :p1 = '张三', :p2 = 5"
    assert page.cells[-2:] == [["1", "users", "0.97", "comment = 用户"], ["2", "users.id", "", "could say which"]]


@pytest.mark.parametrize("status", ["ambiguous", "missing_predicate", "not_found"])
def test_without_rows_the_status_the_message_and_the_candidates_are_said(status: str, read: Read) -> None:
    answer = answered(status=status, frame=None, message="Nothing says which users are meant.", used=USED[:1])
    lines = render.answer_text(answer).splitlines()
    assert lines[:2] == [f"{status}: Nothing says which users are meant.", "用户 → users (comment = 用户)"]
    assert lines[2].strip().startswith("1. users")
    assert "SELECT" not in "\n".join(lines)  # planned, not run: shown on request
    page = read(render.answer_html(answer))
    assert page.texts == [f"{status} Nothing says which users are meant.", lines[1]]
    assert [row[1] for row in page.cells] == ["users", "users.id"]


def test_an_answer_without_candidates_has_no_empty_table(read: Read) -> None:
    answer = answered(status="not_found", frame=None, message="No table fits 龙.", used=(), candidates=Hits([]))
    assert render.answer_text(answer) == "not_found: No table fits 龙."
    assert "table" not in read(render.answer_html(answer)).tags


def test_html_holds_words_and_reasons_as_text(read: Read) -> None:
    used = (Used("entity", HOSTILE, HOSTILE, HOSTILE, HOSTILE),)
    hits = Hits([CatalogHit(HOSTILE, HOSTILE, 1.0, (HOSTILE,))], warnings=(HOSTILE,))
    answer = answered(
        status=HOSTILE, frame=None, message=HOSTILE, used=used, candidates=hits, explain=True, sql=HOSTILE,
        params={"p": HOSTILE},
    )  # fmt: skip
    for html in (render.answer_html(answer), render.hits_html(hits)):
        page = read(html)
        assert "script" not in page.tags
        assert {name for name, _ in page.attributes} == {"class"}
        assert HOSTILE in page.cells[-1]


def test_hits_are_ranked_and_counted(read: Read) -> None:
    assert render.hits_text(HITS) == "1. users  0.97  comment = 用户\n2. users.id  could say which\n2 hits"
    some = Hits([FIRST], total=1234, warnings=("The index is from yesterday.",))
    assert render.hits_text(some).splitlines()[-1] == "1 of 1,234 hits · The index is from yesterday."
    page = read(render.hits_html(some))
    assert page.cells == [["1", "users", "0.97", "comment = 用户"]]
    assert page.texts == ["1 of 1,234 hits · The index is from yesterday."]
    assert render.hits_text(Hits([])) == "0 hits"
    assert read(render.hits_html(Hits([]))).texts == ["0 hits"]


def test_a_report_says_what_was_built_and_what_dangles() -> None:
    notes, dangling = ("A sample failed.",), ("orders.user_id → usr",)
    report = IndexReport("shop", "l2", "numba", 17, 1141, 42, 1364, 1.2345, notes, dangling, "/home/x/index.db")
    assert render.report_text(report).splitlines() == [
        "shop: 17 tables and views, 1,141 columns, 42 edges, 1,364 terms · level full · numba writer",
        "warning: A sample failed.",
        "dangling: orders.user_id → usr",
    ]
    assert "level l1 (without keys and samples)" in render.report_text(replace(report, level="l1"))


@pytest.mark.parametrize(
    ("connection", "line"),
    [
        (Connection("shop", "sqlite:////home/x/shop.db"), "connection shop (sqlite), sensitive columns: redacted"),
        (
            Connection("s", "mysql://u@h/d", "keyring:dbgraph_nb/s", "show"),
            "connection s (mysql), sensitive columns: shown",
        ),
        (
            Connection("s", "env:SHOP_URL", None, SensitivePolicy(contact=True)),
            "connection s (URL in the variable SHOP_URL), sensitive columns: by a policy of their own",
        ),
    ],
)
def test_a_connection_says_neither_where_nor_with_what(connection: Connection, line: str) -> None:
    assert render.connection_text(connection) == line


def test_nothing_that_differs_from_run_to_run_is_shown() -> None:
    report = IndexReport("shop", "l2", "numba", 1, 1, 1, 1, 1.2345, path="/tmp/x/index.db")
    shown = [
        render.answer_text(answered(explain=True)),
        render.answer_html(answered(explain=True)),
        render.hits_text(HITS),
        render.hits_html(HITS),
        render.report_text(report),
        render.connection_text(Connection("shop", "sqlite:////tmp/x/shop.db")),
    ]
    for text in shown:
        assert not re.search(r"/tmp|/home|1\.23|0x[0-9a-f]{6}|\d\d:\d\d", text), text
        assert not re.search(r"https?:|url\(|@import", text)
