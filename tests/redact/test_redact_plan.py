"""The plan's own behaviour: its arguments, its reasons, its refusals, and that it changes nothing."""

from typing import Any

import pytest
import sqlglot

from dbgraph_nb import redact
from dbgraph_nb.errors import BadArgument
from dbgraph_nb.model import Sensitivity

SCHEMA = {
    "users": {"id": "INTEGER", "name": "TEXT", "password": "TEXT"},
    "orders": {"id": "INTEGER", "user_id": "INTEGER"},
}
WHY = {("users", "password"): Sensitivity("credential", "name: password")}


def plan(sql: str, dialect: Any = "sqlite", **more: Any) -> Any:
    return redact.plan(sql, **{"dialect": dialect, "schema": SCHEMA, "sensitive": WHY, **more})


def test_the_reason_names_the_column_and_its_rule() -> None:
    made = plan("SELECT id, upper(password) AS p FROM users")
    assert made.columns == (1,)
    assert made.reasons[1] == Sensitivity("credential", "users.password (name: password)")
    assert made.outputs == ("id", "p")


def test_the_strongest_tier_and_all_columns_are_named() -> None:
    why = {("users", "password"): Sensitivity("credential", "a"), ("users", "name"): Sensitivity("contact", "b")}
    reason = plan("SELECT name || password FROM users", sensitive=why).reasons[0]
    assert reason == Sensitivity("credential", "users.password (a), users.name (b)")
    many = {("t", f"c{i}"): Sensitivity("identity", "x") for i in range(9)}
    schema = {"t": {f"c{i}": "TEXT" for i in range(9)}}
    rule = plan("SELECT concat(c0,c1,c2,c3,c4,c5,c6,c7,c8) FROM t", sensitive=many, schema=schema).reasons[0].rule
    assert rule.endswith("t.c2 (x) and 6 more")


@pytest.mark.parametrize(
    "sensitive",
    [
        [("users", "password")],
        {("users", "password")},
        [["USERS", "Password"]],
        [("users", "password", Sensitivity("identity", "x"))],
        WHY,
        iter([("users", "password")]),
        [("", "password")],
        [("main.users", "password")],
    ],
)
def test_sensitive_columns_may_be_given_in_many_ways(sensitive: Any) -> None:
    assert plan("SELECT password FROM users", sensitive=sensitive).columns == (0,)


def test_a_pair_without_a_tier_counts_as_a_credential() -> None:
    assert "credential" in plan("SELECT id FROM users WHERE password = 1", sensitive=[("users", "password")]).refused
    identity = {("users", "password"): Sensitivity("identity", "x")}
    assert plan("SELECT id FROM users WHERE password = 1", sensitive=identity).refused is None


def test_tables_are_found_with_and_without_their_schema() -> None:
    schema = {"shop.users": SCHEMA["users"], "log.events": {"at": "TEXT", "users": "TEXT"}}
    for sql in ["SELECT * FROM users", "SELECT * FROM shop.users", "SELECT shop.users.password, 1, 2 FROM shop.users"]:
        for sensitive in ([("users", "password")], [("shop.users", "password")]):
            assert plan(sql, schema=schema, sensitive=sensitive, dialect="mysql").columns in ((2,), (0,)), sql
    assert plan("SELECT * FROM other.users", schema=schema).by_name  # another schema's table is not known


def test_two_tables_of_one_name_both_count() -> None:
    schema = {"a.users": {"id": "INT", "pw": "TEXT"}, "b.users": {"pw": "TEXT", "id": "INT"}}
    sensitive = [("b.users", "pw")]
    assert plan("SELECT pw FROM users", schema=schema, sensitive=sensitive).columns == (0,)
    assert plan("SELECT pw FROM a.users", schema=schema, sensitive=sensitive).columns == ()
    assert "order" in plan("SELECT * FROM users", schema=schema, sensitive=sensitive).refused


def test_a_policy_may_name_a_key_of_a_document() -> None:
    schema = {"acct": {"id": "INT", "profile": "JSON"}}
    for pair in [("acct", "profile.password"), ("acct.profile", "password")]:
        made = plan(
            "SELECT profile->>'$.password', profile->>'$.city', profile FROM acct", schema=schema, sensitive=[pair]
        )
        assert made.columns == (0, 2), pair


