"""``duckdb_query`` gives back what a plain DuckDB connection does, for every type: alone, bound, from files, in bulk.

In: a table of types with values as SQL. Out: the same values as ``fetchall()``, but where that loses a part of a value:
there the table says what comes back instead. One file, since the table is what all tests here run over.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

import dbgraph_nb as dg
from dbgraph_nb.errors import DbgraphError

VECTOR = 2_048  # rows that DuckDB handles at once
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """A type and values of it. ``lost``: values of which ``fetchall()`` loses a part, and what must come back."""

    type: str  # for a cast; "" where the values say it themselves
    values: tuple[str, ...]
    lost: Mapping[str, Any] = field(default_factory=dict)
    not_in_parquet: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        return (*self.values, *self.lost)

    def cell(self, text: str) -> str:
        return f"({text})::{self.type}" if self.type else f"({text})"

    def table(self, *texts: str) -> str:
        """Columns ``n`` and ``v``, a row for each of these."""
        cells = ", ".join(f"({n}, {self.cell(text)})" for n, text in enumerate(texts))
        return f"(VALUES {cells}) AS t(n, v)"

    def sql(self, what: str = "v", *, without: Sequence[str] = ()) -> str:
        """All values, then NULL."""
        return f"SELECT {what} FROM {self.table(*(text for text in self.texts if text not in without), 'NULL')}"


def stamp(text: str) -> pd.Timestamp:
    return pd.Timestamp(text)


MANY_LABELS = ", ".join(f"'e{i}'" for i in range(300))  # more than one byte counts
INFINITE = {"'infinity'": "infinity", "'-infinity'": "-infinity"}
MOMENTS = ("'2024-02-29 12:34:56'", "'1969-12-31 23:59:59'", "'0001-01-01 00:00:00'", "'9999-12-31 23:59:59'")
FAR = ("'10000-01-01 00:00:00'", "'0044-03-15 (BC) 00:00:00'")
NS, NS_BEFORE = "2024-01-02 03:04:05.123456789", "1677-09-22 00:00:00.000000001"

KINDS = (
    Kind("BOOLEAN", ("true", "false")),
    Kind("TINYINT", ("-128", "0", "127")),
    Kind("SMALLINT", ("-32768", "32767")),
    Kind("INTEGER", ("-2147483648", "2147483647")),
    Kind("BIGINT", ("-9223372036854775808", "9007199254740993", "9223372036854775807")),
    Kind("HUGEINT", ("'-170141183460469231731687303715884105728'", "1", "170141183460469231731687303715884105727")),
    Kind("UTINYINT", ("0", "255")),
    Kind("USMALLINT", ("65535",)),
    Kind("UINTEGER", ("4294967295",)),
    Kind("UBIGINT", ("1", "9007199254740993", "18446744073709551615")),
    Kind("UHUGEINT", ("7", "340282366920938463463374607431768211455")),
    Kind("BIGNUM", ("'-5'", f"'{'9' * 100}'")),
    Kind("FLOAT", ("'nan'", "'inf'", "'-inf'", "'-0.0'", "0", "0.1", "3.4028235e38", "1e-45")),
    Kind("DOUBLE", ("'nan'", "'inf'", "'-inf'", "'-0.0'", "0", "0.1", "1.7976931348623157e308", "5e-324", "1e15")),
    Kind("DECIMAL(4, 1)", ("-999.9", "0", "1.5")),
    Kind("DECIMAL(9, 4)", ("99999.9999", "-0.0001", "1")),
    Kind("DECIMAL(18, 6)", ("999999999999.999999", "-0.000001")),
    Kind("DECIMAL(38, 10)", ("'9999999999999999999999999999.9999999999'", "-1.1", "0")),
    Kind("DECIMAL(38, 0)", (f"'{'9' * 38}'", "1")),
    Kind("VARCHAR", ("''", "'007'", "' x '", "'x' || chr(0) || 'y'", "'👍 e\u0301 张三'", "'NULL'", "'nan'")),
    Kind("VARCHAR", ("'123456789012'", "'1234567890123'", "'四个汉字'", "'四个汉字加'", "repeat('长', 3000)")),
    Kind("BLOB", ("''", "'\\x00\\xFF'", "'123456789012'", "'1234567890123'")),
    Kind("BIT", ("'0'", "'10101'", "'0000000000000000000000000001'")),
    Kind("DATE", ("'2024-02-29'", "'0001-01-01'", "'1677-01-01'", "'9999-12-31'"), INFINITE),
    Kind("DATE", ("'10000-01-01'", "'0044-03-15 (BC)'", "'5881580-07-10'")),
    Kind("TIME", ("'00:00:00'", "'12:34:56.000001'", "'23:59:59.999999'", "'24:00:00'")),
    Kind("TIME_NS", ("'12:34:56.123456'", "'24:00:00'"), {"'12:34:56.123456789'": "12:34:56.123456789"}),
    Kind("TIMETZ", ("'12:34:56+05:30'", "'12:34:56.5-15:59:59'", "'00:00:00+00'", "'24:00:00+00'")),
    Kind("TIMESTAMP", (*MOMENTS, "'2024-02-29 12:34:56.000001'")),
    Kind("TIMESTAMP", (*MOMENTS, *FAR), INFINITE),
    Kind("TIMESTAMP_S", (*MOMENTS, *FAR), INFINITE),
    Kind("TIMESTAMP_MS", (*MOMENTS, *FAR, "'2024-02-29 12:34:56.789'"), INFINITE),
    Kind("TIMESTAMP_NS", ("'2024-01-02 03:04:05.123456'",), {f"'{t}'": stamp(t) for t in (NS, NS_BEFORE)}),
    Kind("TIMESTAMP_NS", (), {f"'{NS}'": stamp(NS), **INFINITE}),
    Kind("TIMESTAMPTZ", tuple(f"'{text[1:-1]}+00'" for text in MOMENTS)),
    Kind("TIMESTAMPTZ", ("'2024-02-29 12:34:56.000001+05:30'", "'10000-01-01 00:00:00+00'"), INFINITE),
    Kind("TIMESTAMPTZ_NS", ("'2024-01-02 03:04:05+00'",), {f"'{NS}+00'": stamp(f"{NS}+00:00"), **INFINITE}),
    Kind("INTERVAL", ("'2 days 03:00:00'", "'0 seconds'", "'1 microsecond'", "'-3 hours'", "'4000 days'"),
         not_in_parquet=("'-3 hours'",)),
    Kind("INTERVAL", ("'2 days'",),
         {"'1 month 2 days'": "1 month 2 days", "'30 years'": "30 years", "'-1 month'": "-1 month",
          "'1 year 1 microsecond'": "1 year 00:00:00.000001"},
         not_in_parquet=("'-1 month'", "'1 year 1 microsecond'")),
    Kind("UUID", ("'7f3a91c2-0000-4000-8000-000000000000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'")),
    Kind("ENUM('a', '乙', '')", ("'a'", "'乙'", "''")),
    Kind(f"ENUM({MANY_LABELS})", ("'e0'", "'e299'")),
    Kind("INTEGER[]", ("[]", "[1, NULL, -3]", "[NULL]")),
    Kind("VARCHAR[][]", ("[[]]", "[['a', NULL], NULL, ['👍']]")),
    Kind("BIGINT[]", ("range(5000)", "[9007199254740993]")),
    Kind("INTEGER[3]", ("[1, 2, 3]", "[NULL, NULL, 0]")),
    Kind("VARCHAR[2][2]", ("[['a', 'b'], NULL]",)),
    Kind("STRUCT(k INTEGER, \"名 x\" VARCHAR[])", ("{'k': 1, '名 x': ['a', NULL]}", "{'k': NULL, '名 x': NULL}")),
    Kind("STRUCT(a STRUCT(b DECIMAL(9, 2)[]))[]", ("[{'a': {'b': [1.10, NULL]}}, {'a': NULL}, NULL]",)),
    Kind("MAP(VARCHAR, DECIMAL(4, 2))", ("MAP {}", "MAP {'z': 1.5, 'a': NULL}")),
    Kind("MAP(DATE, MAP(INTEGER, BLOB))", ("MAP {DATE '2024-01-01': MAP {1: '\\x00'::BLOB}}",)),
    Kind("MAP(INTEGER[], VARCHAR)", ("MAP {[1, 2]: 'x'}",)),  # lists cannot be the keys of a dict
    Kind("UNION(num INTEGER, str VARCHAR)", ("1", "'abc'")),
    Kind("UNION(yes BOOLEAN, n INTEGER)", ("true", "1")),
    Kind("", ("row(1, 'a')", "row(NULL, '')")),
    Kind("JSON", ("'{\"a\": [1, null], \"z\": 1.50}'", "'null'", "'\"x\"'", "'9007199254740993'")),
    Kind("GEOMETRY", ("'POINT (1 2)'", "'POINT EMPTY'")),
    Kind("VARIANT", ("9007199254740993", "'x'", "1.50::DECIMAL(4, 2)", "2.5::DOUBLE", "[1, NULL]", "{'d': 1.5}")),
    Kind('"NULL"', ()),
)  # fmt: skip
NOT_FETCHED = {"TYPE"}  # the type of types: no client can fetch one; see the test of it
NESTED_LOST: tuple[tuple[str, Any], ...] = (
    ("[[TIMESTAMP '-infinity'], NULL]", [["-infinity"], None]),
    (f"{{'at': [{{'n': TIMESTAMP_NS '{NS}'}}]}}", {"at": [{"n": stamp(NS)}]}),
    ("MAP {INTERVAL '1 month': MAP {'k': INTERVAL '1 month 2 days'}}", {"1 month": {"k": "1 month 2 days"}}),
    ("row(TIME_NS '12:34:56.123456789', 1)", ("12:34:56.123456789", 1)),
    ("(INTERVAL '1 month')::UNION(i INTERVAL, n INTEGER)", "1 month"),
)
WAYS = {  # the engine may go another way with a parameter, and after a sort NULL may lie on any bits
    "plain": ("", None),
    "bound": (" WHERE :a = 1", {"a": 1}),
    "sorted": (" ORDER BY n", None),
}
BULK = {  # columns over range(5000) t(n)
    "whole": "n",
    "huge": "n::HUGEINT * 9007199254740993",
    "exact": "(n * 1.01)::DECIMAL(18, 2)",
    "wide": "(n * 1.01)::DECIMAL(38, 10)",
    "real": "n / 3",
    "words": "'第 ' || n || ' 行'",
    "constant": "'the same'",
    "flag": "n % 3 = 0",
    "day": "DATE '0001-01-01' + n::INTEGER",
    "clock": "TIME '00:00:00' + to_seconds(n)",
    "moment": "TIMESTAMP '2262-04-11 00:00:00' + to_seconds(n)",
    "zoned": "TIMESTAMPTZ '2024-02-29 00:00:00+00' + to_hours(n)",
    "raw": "(n::VARCHAR)::BLOB",
    "several": "range(n % 5)",
    "fixed": "[n, NULL]::BIGINT[2]",
    "pair": "{'a': n, 'b': ['x', NULL]}",
    "keyed": "MAP {n: 'x' || n}",
    "label": "(CASE n % 2 WHEN 0 THEN 'a' ELSE '乙' END)::ENUM('a', '乙')",
}
HOLES = f"CASE WHEN n % {VECTOR} NOT IN (0, {VECTOR - 1}) THEN {{}} END"  # NULL first and last in each vector
BULK_SQL = (
    f"SELECT n, {', '.join(f'{HOLES.format(sql)} AS {name}' for name, sql in BULK.items())} FROM range(5000) t(n)"
)

kinds = pytest.mark.parametrize("kind", KINDS, ids=[f"{i}-{kind.type[:30] or 'TUPLE'}" for i, kind in enumerate(KINDS)])
ways = pytest.mark.parametrize(("tail", "params"), WAYS.values(), ids=WAYS)


@pytest.fixture
def plain() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


# --- comparing ------------------------------------------------------------------------------------------------------


def same(found: Any, expected: Any) -> bool:
    """Whether two values are equal and of one type, down to the scale of a decimal and the sign of a zero."""
    if expected is None:
        return found is None or found is pd.NA or found is pd.NaT
    if isinstance(expected, list | tuple):
        return type(found) is type(expected) and len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(expected, dict):
        return type(found) is dict and same([*found], [*expected]) and same([*found.values()], [*expected.values()])
    if isinstance(expected, dt.datetime):  # pandas has classes of its own for these two
        return isinstance(found, dt.datetime) and found == expected and found.utcoffset() == expected.utcoffset()
    if isinstance(expected, dt.timedelta):
        return isinstance(found, dt.timedelta) and found == expected
    if isinstance(expected, float | Decimal):  # their texts tell nan, -0.0 and 1.50 apart
        return type(found) is type(expected) and repr(found) == repr(expected)
    return type(found) is type(expected) and bool(found == expected)


def check(frame: pd.DataFrame, expected: Sequence[Row]) -> None:
    """Every cell is what it must be, in lists and one by one; the first differences are told."""
    assert len(frame) == len(expected)
    found = list(islice(_differences(frame, expected), 5))
    assert not found, "\n".join(["other values", *found])


def _differences(frame: pd.DataFrame, expected: Sequence[Row]) -> Iterator[str]:
    for i in range(frame.shape[1]):
        series = frame.iloc[:, i]
        marks_with_nan = str(series.dtype) in ("float64", "str")  # how pandas writes NULL there
        one_by_one = [series.iloc[row] for row in range(min(len(series), 50))]
        for how, cells in (("tolist", series.tolist()), ("iloc", one_by_one)):
            for row, (cell, values) in enumerate(zip(cells, expected, strict=False)):
                value = cell.item() if isinstance(cell, np.generic) else cell
                null = marks_with_nan and values[i] is None and isinstance(value, float) and value != value
                if not null and not same(value, values[i]):
                    yield f"{how} of column {i}, row {row} ({series.dtype}): {value!r}, not {values[i]!r}"


def right(kind: Kind, fetched: Sequence[Row], *, without: Sequence[str] = ()) -> list[Row]:
    """What must come back: as fetched, but for what that loses."""
    texts = [text for text in kind.texts if text not in without]
    assert len(fetched) == len(texts) + 1
    return [*((kind.lost.get(text, row[0]),) for text, row in zip(texts, fetched, strict=False)), fetched[-1]]


# --- every type -----------------------------------------------------------------------------------------------------


def test_every_type_of_this_duckdb_is_in_the_table(plain: duckdb.DuckDBPyConnection) -> None:
    known = {name for (name,) in plain.execute("SELECT DISTINCT logical_type FROM duckdb_types()").fetchall()}
    covered = set()
    for kind in KINDS:
        covered.add(str((plain.execute(kind.sql()).description or [])[0][1].id).upper())
        plain.fetchall()
    assert known - covered - NOT_FETCHED == set()
    assert known >= NOT_FETCHED


def test_the_table_names_only_what_fetchall_loses(plain: duckdb.DuckDBPyConnection) -> None:
    for kind in KINDS:
        for text, value in kind.lost.items():
            ((fetched, shown),) = plain.execute(f"SELECT v, v::VARCHAR FROM {kind.table(text)}").fetchall()
            assert not same(fetched, value)
            assert shown == (value if isinstance(value, str) else text.strip("'"))


@kinds
@ways
def test_values(plain: duckdb.DuckDBPyConnection, kind: Kind, tail: str, params: dict[str, Any] | None) -> None:
    expected = right(kind, plain.execute(kind.sql()).fetchall())
    frame = dg.duckdb_query(kind.sql() + tail, params=params)
    assert list(frame.columns) == ["v"]
    check(frame, expected)


@kinds
@ways
def test_each_value_alone(
    plain: duckdb.DuckDBPyConnection, kind: Kind, tail: str, params: dict[str, Any] | None
) -> None:
    """Each in a column of its own, which may get another dtype than beside others or NULL."""
    expected = right(kind, plain.execute(kind.sql()).fetchall())
    cells = ", ".join(f"{kind.cell(text)} AS c{i}" for i, text in enumerate((*kind.texts, "NULL")))
    frame = dg.duckdb_query(f"SELECT {cells} FROM (SELECT 0 AS n){tail}", params=params)
    check(frame, [tuple(value for (value,) in expected)])


@kinds
def test_only_nulls_and_no_rows(kind: Kind) -> None:
    table = kind.table("NULL", "NULL")
    check(dg.duckdb_query(f"SELECT v FROM {table}"), [(None,), (None,)])
    none = dg.duckdb_query(f'SELECT v, v AS "还有" FROM {table} WHERE :a = 2', params={"a": 1})
    assert (list(none.columns), len(none), none.meta.row_count) == (["v", "还有"], 0, 0)


@kinds
@ways
def test_values_inside_others(
    plain: duckdb.DuckDBPyConnection, kind: Kind, tail: str, params: dict[str, Any] | None
) -> None:
    values = [value for (value,) in right(kind, plain.execute(kind.sql()).fetchall())]
    cells = [kind.cell(text) for text in (*kind.texts, "NULL")]
    first, null = cells[0], cells[-1]
    inside = f"[{', '.join(cells)}] AS a, {{'v': {first}, 'w': [{null}]}} AS b, MAP {{'k': {first}, 'n': {null}}} AS c"
    table = f"(SELECT 0 AS n, {inside}, array_value({first}, {null}) AS d UNION ALL SELECT 1, NULL, NULL, NULL, NULL)"
    frame = dg.duckdb_query(f"SELECT a, b, c, d FROM {table}{tail}", params=params)
    one = values[0]
    check(frame, [(values, {"v": one, "w": [None]}, {"k": one, "n": None}, (one, None)), (None, None, None, None)])


@pytest.mark.parametrize(("expression", "value"), NESTED_LOST, ids=[text for text, _ in NESTED_LOST])
@ways
def test_what_fetchall_loses_inside_others(
    expression: str, value: Any, tail: str, params: dict[str, Any] | None
) -> None:
    table = f"(SELECT 0 AS n, {expression} AS v UNION ALL SELECT 1, NULL)"
    frame = dg.duckdb_query(f"SELECT v FROM {table}{tail}", params=params)
    check(frame, [(value,), (None,)])


@kinds
def test_nulls_of_an_outer_join(plain: duckdb.DuckDBPyConnection, kind: Kind) -> None:
    expected = right(kind, plain.execute(kind.sql()).fetchall())
    known = f"SELECT n, v FROM {kind.table(*kind.texts, 'NULL')}"
    frame = dg.duckdb_query(f"SELECT v FROM range({len(expected) + 2}) l(n) LEFT JOIN ({known}) USING (n) ORDER BY n")
    check(frame, [*expected, (None,), (None,)])


def test_a_type_that_cannot_be_fetched_is_an_error(plain: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(duckdb.NotImplementedException):
        plain.execute("SELECT get_type(1)").fetchall()
    with pytest.raises(DbgraphError):
        dg.duckdb_query("SELECT get_type(1)")


# --- from files -----------------------------------------------------------------------------------------------------


@kinds
@ways
def test_values_of_parquet(
    folder: Path, plain: duckdb.DuckDBPyConnection, kind: Kind, tail: str, params: dict[str, Any] | None
) -> None:
    sql = kind.sql("*", without=kind.not_in_parquet)
    plain.execute(f"COPY ({sql}) TO 'all.parquet' (FORMAT parquet)").fetchall()
    expected = right(kind, plain.execute("SELECT v FROM 'all.parquet'").fetchall(), without=kind.not_in_parquet)
    check(dg.duckdb_query(f"SELECT v FROM f0{tail}", ["all.parquet"], params=params), expected)


def test_a_parquet_of_many_types(folder: Path, plain: duckdb.DuckDBPyConnection) -> None:
    first = [kind.cell(kind.values[0]) for kind in KINDS if kind.values]
    cells = ", ".join(f"{cell} AS c{i}" for i, cell in enumerate(first))
    plain.execute(f"COPY (SELECT {cells}) TO 'wide.parquet' (FORMAT parquet)").fetchall()
    expected = plain.execute("FROM 'wide.parquet'").fetchall()
    check(dg.duckdb_query("FROM f0", ["wide.parquet"]), expected)


# --- names ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 AS a, 'x' AS a",
        "SELECT 1 AS a, 2 AS a, 3 AS a_1, 4 AS \"a:1\"",
        "SELECT * FROM (SELECT 1 AS id), (SELECT 2 AS id)",
        'SELECT 1 AS "A", 2 AS "a"',
        'SELECT 1 AS "列 名", 2 AS "👍", 3 AS "é", 4 AS "e\u0301", 5 AS "ｆｕｌｌ"',
        'SELECT 1 AS "say ""hi""", 2 AS "two\nlines", 3 AS " "',
        "SELECT 1 AS \"index\", 2 AS \"0\", 3 AS \"1\"",
        "SELECT 1, 'a' || 'b', count(*)",
        "PIVOT (SELECT '' AS k, 1 AS v) ON k USING sum(v)",
    ],
)  # fmt: skip
def test_names_of_columns(plain: duckdb.DuckDBPyConnection, sql: str) -> None:
    plain.execute(sql)
    names = [column[0] for column in plain.description or []]
    frame = dg.duckdb_query(sql)
    assert list(frame.columns) == names
    check(frame, plain.fetchall())


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("empty.csv", "a,,b\n1,2,3\n"),  # the only empty names there are: SQL has none, and JSON with one is no table
        ("twice.csv", "a,a,A\n1,2,3\n"),
    ],
)
def test_names_of_columns_of_files(folder: Path, plain: duckdb.DuckDBPyConnection, file: str, text: str) -> None:
    (folder / file).write_text(text, "utf-8")
    plain.execute(f"FROM '{file}'")
    names = [column[0] for column in plain.description or []]
    frame = dg.duckdb_query("FROM f0", [file])
    assert list(frame.columns) == names
    check(frame, plain.fetchall())


