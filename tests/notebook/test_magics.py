"""Every command of ``%dbgraph`` with every option: what it calls, what it returns, what it leaves behind."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest

import dbgraph_nb
from dbgraph_nb.model import Connection, Hits, IndexReport
from dbgraph_nb.notebook.magics.commands import COMMANDS
from dbgraph_nb.notebook.magics.desk import pair
from dbgraph_nb.result import FindAnswer, ResultFrame

if TYPE_CHECKING:
    from notebook.conftest import Notebook


def test_every_command_and_option_is_run_here() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    for command in COMMANDS.values():
        assert f"{command.sign} {command.name}" in text, command.name
        for option in (o for action in command.parser._actions for o in action.option_strings):
            assert re.search(rf"{command.sign} {command.name}\b.*\s{option}\b", text), f"{command.name} {option}"


# --- connections ------------------------------------------------------------------------------------------------


def test_connect_stores_and_uses_a_connection(nb: Notebook, shop_template: tuple[Path, str]) -> None:
    nb["url"] = shop_template[1]
    made = nb.run(f"%dbgraph connect shop {shop_template[1]}")
    assert isinstance(made, Connection)
    assert (made.name, made.sensitive) == ("shop", "redact")
    nb.run(f"%dbgraph connect 商店 {shop_template[1]} --sensitive show")
    listed = nb.run("%dbgraph connections")
    assert isinstance(listed, ResultFrame)
    assert list(listed["name"]) == ["shop", "商店"]
    assert list(listed["sensitive"]) == ["redact", "show"]
    nb.run("%dbgraph index --writer python")  # the one that was connected last
    assert list(nb.run("%dbgraph connections")["index"]) == ["none", "full"]


def test_connect_takes_a_reference_to_a_credential(nb: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_PASSWORD", "s3cret-口令")
    error = nb.fails(
        "%dbgraph connect shop mysql://reader@127.0.0.1:1/shop --credential env:SHOP_PASSWORD", "connection-refused"
    )
    assert "s3cret" not in str(error)
    nb.fails("%dbgraph connect shop mysql://reader@127.0.0.1:1/shop --credential env:NO_SUCH", "env-missing")
    nb.fails("%dbgraph connect shop mysql://reader@127.0.0.1:1/shop --credential prompt:", "no-prompt")
    assert "s3cret" not in str(nb.fails("%dbgraph connect shop mysql://h/db --credential s3cret", "bad-reference"))
    assert len(nb.run("%dbgraph connections")) == 0


def test_use_and_on_and_only_choose_the_connection(shop: Notebook) -> None:
    assert len(shop.run("%dbgraph schema")) > 10  # the only one there is
    shop.run("dg = __import__('dbgraph_nb'); dg.connect('other', url); dg.index('other', 'l1', writer='python')")
    assert "shop" in str(shop.fails("%dbgraph schema", "no-connection"))  # two, and none is in use
    assert shop.run("%dbgraph use other").name == "other"
    assert shop.run("%dbgraph schema").meta.source == "index of other"
    assert shop.run("%dbgraph schema --on shop").meta.source == "index of shop"
    assert shop.run("%dbgraph objects --on shop").meta.source == "index of shop"
    assert shop.run("%dbgraph columns orders --on shop 备注").meta.source == "index of shop"
    assert shop.run("%dbgraph resolve 用户 --on shop")[0].table == "users"
    assert shop.run("%dbgraph peek users --on shop --max-rows 1").meta.source.startswith("shop ")
    assert shop.run("%dbgraph find users --all --on shop --limit 1").frame.meta.source.startswith("shop ")
    assert shop.run("%%dbgraph sql shop\nSELECT 1 AS a").meta.source.startswith("shop ")
    assert shop.run("%%dbgraph sql\nSELECT 1 AS a").meta.source.startswith("other ")
    assert list(shop.run("%dbgraph status shop")["name"]) == ["shop"]
    assert list(shop.run("%dbgraph status")["name"]) == ["other", "shop"]


def test_forget_drops_what_is_in_use(shop: Notebook) -> None:
    shop.run("%dbgraph connect second {}".format(shop["url"]))
    assert shop.run("%dbgraph forget second") is None
    assert shop.run("%dbgraph peek users --max-rows 1").meta.source.startswith("shop ")  # the only one again
    shop.run("%dbgraph use shop")
    shop.run("%dbgraph forget shop")
    assert "connect" in str(shop.fails("%dbgraph schema", "no-connection"))
    shop.fails("%dbgraph forget shop", "unknown-connection")


def test_forgetting_in_python_is_noticed(shop: Notebook) -> None:
    shop.run("%dbgraph use shop")
    dbgraph_nb.forget("shop")
    shop.fails("%dbgraph schema", "unknown-connection")


def test_drop_removes_the_index_only(shop: Notebook) -> None:
    assert shop.run("%dbgraph drop shop") is None
    shop.fails("%dbgraph schema", "index-missing")
    assert len(shop.run("%dbgraph connections")) == 1
    shop.run("%dbgraph index shop --writer python")
    assert len(shop.run("%dbgraph schema")) > 10


# --- the index --------------------------------------------------------------------------------------------------


def test_index_by_level_and_writer(shop: Notebook) -> None:
    report = shop.run("%dbgraph index shop --level l1 --writer python --timeout 60")
    assert isinstance(report, IndexReport)
    assert (report.name, report.writer, report.level) == ("shop", "python", "l1")
    assert list(shop.run("%dbgraph status")["level"]) == ["l1"]
    assert shop.run("%dbgraph index --level l2 --writer python").level != "l1"
    assert list(shop.run("%dbgraph status")["level"]) == ["full"]
    shop.fails("%dbgraph index --level l3", "bad-level")
    shop.fails("%dbgraph index --writer rust", "bad-writer")
    shop.fails("%dbgraph index --timeout 0", "bad-timeout")
    shop.fails("%dbgraph index nowhere", "unknown-connection")


def test_a_warning_is_one_line_behind_the_call(shop: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    import warnings

    from dbgraph_nb.explore import structure

    def warned(*_: object) -> ResultFrame:
        warnings.warn("the kernels cannot\nbe compiled", stacklevel=2)
        return dbgraph_nb.connections()

    monkeypatch.setattr(structure, "schema", warned)
    shop.capsys.readouterr()
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        shop.run("%dbgraph schema")
    assert shop.capsys.readouterr().err == "warning: the kernels cannot be compiled\n"


def test_schema_objects_and_columns(shop: Notebook) -> None:
    tables = shop.run("%dbgraph schema")
    assert {"users", "orders", "会员等级"} <= set(tables["name"])
    assert list(shop.run("%dbgraph schema ORDERS")["column"])[:2] == ["id", "order_no"]
    assert list(shop.run("%dbgraph objects v_*")["name"]) == list(shop.run("%dbgraph objects --kind view")["name"])
    assert "users" in set(shop.run("%dbgraph objects 用户")["name"])
    assert set(shop.run("%dbgraph columns users")["table"]) == {"users"}
    assert list(shop.run("%dbgraph columns users 手机")["column"]) == ["mobile"]
    assert len(set(shop.run("%dbgraph columns '*' 电话")["table"])) > 1
    assert len(shop.run("%dbgraph columns")) > 100
    shop.fails("%dbgraph schema userz", "unknown-table")
    shop.fails("%dbgraph columns userz", "unknown-table")
    shop.fails("%dbgraph objects --kind dragon", "bad-kind")


def test_resolve_takes_a_whole_question(shop: Notebook) -> None:
    hits = shop.run("%dbgraph resolve 下单 时间 -k 3")
    assert isinstance(hits, Hits)
    assert len(hits) == 3
    assert (hits[0].table, hits[0].column) == ("orders", "created_at")
    assert shop.run("%dbgraph resolve 用户的电话是多少?")[0].column in ("mobile", "phone")
    shop.fails("%dbgraph resolve", "bad-option")
    shop.fails("%dbgraph resolve 用户 -k 0", "bad-k")


def test_digest_is_printed(shop: Notebook) -> None:
    assert "users" in shop.printed("%dbgraph digest")
    assert shop.printed("%dbgraph digest shop") == shop.printed("%dbgraph digest")


# --- values -----------------------------------------------------------------------------------------------------


def test_peek_hides_and_bounds(shop: Notebook) -> None:
    frame = shop.run("%dbgraph peek users")
    assert len(frame) == 20
    assert set(frame["password"]) == {"[REDACTED]"}
    assert len(shop.run("%dbgraph peek USERS --max-rows 3")) == 3
    shop.fails("%dbgraph peek orderz", "unknown-table")
    shop.fails("%dbgraph peek users --max-rows 0", "bad-max-rows")
    shop.fails("%dbgraph peek users --max-rows many", "bad-option")


def test_find_answers_and_explains(shop: Notebook) -> None:
    answer = shop.run("%dbgraph find 用户 密码 where 姓名=张三")
    assert isinstance(answer, FindAnswer)
    assert (answer.status, answer.explain) == ("ok", False)
    assert answer.frame.iloc[0, 0] == "[REDACTED]"
    explained = shop.printed("%dbgraph find 用户 密码 where 姓名=张三 --explain")
    assert "SQL: SELECT" in explained
    assert "'张三'" in explained
    assert shop.run("%dbgraph find 用户 手机号").status == "missing_predicate"
    assert shop.run("%dbgraph find 档案 --all").status == "ambiguous"
    assert shop.run("%dbgraph find 用户 血型 where 姓名=张三").status == "not_found"


def test_find_splits_words_as_a_shell_does(shop: Notebook) -> None:
    def params(line: str) -> list[object]:
        return list(shop.run(f"%dbgraph find {line}").params.values())

    assert params("用户 手机号 where '姓名=张 三'") == ["张 三"]
    assert params("用户 手机号 where 姓名='张 三'") == ["张 三"]
    assert params('''用户 手机号 where 姓名="O'Neil"''') == ["O'Neil"]
    assert params("用户 手机号 where 姓名=#1\\n") == ["#1\\n"]  # no comment, no escape
    assert params("用户　手机号　where　姓名＝张三") == ["张三"]  # as an input method types it
    assert params("用户 手机号 where 姓名=张三;") == ["张三"]  # as in SQL
    assert params("用户 手机号 where '姓名=张三;'") == ["张三;"]
    assert params("用户 --limit 2 where 姓名=张三") == ["张三"]  # options stand anywhere
    assert params("--limit 2 用户 where 姓名=张三") == ["张三"]
    shop.fails("%dbgraph find 用户 where 姓名='张三", "open-quote")
    shop.fails("%dbgraph find 用户 where 姓名=O'Neil", "open-quote")


def test_nothing_is_expanded(shop: Notebook) -> None:
    shop["x"] = "张三"
    for text in ("{x}", "$x", "{{x}}", "$$x", "{x!r}", "{1+1}"):
        assert list(shop.run(f"%dbgraph find 用户 手机号 where 姓名={text}").params.values()) == [text]
        assert shop.run(f"%%dbgraph sql\nSELECT '{text}' AS a").iloc[0, 0] == text
        assert shop.run(f"%%dbgraph sql --param v={text}\nSELECT :v AS a").iloc[0, 0] == text


def test_find_bounds_its_rows(shop: Notebook) -> None:
    frame = shop.run("%dbgraph find 订单 订单号 --all --limit 3").frame
    assert len(frame) == 3
    assert frame.meta.truncated
    shop.fails("%dbgraph find 订单 --all --limit 0", "bad-max-rows")
    shop.fails("%dbgraph find 订单 --all --limit 1001", "bad-max-rows")


def test_find_keeps_its_rows(shop: Notebook) -> None:
    shop.run("%dbgraph find 订单 订单号 --all --limit 3 -o rows")
    assert len(shop["rows"]) == 3
    shop.run("%dbgraph find 订单 订单号 --output rows")
    assert shop["rows"] is None  # nothing was executed, and old rows must not pass for an answer
    shop.fails("%dbgraph find 订单 --all -o 1st", "bad-variable")


def test_a_magic_can_be_assigned(shop: Notebook) -> None:
    shop.run("answer = %dbgraph find 用户 手机号 where 姓名=张三")
    assert shop["answer"].frame.iloc[0, 0] == "12900000001"


def test_alias_teaches_a_word(shop: Notebook) -> None:
    assert shop.run("%dbgraph find 剁手党 手机号 where 姓名=张三").status == "not_found"
    assert shop.run("%dbgraph alias 剁手党=users --on shop") is None
    assert shop.run("%dbgraph find 剁手党 手机号 where 姓名=张三").status == "ok"
    shop.run("%dbgraph alias 已付款=orders.status=paid")
    assert list(shop.run("%dbgraph find 订单 where 状态=已付款").params.values()) == ["paid"]
    shop.fails("%dbgraph alias 剁手党", "bad-alias")


# --- statements -------------------------------------------------------------------------------------------------


def test_sql_keeps_the_whole_and_shows_a_preview(shop: Notebook) -> None:
    shown = shop.run("%%dbgraph sql -o orders --max-rows 3\nSELECT id, amount FROM orders ORDER BY id")
    assert len(shown) == 3
    whole = shop["orders"]
    assert len(whole) == whole.meta.row_count == shown.meta.row_count == 140
    assert not whole.meta.truncated
    assert whole["id"].tolist()[:3] == shown["id"].tolist()
    assert isinstance(whole.groupby("id").sum(), pd.DataFrame)
    shop.run("%%dbgraph sql --output 订单\nSELECT 1 AS a")
    assert shop["订单"].iloc[0, 0] == 1
    for name in ("1st", "a.b", "class", "a b"):
        shop.fails(f"%%dbgraph sql -o '{name}'\nSELECT 1 AS a", "bad-variable")


def test_a_failed_statement_changes_no_variable(shop: Notebook) -> None:
    shop["orders"] = "before"
    shop.fails("%%dbgraph sql -o orders\nSELECT nmae FROM users", "column-not-known")
    assert shop["orders"] == "before"


def test_max_rows_bounds_what_is_shown(shop: Notebook) -> None:
    statement = "SELECT id FROM orders"
    assert len(shop.run(f"%%dbgraph sql\n{statement}")) == 140
    frame = shop.run(f"%%dbgraph sql --max-rows 5\n{statement}")
    assert (len(frame), frame.meta.row_count, frame.meta.truncated) == (5, 140, True)
    for wrong in ("0", "-1", "1001"):
        shop.fails(f"%%dbgraph sql --max-rows {wrong}\n{statement}", "bad-max-rows")
        shop.fails(f"%%dbgraph sql -o v --max-rows {wrong}\n{statement}", "bad-max-rows")
    shop.fails(f"%%dbgraph sql --max-rows 1e3\n{statement}", "bad-option")


def test_count_and_timeout(shop: Notebook) -> None:
    frame = shop.run("%%dbgraph sql --count --max-rows 1 --timeout 10\nSELECT id FROM orders")
    assert (frame.meta.row_count, frame.meta.row_count_exact) == (140, True)
    long = "SELECT count(*) FROM orders a, orders b, orders c, orders d, orders e"
    shop.fails(f"%%dbgraph sql --timeout 0.2\n{long}", "query-timeout")
    assert shop.run("%%dbgraph sql\nSELECT 1 AS a").iloc[0, 0] == 1
    for wrong in ("0", "-1", "nan", "inf"):
        shop.fails(f"%%dbgraph sql --timeout {wrong}\nSELECT 1", "bad-timeout")


def test_show_sensitive_is_said(shop: Notebook) -> None:
    statement = "SELECT password FROM users LIMIT 1"
    hidden = shop.run(f"%%dbgraph sql\n{statement}")
    assert hidden.iloc[0, 0] == "[REDACTED]"
    shown = shop.run(f"%%dbgraph sql --show-sensitive\n{statement}")
    assert shown.iloc[0, 0] != "[REDACTED]"
    assert "sensitive values shown" in shop.printed(f"%%dbgraph sql --show-sensitive\n{statement}")
    shop.fails(f"%%dbgraph sql --show\n{statement}", "bad-option")  # no shortened options


# --- parameters -------------------------------------------------------------------------------------------------


def test_a_parameter_comes_from_the_option_or_the_notebook(shop: Notebook) -> None:
    shop["v"] = "notebook"
    cell = "SELECT :v AS a"
    assert shop.run(f"%%dbgraph sql\n{cell}").iloc[0, 0] == "notebook"
    assert shop.run(f"%%dbgraph sql --param v=option\n{cell}").iloc[0, 0] == "option"
    assert shop.run("%%dbgraph sql --param v=1 --param w=2\nSELECT :v + :w AS a").iloc[0, 0] == 3
    assert shop.run("%%dbgraph sql --param 姓名=张三\nSELECT id FROM users WHERE name = :姓名").iloc[0, 0] == 1
    shop["nothing"] = None
    assert shop.run("%%dbgraph sql\nSELECT :nothing IS NULL AS a").iloc[0, 0] == 1
    error = shop.fails("%%dbgraph sql\nSELECT :absent", "missing-parameter")
    assert ":absent" in str(error)
    shop.fails("%%dbgraph sql\nSELECT :id", "missing-parameter")  # a builtin is no variable of the notebook
    shop["several"] = [1, 2]
    shop.fails("%%dbgraph sql\nSELECT :several", "bad-parameter")


def test_an_option_that_is_not_used_is_a_slip(shop: Notebook) -> None:
    """Else the answer would be that of the notebook's variable."""
    shop["least"] = 5
    statement = "SELECT count(*) AS n FROM orders WHERE amount >= :least"
    shop.fails(f"%%dbgraph sql --param lest=1000\n{statement}", "unknown-parameter")
    shop.fails(f"%%dbgraph sql --param leas=1000 --param least=1\n{statement}", "unknown-parameter")
    assert shop.run(f"%%dbgraph sql --param least=1000\n{statement}").iloc[0, 0] < 138


