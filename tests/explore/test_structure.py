"""Answers from the index alone: schema, objects, columns, resolve, and the words that a person teaches."""

from __future__ import annotations

from pathlib import Path

import pytest
from explore.conftest import Shop

import dbgraph_nb as dg
from dbgraph_nb.connection_store import folder
from dbgraph_nb.errors import BadArgument, IndexUnavailable, UnknownName

TABLES = [
    "addresses", "categories", "coupons", "employees", "order_items", "orders", "payments", "products", "reviews",
    "users", "v_order_summary", "v_payroll", "v_top_customers", "v_user_contact", "会员等级", "供应商", "登录日志",
]  # fmt: skip


def names(pattern: str | None = None, kind: str | None = None) -> list[str]:
    return list(dg.objects("shop", pattern, kind)["name"])


def columns(table: str | None = None, pattern: str | None = None) -> list[str]:
    frame = dg.columns("shop", table, pattern)
    return [f"{row.table}.{row.column}" for row in frame.itertuples()]


def test_schema(either: Shop) -> None:
    frame = dg.schema("shop")
    assert list(frame.columns) == ["name", "kind", "columns", "rows_estimate", "comment", "note"]
    assert frame["name"].tolist() == TABLES
    assert frame["kind"].value_counts().to_dict() == {"table": 13, "view": 4}
    users = frame.set_index("name").loc["users"]
    assert (users["columns"], users["comment"], users["note"]) == (18, "用户", "")
    assert users["rows_estimate"] > 0
    assert frame.meta.source == "index of shop"
    assert dg.schema("shop", "USERS").equals(dg.columns("shop", "users"))


def test_columns_of_a_table(either: Shop) -> None:
    frame = dg.columns("shop", "Users").set_index("column")
    assert list(frame.columns) == ["table", "type", "key", "nullable", "default", "comment", "values", "sensitive"]
    assert len(frame) == 18
    assert frame["key"]["id"] == "pk"
    assert frame["key"]["login_name"] == "unique"
    assert frame["key"]["level_id"] == "→ 会员等级.编号"
    assert frame["key"]["invited_by"] == "→ users.id"
    assert (frame["values"]["gender"], frame["default"]["gender"]) == ("male, female, unknown", "unknown")
    assert (frame["nullable"]["mobile"], frame["nullable"]["name"]) == (True, False)
    assert frame["comment"]["mobile"] == "手机号"
    hidden = frame["sensitive"]
    assert (hidden["password"], hidden["password_salt"], hidden["mobile"]) == (
        "credential",
        "credential",
        "contact (shown)",
    )
    assert (hidden["password_changed_at"], hidden["name"]) == ("", "")
    assert frame["values"][hidden != ""].tolist() == [""] * int((hidden != "").sum())


def test_a_policy_shows_in_the_columns(shop: Shop) -> None:
    dg.connect("shop", shop.url, sensitive="show")
    assert dg.columns("shop", "users").set_index("column")["sensitive"]["password"] == "credential (shown)"
    dg.connect("shop", shop.url, sensitive=dg.SensitivePolicy(contact=True, identity=False))
    frame = dg.columns("shop", "employees").set_index("column")["sensitive"]
    assert (frame["phone"], frame["id_card"]) == ("contact", "identity (shown)")


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (None, TABLES),
        ("*", TABLES),
        ("", TABLES),
        ("USERS", ["users"]),
        ("o?der*", ["order_items", "orders"]),
        ("v_*", ["v_order_summary", "v_payroll", "v_top_customers", "v_user_contact"]),
        ("*日志", ["登录日志"]),
        ("用户", ["users", "v_user_contact"]),
        ("login", ["登录日志"]),
        ("[uo]*", []),
        ("[", []),
        ("%", []),
        ('"', []),
        ("no such thing", []),
    ],
)
def test_objects_by_pattern(pattern: str | None, expected: list[str], shop: Shop) -> None:
    assert names(pattern) == expected


def test_objects_by_kind(shop: Shop) -> None:
    assert names(kind="view") == names("v_*")
    assert names("用户", "table") == ["users"]
    with pytest.raises(BadArgument) as caught:
        names(kind="index")
    assert caught.value.code == "bad-kind"
    assert "table, view" in str(caught.value)