# --- many rows ------------------------------------------------------------------------------------------------------


@ways
def test_several_vectors_with_nulls_at_their_borders(
    plain: duckdb.DuckDBPyConnection, tail: str, params: dict[str, Any] | None
) -> None:
    frame = dg.duckdb_query(BULK_SQL + tail, params=params, full=True)
    check(frame, plain.execute(BULK_SQL).fetchall())
    assert (frame.meta.row_count, frame.meta.row_count_exact, frame.meta.truncated) == (5000, True, False)


@pytest.mark.parametrize("group", [VECTOR, 122_880])
@ways
def test_several_vectors_of_a_file(
    folder: Path, plain: duckdb.DuckDBPyConnection, group: int, tail: str, params: dict[str, Any] | None
) -> None:
    plain.execute(f"COPY ({BULK_SQL}) TO 'bulk.parquet' (FORMAT parquet, ROW_GROUP_SIZE {group})").fetchall()
    expected = plain.execute("FROM 'bulk.parquet' ORDER BY n").fetchall()
    frame = dg.duckdb_query(f"FROM f0{tail}", ["bulk.parquet"], params=params, full=True)
    check(frame, expected)


@pytest.mark.parametrize("most", [1, 199, 1000])
@ways
def test_a_cut_in_the_middle_of_a_vector(
    plain: duckdb.DuckDBPyConnection, most: int, tail: str, params: dict[str, Any] | None
) -> None:
    frame = dg.duckdb_query(BULK_SQL + tail, params=params, max_rows=most)
    check(frame, plain.execute(BULK_SQL).fetchall()[:most])
    assert (frame.meta.row_count, frame.meta.row_count_exact, frame.meta.truncated) == (5000, True, True)


