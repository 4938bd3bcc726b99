"""Enum samples: bounded, of columns that hold literals, never of sensitive ones."""

from __future__ import annotations

from typing import Any

import pytest

from dbgraph_nb.catalog.source import Budget, read
from dbgraph_nb.errors import BadArgument, ConnectionFailed, QueryFailed, QueryTimeout
from dbgraph_nb.model import Column, Snapshot

NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) "


def never(table: str, column: Column) -> bool:
    return False


def samples(snapshot: Snapshot) -> dict[str, tuple[str, ...]]:
    return {
        f"{item.name}.{column.name}": column.enum_values
        for item in snapshot.objects
        for column in item.columns
        if column.enum_values is not None
    }


def sampled(statements: list[str], name: str) -> bool:
    """Whether a statement reads values of the column."""
    return any(f'"{name}"' in sql or f"`{name}`" in sql for sql in statements if "LIMIT" in sql)


def test_states_are_sampled_and_names_are_not(sqlite_engine: Any) -> None:
    engine = sqlite_engine("""
        CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT, city TEXT, gender TEXT, level INT, visits INT, nick TEXT);
        INSERT INTO users(name, city, gender, level, visits, nick) VALUES
            ('张三', '深圳', 'f', 2, 1, 'x'), ('李四', '深圳', 'm', 10, 1, 'y'), ('王五', '深圳', 'f', 1, 1, 'z');
    """)
    snapshot = read(engine, "l2", is_sensitive=never)
    # each person has a name of their own, and the name says that it is one; visits say nothing
    assert samples(snapshot) == {"users.city": ("深圳",), "users.gender": ("f", "m"), "users.level": ("1", "2", "10")}
    assert not sampled(engine.statements, "name")
    assert not sampled(engine.statements, "visits")


def test_text_without_a_telling_name_must_repeat(sqlite_engine: Any) -> None:
    engine = sqlite_engine("""
        CREATE TABLE t(word TEXT, twice TEXT, thrice TEXT, mostly_null TEXT);
        INSERT INTO t VALUES ('a','p','x',NULL), ('b','p','x','m'), ('c','q','x',NULL), ('d','q','y',NULL),
                             ('e','r','y',NULL), ('f','r','y','n');
    """)
    assert samples(read(engine, "l2", is_sensitive=never)) == {"t.thrice": ("x", "y")}


def test_sensitive_columns_are_never_read(sqlite_engine: Any) -> None:
    engine = sqlite_engine("""
        CREATE TABLE t(password_type TEXT, status TEXT, id_card TEXT);
        INSERT INTO t VALUES ('hunter2', 'on', '11010519491231002X');
    """)
    asked: list[tuple[str, str]] = []

    def is_sensitive(table: str, column: Column) -> bool:
        asked.append((table, column.name))
        return column.name != "status"

    snapshot = read(engine, "l2", is_sensitive=is_sensitive)
    assert samples(snapshot) == {"t.status": ("on",)}
    assert not sampled(engine.statements, "password_type")
    assert not sampled(engine.statements, "id_card")
    assert ("t", "password_type") in asked
    assert "hunter2" not in repr(snapshot)


def test_keys_long_types_views_and_declared_members_are_not_sampled(sqlite_engine: Any) -> None:
    engine = sqlite_engine("""
        CREATE TABLE p(state TEXT PRIMARY KEY); INSERT INTO p VALUES ('a');
        CREATE TABLE t(status TEXT UNIQUE, kind TEXT REFERENCES p, type BLOB, level JSON, role DATE, mode REAL,
                       rank BOOLEAN, class TEXT CHECK (class IN ('u', 'v')), grade);
        INSERT INTO t VALUES ('s', 'a', 'b', '{}', '2020-01-01', 1.5, 1, 'u', 'A');
        CREATE VIEW v AS SELECT status, grade FROM t;
        CREATE VIRTUAL TABLE f USING fts5(status); INSERT INTO f VALUES ('q');
    """)
    assert samples(read(engine, "l2", is_sensitive=never)) == {"t.class": ("u", "v"), "t.grade": ("A",)}
    assert sum("DISTINCT" in sql for sql in engine.statements) == 1


def test_many_or_long_values_are_no_enum(sqlite_engine: Any) -> None:
    engine = sqlite_engine(f"""
        CREATE TABLE t(status TEXT, state TEXT, type TEXT, kind TEXT);
        {NUMBERS.format(count=20)} INSERT INTO t SELECT i, i % 20, NULL, 'k' FROM n;
        INSERT INTO t VALUES ('21', '3', NULL, 'k'), (NULL, NULL, NULL, NULL);
        CREATE TABLE u(status TEXT); INSERT INTO u VALUES (printf('%064d', 1)), ('a');
        CREATE TABLE w(status TEXT); INSERT INTO w VALUES (printf('%065d', 1)), ('a');
        CREATE TABLE x(level INT); INSERT INTO x VALUES (1), (2.5);
    """)
    found = samples(read(engine, "l2", is_sensitive=never))
    assert found.keys() == {"t.state", "t.kind", "u.status"}
    assert found["t.state"] == tuple(map(str, range(20)))
    assert found["u.status"] == ("0" * 63 + "1", "a")
    small = read(engine, "l2", is_sensitive=never, budget=Budget(values=3, value_length=1))
    assert samples(small).keys() == {"t.kind"}