def test_a_value_is_never_part_of_the_statement(shop: Notebook) -> None:
    value = "x' OR '1'='1"
    shop["v"] = value
    frame = shop.run("%%dbgraph sql\nSELECT id FROM users WHERE name = :v")
    assert len(frame) == 0
    assert value not in frame.meta.sql


def test_the_type_of_a_parameter_is_as_written() -> None:
    for text, value in {
        "12": 12, "0": 0, "-3": -3, "9007199254740993": 9007199254740993,
        "1.50": Decimal("1.50"), "-.5": Decimal("-0.5"),
        "0.10": Decimal("0.10"), "007": "007", "00.5": "00.5", "1,000": "1,000", "1e5": "1e5", "+1": "+1", "": "",
        "'12'": "12", "'007'": "007", "''": "", "'O''Neil'": "O'Neil", "'": "'", "O'Neil": "O'Neil", "１２": "１２",
        "True": "True", "NULL": "NULL", "2025-01-10": "2025-01-10", "a=b": "a=b", " 1": " 1", "nan": "nan",
    }.items():  # fmt: skip
        made = pair(f"k={text}")
        assert made == ("k", value)
        assert type(made[1]) is type(value), text


def test_a_parameter_is_compared_by_its_type(shop: Notebook) -> None:
    def kind(option: str) -> object:
        return shop.run(f"%%dbgraph sql --param {option}\nSELECT typeof(:v) AS a").iloc[0, 0]

    assert [kind("v=12"), kind("v=1.50"), kind("v=007"), kind("\"v='12'\"")] == ["integer", "real", "text", "text"]
    assert len(shop.run("%%dbgraph sql --param least=1500.50\nSELECT id FROM orders WHERE amount * 1 >= :least")) > 0
    for wrong in ("v", "=1", "1v=1", "a-b=1"):
        shop.fails(f"%%dbgraph sql --param {wrong}\nSELECT 1", "bad-param")


