"""What is remembered of statements that passed: the same answer, for the same question only, and never changed."""

from __future__ import annotations

import threading

import pytest
from gate.gate_cases import cases

from dbgraph_nb import gate, redact
from dbgraph_nb.errors import GateRefused
from dbgraph_nb.model import AllowedQuery

SQL = "SELECT name FROM users WHERE id = :id"


def test_the_same_question_has_the_same_answer() -> None:
    first = gate.check(SQL, dialect="sqlite", relations=["users", "orders"])
    assert gate.check(SQL, dialect="sqlite", relations=("orders", "users")) is first


@pytest.mark.parametrize(
    "other",
    [
        {"dialect": "duckdb"},
        {"relations": ["users", "orders"]},
        {"writes": True},
        {"functions": ["f"]},
    ],
)
def test_another_question_is_asked_anew(other: dict[str, object]) -> None:
    first = gate.check(SQL, dialect="sqlite", relations=["users"])
    assert gate.check(SQL, **{"dialect": "sqlite", "relations": ["users"], **other}) is not first  # type: ignore[arg-type]


def test_what_passed_with_more_rights_does_not_pass_with_less() -> None:
    gate.check("DELETE FROM users", dialect="sqlite", writes=True)
    gate.check("SELECT mine(1)", dialect="sqlite", functions=["mine"])
    gate.check("SELECT * FROM users", dialect="sqlite")
    for sql, policy in (
        ("DELETE FROM users", {}),
        ("SELECT mine(1)", {}),
        ("SELECT * FROM users", {"relations": ["orders"]}),
    ):
        with pytest.raises(GateRefused):
            gate.check(sql, dialect="sqlite", **policy)  # type: ignore[arg-type]


def test_a_refusal_says_where_each_time() -> None:
    for _ in range(2):
        with pytest.raises(GateRefused) as caught:
            gate.check("SELECT 1;\nDROP TABLE users", dialect="sqlite")
        assert (caught.value.line, caught.value.rule) == (2, "several-statements")


def test_a_long_text_is_not_kept() -> None:
    sql = f"SELECT {', '.join(['1'] * 1400)}"
    assert gate.check(sql, dialect="sqlite") is not gate.check(sql, dialect="sqlite")


def test_nobody_changes_a_tree_that_is_shared() -> None:
    """The plan of a statement is made from the tree twice; neither the tree nor the plan differs."""
    schema = {"users": {"id": "INT", "name": "TEXT", "password": "TEXT"}, "t": {"a": "INT"}}
    seen = 0
    for dialect, case in cases("allow"):
        allowed = gate.check(case["sql"], dialect=dialect)
        before = repr(allowed.tree)
        plans = [
            redact.plan_tree(
                allowed.tree, sql=case["sql"], dialect=dialect, schema=schema, sensitive=[("users", "password")]
            )
            for _ in range(2)
        ]
        assert plans[0] == plans[1], case["sql"]
        assert repr(allowed.tree) == before, case["sql"]
        seen += 1
    assert seen > 500


def test_many_threads_get_their_own_answers() -> None:
    wrong: list[str] = []

    def ask(number: int) -> None:
        for step in range(200):
            sql = f"SELECT {(number + step) % 300} AS a"
            found: AllowedQuery = gate.check(sql, dialect="sqlite")
            if found.sql != sql:
                wrong.append(sql)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "mysql", "mariadb", "postgres"])
def test_case_goes_as_deep_as_brackets(dialect: str) -> None:
    def nested(depth: int) -> str:
        return "SELECT " + "CASE WHEN a THEN " * depth + "1" + " END" * depth + " FROM t"

    assert gate.check(nested(20), dialect=dialect).form == "select"  # type: ignore[arg-type]
    with pytest.raises(GateRefused) as caught:
        gate.check(nested(1000), dialect=dialect)  # type: ignore[arg-type]
    assert caught.value.rule == "too-deep"
    assert "CASE" in str(caught.value)
    hidden = "SELECT " + "CASE WHEN (SELECT 1 AS end) = 1 THEN " * 100 + "1" + " END" * 100
    with pytest.raises(GateRefused, match="nested deeper than 60 CASE"):
        gate.check(hidden, dialect=dialect)  # type: ignore[arg-type]
    many = "SELECT " + ", ".join(['CASE WHEN a THEN 1 END AS "end"'] * 100) + " FROM t AS x"
    assert gate.check(many.replace('"', "`") if dialect in ("mysql", "mariadb") else many, dialect=dialect)  # type: ignore[arg-type]