@pytest.mark.parametrize(
    ("table", "pattern", "expected"),
    [
        ("users", "password*", ["users.password", "users.password_salt", "users.password_changed_at"]),
        ("users", "密码", ["users.password", "users.password_salt", "users.password_changed_at"]),
        (None, "salary", ["employees.salary"]),
        (None, "*卡号", []),
        (None, "银行卡号", ["payments.card_no"]),
        (None, "shipped", ["orders.shipped_at", "orders.status", "v_order_summary.status"]),
        (None, "已暂停", ["供应商.合作状态"]),
        ("登录日志", "ip", ["登录日志.登录IP"]),
        ("users", "nothing", []),
    ],
)
def test_columns_by_pattern(table: str | None, pattern: str, expected: list[str], shop: Shop) -> None:
    found = columns(table, pattern)
    assert set(expected) - {"v_order_summary.status"} <= set(found)
    if not expected:
        assert found == []


def test_every_column(shop: Shop) -> None:
    assert len(columns()) == len(columns(None, "*")) == 141
    assert columns() == sorted(columns(), key=lambda name: TABLES.index(name.split(".")[0]))


@pytest.mark.parametrize("table", ["usres", "user s", "", "main.users", "nothing-like-it"])
def test_an_unknown_table(table: str, shop: Shop) -> None:
    for action in (dg.schema, dg.columns, dg.peek):
        with pytest.raises(UnknownName) as caught:
            action("shop", table)
        assert caught.value.code == "unknown-table"
        assert ("Did you mean users" in str(caught.value)) == (table in ("usres", "user s", "main.users"))


# --- resolve ----------------------------------------------------------------------------------------------------


def test_resolve_ranks_and_reasons(either: Shop) -> None:
    hits = dg.resolve("shop", "user phone", k=3)
    assert len(hits) == 3
    assert hits.total > 3
    assert hits.truncated
    assert ("users", "mobile") in [(hit.table, hit.column) for hit in hits]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(hit.reasons for hit in hits)
    first = dg.resolve("shop", "用户")[0]
    assert (first.table, first.column) == ("users", None)
    assert len(dg.resolve("shop", "xyzzy")) == 0


def test_resolve_checks_its_arguments(shop: Shop) -> None:
    for words in ("", "  ", None, 5):
        with pytest.raises(BadArgument) as caught:
            dg.resolve("shop", words)  # type: ignore[arg-type]
        assert caught.value.code == "no-words"
    for k in (0, -1, True, 2.0, "3"):
        with pytest.raises(BadArgument) as caught:
            dg.resolve("shop", "用户", k=k)  # type: ignore[arg-type]
        assert caught.value.code == "bad-k"


@pytest.mark.parametrize("value", [5, b"users", ["users"]])
def test_what_is_no_text_is_told(value: object, shop: Shop) -> None:
    for action in (
        lambda: dg.objects("shop", value),  # type: ignore[arg-type]
        lambda: dg.columns("shop", None, value),  # type: ignore[arg-type]
        lambda: dg.columns("shop", value),  # type: ignore[arg-type]
        lambda: dg.alias("shop", value, "users"),  # type: ignore[arg-type]
        lambda: dg.alias("shop", "用户", value),  # type: ignore[arg-type]
    ):
        with pytest.raises(BadArgument) as caught:
            action()
        assert caught.value.code == "not-text"


# --- aliases and synonyms ---------------------------------------------------------------------------------------


def test_an_alias_outranks_everything(shop: Shop) -> None:
    assert dg.resolve("shop", "顾客")[0].table != "employees"
    dg.alias("shop", "顾客", "employees")
    dg.alias("shop", "大号", "users.level_id")
    hit = dg.resolve("shop", "顾客")[0]
    assert (hit.table, hit.column, hit.reasons[0]) == ("employees", None, "alias 顾客 → employees")
    hit = dg.resolve("shop", "大号")[0]
    assert (hit.table, hit.column) == ("users", "level_id")
    assert dg.find("shop", "顾客", ["大号"], {"id": 1}).status == "not_found", "an employee has no level"
    dg.alias("shop", "顾客", "users")
    answer = dg.find("shop", "顾客", ["大号"], {"id": 1})
    assert answer.status == "ok"
    assert "alias 顾客 → users" in repr(answer)


