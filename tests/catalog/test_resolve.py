"""``resolve``: words rank tables and columns from the index alone, with reasons, and always in the same order."""

from __future__ import annotations

import random

import pytest
from catalog.wordy_catalogs import SHOP, SHOP_KEYS, build, table
from soak import scale

from dbgraph_nb.catalog import candidates
from dbgraph_nb.catalog.aliases import read
from dbgraph_nb.catalog.candidates import forms, is_short, matches, skeleton
from dbgraph_nb.catalog.resolve import resolve
from dbgraph_nb.catalog.score import rank
from dbgraph_nb.catalog.spans import analyse, cut, question_terms, to_atoms
from dbgraph_nb.catalog.store import CatalogIndex
from dbgraph_nb.catalog.words import builtin, key, plural, singular, words_of_kind
from dbgraph_nb.errors import BadArgument
from dbgraph_nb.model import CatalogHit, Hits


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> CatalogIndex:
    return build(tmp_path_factory.mktemp("shop"), *SHOP, keys=SHOP_KEYS)


def places(hits: Hits[CatalogHit]) -> list[str]:
    return [f"{hit.table}.{hit.column}" if hit.column else hit.table for hit in hits]


# --- ranking --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("users", "users"),
        ("user", "users"),
        ("USERS", "users"),
        ("用户", "users"),
        ("用戶", "users"),
        ("订单明细", "order_items"),
        ("order items", "order_items"),
        ("orderItems", "order_items"),
        ("电话", "users.mobile"),
        ("密码", "users.password"),
        ("user password", "users.password"),
        ("用户的密码是什么", "users.password"),
        ("账单地址", "orders.billing_address_id"),
        ("billing address", "orders.billing_address_id"),
        ("折扣率", "levels.rate"),
        ("订购数量", "order_items.qty"),
        ("pending", "orders.status"),
        ("下单时间", "orders.created_at"),
        ("注册时间", "users.created_at"),
        ("usr_mobile", "users.mobile"),
        ("What are the mobile numbers of all users?", "users.mobile"),
    ],
)
def test_what_comes_first(shop, words, first):
    assert places(resolve(shop, words, k=3))[0] == first


def test_the_whole_name_goes_before_its_parts(tmp_path):
    index = build(
        tmp_path,
        table("a", "name int", "name_prefix int", "long_name_of_it int"),
        table("user", "x int"),
        table("user_log", "y int"),
        table("log_of_user_names", "z int"),
    )
    assert [hit.column for hit in resolve(index, "name") if hit.column][:3] == [
        "name",
        "name_prefix",
        "long_name_of_it",
    ]
    assert [hit.table for hit in resolve(index, "user") if not hit.column][:3] == [
        "user",
        "user_log",
        "log_of_user_names",
    ]
    assert places(resolve(index, "user log"))[0] == "user_log"
    assert places(resolve(index, "name prefix"))[0] == "a.name_prefix"


def test_a_name_counts_more_than_a_comment_and_a_comment_more_than_a_value(tmp_path):
    index = build(
        tmp_path,
        table("t1", "a text {gold|silver}"),
        table("t2", "b text -- gold or silver"),
        table("t3", "gold text"),
    )
    assert [hit.table for hit in resolve(index, "gold", k=9) if hit.column] == ["t3", "t2", "t1"]


def test_rare_words_count_more_than_common_ones(tmp_path):
    many = [table(f"t{n}", "id int", "name text", "type text") for n in range(30)]
    index = build(tmp_path, *many, table("gauges", "id int", "pressure num"))
    assert places(resolve(index, "id name type pressure"))[0] == "gauges.pressure"


def test_columns_lift_their_table_and_tables_their_columns(tmp_path):
    index = build(
        tmp_path,
        table("people", "id int", "name text", "height num", "weight num"),
        table("places", "id int", "name text", "height num"),
        table("things", "id int", "name text"),
    )
    assert next(hit.table for hit in resolve(index, "name height weight") if not hit.column) == "people"
    assert places(resolve(index, "name of the things"))[0] in ("things", "things.name")
    assert next(place for place in places(resolve(index, "name of the things")) if "." in place) == "things.name"


def test_a_foreign_key_brings_the_neighbour(tmp_path):
    tables = (table("enrolment", "student int", "course int"), table("student", "id int"), table("course", "id int"))
    tables += (table("zoo", "id int"), table("student_of_zoo", "id int"))
    index = build(tmp_path, *tables, keys=("enrolment.student -> student.id", "enrolment.course -> course.id"))
    found = [hit.table for hit in resolve(index, "which student takes which course", k=20) if not hit.column]
    assert set(found[:3]) == {"student", "course", "enrolment"}


