"""What the gate returns and what it says: text, relations, parameters, form; rule, position, token, hint."""

import logging
import subprocess
import sys

import pytest
from gate.gate_cases import refusal

from dbgraph_nb import gate
from dbgraph_nb.errors import GateRefused
from dbgraph_nb.model import Dialect


def test_the_text_stays_as_it_was() -> None:
    text = "  -- what\n SELECT '中' , :a ;  -- end"
    assert gate.check(text, dialect="sqlite").sql == text


@pytest.mark.parametrize(
    ("dialect", "sql", "relations"),
    [
        ("sqlite", "SELECT * FROM Users u, main.[Orders] JOIN users USING (id)", (("users",), ("main", "orders"))),
        ("postgres", 'WITH a AS (SELECT * FROM s."T") SELECT * FROM a, b', (("s", "t"), ("b",))),
        ("postgres", "SELECT * FROM generate_series(1, 2)", ()),
        ("duckdb", "SUMMARIZE f0", (("f0",),)),
        ("duckdb", "PIVOT f0 ON city USING count(*)", (("f0",),)),
        ("duckdb", "FROM db.main.t", (("db", "main", "t"),)),
        ("mysql", "SHOW COLUMNS FROM shop.orders", (("shop", "orders"),)),
        ("mysql", "DESCRIBE orders", (("orders",),)),
        ("mysql", "EXPLAIN SELECT * FROM orders WHERE id IN (SELECT order_id FROM items)", (("orders",), ("items",))),
        ("sqlite", "SELECT 1 IN orders", (("orders",),)),
    ],
)
def test_relations(dialect: Dialect, sql: str, relations: tuple[tuple[str, ...], ...]) -> None:
    assert set(gate.check(sql, dialect=dialect).relations) == set(relations)


@pytest.mark.parametrize(
    ("dialect", "sql", "parameters"),
    [
        ("sqlite", "SELECT * FROM t WHERE a = :a AND b = :b OR a > :a", ("a", "b")),
        ("sqlite", "SELECT ':no', \"x:no\", [y:no] FROM t WHERE a = :yes -- :no\n", ("yes",)),
        ("mysql", "SELECT DATE_FORMAT(d, '%H:%i:%s'), '10:30' FROM t WHERE a=:a AND `b:c` < :姓名", ("a", "姓名")),
        ("mysql", "SELECT JSON_EXTRACT(j, '$.a:b') FROM t LIMIT :n", ("n",)),
        ("postgres", "SELECT a::text, b[1:2], c[:2], d[low:high] FROM t WHERE e >= :since::date", ("since",)),
        ("postgres", "SELECT $1, $name FROM t", ("name",)),
        ("postgres", "SELECT $$:no$$, E':no', $t$ $no $t$", ()),
        ("duckdb", "SELECT 'hello'[:2], x[1:-1], y[a:b] FROM f0", ()),
        ("duckdb", "SELECT {'a': b, c: d, 'e': :p}, MAP {'k': :q} FROM f0", ("p", "q")),
        ("duckdb", "SELECT [:a, :b], list[:a], [x for x in :l] FROM f0", ("a", "b", "l")),
        ("duckdb", "SELECT t: 42, u:v, lambda_: 1 FROM w: f0 WHERE a IN (:a, $b)", ("a", "b")),
        ("duckdb", "SELECT list_filter(l, lambda x:x > :low) FROM f0", ("low",)),
        ("duckdb", "SELECT CASE WHEN :a THEN :b ELSE:c END", ("a", "b", "c")),
    ],
)
def test_parameters(dialect: Dialect, sql: str, parameters: tuple[str, ...]) -> None:
    assert gate.check(sql, dialect=dialect).parameters == parameters


@pytest.mark.parametrize(
    ("dialect", "sql", "form"),
    [
        ("sqlite", "(SELECT 1)", "select"),
        ("sqlite", "WITH x AS (SELECT 1) SELECT * FROM x", "select"),
        ("duckdb", "FROM f0", "select"),
        ("duckdb", "PIVOT_WIDER f0 ON city", "pivot"),
        ("duckdb", "SUMMARIZE f0", "summarize"),
        ("duckdb", "SHOW f0", "describe"),
        ("duckdb", "SHOW TABLES", "show"),
        ("sqlite", "PRAGMA table_info(t)", "pragma"),
        ("postgres", "EXPLAIN ANALYZE SELECT 1", "explain"),
        ("mysql", "DESC t", "describe"),
        ("mysql", "SHOW TABLES", "show"),
    ],
)
def test_form(dialect: Dialect, sql: str, form: str) -> None:
    allowed = gate.check(sql, dialect=dialect)
    assert allowed.form == form
    assert allowed.tree is not None


def test_writing_forms_have_names() -> None:
    assert gate.check("WITH x AS (SELECT 1) INSERT INTO t FROM x", dialect="duckdb", writes=True).form == "insert"
    assert gate.check("CREATE OR REPLACE TABLE t AS FROM f0", dialect="duckdb", writes=True).form == "create"
    assert gate.check("INSERT INTO t FROM f0", dialect="duckdb", writes=True).relations == (("f0",),)


