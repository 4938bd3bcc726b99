"""``plan_find``: words become one SELECT with bound values that really runs, or a status that says why not."""

from __future__ import annotations

import datetime as dt
import random
import sqlite3
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import sqlglot
from catalog.wordy_catalogs import SHOP, SHOP_KEYS, SHOP_ROWS, build, database, table
from soak import scale

from dbgraph_nb.catalog.aliases import read
from dbgraph_nb.catalog.find_sql import first_rows
from dbgraph_nb.catalog.find_words import parse_find_args
from dbgraph_nb.catalog.plan_find import FindPlan, plan_find
from dbgraph_nb.catalog.store import CatalogIndex
from dbgraph_nb.errors import BadArgument


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> CatalogIndex:
    return build(tmp_path_factory.mktemp("shop"), *SHOP, keys=SHOP_KEYS)


@pytest.fixture(scope="module")
def data() -> sqlite3.Connection:
    return database(*SHOP, rows=SHOP_ROWS)


def run(plan: FindPlan, data: sqlite3.Connection) -> list[tuple[Any, ...]]:
    assert plan.status == "ok", (plan.status, plan.message)
    assert plan.sql is not None
    bindable = {name: float(v) if isinstance(v, Decimal) else v for name, v in plan.params.items()}
    return data.execute(plan.sql, bindable).fetchall()


def columns(plan: FindPlan, role: str = "field") -> list[str]:
    return [f"{one.table}.{one.column}" for one in plan.used if one.role == role]


# --- ok -------------------------------------------------------------------------------------------------------


def test_the_main_example(shop, data):
    plan = plan_find(shop, "用户", ["密码"], {"name": "张三"})
    assert plan.sql == 'SELECT "users"."password" FROM "users" WHERE "users"."name" = :p1 LIMIT 201'
    assert plan.params == {"p1": "张三"}
    assert run(plan, data) == [("pw1",)]
    assert [(one.role, one.word, one.table, one.column) for one in plan.used] == [
        ("entity", "用户", "users", None),
        ("field", "密码", "users", "password"),
        ("where", "name", "users", "name"),
    ]
    assert all(one.reason for one in plan.used)
    assert plan.message == ""


@pytest.mark.parametrize("entity", ["用户", "users", "user", "Users", "usr", "用户表", "这个用户", "用戶", "客户"])
@pytest.mark.parametrize("field", ["手机号", "mobile", "phone", "电话", "users.mobile", "the mobile"])
def test_the_same_thing_in_many_words(shop, entity, field):
    plan = plan_find(shop, entity, [field], {"姓名": "张三"})
    assert (plan.status, columns(plan), columns(plan, "where")) == ("ok", ["users.mobile"], ["users.name"])


def test_no_fields_are_all_columns_and_a_star_too(shop, data):
    plan = plan_find(shop, "用户", [], {"编号": 2})
    assert run(plan, data) == [SHOP_ROWS["users"][1]]
    assert plan_find(shop, "用户", ["*"], {"编号": 2}).sql == plan.sql
    both = plan_find(shop, "用户", ["*", "等级名称"], {"编号": 2})
    assert run(both, data) == [(*SHOP_ROWS["users"][1], "银卡")]


def test_an_empty_predicate_gives_the_first_rows_in_the_order_of_the_key(shop, data):
    plan = plan_find(shop, "订单", ["订单号"], {}, limit=2)
    assert plan.sql == 'SELECT "orders"."order_no" FROM "orders" ORDER BY "orders"."id" LIMIT 3'
    assert run(plan, data) == [("SO1",), ("SO2",), ("SO3",)]


def test_the_whole_name_goes_before_a_part_of_it(shop):
    assert columns(plan_find(shop, "订单", ["金额"], {})) == ["orders.amount"]  # not discount_amount
    assert plan_find(shop, "order", [], {}).used[0].table == "orders"  # not order_items
    assert plan_find(shop, "订单明细", [], {}).used[0].table == "order_items"