# --- help -------------------------------------------------------------------------------------------------------


def test_help_lists_and_describes(nb: Notebook) -> None:
    listed = nb.printed("%dbgraph help")
    assert nb.printed("%dbgraph") == listed
    for command in COMMANDS.values():
        assert f"{command.sign} {command.name}" in listed
        described = nb.printed(f"%dbgraph help {command.name}")
        assert described.startswith(f"{command.sign} {command.name}")
        assert command.summary in described
        assert all(option in described for action in command.parser._actions for option in action.option_strings)
        assert nb.printed(f"%dbgraph {command.name}?") == described
        assert nb.printed(f"{command.sign} {command.name}?") == described
        assert nb.printed(f"{command.sign} {command.name} --help") == described
    assert "find" in str(nb.fails("%dbgraph help fidn", "unknown-command"))


def test_a_question_mark_shows_the_magic(nb: Notebook) -> None:
    assert "find        Answer words" in nb.printed("%dbgraph?")


def test_a_question_mark_elsewhere_is_left_alone(nb: Notebook) -> None:
    cell = "text = '''\n%dbgraph find?\n'''\nif True:\n    answer = 1\n"
    nb.run(cell)
    assert nb["text"] == "\n%dbgraph find?\n"
    assert "Type:" in nb.printed("text?")
    assert "find" in nb.printed("if True:\n    %dbgraph find?\n")


