"""Aliases and synonyms: read from text files, written safely, checked against the index."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest
from catalog.wordy_catalogs import SHOP, SHOP_KEYS, build, table

from dbgraph_nb.catalog.aliases import NONE, Aliases, add, parse_target, read
from dbgraph_nb.catalog.store import CatalogIndex
from dbgraph_nb.catalog.words import nearest
from dbgraph_nb.errors import BadArgument, DbgraphError, UnknownName


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> CatalogIndex:
    return build(tmp_path_factory.mktemp("shop"), *SHOP, keys=SHOP_KEYS)


def names(aliases: Aliases, index: CatalogIndex, word: str) -> list[str]:
    return [target.name for target in aliases.targets(index, word)]


# --- reading --------------------------------------------------------------------------------------------------


def test_files_that_do_not_exist_hold_nothing(tmp_path):
    assert read(tmp_path / "a.txt", tmp_path / "s.txt") == NONE == read(None)


def test_the_lines_of_both_files(tmp_path, shop):
    (tmp_path / "a.txt").write_text(
        "\ufeff# ours\n\n  用户 = users\n电话= users.mobile \r\n"
        "已支付 = orders.status=paid\n 客人 ＝ 用户\n# 用户 = levels\n",
        encoding="utf-8",
    )
    (tmp_path / "s.txt").write_text("顾主 = user = customer\n货 = 商品\n", encoding="utf-8")
    aliases = read(tmp_path / "a.txt", tmp_path / "s.txt")
    assert names(aliases, shop, "用户") == ["users"]
    assert names(aliases, shop, "用戶") == ["users"]  # traditional characters
    assert names(aliases, shop, "电话") == ["users.mobile"]
    assert names(aliases, shop, "已支付") == ["orders.status = paid"]
    assert names(aliases, shop, "客人") == names(aliases, shop, "nothing") == []
    lexicon = aliases.lexicon(shop)
    assert lexicon["客人"] == [("alias", "用户")]
    assert lexicon["顾主"] == [("synonym", "user"), ("synonym", "customer")]
    assert lexicon["customer"] == [("synonym", "顾主"), ("synonym", "user")]
    assert "用户" not in lexicon


def test_a_word_may_stand_for_several_things(tmp_path, shop):
    (tmp_path / "a.txt").write_text("user name = users.name\nUser_Name = users.email\n", encoding="utf-8")
    assert names(read(tmp_path / "a.txt"), shop, "userName") == ["users.name", "users.email"]


@pytest.mark.parametrize(
    ("text", "line"),
    [("用户", 1), ("# x\n= users", 2), ("用户 =", 1), ("a = b\n\nc\n", 3), ("—— = users", 1), ("  =  ", 1)],
)
def test_a_bad_line_is_named(tmp_path, text, line):
    file = tmp_path / "aliases.txt"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadArgument) as caught:
        read(file)
    assert (caught.value.code, caught.value.line) == ("alias-line", line)
    assert f"Line {line} of {file}" in str(caught.value)


@pytest.mark.parametrize("text", ["用户", "用户 =", "= user", "用户 = = user"])
def test_a_bad_line_of_synonyms_is_named(tmp_path, text):
    file = tmp_path / "synonyms.txt"
    file.write_text(f"a = b\n{text}\n", encoding="utf-8")
    with pytest.raises(BadArgument) as caught:
        read(None, file)
    assert (caught.value.code, caught.value.line) == ("synonym-line", 2)


def test_a_file_in_another_encoding_is_said(tmp_path):
    (tmp_path / "a.txt").write_bytes("用户 = users".encode("gb18030"))
    with pytest.raises(BadArgument) as caught:
        read(tmp_path / "a.txt")
    assert caught.value.code == "alias-encoding"


# --- targets ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("users", "users"),
        ("USERS", "users"),
        ("users.Mobile", "users.mobile"),
        ("orders.status=paid", "orders.status = paid"),
        ("orders.status = 已付 = x", "orders.status = 已付 = x"),
        ("orders.gone", None),
        ("gone.status", None),
        ("orders.gone=paid", None),
        ("客户", None),
        ("", None),
    ],
)
def test_what_a_target_names(shop, text, name):
    target = parse_target(shop, text)
    assert (target.name if target else None) == name


def test_names_may_hold_dots_and_equal_signs(tmp_path):
    index = build(tmp_path, table("a.b", '"c.d" text', '"e=f" text'), table("a", '"b.c" text'), table("x=y", "z int"))
    assert parse_target(index, "a.b").name == "a.b"
    assert parse_target(index, "a.b.c.d").name == "a.b.c.d"
    assert parse_target(index, "a.b.c").name == "a.b.c"  # column b.c of table a
    assert parse_target(index, "a.b.e=f").name == "a.b.e=f"
    assert parse_target(index, "a.b.c.d=1.5").value == "1.5"
    assert parse_target(index, "x=y").name == "x=y"


# --- writing ----------------------------------------------------------------------------------------------------


def test_what_is_added_is_read_again(tmp_path, shop):
    file = tmp_path / "new" / "aliases.txt"
    assert add(file, "宝贝", "Users", index=shop) == "users"
    assert add(file, " 电话 ", " users.mobile ", index=shop) == "users.mobile"
    assert add(file, "已支付", "orders.status=paid", index=shop) == "orders.status = paid"
    assert add(file, "客人", "用户", index=shop) == "用户"
    aliases = read(file)
    assert [names(aliases, shop, word) for word in ("宝贝", "电话", "已支付")] == [
        ["users"],
        ["users.mobile"],
        ["orders.status = paid"],
    ]
    assert aliases.lexicon(shop)["客人"] == [("alias", "用户")]
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_new_meaning_replaces_the_old_one_and_comments_stay(tmp_path, shop):
    file = tmp_path / "aliases.txt"
    file.write_text("# by hand\n用户 = levels\n电话 = users.mobile\n", encoding="utf-8")
    add(file, "用户", "users", index=shop)
    assert file.read_text(encoding="utf-8") == "# by hand\n电话 = users.mobile\n用户 = users\n"


def test_one_word_may_be_a_value_of_several_columns(tmp_path, shop):
    file = tmp_path / "aliases.txt"
    add(file, "完成", "orders.status=paid", index=shop)
    add(file, "完成", "levels.title=金卡", index=shop)
    add(file, "完成", "orders.status=shipped", index=shop)
    add(file, "完成", "orders", index=shop)
    assert names(read(file), shop, "完成") == ["levels.title = 金卡", "orders.status = shipped", "orders"]
    column = parse_target(shop, "orders.status").column
    assert read(file).literals(shop, "完成", column)[0] == ("alias", "shipped")


@pytest.mark.parametrize(
    ("word", "target", "code"),
    [
        ("", "users", "alias-word"),
        ("——", "users", "alias-word"),
        ("a=b", "users", "alias-word"),
        ("#用户", "users", "alias-word"),
        ("a\nb", "users", "alias-word"),
        ("用户", "", "alias-target"),
        ("用户", "users\nx = y", "alias-target"),
        ("用户", "orders.status=", "alias-target"),
        ("用户", "users.password=hunter2", "alias-sensitive"),
        ("用户", "usres", "alias-unknown"),
        ("用户", "users.mobil", "alias-unknown"),
        ("用户", "orders.status=payd", "alias-unknown"),
        ("用户", "gone.status=paid", "alias-unknown"),
    ],
)
def test_what_cannot_be_an_alias(tmp_path, shop, word, target, code):
    file = tmp_path / "aliases.txt"
    with pytest.raises(DbgraphError) as caught:
        add(file, word, target, index=shop)
    assert caught.value.code == code
    assert "hunter2" not in str(caught.value)
    assert not file.exists()


@pytest.mark.parametrize(
    ("target", "near"),
    [
        ("usres", "users"),
        ("users.mobil", "users.mobile"),
        ("orders.status=payd", "paid"),
        ("order_itemx", "order_items"),
    ],
)
def test_the_nearest_names_are_said(tmp_path, shop, target, near):
    with pytest.raises(UnknownName) as caught:
        add(tmp_path / "aliases.txt", "词", target, index=shop)
    assert near in (caught.value.hint or "")


def test_a_failed_write_leaves_the_file_as_it_was(tmp_path, shop, monkeypatch):
    file = tmp_path / "aliases.txt"
    add(file, "用户", "users", index=shop)
    before = file.read_bytes()
    monkeypatch.setattr(Path, "write_text", lambda *args, **kwargs: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(DbgraphError, match="disk full") as caught:
        add(file, "电话", "users.mobile", index=shop)
    assert caught.value.code == "alias-not-written"
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".tmp"] == []


def test_writers_at_the_same_time_lose_nothing(tmp_path, shop):
    file = tmp_path / "aliases.txt"
    for target in ("users", "orders"):  # what the index reads is read before the threads start
        parse_target(shop, target)
    words = [f"词{number}" for number in range(12)]
    threads = [threading.Thread(target=add, args=(file, word, "users"), kwargs={"index": shop}) for word in words]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(word for word, _ in read(file).words.values()) == sorted(words)


def test_nearest():
    assert nearest("usres", ["orders", "USERS", "user_log"])[0] == "USERS"
    assert nearest("zzz", ["orders"]) == []