def test_a_view_gives_way_to_a_table_but_not_to_nothing(shop):
    assert plan_find(shop, "用户", [], {}).used[0].table == "users"  # the comment of v_users is 用户 too
    assert plan_find(shop, "v_users", ["name"], {}).used[0].table == "v_users"


# --- joins ----------------------------------------------------------------------------------------------------


def test_a_field_of_a_neighbour_is_joined_left(shop, data):
    plan = plan_find(shop, "用户", ["姓名", "等级名称"], {})
    assert 'LEFT JOIN "levels" ON "users"."level_id" = "levels"."id"' in plan.sql
    assert sorted(run(plan, data), key=repr) == [("100%_!", None), ("张三", "金卡"), ("李四", "银卡")]
    assert [(one.table, one.reason) for one in plan.used if one.role == "join"] == [
        ("levels", "users.level_id = levels.id")
    ]
    assert plan.message == "Joined with levels by users.level_id = levels.id."


def test_a_predicate_on_a_neighbour_is_joined_inner(shop, data):
    plan = plan_find(shop, "订单", ["订单号"], {"用户姓名": "张三"})
    assert "INNER JOIN" in plan.sql
    assert sorted(run(plan, data)) == [("SO1",), ("SO2",)]


def test_against_the_direction_of_the_key_rows_repeat_and_that_is_said(shop, data):
    plan = plan_find(shop, "用户", ["姓名", "订单号"], {"姓名": "张三"})
    assert sorted(run(plan, data)) == [("张三", "SO1"), ("张三", "SO2")]
    assert plan.message.endswith("A row of users comes once for each of its orders.")
    twice = plan_find(shop, "用户", ["订单号", "城市"], {"姓名": "张三"})
    assert len(run(twice, data)) == 4
    assert twice.message.endswith("A row of users comes once for each combination of its orders and addresses.")


def test_a_label_that_would_be_there_twice_says_its_table(shop, data):
    plan = plan_find(shop, "订单", ["created at", "用户注册时间"], {"订单号": "SO1"})
    assert columns(plan) == ["orders.created_at", "users.created_at"]
    cursor = data.execute(plan.sql, dict(plan.params))
    assert [column[0] for column in cursor.description] == ["created_at", "users.created_at"]
    assert cursor.fetchall() == [("2024-05-01", "2024-01-02 08:00:00")]


def test_several_keys_to_one_table_need_a_word(shop, data):
    plan = plan_find(shop, "订单", ["城市"], {"订单号": "SO1"})
    assert plan.status == "ambiguous"
    assert [hit.column for hit in plan.candidates] == ["city", "city"]
    assert "orders.shipping_address_id = addresses.id" in plan.message
    assert "orders.billing_address_id = addresses.id" in plan.message
    assert run(plan_find(shop, "订单", ["收货城市"], {"订单号": "SO1"}), data) == [("杭州市",)]
    assert run(plan_find(shop, "order", ["billing city"], {"order no": "SO1"}), data) == [("成都市",)]


def test_a_word_follows_the_key_that_another_word_has_settled(shop, data):
    plan = plan_find(shop, "订单", ["订单号"], {"账单城市": "成都市", "城市": ("~", "成")})
    assert run(plan, data) == [("SO1",)]
    assert plan.sql.count("JOIN") == 1


def test_a_key_to_the_same_table(shop, data):
    plan = plan_find(shop, "用户", ["姓名", "邀请人姓名"], {"姓名": "李四"})
    assert run(plan, data) == [("李四", "张三")]


def test_a_composite_key(tmp_path):
    tables = (
        table("lines", "order_id int pk", "line_no int pk", "product text"),
        table("reviews", "id int pk", "order_id int", "line_no int", "score int"),
    )
    index = build(tmp_path, *tables, keys=("reviews.order_id+line_no -> lines.order_id+line_no",))
    data = database(*tables, rows={"lines": [(1, 1, "茶"), (1, 2, "杯")], "reviews": [(9, 1, 2, 5)]})
    plan = plan_find(index, "reviews", ["product"], {"score": 5})
    assert run(plan, data) == [("杯",)]
    assert "reviews.order_id = lines.order_id and reviews.line_no = lines.line_no" in plan.message