# --- what cannot be ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("%dbgraph fidn 用户", "unknown-command"),
        ("%dbgraph 用户", "unknown-command"),
        ("%dbgraph find 用户 --colour", "bad-option"),
        ("%dbgraph use", "bad-option"),
        ("%dbgraph use a b", "bad-option"),
        ("%dbgraph use nobody", "unknown-connection"),
        ("%dbgraph connect shop", "bad-option"),
        ("%dbgraph connect shop ftp://x", "unknown-scheme"),
        ("%dbgraph connect shop sqlite:///no/such/file.db", "file-missing"),
        ("%dbgraph connect shop x --sensitive maybe", "bad-option"),
        ("%dbgraph connect shop mysql://reader@127.0.0.1:1/shop", "connection-refused"),
        ("%dbgraph sql SELECT 1", "wrong-form"),
        ("%%dbgraph\nSELECT 1", "wrong-form"),
        ("%%dbgraph find\nSELECT 1", "wrong-form"),
        ("%%dbgraph sql --on shop\nSELECT 1", "bad-option"),
        ("%%dbgraph sql\nSELEC 1", "gate"),
        ("%%dbgraph sql\nDELETE FROM users", "gate"),
        ("%%dbgraph sql\nSELECT 1; DROP TABLE users", "gate"),
        ("%%dbgraph sql\n   \n-- nothing\n", "gate"),
        ("%%dbgraph sql", "gate"),
        ("\n%%dbgraph\n", "wrong-form"),
        ("%%dbgraph sql\nSELECT nmae FROM users", "column-not-known"),
        ("%%dbgraph sql\nSELECT * FROM userz", "table-not-known"),
    ],
)
def test_a_slip_is_one_line(shop: Notebook, cell: str, code: str) -> None:
    done = shop.shell.run_cell(cell, store_history=False)
    found = getattr(done.error_in_exec, "code", "")
    shop.fails(cell, found if code == "gate" and found.startswith("gate-") else code)