@pytest.mark.parametrize(
    ("dialect", "sql", "rule", "token", "line", "column"),
    [
        ("sqlite", "SELECT 1;\n  DROP TABLE t", "several-statements", "DROP", 2, 3),
        ("sqlite", "SELECT a,\n       load_extension('x')\nFROM t", "function", "load_extension", 2, 8),
        ("sqlite", "delete from t", "statement-form", "delete", 1, 1),
        ("postgres", "SELECT 1 /* x\n */ FROM t FOR UPDATE", "row-lock", "FOR", 2, 12),
        ("postgres", "SELECT 姓名, evil(1) FROM 用户", "unknown-function", "evil", 1, 12),
        ("mysql", "SELECT 1 /*!50000 x */", "executable-comment", "/*!5", 1, 10),
        ("duckdb", "FROM f0 JOIN 'secret-name.csv' ON true", "file-relation", "a text literal", 1, 14),
        ("duckdb", "SELECT 'it", "unterminated", "a text literal", 1, 8),
        ("duckdb", "SELECT\u200b1", "odd-character", "\u200b", 1, 7),
        ("postgres", "SELECT a b c FROM t", "not-understood", "c", 1, 12),
    ],
)
def test_position(dialect: Dialect, sql: str, rule: str, token: str, line: int, column: int) -> None:
    refused = refusal(sql, dialect)
    assert refused is not None
    assert (refused.rule, refused.code) == (rule, f"gate-{rule}")
    assert (refused.token, refused.line, refused.column) == (token, line, column)
    assert str(refused).count(".") >= 1


def test_a_refusal_never_shows_a_text_literal() -> None:
    secret = "s3cret-value"
    texts = [
        f"SELECT '{secret}",
        f"FROM '{secret}'",
        f"SELECT evil('{secret}')",
        f"SELECT 1 '{secret}' '{secret}' FROM",
        f"SELECT * FROM t WHERE a = E'{secret}' FOR UPDATE",
        f"SELECT 1; SELECT '{secret}'",
        f"SELECT $${secret}",
        f"COPY t TO '{secret}'",
        f"SELECT /*+ SET_VAR(a='{secret}') */ 1",
        f"SELECT 1 N'{secret}' N'{secret}' x",
    ]
    dialects: list[Dialect] = ["sqlite", "mysql", "postgres", "duckdb"]
    for text in texts:
        for dialect in dialects:
            refused = refusal(text, dialect)
            shown = f"{refused} {refused and refused.token} {refused and refused.hint}"
            assert secret not in shown, (dialect, text)
    for text in (f'SELECT 1 2 "{secret}" 3', f'SELECT * FROM "{secret}"', f'SELECT "{secret}'):
        assert secret not in str(refusal(text, "mysql")) + str(getattr(refusal(text, "mysql"), "token", ""))


def test_hints_help() -> None:
    assert "Did you mean upper?" in str(refusal("SELECT uper(a) FROM t", "sqlite"))
    assert "f0" in str(refusal("FROM f9", "duckdb", relations=["f0"]))
    assert "factorial" in str(refusal("SELECT a ! b FROM f0", "duckdb"))
    assert "alone reads it" in str(refusal("PRAGMA user_version = 5", "sqlite"))


def test_functions_are_opted_in_by_name() -> None:
    assert refusal("SELECT my_fn(a) FROM t", "postgres") is not None
    assert refusal("SELECT MY_FN(a) FROM t", "postgres", functions=["my_fn"]) is None
    assert refusal("SELECT s.my_fn(a) FROM t", "postgres", functions=["my_fn"]) is not None
    assert refusal("SELECT s.my_fn(a) FROM t", "postgres", functions=["s.my_fn"]) is None
    assert refusal("SELECT my_fn(a) FROM t", "postgres", functions=["s.my_fn"]) is not None
    refused = refusal("SELECT pg_sleep(1)", "postgres", functions=["pg_sleep"])
    assert refused is not None
    assert refused.rule == "function"


def test_relations_are_named_in_several_ways() -> None:
    for names in (["t"], ("T",), {"main.t"}, [("main", "t")], "t"):
        assert refusal("SELECT * FROM t", "sqlite", relations=names) is None
    assert refusal("SELECT * FROM main.t", "sqlite", relations=["t"]) is None
    assert refusal("SELECT * FROM t", "sqlite", relations=[]) is not None
    assert refusal('FROM "a.csv"', "duckdb", relations=["a.csv"]) is None
    assert refusal('FROM "b.csv"', "duckdb", relations=["a.csv"]) is not None


def test_sqlglot_stays_quiet_for_us_only(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="sqlglot"):
        with pytest.raises(GateRefused):
            gate.check("SELECT * FROM (VACUUM x)", dialect="duckdb")
        gate.check("SHOW TABLES", dialect="mysql")
        assert caplog.records == []
        logging.getLogger("sqlglot").warning("of someone else")
        assert len(caplog.records) == 1


def test_only_the_gate_brings_sqlglot() -> None:
    code = "import sys, dbgraph_nb; print('sqlglot' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
