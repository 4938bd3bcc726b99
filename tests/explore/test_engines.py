"""The same main job on the engines that joined: connect, index, structure offline, find, sql, redaction."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from conftest import PostgresDatabase

import dbgraph_nb as dg
from dbgraph_nb.errors import RedactionRefused

DDL = (
    "CREATE TABLE users (id INTEGER PRIMARY KEY, name VARCHAR(40), phone VARCHAR(20), password VARCHAR(40))",
    "INSERT INTO users VALUES (1, '张三', '138', 'geheim-7f3a'), (2, '李四', '139', 'geheim-8a41')",
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, user_id INTEGER REFERENCES users (id), amount DECIMAL(10, 2))",
    "INSERT INTO orders VALUES (1, 1, 12.50), (2, 1, 7.25)",
    "COMMENT ON COLUMN users.name IS '姓名'",
    "CREATE VIEW logins AS SELECT id, password AS word FROM users",
)


@pytest.fixture(params=["postgres", "duckdb"])
def shop(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgres":
        database: PostgresDatabase = request.getfixturevalue("postgres")
        database.execute(*DDL)
        url = database.url
    else:
        import duckdb

        with duckdb.connect(tmp_path / "shop.duckdb") as connection:
            for statement in DDL:
                connection.execute(statement)
        url = f"duckdb:///{tmp_path}/shop.duckdb"
    dg.connect("shop", url)
    report = dg.index("shop")
    assert report.warnings == ()
    return str(request.param)


def test_find_answers_words(shop: str) -> None:
    answer = dg.find("shop", "用户", ["电话", "密码"], {"name": "张三"})
    assert answer.status == "ok"
    assert answer.frame.to_dict("records") == [{"phone": "138", "password": "[REDACTED]"}]


def test_structure_is_known_offline(shop: str) -> None:
    assert list(dg.schema("shop")["name"]) == ["logins", "orders", "users"]
    assert dg.resolve("shop", "姓名")[0].column == "name"
    assert "users" in dg.digest("shop")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT password AS p FROM users",
        "SELECT word FROM logins",
        "SELECT u FROM users AS u",
        "SELECT upper(x.w) FROM (SELECT word AS w FROM logins) AS x",
    ],
)
def test_secrets_are_hidden_on_every_way(shop: str, sql: str) -> None:
    frame = dg.sql("shop", sql)
    assert frame.iloc[:, 0].tolist() == ["[REDACTED]", "[REDACTED]"]


def test_fields_of_structs_are_hidden_by_their_names(tmp_path: Path) -> None:
    import duckdb

    with duckdb.connect(tmp_path / "s.duckdb") as connection:
        connection.execute("CREATE TABLE p AS SELECT 1 AS id, {'a': 1, 'password': 'geheim-7f3a'} AS s, "
                           "[{'password': 'geheim-8a41', 'n': 2}] AS l")  # fmt: skip
    dg.connect("s", f"duckdb:///{tmp_path}/s.duckdb")
    dg.index("s")
    for sql in (
        "SELECT s.password FROM p",
        "SELECT t.password FROM p, unnest(l) AS u(t)",
        "SELECT list_transform(l, lambda x: x.password) FROM p",
        "SELECT struct_extract_at(s, 2) FROM p",
        "SELECT unnest(s) FROM p",
        "SELECT s.* FROM p",
        "SELECT * FROM p",
    ):
        shown = ""
        with suppress(RedactionRefused):  # refused is as good as hidden
            shown = dg.sql("s", sql).to_string()
        assert "geheim" not in shown, sql
    assert dg.sql("s", "SELECT s.a AS a FROM p")["a"].tolist() == [1]


def test_sql_with_parameters(shop: str) -> None:
    frame = dg.sql("shop", "SELECT u.name, sum(o.amount) AS s FROM users u JOIN orders o ON o.user_id = u.id "
                   "WHERE u.name = :name GROUP BY u.name", {"name": "张三"})  # fmt: skip
    assert [(name, float(total)) for name, total in frame.itertuples(index=False, name=None)] == [("张三", 19.75)]
    qualified = {"postgres": "public.users", "duckdb": "main.users"}[shop]
    assert dg.sql("shop", f"SELECT count(*) AS n FROM {qualified}")["n"].tolist() == [2]


def test_other_relations_are_not_read(shop: str) -> None:
    with pytest.raises(dg.DbgraphError) as caught:
        dg.sql("shop", "SELECT * FROM elsewhere.users")
    assert caught.value.code == "table-not-known"


def test_a_superuser_is_warned_of(postgres: PostgresDatabase) -> None:
    with pytest.warns(UserWarning, match="do everything on the server"):
        dg.connect("all", postgres.url_of_superuser)


def test_only_connect_asks_what_the_user_may(postgres: PostgresDatabase) -> None:
    postgres.execute(*DDL)
    dg.connect("shop", postgres.url)
    dg.index("shop")
    before = postgres.server.log.stat().st_size
    dg.sql("shop", "SELECT name FROM users")
    dg.find("shop", "用户", ["姓名"], {"id": 1})
    log = postgres.server.log.read_bytes()[before:].decode("utf-8", "replace")
    assert "rolsuper" not in log
    assert log.count("execute <unnamed>") == 2, log
