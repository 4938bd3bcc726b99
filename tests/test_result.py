"""A result frame keeps every value faithful and says what it is."""

import datetime as dt
import pickle
from decimal import Decimal
from typing import Any

import pandas as pd
import pytest

from dbgraph_nb import result
from dbgraph_nb.model import CatalogHit, CleanRows, Hits, RawRows, RedactedColumn, Used


def build(columns: tuple[str, ...], rows: list[tuple[Any, ...]], **meta: Any) -> result.ResultFrame:
    raw = RawRows(columns, rows, row_count=len(rows))
    return result.build(CleanRows(raw, rows), result.ResultMeta(meta.pop("row_count", len(rows)), **meta))


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([1, 2], "int64"),
        ([1, None], "Int64"),
        ([2**63], "uint64"),
        ([2**64 - 1, None], "UInt64"),
        ([2**64], "object"),
        ([-1, 2**63], "object"),
        ([1.5, None], "float64"),
        ([1, 2.5], "float64"),
        ([2**53 + 1, 2.5], "object"),
        ([True, False], "bool"),
        ([True, None], "boolean"),
        ([True, 1], "object"),
        (["007", None], "str"),
        (["1", 1], "object"),
        ([Decimal("1.10"), Decimal("2")], "object"),
        ([dt.date(9999, 12, 31)], "object"),
        ([dt.datetime(9999, 12, 31), None], "datetime64[us]"),
        ([dt.timedelta(hours=30)], "timedelta64[us]"),
        ([b"\x00"], "object"),
        ([None, None], "object"),
        ([], "object"),
    ],
)
def test_a_column_gets_the_narrowest_faithful_dtype(values: list[Any], dtype: str) -> None:
    series = result.to_series(values)
    assert str(series.dtype) == dtype
    for before, after in zip(values, series.tolist(), strict=True):
        assert (before is None and pd.isna(after)) or before == after


def test_a_broken_character_is_kept() -> None:
    assert result.to_series(["\ud800", None]).tolist()[0] == "\ud800"


def test_big_integers_keep_their_last_digit() -> None:
    frame = build(("n",), [(2**53 + 1,), (None,)])
    assert int(frame["n"][0]) == 9007199254740993


def test_columns_of_one_name_both_stay() -> None:
    frame = build(("a", "a"), [(1, "x")])
    assert list(frame.columns) == ["a", "a"]
    assert frame.iloc[0].tolist() == [1, "x"]


def test_no_rows_keep_their_headers() -> None:
    frame = build(("id", "名字"), [])
    assert list(frame.columns) == ["id", "名字"]
    assert "0 rows" in repr(frame)


def test_derived_frames_are_plain() -> None:
    frame = build(("a",), [(1,), (2,)])
    assert type(frame[frame["a"] > 1]) is pd.DataFrame
    assert type(frame.head(1)) is pd.DataFrame
    assert frame.meta.row_count == 2


def test_the_meta_survives_pickling() -> None:
    frame = pickle.loads(pickle.dumps(build(("a",), [(1,)], source="shop (SQLite)")))
    assert frame.meta.source == "shop (SQLite)"


def test_the_line_says_what_was_cut_and_hidden() -> None:
    hidden = (RedactedColumn(0, "password", "credential", "name: password"),)
    meta = result.ResultMeta(12345, truncated=True, redacted=hidden, source="shop (MySQL)", warnings=("note",))
    assert meta.summary(200) == "200 of 12,345 rows · 1 column redacted · shop (MySQL) · note"
    unknown = result.ResultMeta(200, row_count_exact=False, truncated=True)
    assert unknown.summary(200) == "200 of more than 200 rows"
    assert result.ResultMeta(1).summary(1) == "1 row"


def test_the_html_of_a_frame_is_escaped_and_ends_with_the_line() -> None:
    text = build(("<b>",), [("<script>",)], source="<i>")._repr_html_()
    assert "<script>" not in text
    assert "&lt;i&gt;" in text


def test_an_answer_explains_itself() -> None:
    used = (Used("entity", "用户", "users", None, "comment"), Used("field", "密码", "users", "password", "name"))
    answer = result.FindAnswer("ok", build(("password",), [("x",)]), "SELECT 1", {}, used, Hits([]), "")
    assert "用户 → users (comment)" in repr(answer)
    asked = result.FindAnswer("ambiguous", None, None, {}, (), Hits([CatalogHit("a", "b", 1.0, ("why",))]), "Which?")
    assert repr(asked).splitlines() == ["ambiguous", "Which?", "a.b  1.00  why"]


def test_hits_are_immutable_and_say_how_many_there_are() -> None:
    hits = Hits(["a", "b"], total=5, mode="words")
    assert (len(hits), hits[0], list(hits), hits[0:1], hits.total, hits.truncated) == (
        2,
        "a",
        ["a", "b"],
        ("a",),
        5,
        True,
    )
    with pytest.raises(TypeError):
        hits[0] = "c"  # type: ignore[index]
    assert repr(RawRows(("a",), [("secret",)])) == "RawRows(1 rows × 1 columns)"
    assert repr(CleanRows(RawRows(("a",), []), [("secret",)])) == "CleanRows(1 rows × 1 columns)"