# --- values -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({"amount": 100}, ["SO1"]),
        ({"amount": "100"}, ["SO1"]),
        ({"amount": "９００.5"}, ["SO2"]),
        ({"amount": ("!=", 100)}, ["SO2", "SO3"]),
        ({"amount": ("<", 100)}, ["SO3"]),
        ({"amount": ("<=", 100)}, ["SO1", "SO3"]),
        ({"amount": (">", 100)}, ["SO2"]),
        ({"amount": (">=", Decimal("100"))}, ["SO1", "SO2"]),
        ({"amount": [(">", 7), ("<", 900)]}, ["SO1"]),
        ({"amount": [100, "7"]}, ["SO1", "SO3"]),
        ({"amount": (100, 7)}, ["SO1", "SO3"]),
        ({"amount": {100, 7}}, ["SO1", "SO3"]),
        ({"amount": ("!=", [100, 7])}, ["SO2"]),
        ({"order_no": ("~", "O2")}, ["SO2"]),
        ({"amount": ("~", "00")}, ["SO1", "SO2"]),
        ({"shipped at": None}, ["SO2", "SO3"]),
        ({"shipped at": ("!=", None)}, ["SO1"]),
        ({"shipped at": [None, "2024-05-02"]}, ["SO1", "SO2", "SO3"]),
        ({"shipped at": ("!=", [None, "2024-01-01"])}, ["SO1"]),
        ({"created at": (">=", dt.date(2024, 5, 3))}, ["SO2", "SO3"]),
        ({"下单时间": "2024-05-04"}, ["SO3"]),
        ({"status": "PAID"}, ["SO1"]),
        ({"订单状态": ["Paid", "ＰＥＮＤＩＮＧ"]}, ["SO1", "SO3"]),
        ({"order_no": ("=", "SO3"), "status": "pending"}, ["SO3"]),
    ],
    ids=repr,
)
def test_operators_and_types(shop, data, where, expected):
    plan = plan_find(shop, "orders", ["order_no"], where)
    if any(isinstance(value, dt.date) for value in plan.params.values()):
        plan = FindPlan("ok", plan.sql, {name: str(value) for name, value in plan.params.items()})
    assert sorted(row[0] for row in run(plan, data)) == expected


def test_contains_takes_its_text_literally(shop, data):
    for text in ("%", "_", "!", "100%_!", "0%_"):
        assert run(plan_find(shop, "users", ["name"], {"name": ("~", text)}), data) == [("100%_!",)]
    assert run(plan_find(shop, "users", ["name"], {"name": ("~", "1_0")}), data) == []


@pytest.mark.parametrize("value", [True, "true", "是", 1, "1", "YES"])
def test_truth_values(shop, data, value):
    plan = plan_find(shop, "用户", ["姓名"], {"是否启用": value})
    assert list(plan.params.values()) == [True]
    assert sorted(run(plan, data)) == [("100%_!",), ("张三",)]


def test_a_number_for_a_text_column_is_its_digits(shop, data):
    plan = plan_find(shop, "用户", ["姓名"], {"手机号": 13800000002})
    assert plan.params == {"p1": "13800000002"}
    assert run(plan, data) == [("李四",)]


def test_numpy_scalars_are_plain_values(shop):
    numpy = pytest.importorskip("numpy")
    plan = plan_find(shop, "orders", [], {"amount": (">", numpy.int64(5))})
    assert type(plan.params["p1"]) is int