def test_a_slip_says_how_it_is_written(shop: Notebook) -> None:
    assert "Did you mean find?" in str(shop.fails("%dbgraph fidn 用户", "unknown-command"))
    assert "%dbgraph use NAME" in str(shop.fails("%dbgraph use", "bad-option"))
    assert "%%dbgraph sql" in str(shop.fails("%%dbgraph\nSELECT 1", "wrong-form"))


def test_a_password_in_a_slip_is_not_repeated(nb: Notebook) -> None:
    url = "mysql://reader:s3cret@127.0.0.1:1/shop"
    for line in (
        f"%dbgraph connect my shop {url}",
        f"%dbgraph connect shop '{url}",
        f"%dbgraph {url}",
        f"%dbgraph connect shop {url}",
        f"%dbgraph connect shop {url} --credential s3cret",
    ):
        done = nb.shell.run_cell(line, store_history=False)
        assert isinstance(done.error_in_exec, dbgraph_nb.DbgraphError)
        assert "s3cret" not in str(done.error_in_exec), line
    assert "s3cret" not in nb.capsys.readouterr().out


@pytest.mark.parametrize(
    "name", ["get_ipython", "print", "In", "Out", "_", "__builtins__", "exit", "dg", "class", "1x"]
)
def test_a_result_never_takes_a_name_that_the_notebook_needs(shop: Notebook, name: str) -> None:
    error = shop.fails(f"%%dbgraph sql -o {name}\nSELECT 1", "bad-variable")
    assert "-o orders" in str(error)