def test_only_a_prefix_of_the_rows_is_looked_at(sqlite_engine: Any) -> None:
    engine = sqlite_engine(f"""
        CREATE TABLE t(status TEXT);
        {NUMBERS.format(count=11_000)}
        INSERT INTO t SELECT CASE WHEN i <= 10000 THEN 'early' ELSE 'late' || i END FROM n;
    """)
    assert samples(read(engine, "l2", is_sensitive=never)) == {"t.status": ("early",)}
    assert all("LIMIT 10000)" in sql for sql in engine.statements if "DISTINCT" in sql)


def test_bytes_are_shown_in_hexadecimal(sqlite_engine: Any) -> None:
    engine = sqlite_engine("CREATE TABLE t(status TEXT); INSERT INTO t VALUES (x'00ff'), ('a');")
    assert samples(read(engine, "l2", is_sensitive=never)) == {"t.status": ("0x00ff", "a")}


def test_a_column_that_cannot_be_read_costs_only_itself(sqlite_engine: Any) -> None:
    engine = sqlite_engine("""
        CREATE TABLE t(j TEXT, state TEXT);
        INSERT INTO t VALUES ('not json secret', 'on');
        ALTER TABLE t ADD COLUMN status TEXT AS (json_extract(j, '$.s'));
    """)
    snapshot = read(engine, "l2", is_sensitive=never)
    assert samples(snapshot) == {"t.state": ("on",)}
    assert snapshot.warnings == ("Values of t.status (bad-json) could not be sampled.",)


def test_a_slow_column_is_named_with_its_reason(sqlite_engine: Any) -> None:
    engine = sqlite_engine("CREATE TABLE t(status TEXT, state TEXT); INSERT INTO t VALUES ('a', 'b');")
    engine.fail['substr("status"'] = QueryTimeout("It took too long.")
    snapshot = read(engine, "l2", is_sensitive=never)
    assert samples(snapshot) == {"t.state": ("b",)}
    assert snapshot.warnings == ("Values of t.status (query-timeout) could not be sampled.",)


def test_failures_in_a_row_end_the_sampling_and_not_the_reading(sqlite_engine: Any) -> None:
    engine = sqlite_engine(
        *(f"CREATE TABLE t{i:02}(status TEXT); INSERT INTO t{i:02} VALUES ('a');" for i in range(15))
    )
    engine.fail["DISTINCT"] = QueryFailed("no")
    snapshot = read(engine, "l2", is_sensitive=never)
    assert len(snapshot.objects) == 15
    assert sum("DISTINCT" in sql for sql in engine.statements) == 10
    assert "Sampling stopped after 10 of 15 columns: too many failed in a row." in snapshot.warnings


def test_a_lost_connection_ends_the_reading(sqlite_engine: Any) -> None:
    engine = sqlite_engine("CREATE TABLE t(status TEXT);")
    engine.fail["DISTINCT"] = ConnectionFailed("The server has gone.")
    with pytest.raises(ConnectionFailed):
        read(engine, "l2", is_sensitive=never)


def test_a_failing_detail_costs_only_itself(sqlite_engine: Any) -> None:
    engine = sqlite_engine("CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE t(x INT REFERENCES p, status TEXT);")
    engine.fail["pragma_foreign_key_list"] = QueryFailed("not authorized")
    snapshot = read(engine, "l2", is_sensitive=never)
    assert [item.name for item in snapshot.objects] == ["p", "t"]
    assert snapshot.warnings == ("Foreign keys could not be read: not authorized",)


def test_the_budget_of_statements_goes_to_telling_names_first(sqlite_engine: Any) -> None:
    engine = sqlite_engine("""
        CREATE TABLE a(city TEXT); INSERT INTO a VALUES ('x'), ('x'), ('x');
        CREATE TABLE b(status TEXT); INSERT INTO b VALUES ('on');
    """)
    snapshot = read(engine, "l2", is_sensitive=never, budget=Budget(statements=3))  # two of them count rows
    assert samples(snapshot) == {"b.status": ("on",)}
    assert snapshot.warnings == ("Sampling stopped after 1 of 2 columns: its budget was used up.",)


def test_the_budget_of_seconds_ends_the_sampling(sqlite_engine: Any) -> None:
    engine = sqlite_engine("CREATE TABLE b(status TEXT, state TEXT); INSERT INTO b VALUES ('on', 'off');")
    now = iter([0.0, 1.0, 2.0, 61.0, 62.0])
    snapshot = read(engine, "l2", is_sensitive=never, clock=lambda: next(now))
    assert samples(snapshot) == {"b.status": ("on",)}
    assert snapshot.warnings == ("Sampling stopped after 1 of 2 columns: its budget was used up.",)


def test_progress_rises_and_its_exception_passes_through(sqlite_engine: Any) -> None:
    engine = sqlite_engine("CREATE TABLE b(status TEXT, state TEXT); INSERT INTO b VALUES ('on', 'off');")
    reports: list[tuple[float | None, str]] = []
    read(engine, "l2", is_sensitive=never, progress=lambda fraction, message: reports.append((fraction, message)))
    shares = [fraction for fraction, _ in reports if fraction is not None]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert shares[-1] < 1
    assert "sampling b.status" in [message for _, message in reports]

    class Stop(Exception):
        pass

    def stop(fraction: float | None, message: str) -> None:
        if message.startswith("sampling b."):
            raise Stop

    with pytest.raises(Stop):
        read(engine, "l2", is_sensitive=never, progress=stop)


@pytest.mark.parametrize("level", ["full", "L1", ""])
def test_unknown_levels_are_refused_before_anything_is_read(sqlite_engine: Any, level: Any) -> None:
    engine = sqlite_engine()
    with pytest.raises(BadArgument, match="level is") as caught:
        read(engine, level, is_sensitive=never)
    assert caught.value.code == "bad-level"
    assert engine.statements == []