def test_a_value_in_another_language_needs_the_users_word(shop, data, tmp_path):
    plan = plan_find(shop, "订单", ["订单号"], {"状态": "已支付"})
    assert run(plan, data) == []
    assert "已支付 is not among the known values of status (pending, paid, shipped)" in plan.message
    for text, reason in (
        ("已支付 = orders.status=paid", "alias 已支付 → paid"),
        ("已支付 = Paid", "alias 已支付 → paid"),
    ):
        (tmp_path / "aliases.txt").write_text(text, encoding="utf-8")
        plan = plan_find(shop, "订单", ["订单号"], {"状态": "已支付"}, aliases=read(tmp_path / "aliases.txt"))
        assert run(plan, data) == [("SO1",)]
        assert reason in plan.used[-1].reason
        assert plan.message == ""
    (tmp_path / "synonyms.txt").write_text("付讫 = paid", encoding="utf-8")
    plan = plan_find(shop, "订单", ["订单号"], {"状态": "付讫"}, aliases=read(None, tmp_path / "synonyms.txt"))
    assert run(plan, data) == [("SO1",)]


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ({"amount": "many"}, "value-type"),
        ({"amount": b"1"}, "value-type"),
        ({"amount": float("nan")}, "value-type"),
        ({"amount": Decimal("Infinity")}, "value-type"),
        ({"created at": "yesterday"}, "value-type"),
        ({"created at": True}, "value-type"),
        ({"amount": []}, "where-empty-list"),
        ({"amount": list(range(1001))}, "where-value"),
        ({"amount": {"a": 1}}, "where-value"),
        ({"amount": [1, [2]]}, "where-value"),
        ({"amount": object()}, "where-value"),
        ({"amount": ("<", None)}, "where-operator"),
        ({"amount": ("<", [1, 2])}, "where-operator"),
        ({"order_no": ("~", None)}, "where-operator"),
        ({"order_no": ("~", 1.5)}, "where-operator"),
    ],
    ids=repr,
)
def test_a_value_that_the_column_cannot_take(shop, where, code):
    with pytest.raises(BadArgument) as caught:
        plan_find(shop, "orders", [], where)
    assert caught.value.code == code


def test_an_error_about_a_value_does_not_repeat_it(shop):
    with pytest.raises(BadArgument) as caught:
        plan_find(shop, "orders", [], {"amount": "hunter2"})
    assert "hunter2" not in str(caught.value)
    assert "amount" in str(caught.value)


# --- not ok -----------------------------------------------------------------------------------------------------


def test_without_a_predicate_nothing_is_planned(shop):
    plan = plan_find(shop, "这个用户", ["手机号"])
    assert (plan.status, plan.sql, dict(plan.params)) == ("missing_predicate", None, {})
    assert [one.table for one in plan.used] == ["users", "users"]
    assert plan.candidates[0].table == "users"
    assert "password" not in plan.message
    assert "first rows" in plan.message


def test_unknown_words_are_named_with_the_nearest(shop):
    plan = plan_find(shop, "spaceship", ["name"], {"name": "x"})
    assert (plan.status, plan.sql) == ("not_found", None)
    assert "spaceship" in plan.message
    plan = plan_find(shop, "usres", [], {})
    assert (plan.status, plan.candidates[0].table) == ("not_found", "users")
    plan = plan_find(shop, "用户", ["血型"], {"姓名": "张三"})
    assert plan.status == "not_found"
    assert "血型" in plan.message
    assert [(one.role, one.column) for one in plan.used] == [("entity", None), ("where", "name")]
    plan = plan_find(shop, "用户", ["emial"], {"姓名": "张三"})
    assert next(hit.column for hit in plan.candidates) == "email"


def test_a_predicate_on_nothing_is_never_dropped(shop):
    plan = plan_find(shop, "用户", ["手机号"], {"姓名": "张三", "星座": "狮子座"})
    assert (plan.status, plan.sql) == ("not_found", None)
    assert "星座" in plan.message


def two_user_tables(tmp_path: Path, first: str = "password text", second: str = "nickname text") -> CatalogIndex:
    return build(
        tmp_path,
        table("user_account", "id int pk", "login text", first, comment="用户账号"),
        table("user_profile", "id int pk", "login text", second, comment="用户资料"),
        table("products", "id int pk", "name text"),
    )