@pytest.mark.parametrize("most", [VECTOR - 1, VECTOR, VECTOR + 1, 3000, 4999, 5000])
def test_a_cut_of_a_whole_result(plain: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setenv("DBGRAPH_NB_FETCH_ROWS", str(most))
    frame = dg.duckdb_query(BULK_SQL, full=True)
    check(frame, plain.execute(BULK_SQL).fetchall()[:most])
    assert (frame.meta.row_count, frame.meta.truncated) == (5000, most < 5000)


@ways
def test_three_hundred_thousand_rows(
    plain: duckdb.DuckDBPyConnection, tail: str, params: dict[str, Any] | None
) -> None:
    sql = "SELECT n, 'r' || n AS t, CASE WHEN n % 7 > 0 THEN n * 1.5 END AS d, n % 2 = 0 AS b FROM range(300000) t(n)"
    frame = dg.duckdb_query(sql + tail, params=params, full=True)
    check(frame, plain.execute(sql).fetchall())
    assert (len(frame), frame.meta.row_count, frame.meta.truncated) == (300_000, 300_000, False)


# --- as pandas sees them --------------------------------------------------------------------------------------------


def test_whole_numbers_are_never_floats() -> None:
    frame = dg.duckdb_query(
        "SELECT sum(v) AS s, max(v) AS m, sum(v::HUGEINT) AS h, count(*) AS c, list(v) AS l, min(n) AS n "
        "FROM (VALUES (9007199254740993::BIGINT, NULL::BIGINT), (0, NULL), (NULL, 7)) AS t(v, n)"
    )
    big = 2**53 + 1
    check(frame, [(big, big, big, 3, [big, 0, None], 7)])
    column = dg.duckdb_query("SELECT * FROM (VALUES (9007199254740993::BIGINT), (9007199254740993), (NULL)) AS t(v)")[
        "v"
    ]
    assert int(column.sum()) == 2 * big
    assert [value for value in column.tolist() if isinstance(value, float)] == []


def test_huge_numbers_are_python_integers() -> None:
    column = dg.duckdb_query("SELECT * FROM (VALUES (170141183460469231731687303715884105727), (1), (NULL)) AS t(v)")[
        "v"
    ]
    assert [type(value) for value in column.tolist()[:2]] == [int, int]
    assert sum(column.tolist()[:2]) == 2**127


def test_decimals_keep_their_scale() -> None:
    column = dg.duckdb_query("SELECT v::DECIMAL(9, 2) AS v FROM (VALUES (1.5), (100), (NULL), (-0.01)) AS t(v)")["v"]
    assert [str(value) for value in column.tolist()] == ["1.50", "100.00", "None", "-0.01"]
    assert {type(value) for value in column.dropna().tolist()} == {Decimal}
    assert column.dropna().sum() == Decimal("101.49")


def test_booleans_with_null_are_no_floats() -> None:
    column = dg.duckdb_query("SELECT * FROM (VALUES (true), (NULL), (false)) AS t(v)")["v"]
    first, middle, last = column.tolist()
    assert (first, last) == (True, False)
    assert {type(first), type(last)} == {bool}
    assert middle is None or middle is pd.NA


def test_null_and_nan_are_told_apart() -> None:
    column = dg.duckdb_query("SELECT * FROM (VALUES ('nan'::DOUBLE), (NULL), (1)) AS t(v)")["v"]
    nan, null, one = column.tolist()
    assert isinstance(nan, float)
    assert nan != nan
    assert null is None or null is pd.NA
    assert one == 1.0


def test_the_ends_of_the_calendar() -> None:
    frame = dg.duckdb_query(
        "SELECT DATE '9999-12-31' AS a, DATE '0001-01-01' AS b, TIMESTAMP '9999-12-31 23:59:59.999999' AS c, "
        "TIMESTAMP '0001-01-01' AS d, TIMESTAMPTZ '0001-01-01 00:00:00+00' AS e"
    )
    ends = (dt.date.max, dt.date.min, dt.datetime.max, dt.datetime.min, dt.datetime(1, 1, 1, tzinfo=dt.UTC))
    check(frame, [ends])