def test_stems_and_short_forms(tmp_path):
    index = build(
        tmp_path, table("observations", "observer text", "salary num", "descr text"), table("carpets", "id int")
    )
    assert places(resolve(index, "observed"))[0] in ("observations", "observations.observer")
    assert places(resolve(index, "sal"))[0] == "observations.salary"
    assert places(resolve(index, "description"))[0] == "observations.descr"
    assert "carpets" not in places(resolve(index, "cards"))


def test_a_value_says_that_it_is_one(shop):
    hit = resolve(shop, "pending")[0]
    assert (hit.table, hit.column, hit.value) == ("orders", "status", "pending")
    assert hit.reasons == ("value pending",)
    assert resolve(shop, "users")[0].value is None


def test_words_of_a_sensitive_column_are_no_values(tmp_path):
    index = build(tmp_path, table("t", "password text {hunter2|swordfish}"))
    assert len(resolve(index, "hunter2")) == 0


# --- reasons ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "place", "reasons"),
    [
        ("users", "users", ("name = users",)),
        ("订单", "orders", ("word 订单 → order (built-in)", "name = orders", "comment has 订单")),
        ("城市", "addresses.city", ("word 城市 → city (built-in)", "name = city", "comment has 城市")),
        ("shipping", "orders.shipping_address_id", ("name has shipping",)),
    ],
)
def test_reasons_can_be_read(shop, words, place, reasons):
    hits = resolve(shop, words, k=50)
    found = dict(zip(places(hits), hits, strict=True))
    assert set(found[place].reasons) <= set(reasons)
    assert found[place].reasons[0] == reasons[0]


def test_every_hit_has_a_reason(shop):
    for words in ("用户", "order amount", "pending", "地址 city", "id", "时间"):
        hits = resolve(shop, words, k=100)
        assert len(hits) == min(100, hits.total)
        assert all(hit.reasons and hit.score > 0 for hit in hits)
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_total_and_truncation(shop):
    hits = resolve(shop, "用户", k=2)
    assert (len(hits), hits.truncated, hits.mode) == (2, True, "words")
    assert hits.total == resolve(shop, "用户", k=1000).total > 2


# --- what the user taught -----------------------------------------------------------------------------------------


def test_aliases_come_first_and_say_so(shop, tmp_path):
    (tmp_path / "a.txt").write_text(
        "宝贝 = order_items\n大佬 = users.level_id\n付清 = orders.status=paid\n", encoding="utf-8"
    )
    (tmp_path / "s.txt").write_text("顾主 = user = customer\n", encoding="utf-8")
    aliases = read(tmp_path / "a.txt", tmp_path / "s.txt")
    hit = resolve(shop, "宝贝", aliases=aliases)[0]
    assert (hit.table, hit.column, hit.reasons[0]) == ("order_items", None, "alias 宝贝 → order_items")
    hit = resolve(shop, "用户 大佬", aliases=aliases)[0]
    assert (hit.table, hit.column) == ("users", "level_id")
    hit = resolve(shop, "付清的订单", aliases=aliases)[0]
    assert (hit.table, hit.column, hit.value) == ("orders", "status", "paid")
    assert hit.reasons[0] == "alias 付清 → orders.status = paid"
    hit = resolve(shop, "顾主", aliases=aliases)[0]
    assert hit.table == "users"
    assert "synonym 顾主 → user" in hit.reasons
    assert len(resolve(shop, "顾主")) == 0


def test_an_alias_that_names_nothing_any_more_is_told(shop, tmp_path):
    (tmp_path / "a.txt").write_text("宝贝 = gone.column\n", encoding="utf-8")
    hits = resolve(shop, "宝贝", aliases=read(tmp_path / "a.txt"))
    assert hits.warnings == ("the alias 宝贝 = gone.column names nothing in this index",)


# --- always the same, whatever comes ---------------------------------------------------------------------------


def test_the_order_is_the_same_for_the_same_catalog(shop, tmp_path):
    again = build(tmp_path, *reversed(SHOP), keys=SHOP_KEYS)
    draw = random.Random(3)
    words = ["用户", "订单", "name", "phone", "城市", "amount", "时间", "等级", "id", "paid", "city", "的", "of"]
    for _ in range(scale(400)):
        question = " ".join(draw.choices(words, k=draw.randint(1, 6)))
        assert list(resolve(shop, question, k=40)) == list(resolve(again, question, k=40))


def test_ties_are_in_the_order_of_the_catalog(tmp_path):
    index = build(tmp_path, *(table(name, "x int", "code int") for name in ("c", "a", "b")))
    assert places(hits := resolve(index, "code"))[:3] == ["a.code", "b.code", "c.code"]
    assert len({hit.score for hit in hits[:3]}) == 1


@pytest.mark.parametrize(
    "words", ["", " ", "%", "🙂", "的", "the", "\x00", "xyzzy", "\ud800", "''; DROP TABLE x", "a" * 2000]
)
def test_words_that_mean_nothing(shop, words):
    hits = resolve(shop, words, k=5)
    assert all(hit.reasons for hit in hits)