def test_two_tables_that_fit_equally_are_ambiguous(tmp_path):
    index = two_user_tables(tmp_path)
    for fields, where in (([], {}), ([], None), (["login"], {"login": "x"})):
        plan = plan_find(index, "用户", fields, where)
        assert (plan.status, plan.sql, plan.used) == ("ambiguous", None, ())
        assert [hit.table for hit in plan.candidates] == ["user_account", "user_profile"]
        assert all(hit.reasons for hit in plan.candidates)


def test_columns_decide_between_tables_when_only_one_has_them(tmp_path):
    index = two_user_tables(tmp_path)
    plan = plan_find(index, "用户", ["密码"], {"login": "x"})
    assert (plan.status, plan.used[0].table) == ("ok", "user_account")
    assert "only it has 密码" in plan.used[0].reason
    assert plan_find(index, "user", ["login"], {"nickname": "x"}).used[0].table == "user_profile"
    assert plan_find(index, "user", ["password"], {"nickname": "x"}).status == "ambiguous"


def test_the_length_of_a_name_is_no_reason_to_choose(tmp_path):
    index = build(tmp_path, table("user_log", "id int"), table("user_membership_history", "id int"))
    assert plan_find(index, "user", [], {}).status == "ambiguous"


def test_two_columns_that_fit_equally_are_ambiguous(shop):
    plan = plan_find(shop, "订单", ["时间"], {"订单号": "SO1"})
    assert (plan.status, plan.sql) == ("ambiguous", None)
    assert [hit.column for hit in plan.candidates] == ["created_at", "shipped_at"]
    assert [one.column for one in plan.used] == [None, "order_no"]


def test_one_name_in_two_schemas_is_ambiguous_until_the_schema_is_said(tmp_path):
    index = build(tmp_path, table("users", "id int", schema="a"), table("users", "id int", schema="b"))
    plan = plan_find(index, "users", [], {})
    assert plan.status == "ambiguous"
    assert "a.users, b.users" in plan.message
    plan = plan_find(index, "b.users", [], {}, dialect="postgres")
    assert plan.sql == 'SELECT "users"."id" FROM "b"."users" AS "users" LIMIT 201' or '"b"."users"' in plan.sql


def test_a_number_of_letters_in_common_is_not_enough(shop):
    assert plan_find(shop, "userspace", [], {}).status == "not_found"
    assert plan_find(shop, "ord", [], {}).status in ("ok", "ambiguous")  # short for order
    assert plan_find(shop, "ordnance", [], {}).status == "not_found"


# --- aliases ----------------------------------------------------------------------------------------------------


def test_aliases_outrank_everything(shop, data, tmp_path):
    lines = ["用户 = addresses", "号 = orders.order_no", "收货地 = addresses.city", "单子 = 订单"]
    (tmp_path / "aliases.txt").write_text("\n".join(lines), encoding="utf-8")
    aliases = read(tmp_path / "aliases.txt")
    plan = plan_find(shop, "用户", [], {}, aliases=aliases)
    assert (plan.used[0].table, plan.used[0].reason) == ("addresses", "alias 用户 → addresses")
    plan = plan_find(shop, "单子", ["号"], {}, aliases=aliases)
    assert columns(plan) == ["orders.order_no"]
    plan = plan_find(shop, "地址", ["收货地"], {"编号": 1}, aliases=aliases)
    assert run(plan, data) == [("杭州市",)]
    assert plan_find(shop, "订单", ["收货地"], {}, aliases=aliases).status == "ambiguous"  # by which key?
    assert plan_find(shop, "levels", ["号"], {}, aliases=aliases).status == "not_found"  # no key leads there


# --- safety -------------------------------------------------------------------------------------------------------