def test_a_column_with_a_dot_in_its_name_is_a_column() -> None:
    schema = {"t": {"a.b": "TEXT", "a": "JSON"}}
    assert plan('SELECT "a.b", a FROM t', schema=schema, sensitive=[("t", "a.b")]).columns == (0,)


def test_a_file_name_is_a_table() -> None:
    schema = {"data/users.csv": {"id": "INT", "password": "TEXT"}}
    made = plan("SELECT * FROM 'data/users.csv'", "duckdb", schema=schema, sensitive=[("data/users.csv", "password")])
    assert made.columns == (1,)


def test_views_are_given_as_query_or_as_statement() -> None:
    for body in ["SELECT id, password AS p FROM users", "CREATE VIEW v AS SELECT id, password AS p FROM users;"]:
        assert plan("SELECT p FROM v", views={"v": body}).columns == (0,)
        assert plan("SELECT p FROM main.v", views={"V": body}).columns == (0,)
    schema = {**SCHEMA, "v": {"key": "INT", "word": "TEXT"}}  # the catalog names the columns of a view too
    assert plan("SELECT word FROM v", schema=schema, views={"v": "SELECT id, upper(password) FROM users"}).columns == (
        0,
    )


def test_a_view_may_be_sensitive_itself() -> None:
    made = plan("SELECT p FROM v", views={"v": "SELECT name AS p FROM users"}, sensitive=[("v", "p")])
    assert made.columns == (0,)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("SELEC password FROM users", "not a read"),
        ("SELECT p FROM v", "reads itself"),
        ("SELECT p FROM w", "reads itself"),
        ("DELETE FROM users", "not a read"),
        ("SELECT nothing FROM users", "not in the index"),
    ],
)
def test_a_view_that_cannot_be_traced_refuses(body: str, reason: str) -> None:
    made = plan("SELECT p FROM v", views={"v": body, "w": "SELECT p FROM v"})
    assert reason in made.refused


def test_an_unknown_dialect_is_an_error() -> None:
    with pytest.raises(BadArgument) as caught:
        plan("SELECT 1", "oracle")
    assert caught.value.code == "redaction-dialect"


def test_a_tree_is_not_changed_and_gives_the_same_plan() -> None:
    for sql in [
        "WITH t AS (SELECT * FROM users) SELECT t.*, (SELECT max(password) FROM users) FROM t ORDER BY id LIMIT 3",
        "SELECT id FROM users WHERE password = 'x'",
        "SELECT u.id FROM users u JOIN orders USING (id) UNION SELECT password FROM users",
    ]:
        tree = sqlglot.parse_one(sql, read="sqlite")
        before = repr(tree)
        made = redact.plan_tree(tree, dialect="sqlite", schema=SCHEMA, sensitive=WHY, sql=sql)
        assert repr(tree) == before
        assert made == plan(sql)


def test_the_example_of_the_docs() -> None:
    import doctest
    from pathlib import Path

    page = Path(__file__).resolve().parents[2] / "docs" / "redaction.md"
    found = doctest.testfile(str(page), module_relative=False)
    assert found.attempted >= 4
    assert found.failed == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"schema": None},
        {"schema": ["users"]},
        {"sensitive": None},
        {"sensitive": "users.password"},
        {"sensitive": ["users.password"]},
        {"sensitive": [("users",)]},
        {"sensitive": {"users.password": Sensitivity("credential", "x")}},
        {"views": ["v"]},
        {"by_name": "password"},
    ],
)
def test_an_argument_of_another_kind_is_said_and_not_taken_for_nothing_sensitive(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadArgument) as caught:
        plan("SELECT password FROM users", **wrong)
    assert caught.value.code == "redaction-argument"
    tree = sqlglot.parse_one("SELECT password FROM users", dialect="sqlite")
    with pytest.raises(BadArgument):
        redact.plan_tree(tree, **{"dialect": "sqlite", "schema": SCHEMA, "sensitive": WHY, **wrong})


def test_plan_tree_needs_a_tree_or_a_text() -> None:
    known: Any = {"dialect": "sqlite", "schema": SCHEMA, "sensitive": WHY}
    for tree, sql, code in ((None, None, "redaction-argument"), (None, 7, "redaction-text")):
        with pytest.raises(BadArgument) as caught:
            redact.plan_tree(tree, sql=sql, **known)  # type: ignore[arg-type]
        assert caught.value.code == code
