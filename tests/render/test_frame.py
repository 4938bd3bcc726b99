"""What a person sees of a result: every value faithful, every hidden one marked, nothing executed."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import pytest

from dbgraph_nb.model import CleanRows, RawRows, RedactedColumn
from dbgraph_nb.render import frame as render
from dbgraph_nb.render import style
from dbgraph_nb.result import ResultFrame, ResultMeta, build

Read = Callable[[str], Any]


def made(names: Sequence[str], rows: list[tuple[Any, ...]], hidden: Sequence[int] = (), **meta: Any) -> ResultFrame:
    """A result as the flow makes it; ``hidden`` are the positions of redacted columns."""
    redacted = tuple(RedactedColumn(i, names[i], "credential", f"name: {names[i]}") for i in hidden)
    raw = RawRows(tuple(names), rows)
    given: dict[str, Any] = {"row_count": len(rows), "source": "shop (SQLite)"} | meta
    return build(CleanRows(raw, rows, redacted), ResultMeta(redacted=redacted, **given))


def one(value: Any) -> ResultFrame:
    return made(["v"], [(value,)])


def text_of(value: Any) -> str:
    """The one cell of a one-cell table, as text."""
    return render.text_table(one(value)).split("\n")[1].strip()


# --- nothing but text gets into the page ------------------------------------------------------------------------

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</td></table><b>out",
    "' onmouseover='alert(1)",
    '" onmouseover="alert(1)',
    "a & b &amp; &lt;",
    "javascript:alert(1)",
    "<!-- -->",
    "]]>",
    "</style><script>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_html_holds_names_and_values_as_text(text: str, read: Read) -> None:
    frame = made([text, "p"], [(text, "[REDACTED]")], hidden=[1], source=text, warnings=(text,))
    object.__setattr__(frame.meta.redacted[0], "rule", text)  # the reason stands in an attribute
    page = read(render.to_html(frame))
    assert page.heads[0][0] == text
    assert page.cells == [[text, "[REDACTED]"]]
    assert text in page.texts[0]
    assert ("title", f"credential: {text}") in page.attributes
    assert set(page.tags) == {"style", "div", "table", "thead", "tbody", "tr", "th", "td", "span", "p"}
    assert {name for name, _ in page.attributes} == {"class", "title"}


def test_no_markup_comes_from_outside() -> None:
    html = render.to_html(made(["a"], [("x",)]))
    assert not re.search(r"https?:|url\(|@import|<script|<link|<img|javascript:", html)


def test_the_colours_are_those_of_the_theme() -> None:
    """A fixed colour may only stand behind a variable, for pages that have no theme."""
    for declaration in re.findall(r"[\w-]*color[\w-]*:[^;}]+|background[\w-]*:[^;}]+|border[\w-]*:[^;}]+", style.CSS):
        assert "var(--jp-" in declaration or not re.search(r"#|rgb|white|black", declaration), declaration
    assert style.CSS.count("var(--jp-") >= 6
    assert all(rule.strip().startswith(".dbgraph") for rule in re.findall(r"([^{}]+)\{", style.CSS))


# --- values -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (9007199254740993, "9007199254740993"),
        (1234567890123456789, "1234567890123456789"),
        (2**64 - 1, "18446744073709551615"),
        (-(2**127), "-170141183460469231731687303715884105728"),
        (Decimal("0.10"), "0.10"),
        (Decimal("12345678901234567890.123456789"), "12345678901234567890.123456789"),
        (Decimal("1E-10"), "1E-10"),
        (0.1, "0.1"),
        (1e300, "1e+300"),
        (True, "True"),
        ("007", "007"),
        ("1.50", "1.50"),
        ("", ""),
        (b"\x00\xff", "0x00ff"),
        (b"", "0x"),
        (dt.date(9999, 12, 31), "9999-12-31"),
        (dt.date(1, 1, 1), "0001-01-01"),
        (dt.datetime(2025, 1, 10), "2025-01-10 00:00:00"),
        (dt.datetime(2025, 1, 10, 9, 5, 3, 250000), "2025-01-10 09:05:03.250000"),
        (dt.datetime(9999, 12, 31, 23, 59, 59), "9999-12-31 23:59:59"),
        (dt.datetime(2025, 1, 10, tzinfo=dt.UTC), "2025-01-10 00:00:00+00:00"),
        (dt.timedelta(hours=10, minutes=9), "10:09:00"),
        (dt.timedelta(hours=-838, minutes=-59, seconds=-59), "-838:59:59"),
        (dt.timedelta(seconds=1, microseconds=5), "00:00:01.000005"),
        ("张三 👍", "张三 👍"),
        ([1, 2], "[1, 2]"),
    ],
)
def test_values_are_shown_whole(value: Any, shown: str, read: Read) -> None:
    assert read(render.to_html(one(value))).cells == [[shown]]
    assert text_of(value) == shown


def test_a_big_integer_beside_null_keeps_its_digits(read: Read) -> None:
    frame = made(["id"], [(9007199254740993,), (None,)])
    assert read(render.to_html(frame)).cells == [["9007199254740993"], ["NULL"]]
    assert render.text_table(frame).split() == ["id", "9007199254740993", "NULL"]


def test_null_empty_and_the_texts_that_look_like_marks_differ(read: Read) -> None:
    values = [(None,), ("",), ("NULL",), ("[REDACTED]",), ("None",), ("nan",)]
    frame = made(["v"], values)
    (null, empty, word, mark, none, nan) = [row[0] for row in read(render.to_html(frame)).rows if row]
    assert null == ("NULL", "dbgraph-null")
    assert empty == ("", "")
    assert word == ("NULL", "")
    assert mark == ("[REDACTED]", "")
    assert (none, nan) == (("None", ""), ("nan", ""))
    lines = [line.strip() for line in render.text_table(frame).splitlines()[1:]]
    assert lines == ["NULL", "", "'NULL'", "'[REDACTED]'", "None", "nan"]


def test_a_hidden_column_is_marked_and_its_null_stays_null(read: Read) -> None:
    frame = made(["id", "password"], [(1, "[REDACTED]"), (2, None)], hidden=[1])
    page = read(render.to_html(frame))
    assert [row[1] for row in page.rows if row] == [("[REDACTED]", "dbgraph-hidden"), ("NULL", "dbgraph-null")]
    assert ("title", "credential: name: password") in page.attributes
    assert render.to_text(frame) == (
        "id  password\n 1  [REDACTED]\n 2  NULL\n2 rows · 1 column redacted · shop (SQLite)"
    )


def test_long_texts_are_cut_and_say_so(read: Read) -> None:
    frame = made(["v"], [("字" * 5000,), ("x" * 60,), (b"\xab" * 1000,)])
    long, short, blob = (row[0] for row in read(render.to_html(frame)).cells)
    assert len(long) == render.WIDEST_CELL
    assert long.endswith("字…")
    assert short == "x" * 60
    assert blob.endswith("…")
    assert len(blob) < 200
    lines = render.text_table(frame).splitlines()
    assert max(map(len, lines)) <= render.WIDEST_TEXT
    assert frame.iloc[0, 0] == "字" * 5000  # the value itself is whole


def test_line_breaks_and_controls_are_seen(read: Read) -> None:
    text = "one\ntwo\r\n\tthree\x00\x1b[31m\u202eevil"
    (cell,) = read(render.to_html(one(text))).cells[0]
    assert cell == "one\ntwo␍\n\tthree␀␛[31m\u202eevil"
    assert "pre-wrap" in style.CSS  # so that the line breaks of a cell show
    assert text_of(text) == "one⏎two␍⏎ three␀␛[31m evil"
    assert render.text_table(made(["a\nb"], [(1,)])).splitlines()[0] == "a⏎b"


# --- the table --------------------------------------------------------------------------------------------------


def test_chinese_columns_are_aligned_on_a_screen() -> None:
    frame = made(["姓名", "id", "city"], [("张三", 1, "北京"), ("O'Neil", 100, "Ürümqi"), ("诸葛 芳", 20, "e\u0301")])
    lines = render.text_table(frame).splitlines()
    cities, numbers = ["city", "北京", "Ü", "e\u0301"], ["id", "1", "100", "20"]
    starts = [render.cells_wide(line[: line.index(city)]) for line, city in zip(lines, cities, strict=True)]
    assert len(set(starts)) == 1
    ends = [render.cells_wide(line[: line.index(n) + len(n)]) for line, n in zip(lines, numbers, strict=True)]
    assert len(set(ends)) == 1  # numbers end in one column
    assert [line for line in lines if line != line.rstrip()] == []


def test_numbers_go_right_and_everything_else_left(read: Read) -> None:
    names = ["int", "float", "decimal", "huge", "null int", "bool", "text", "date", "none"]
    row = (1, 0.5, Decimal("1.50"), 2**70, 5, True, "1", dt.date(2025, 1, 1), None)
    second = (2, 1.5, None, 2**80, None, False, "2", None, None)
    page = read(render.to_html(made(names, [row, second])))
    right = {text for text, css in page.heads if "dbgraph-number" in css}
    assert right == {"int", "float", "decimal", "huge", "null int"}
    assert [css for _, css in page.rows[1]].count("dbgraph-number") == 5


def test_zero_rows_show_their_headers(read: Read) -> None:
    frame = made(["id", "姓名"], [])
    page = read(render.to_html(frame))
    assert [text for text, _ in page.heads] == ["id", "姓名"]
    assert page.cells == []
    assert render.to_text(frame) == "id  姓名\n0 rows · shop (SQLite)"


def test_equal_names_and_odd_names_all_stay(read: Read) -> None:
    frame = made(["id", "id", "index", "0", "", "count(*)"], [(1, 2, 3, 4, 5, 6)], hidden=[1])
    page = read(render.to_html(frame))
    assert [text for text, _ in page.heads] == ["id", "id", "index", "0", "", "count(*)"]
    assert page.cells == [["1", "2", "3", "4", "5", "6"]]
    assert render.text_table(frame).splitlines()[1].split() == ["1", "2", "3", "4", "5", "6"]


def test_a_wide_table_is_whole(read: Read) -> None:
    frame = made([f"c{i}" for i in range(300)], [tuple(range(300))] * 2)
    page = read(render.to_html(frame))
    assert len(page.heads) == 300
    assert [len(row) for row in page.cells] == [300, 300]
    assert "overflow:auto" in style.CSS


def test_a_whole_result_is_shown_from_its_top(read: Read) -> None:
    """What ``-o VAR`` keeps may have a million rows; a thousand that were asked for are shown."""
    asked = made(["n"], [(i,) for i in range(1000)])
    assert len(read(render.to_html(asked)).cells) == 1000
    whole = made(["n"], [(i,) for i in range(50_000)])
    page = read(render.to_html(whole))
    assert [row[0] for row in page.cells] == [str(i) for i in range(200)]
    assert page.texts == ["200 of 50,000 rows · shop (SQLite)"]
    assert render.to_text(whole).splitlines()[-1] == "200 of 50,000 rows · shop (SQLite)"
    assert len(render.to_text(whole).splitlines()) == 202


# --- the line below ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "meta", "line"),
    [
        (0, {}, "0 rows · shop (SQLite)"),
        (1, {}, "1 row · shop (SQLite)"),
        (2, {"row_count": 12345, "truncated": True}, "2 of 12,345 rows · shop (SQLite)"),
        (2, {"row_count_exact": False, "truncated": True}, "2 of more than 2 rows · shop (SQLite)"),
        (2, {"warnings": ("sensitive values shown",)}, "2 rows · shop (SQLite) · sensitive values shown"),
        (2, {"source": ""}, "2 rows"),
    ],
)
def test_the_line_says_what_it_is(rows: int, meta: dict[str, Any], line: str, read: Read) -> None:
    frame = made(["n"], [(i,) for i in range(rows)], **meta)
    assert render.to_text(frame).splitlines()[-1] == line
    assert read(render.to_html(frame)).texts == [line]


def test_nothing_that_differs_from_run_to_run_is_shown() -> None:
    frame = made(["n"], [(1,)], elapsed=0.123456, sql="SELECT 1 AS n")
    for shown in (render.to_html(frame), render.to_text(frame)):
        assert "0.12" not in shown
        assert "SELECT" not in shown
        assert not re.search(r"0x[0-9a-f]{6}|\d\d:\d\d:\d\d|/(home|tmp|work|root)/", shown)
        assert shown == (render.to_html(frame) if shown.startswith("<") else render.to_text(frame))