def test_an_empty_catalog(tmp_path):
    assert len(resolve(build(tmp_path), "用户")) == 0


def test_tables_without_columns_do_not_shift_the_others(tmp_path):
    index = build(
        tmp_path, table("a"), table("b", "beta int"), table("c"), table("d", "delta int", "gamma int"), table("e")
    )
    for column, owner in (("beta", "b"), ("delta", "d"), ("gamma", "d")):
        assert places(resolve(index, column))[0] == f"{owner}.{column}"
    frame = skeleton(index)
    assert [list(frame.columns(n)) for n in range(1, 6)] == [[], [6], [], [7, 8], []]
    assert [frame.owner(target) for target in range(1, 9)] == [1, 2, 3, 4, 5, 2, 4, 4]


def test_common_words_are_only_looked_up_where_rare_ones_point(tmp_path, monkeypatch):
    tables = [table(f"t{n:02}", "id int", "name text", f"mark{n:02} text") for n in range(40)]
    index = build(tmp_path, *tables)
    words = "id name mark07"
    everything = places(resolve(index, words, k=3))
    monkeypatch.setattr(candidates, "COMMON", 10)
    assert places(resolve(index, words, k=3)) == everything
    assert places(resolve(index, "id", k=2)) == ["t00.id", "t01.id"]


def test_only_the_terms_of_the_query_are_read(shop):
    statements: list[str] = []
    resolve(shop, "warm up")
    shop.connection.set_trace_callback(statements.append)
    resolve(shop, "用户 phone")
    shop.connection.set_trace_callback(None)
    reading = [sql for sql in statements if "FROM terms" in sql]
    assert reading
    plans = [shop.connection.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall() for sql in reading]
    assert not [step for plan in plans for step in plan if step[3].startswith("SCAN") and "terms" in step[3]]


# --- the parts --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "pieces"),
    [
        ("用户名称", ["用户", "名称"]),
        ("用户名", ["用户名"]),
        ("订单编号", ["订单编号"]),
        ("这个用户的手机号", ["这个", "用户", "的", "手机号"]),
        ("user phone", ["user", "phone"]),
        ("id card of user", ["id card", "of", "user"]),
        ("血型未知", ["血型", "未知"]),
        ("訂單 金額", ["订单", "金额"]),
    ],
)
def test_the_cut(words, pieces):
    assert [piece.text for piece in cut(to_atoms(words), {})] == pieces


def test_a_cut_covers_everything_once():
    draw = random.Random(5)
    alphabet = "用户订单名称号金额的x时间a手机 1"
    for _ in range(scale(2000)):
        atoms = to_atoms("".join(draw.choices(alphabet, k=draw.randint(0, 20))))
        pieces = cut(atoms, {})
        assert [i for piece in pieces for i in range(piece.start, piece.end)] == list(range(len(atoms)))


def test_questions_look_up_terms_and_whole_names():
    terms, keys = question_terms("user name")
    assert {"user", "name"} <= set(terms)
    assert ("username", "usernames") in keys
    assert question_terms("") == ([], [])


def test_the_shipped_words():
    words = builtin()
    assert len(words) > 1000
    assert ("built-in", "user") in words["用户"]
    assert ("built-in", "用户") in words["user"]
    assert {word for _, word in words["手机号"]} >= {"phone", "mobile"}
    assert ("near", "user") in words["客户"]
    assert all(key(name) == name and others for name, others in words.items())
    assert not {"order", "name", "no", "number", "total", "count"} & words_of_kind("small")
    assert "的" in words_of_kind("small")
    assert "信息" in words_of_kind("light")


def test_singular_and_plural():
    for word in ("city", "box", "order", "day", "case", "address", "match"):
        assert singular(plural(word)) == word


def test_forms_come_from_the_catalog(tmp_path):
    index = build(tmp_path, table("cities", "citizen text", "cited int"), table("city", "salary int"))
    assert dict(forms(index, "city")) == {"city": 1.0, "cities": candidates.STEM_WEIGHT}
    assert dict(forms(index, "sal")) == {"sal": 1.0, "salary": candidates.SHORT_WEIGHT}
    assert not is_short("ab", "abcdef")
    found = matches(index, ["city"], [("cities", "citizen")])
    assert set(found["city"]) == {1, 2}
    assert set(found["cities", "citizen"]) == {1, 3}


def test_rank_says_how_many_targets_have_evidence(shop):
    ranking = rank(shop, analyse("城市", {}))
    assert ranking.pointed == len(ranking.own) > 0
    assert rank(shop, analyse("", {})).tables == []


def test_a_text_that_is_no_question_is_refused(shop: CatalogIndex) -> None:
    with pytest.raises(BadArgument) as caught:
        resolve(shop, "x" * 100_000)
    assert caught.value.code == "words-too-long"