def test_an_alias_for_a_value(shop: Shop) -> None:
    unknown = dg.find("shop", "订单", ["订单号"], {"状态": "已付清"})
    assert unknown.params == {"p1": "已付清"}
    assert "已付清 is not among the known values of status" in unknown.message
    dg.alias("shop", "已付清", "orders.status=paid")
    answer = dg.find("shop", "订单", ["订单号"], {"状态": "已付清"})
    assert answer.params == {"p1": "paid"}
    assert answer.frame is not None
    assert len(answer.frame) == 26
    assert "alias 已付清 → paid" in repr(answer)


def test_an_alias_for_another_word(shop: Shop) -> None:
    dg.alias("shop", "金主", "供应商")
    assert dg.find("shop", "金主", ["名称"], {}).used[0].table == "供应商"


def test_aliases_are_a_file_that_a_person_may_edit(shop: Shop) -> None:
    dg.alias("shop", "顾客", "users")
    file = folder(shop.home, "shop") / "aliases.txt"
    assert file.read_text("utf-8").strip() == "顾客 = users"
    assert file.stat().st_mode & 0o077 == 0
    file.write_text("# ours\n顾客 = employees\n坏行\n", "utf-8")
    with pytest.raises(BadArgument) as caught:
        dg.resolve("shop", "顾客")
    assert (caught.value.code, caught.value.line) == ("alias-line", 3)
    file.write_text("# ours\n顾客 = employees\n", "utf-8")
    assert dg.resolve("shop", "顾客")[0].table == "employees"


@pytest.mark.parametrize(
    ("word", "target", "code", "said"),
    [
        ("x", "nowhere", "alias-unknown", "nowhere"),
        ("x", "usres", "alias-unknown", "users"),
        ("x", "users.nmae", "alias-unknown", "users.name"),
        ("x", "orders.status=nope", "alias-unknown", "pending, paid"),
        ("", "users", "alias-word", ""),
        ("a=b", "users", "alias-word", ""),
        ("x", "", "alias-target", ""),
        ("x", "users\nusers", "alias-target", ""),
        ("x", "users.password=kite", "alias-sensitive", "sensitive"),
    ],
)
def test_an_alias_that_cannot_be(word: str, target: str, code: str, said: str, shop: Shop) -> None:
    with pytest.raises(dg.DbgraphError) as caught:
        dg.alias("shop", word, target)
    assert caught.value.code == code
    assert said in str(caught.value)
    assert not (folder(shop.home, "shop") / "aliases.txt").exists()


def test_synonyms_hold_for_all_connections(shop: Shop, shop_file: Path) -> None:
    assert len(dg.resolve("shop", "frobnitz")) == 0
    (shop.home / "synonyms.txt").write_text("# ours\nfrobnitz = 供应商 = vendor\n", "utf-8")
    dg.connect("other", f"sqlite:///{shop_file}")
    dg.index("other")
    for name in ("shop", "other"):
        hit = dg.resolve(name, "frobnitz")[0]
        assert (hit.table, hit.reasons[0]) == ("供应商", "synonym frobnitz → 供应商")
        assert dg.find(name, "frobnitz", ["联系人"], {}).status == "ok"
    (shop.home / "synonyms.txt").write_text("alone\n", "utf-8")
    with pytest.raises(BadArgument) as caught:
        dg.resolve("shop", "frobnitz")
    assert (caught.value.code, caught.value.line) == ("synonym-line", 1)


def test_what_is_no_text_is_refused(shop: Shop) -> None:
    for call in (lambda: dg.peek("shop", 5), lambda: dg.schema("shop", 5)):  # type: ignore[arg-type]
        with pytest.raises(BadArgument) as caught:
            call()
        assert caught.value.code == "not-text"
    with pytest.raises(BadArgument) as words:
        dg.find("shop", "users", 5, {"id": 1})  # type: ignore[arg-type]
    assert words.value.code == "find-words"
    with pytest.raises(BadArgument) as progress:
        dg.index("shop", progress=5)  # type: ignore[arg-type]
    assert progress.value.code == "bad-progress"


def test_an_index_that_cannot_be_removed_says_so(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, missing_ok: bool = False) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(IndexUnavailable) as caught:
        dg.drop("shop")
    assert caught.value.code == "index-not-removed"
    assert "permission denied" in str(caught.value)