ATTACKS = [
    "x' OR '1'='1",
    'x" OR ""="',
    "'; DROP TABLE users; --",
    "\\' OR 1=1 -- ",
    ":p2",
    "%(p1)s",
    "?",
    "a\x00b",
    "/* */",
    "1); SELECT password FROM users",
    "\u2028\u202e",
]


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("form", [lambda v: v, lambda v: [v, v + "2"], lambda v: ("~", v), lambda v: ("!=", v)])
def test_a_value_is_only_ever_bound(shop, data, attack, form):
    clean = plan_find(shop, "users", ["name"], {"name": form("X")})
    plan = plan_find(shop, "users", ["name"], {"name": form(attack)})
    assert plan.sql == clean.sql
    before = data.execute("SELECT count(*) FROM users").fetchone()
    rows = run(plan, data)
    assert rows == ([] if "!=" not in str(form("X")) else [("张三",), ("李四",), ("100%_!",)])
    assert data.execute("SELECT count(*) FROM users").fetchone() == before


@pytest.mark.parametrize("attack", ATTACKS)
def test_words_never_reach_the_statement(shop, attack):
    for plan in (
        plan_find(shop, attack, [], {}),
        plan_find(shop, "users", [attack], {}),
        plan_find(shop, "users", ["name"], {attack: "x"}),
    ):
        assert plan.sql is None or attack not in plan.sql


ODD = ['a"b', "a`b", "a'b", "a;--b", "a b", "a.b", "select", "列 名", "a:p1", "a\\b", "%s", "{x}", "é", "表\t格"]


@pytest.mark.parametrize("name", ODD)
def test_odd_identifiers_are_quoted(tmp_path, name):
    quoted = '"' + name.replace('"', '""') + '"'
    item = table(name, "id int pk", f"{quoted} text", f'{quoted[:-1]}2" text')
    index, data = build(tmp_path, item), database(item, rows={name: [(1, "one", "two")]})
    plan = plan_find(index, name, [name], {name: "one"})
    assert plan.used[0].table == name
    assert run(plan, data) == [("one",)]
    assert data.execute(first_rows(name, 5, dialect="sqlite")).fetchall() == [(1, "one", "two")]
    for dialect in ("mysql", "postgres", "duckdb"):
        sql = plan_find(index, name, [name], {name: "one"}, dialect=dialect).sql
        tree = sqlglot.parse_one(sql, dialect=dialect)
        assert {t.name for t in tree.find_all(sqlglot.exp.Table)} == {name}
        assert {c.name for c in tree.find_all(sqlglot.exp.Column)} == {name}


def test_dialects_write_their_own_quotes_and_one_parameter_style(shop):
    plan = plan_find(shop, "用户", ["密码"], {"name": ("~", "张"), "id": [1, 2]}, dialect="mariadb")
    assert plan.sql == (
        "SELECT `users`.`password` FROM `users` WHERE `users`.`name` LIKE :p1 ESCAPE '!' "
        "AND `users`.`id` IN (:p2, :p3) LIMIT 201"
    )
    assert plan_find(shop, "用户", [], {"id": 1}, dialect="postgres").sql.endswith('WHERE "users"."id" = :p1 LIMIT 201')


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("", [], {}), "find-words"),
        (("  ", [], {}), "find-words"),
        ((None, [], {}), "find-words"),
        (("users", [""], {}), "find-words"),
        (("users", [3], {}), "find-words"),
        (("users", ["x" * 201], {}), "find-words"),
        (("users", [], {"": 1}), "find-words"),
        (("users", [], {1: 1}), "find-words"),
        (("users", [], "name=x"), "find-words"),
    ],
    ids=repr,
)
def test_words_that_are_none(shop, args, code):
    with pytest.raises(BadArgument) as caught:
        plan_find(shop, *args)
    assert caught.value.code == code


@pytest.mark.parametrize("limit", [0, -1, 1.5, True, 1_000_001, "10"])
def test_a_limit_that_is_none(shop, limit):
    with pytest.raises(BadArgument) as caught:
        plan_find(shop, "users", [], {}, limit=limit)
    assert caught.value.code == "find-limit"


def test_words_without_letters(shop):
    for word in ("%", "🙂", "——", "\u200b"):
        assert plan_find(shop, word, [], {}).status == "not_found"
        assert plan_find(shop, "users", [word], {}).status == "not_found"


def test_a_catalog_with_nothing_in_it(tmp_path):
    index = build(tmp_path)
    assert plan_find(index, "用户", [], {}).status == "not_found"


def test_a_table_without_known_columns_is_read_as_it_comes(tmp_path):
    index = build(tmp_path, table("ghosts"))
    assert plan_find(index, "ghosts", [], {}).sql == 'SELECT * FROM "ghosts" LIMIT 201'


def test_the_same_words_give_the_same_plan(shop, tmp_path):
    again = build(tmp_path, *reversed(SHOP), keys=SHOP_KEYS)
    draw = random.Random(7)
    words = ["用户", "订单", "name", "phone", "城市", "amount", "时间", "等级", "user id", "xyz"]
    for _ in range(scale(400)):
        entity, fields = draw.choice(words), draw.sample(words, draw.randint(0, 3))
        one = plan_find(shop, entity, fields, {})
        two = plan_find(again, entity, fields, {})
        assert (one.status, one.sql, one.used, one.message) == (two.status, two.sql, two.used, two.message)
        assert list(one.candidates) == list(two.candidates)


# --- one line of words ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "entity", "fields", "where"),
    [
        ("用户", "用户", (), None),
        ("用户 密码 邮箱", "用户", ("密码", "邮箱"), None),
        ("用户 密码,邮箱、手机", "用户", ("密码", "邮箱", "手机"), None),
        ("用户 密码 where 姓名=张三", "用户", ("密码",), {"姓名": "张三"}),
        ("用户 密码 其中 姓名＝张三", "用户", ("密码",), {"姓名": "张三"}),
        ("用户 条件 金额≥100 金额＜200", "用户", (), {"金额": [(">=", 100), ("<", 200)]}),
        ("用户 密码 姓名=张三", "用户", ("密码",), {"姓名": "张三"}),
        ("用户 密码 姓名 = 张三", "用户", ("密码",), {"姓名": "张三"}),
        ("u WHERE order date >= 2024-01-01 AND a!=b", "u", (), {"order date": (">=", "2024-01-01"), "a": ("!=", "b")}),
        ("u where 状态=paid,shipped", "u", (), {"状态": ["paid", "shipped"]}),
        ("u where 状态!=paid，shipped", "u", (), {"状态": ("!=", ["paid", "shipped"])}),
        (r"u where 名=Smith\,|John", "u", (), {"名": "Smith, John"}),
        ("u where 名~a,b", "u", (), {"名": ("~", "a,b")}),
        ("u where 邮箱=NULL", "u", (), {"邮箱": None}),
        ("u where 邮箱= x", "u", (), {"邮箱": "x"}),
        ("u where a=b=c", "u", (), {"a": "b=c"}),
        ("u where a=007 b=1.50 c=-3 d=2.5 e=nan f=1e9", "u", (), {
            "a": "007", "b": "1.50", "c": -3, "d": 2.5, "e": "nan", "f": "1e9",
        }),
        ("u where a<>1 b==2", "u", (), {"a": ("!=", 1), "b": 2}),
    ],
)  # fmt: skip
def test_words_of_one_line(line, entity, fields, where):
    tokens = [token.replace("|", " ") for token in line.split()]
    assert parse_find_args(tokens) == (entity, fields, where)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("", "find-no-entity"),
        ("where a=1", "find-no-entity"),
        ("用户 where", "find-no-predicate"),
        ("用户 where 姓名", "find-predicate"),
        ("用户 where =3", "find-predicate"),
        ("用户 where a=1 b", "find-predicate"),
    ],
)
def test_lines_that_say_nothing(line, code):
    with pytest.raises(BadArgument) as caught:
        parse_find_args(line.split())
    assert caught.value.code == code


@pytest.mark.parametrize("line", ["u where 邮箱=", "u where 邮箱= 年龄>3"])
def test_a_predicate_without_a_value_is_refused(line: str) -> None:
    with pytest.raises(BadArgument) as caught:
        parse_find_args(line.split())
    assert caught.value.code == "find-predicate"
