"""The CSV doctor, examined: files as people's programs write them, what comes late in a file, many files, descriptions.

What is asked for: the names and values that a person reads, a finding where something was guessed, and never a value
that is gone or changed without a word. A file that does not load must name the option with which it does.
"""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import io
import itertools
import json
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import soak
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from localdata.csv_samples import PATTERNS, SAMPLES, Either, Pattern, Row, Sample
from soak import scale

import dbgraph_nb as dg
from dbgraph_nb.errors import BadArgument, DbgraphError, UnknownName

BY_NAME = {sample.name: sample for sample in SAMPLES}
READ = [sample for sample in SAMPLES if sample.header]
FORMS = ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d/%m/%y", "%Y年%m月%d日", "%d-%m-%y", "%y-%m-%d")
TRUE, FALSE = {"true", "yes", "y", "t", "1"}, {"false", "no", "n", "f", "0"}
NULLS = {"null", "na", "n/a", "-", "#n/a", "n", "none", "nan"}
OPTION = re.compile(r"\b(encoding|delim|quote|header|skip|decimal|ragged|text)=([^\s,.;)]+)")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


Outcome = tuple[Any, DbgraphError | None]  # a frame, or why there is none


def tried(file: str, options: Mapping[str, Any] | None = None, sql: str = "SELECT * FROM f0") -> Outcome:
    try:
        found = dg.duckdb_query(sql, files=[file], csv=options or None, full=True, show_sensitive=True)
    except DbgraphError as error:
        return None, error
    return found, None


def hint(error: DbgraphError) -> str:
    return error.hint or ""


def load(file: str, options: Mapping[str, Any] | None = None) -> Any:
    return the(tried(file, options))


def the(outcome: Outcome) -> Any:
    frame, error = outcome
    assert error is None, f"{error.code}: {error}"
    return frame


def findings(frame: Any) -> str:
    return "; ".join(text for text in frame.meta.warnings if text != "sensitive values shown")


def rows_of(frame: pd.DataFrame) -> list[Row]:
    """The rows as Python values; where a column is no number, not-a-number is NULL."""
    columns = []
    for i in range(frame.shape[1]):
        column = frame.iloc[:, i]
        is_float = pd.api.types.is_float_dtype(column.dtype)
        columns.append([value if is_float or not pd.isna(value) else None for value in column.astype(object)])
    return list(zip(*columns, strict=True))


def same(found: Any, expected: Any) -> bool:
    """The same value; a decimal may come as float or Decimal, a moment in any zone."""
    if isinstance(expected, Either):
        return any(same(found, value) for value in expected.values)
    if expected is None or found is None:
        return found is expected or (expected is None and isinstance(found, float) and found != found)
    if isinstance(expected, bool) or isinstance(found, bool):
        return found is expected or (type(found).__name__ == "bool" and bool(found) == expected)
    if isinstance(expected, Decimal):
        return not isinstance(found, str) and Decimal(str(found)) == expected
    if isinstance(expected, float) or isinstance(found, float):
        return not isinstance(found, str) and not isinstance(expected, str) and float(found) == float(expected)
    if isinstance(expected, dt.datetime):
        return (
            isinstance(found, dt.datetime) and (found.tzinfo is None) == (expected.tzinfo is None) and found == expected
        )
    return isinstance(found, str) == isinstance(expected, str) and bool(found == expected)


def same_rows(found: Sequence[Row], expected: Sequence[Row]) -> bool:
    return len(found) == len(expected) and all(
        len(one) == len(other) and all(map(same, one, other)) for one, other in zip(found, expected, strict=True)
    )


def short(value: object) -> str:
    text = repr(value)
    return text if len(text) < 600 else f"{text[:600]} …"


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Sample, bool], Outcome]:
    """What becomes of a sample, with its options or without any; each is read once."""
    known: dict[tuple[str, bool], Outcome] = {}

    def reading(sample: Sample, told: bool) -> Outcome:
        key = (sample.name, told and bool(sample.csv))
        if key not in known:
            folder = tmp_path_factory.mktemp("sample")
            (folder / sample.file).write_bytes(sample.data)
            with pytest.MonkeyPatch.context() as patch:
                patch.chdir(folder)
                known[key] = tried(sample.file, sample.csv if told else None)
        return known[key]

    return reading


Read = Callable[[Sample, bool], Outcome]


@pytest.mark.parametrize("sample", READ, ids=lambda sample: sample.name)
def test_header_and_values(sample: Sample, read: Read) -> None:
    frame = the(read(sample, True))
    names, rows = tuple(frame.columns), rows_of(frame)
    narrow = any(len(row) == len(names) for other in sample.also for row in other) and len(names) < len(sample.header)
    header = sample.header[: len(names)] if narrow else sample.header
    assert same_rows([names], [header]), f"header {short(names)}, rows {short(rows)}, said {findings(frame)}"
    assert any(same_rows(rows, right) for right in (sample.rows, *sample.also)), (
        f"rows {short(rows)} instead of {short(sample.rows)}, said {findings(frame)}"
    )


@pytest.mark.parametrize("sample", [sample for sample in READ if sample.said], ids=lambda sample: sample.name)
def test_what_was_guessed_is_said(sample: Sample, read: Read) -> None:
    frame = the(read(sample, True))
    assert re.search(sample.said, findings(frame)), f"{sample.said} is not in {findings(frame)!r}"


@pytest.mark.parametrize("sample", READ[::12], ids=lambda sample: sample.name)
def test_a_description_says_the_same_as_a_query(sample: Sample, read: Read, folder: Path) -> None:
    frame = the(read(sample, True))
    (folder / sample.file).write_bytes(sample.data)
    described = dg.duckdb_schema(sample.file, csv=sample.csv or None)
    assert findings(frame) == (f"f0: {'; '.join(described.findings)}" if described.findings else "")
    assert list(described.columns["column"]) == list(frame.columns)
    assert (described.rows, described.rows_exact) == (len(frame), True)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_nothing_vanishes_without_options(sample: Sample, read: Read) -> None:
    """All that is written is in the frame; or an error names an option, with which it is read."""
    frame, error = read(sample, False)
    if error is not None:
        assert sample.csv or not sample.header, f"{error.code}: {error}"
        assert not sample.key or f"{sample.key}=" in hint(error), f"no {sample.key}=: {error.code}: {error}"
        return
    missing = missing_of(sample, frame)
    unsaid = [text for text in missing if text not in "".join(sample.gone)]
    assert not unsaid, (
        f"not in the frame: {short(unsaid)}; header {short(tuple(frame.columns))}, said {findings(frame)}"
    )
    assert not missing or findings(frame), f"left out without a word: {short(missing)}"


NOBODY_KNOWS = {"no-header-texts", "two-header-lines"}  # without the meaning of the words


@pytest.mark.parametrize(
    "sample", [s for s in READ if s.csv and s.name not in NOBODY_KNOWS], ids=lambda sample: sample.name
)
def test_a_file_that_needs_a_person_says_so(sample: Sample, read: Read) -> None:
    """Without its options it is read right all the same, or something is said: a finding, or an error."""
    frame, error = read(sample, False)
    if error is None:
        right = same_rows(rows_of(frame), sample.rows)
        assert right or findings(frame), f"{short(rows_of(frame))}, and nothing is said"


def missing_of(sample: Sample, frame: pd.DataFrame) -> list[str]:
    """The pieces of the text that no name or cell holds, as it is or as the same number, date or truth."""
    data = sample.data
    if sample.file.endswith((".gz", ".zst")):
        return []  # the same texts are read unpacked
    text = data.decode(sample.encoding).lstrip("\ufeff")
    cells = [*map(str, frame.columns), *itertools.chain.from_iterable(rows_of(frame))]
    cells += [re.sub(r"_\d+$", "", str(name)) for name in frame.columns]  # the second of a name
    held = {piece for cell in cells for form in forms(cell) for piece in pieces(form, sample.delim)}
    keys = {key for piece in held for key in numbers(piece)}
    has_null = any(cell is None or cell != cell for cell in cells)
    return [
        piece
        for piece in dict.fromkeys(pieces(text, sample.delim))
        if held.isdisjoint({piece, piece.lower()})
        and not (has_null and piece.lower() in NULLS)
        and not keys.intersection(numbers(piece))
    ]


def pieces(text: str, delim: str) -> Iterator[str]:
    for piece in re.split(rf"[\r\n\"'\\{re.escape(delim)}]", text):
        if piece.strip(" \t"):
            yield piece.strip(" \t")


def forms(cell: Any) -> Iterator[str]:
    """How a value may have been written."""
    if isinstance(cell, dt.datetime):
        utc = cell.astimezone(dt.UTC) if cell.tzinfo else cell
        zone = dt.timezone(dt.timedelta(hours=5, minutes=30))
        for moment in (utc, utc.astimezone(zone) if cell.tzinfo else utc):
            yield from (moment.isoformat(), moment.isoformat(" "), moment.isoformat().replace("+00:00", "Z"))
            yield from (moment.strftime(f) for f in ("%d.%m.%Y %H:%M", "%m/%d/%Y %I:%M %p", "%Y-%m-%d"))
            yield moment.isoformat(" ").rstrip("0")
            yield moment.replace(tzinfo=None).isoformat()
    elif isinstance(cell, dt.date):
        for form in FORMS:
            yield cell.strftime(form)
            yield re.sub(r"(?<!\d)0", "", cell.strftime(form))
    elif isinstance(cell, bool) or type(cell).__name__ == "bool":
        yield from TRUE if cell else FALSE
    elif isinstance(cell, dt.time):
        yield from (cell.isoformat(), cell.isoformat("minutes"))
    elif pd.api.types.is_number(cell):
        for text in (str(cell), f"{cell:,}"):
            yield from (text, text.translate(str.maketrans(",.", ".,")), text.replace(",", "'"))
    else:
        yield str(cell)


def numbers(text: str) -> set[Decimal]:
    """What a text may mean as a number, in any convention; codes with a leading zero mean none."""
    if re.match(r"[+-]?0\d", text) or (text.startswith("+") and len(text) > 8):
        return set()
    bare = re.sub(r"[\s'’\u00a0\u202f]", "", text)
    found = {Decimal(int(bare, 16))} if re.fullmatch(r"0[xX][0-9a-fA-F]+", bare) else set()
    for point, group in ((".", ","), (",", ".")):
        try:
            found.add(Decimal(bare.replace(group, "").replace(point, ".")).normalize())
        except InvalidOperation:
            continue
    return {number for number in found if number.is_finite()}


@pytest.mark.parametrize("sample", READ, ids=lambda sample: sample.name)
def test_no_value_is_in_a_finding(sample: Sample, read: Read) -> None:
    frame, error = read(sample, False)
    said = findings(frame) if error is None else f"{error} {error.hint}"
    values = {cell for row in sample.rows for cell in row if isinstance(cell, str) and len(cell) > 5}
    assert not [value for value in values if value in said]


@pytest.mark.parametrize("name", ["empty", "only-newlines", "only-bom"])
def test_an_empty_file_is_said_to_be_empty(read: Read, name: str) -> None:
    frame, error = read(BY_NAME[name], True)
    assert error is not None or len(frame) == 0
    assert "empty" in (str(error) if error is not None else findings(frame))


# Random tables, as the writers of Python and of spreadsheets write them.

CELL = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters="\0\r", exclude_categories=["Cs"]), max_size=8),
    st.text("ab01 ,;\t|\"'\n\\#-.", max_size=6),
    st.integers(-(10**30), 10**30).map(str),
    st.sampled_from(
        ["007", "+49", "1,5", "1.5", "1.234", "NULL", "NA", "yes", "2024-01-05", "05/01/2024", "1e5", "0x1"]
    ),
)
TABLE = st.integers(2, 4).flatmap(lambda width: st.lists(st.lists(CELL, min_size=width, max_size=width), max_size=5))


@settings(max_examples=scale(600), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=TABLE, delim=st.sampled_from(",;\t|"), end=st.sampled_from(["\n", "\r\n"]))
def test_random_tables_read_as_text(folder: Path, rows: list[list[str]], delim: str, end: str) -> None:
    names = [f"name {i}" for i in range(len(rows[0]) if rows else 2)]
    text = io.StringIO()
    csv.writer(text, delimiter=delim, quoting=csv.QUOTE_ALL, lineterminator=end).writerows([names, *rows])
    (folder / "t.csv").write_bytes(text.getvalue().encode())
    frame = load("t.csv", {"text": "*", "delim": delim, "header": True, "encoding": "utf-8"})
    assert list(frame.columns) == names
    assert [[cell or "" for cell in row] for row in rows_of(frame)] == rows


@settings(max_examples=scale(600), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=TABLE, delim=st.sampled_from(",;\t|"))
def test_random_tables_keep_every_value(folder: Path, rows: list[list[str]], delim: str) -> None:
    names = [f"name {i}" for i in range(len(rows[0]) if rows else 2)]
    text = io.StringIO()
    csv.writer(text, delimiter=delim, lineterminator="\n").writerows([names, *rows])
    data = text.getvalue().encode()
    (folder / "t.csv").write_bytes(data)
    frame, error = tried("t.csv", {"encoding": "utf-8"})
    if error is not None:
        assert OPTION.search(hint(error)), f"{error.code}: {error}"
        return
    missing = missing_of(Sample("", data, (), (), delim=delim), frame)
    assert not missing, f"{missing} of {data!r} is not in {rows_of(frame)}, said {findings(frame)}"


# What comes after the lines that any sniffer looks at.

MANY, AT = 40_000, 30_000


def late(line: str, usual: str = "{i},{i},text {i}", header: str = "a,b,c", at: int = AT) -> str:
    lines = [usual.format(i=i) for i in range(MANY)]
    lines[at] = line
    return "\n".join([header, *lines, ""])


LATE: dict[str, tuple[str, tuple[str, ...]]] = {
    "text-in-numbers": (late("x,y,z"), ("x", "y", "z")),
    "null-word-in-numbers": (late("NA,n/a,z"), ("NA", "n/a", "z")),
    "leading-zeros": (late("007,1,z"), ("007", "1", "z")),
    "plus": (late("+4915112345678,1,z"), ("+4915112345678", "1", "z")),
    "decimals": (late("1.5,2.25,z"), ("1.5", "2.25", "z")),
    "id-25": (late("1234567890123456789012345,1,z"), ("1234567890123456789012345", "1", "z")),
    "id-19-in-decimals": (late("1234567890123456789,1,z", "{i}.5,{i},tx"), ("1234567890123456789", "1", "z")),
    "short-line": (late("7,8"), ("7", "8", "")),
    "long-line": (late("7,8,z,more"), ("7", "8", "z", "more")),
    "quoted-delimiter": (late('7,8,"x, y"'), ("7", "8", "x, y")),
    "quoted-newline": (late('7,8,"x\ny"'), ("7", "8", "x\ny")),
    "doubled-quotes": (late('7,8,"x ""y"""'), ("7", "8", 'x "y"')),
    "backslash-quotes": (late('7,8,"x \\"y\\""', '{i},{i},"a \\"b\\" {i}"'), ("7", "8", 'x "y"')),
    "open-quote": (late('7,8,"x'), ("7", "8", '"x')),
    "quotes-inside": (late('7,8,5" x 7"'), ("7", "8", '5" x 7"')),
    "bad-date": (late("2024-02-30,1,z", "2024-01-05,{i},tx"), ("2024-02-30", "1", "z")),
    "other-date-form": (late("31/12/2024,1,z", "2024-01-05,{i},tx"), ("31/12/2024", "1", "z")),
    "blank-line": (late(""), ()),
    "hash-line": (late("#7,8,z"), ("#7", "8", "z")),
    "no-number-after-decimal-commas": (late("k.A.;8;z", "{i},5;{i};tx", "a;b;c"), ("k.A.", "8", "z")),
    "decimal-comma-after-whole": (late("7,5;8;z", "{i};{i};tx", "a;b;c"), ("7,5", "8", "z")),
    "dot-after-decimal-commas": (late("7.25;8;z", "{i},5;{i};tx", "a;b;c"), ("7.25", "8", "z")),
    "thousands-after-decimals": (late("1.234;8;z", "{i}.5;{i};tx", "a;b;c"), ("1.234", "8", "z")),
    "leading-zeros-at-15000": (late("007,1,z", at=15_000), ("007", "1", "z")),
}


@pytest.mark.parametrize("name", LATE)
def test_what_comes_late(folder: Path, name: str) -> None:
    text, expected = LATE[name]
    (folder / "t.csv").write_bytes(text.encode())
    frame, options = with_the_hints_help("t.csv")
    rows = rows_of(frame)
    assert len(rows) == MANY or (not expected and len(rows) == MANY - 1), f"{len(rows)} rows with {options}"
    if expected:
        found = tuple(rows[AT if name != "leading-zeros-at-15000" else 15_000])
        given_as = tuple("" if cell is None else cell for cell in found)
        if "are NULL" in findings(frame):  # said, so a word for it may be gone
            expected = tuple("" if text.lower() in NULLS else text for text in expected)
        assert all(is_written(cell, text) for cell, text in zip(given_as, expected, strict=False)), (
            f"{found}, {options}"
        )
        assert len(given_as) >= len(expected), f"{found}, {options}"


def with_the_hints_help(file: str) -> tuple[Any, dict[str, str]]:
    """Reads a file as its user would: an option that an error names is added, the one that loses nothing first."""
    options: dict[str, str] = {}
    for _ in range(5):
        frame, error = tried(file, options)
        if error is None:
            return frame, options
        named = [(key, value) for key, value in OPTION.findall(hint(error)) if "…" not in value]
        named = [pair for pair in named if pair[0] == "text" or pair not in options.items()]
        named.sort(key=lambda pair: pair[1] == "skip")
        assert named, f"the hint names no further option beside {options}: {error.code}: {error}"
        key, value = named[0]
        options[key] = f"{options['text']},{value}" if key == "text" and "text" in options else value
    raise AssertionError(f"not read with {options}")


def is_written(cell: Any, text: str) -> bool:
    """Whether the value is that text, or the number it is."""
    if isinstance(cell, str):
        return cell == text
    try:
        return Decimal(str(cell)) == Decimal(text) and not re.match(r"[+0]\d", text)
    except InvalidOperation:
        return False


@pytest.mark.parametrize(("encoding", "word"), [("gbk", "北京"), ("cp1252", "Köln"), ("utf-8", "北京")])
def test_letters_that_come_late(folder: Path, encoding: str, word: str) -> None:
    (folder / "t.csv").write_bytes(late(f"7,8,{word}").encode(encoding))
    frame, error = tried("t.csv")
    if error is not None:
        assert "encoding=" in hint(error), f"{error.code}: {error}"
        frame = load("t.csv", {"encoding": encoding})
    assert frame.shape == (MANY, 3)
    assert frame.iloc[AT, 2] == word


def test_late_lines_also_count_in_an_aggregate(folder: Path) -> None:
    """A statement that reads no value of the odd line counts it all the same."""
    (folder / "t.csv").write_bytes(late("7,8").encode())
    frame, error = tried("t.csv", sql="SELECT count(*) AS n, sum(a) AS s FROM f0")
    if error is not None:
        assert OPTION.search(hint(error)), f"{error.code}: {error}"
    else:
        assert rows_of(frame) == [(MANY, sum(range(MANY)) - AT + 7)]


WIDE = """
import json, sys, time
from pathlib import Path
import dbgraph_nb as dg
from dbgraph_nb.errors import QueryTimeout

def threads():
    return int(Path("/proc/self/status").read_text().partition("Threads:")[2].split()[0])

names = ";".join(f"c{i}" for i in range(2_000))
Path("w.csv").write_text(names + "\\n" + (";".join(f"{i},5" for i in range(2_000)) + "\\n") * 3)
code, before = "", time.monotonic()
try:
    dg.duckdb_query("SELECT * FROM f0", files=["w.csv"], timeout=float(sys.argv[1]), max_rows=1)
except QueryTimeout as error:
    code = error.code
taken = time.monotonic() - before
for i in range(12):
    Path("t.csv").write_text(f"a,b\\n1,{i}\\n")
    assert list(dg.duckdb_query("SELECT * FROM f0", files=["t.csv"])["b"]) == [i]
time.sleep(0.5)
print(json.dumps([code, taken, threads()]))
"""


def wide(timeout: float) -> list[Any]:
    """2,000 columns with decimal commas in a process of their own: error code, seconds, threads at the end."""
    done = subprocess.run([sys.executable, "-c", WIDE, str(timeout)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    assert not done.stderr, done.stderr[-500:]
    return list(json.loads(done.stdout))


def test_two_thousand_columns_with_decimal_commas_are_read_in_time() -> None:
    code, *_ = wide(10)
    assert not code


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc tells the threads")
def test_a_timeout_of_the_doctor_leaves_no_engine_behind() -> None:
    *_, threads = wide(1)
    assert threads < 60, f"{threads} threads after 12 statements"


def test_rows_keep_their_order_where_columns_are_repaired(folder: Path) -> None:
    """Over several buffers and threads: the words for NULL must not become a join, which loses the order."""
    text = "".join(f"{i},{'NA' if i % 7 == 3 else i},2024-01-05,{'x' * 100}\n" for i in range(200_000))
    (folder / "t.csv").write_text("i,n,day,text\n" + text, "utf-8")
    for _ in range(20):
        frame = dg.duckdb_query("SELECT * FROM f0", files=["t.csv"], max_rows=50)
        assert "NA and its kind are NULL: n" in findings(frame)
        assert list(frame["i"]) == list(range(50))
        assert [value for value in frame["n"] if not pd.isna(value)] == [i for i in range(50) if i % 7 != 3]
    whole = dg.duckdb_query("SELECT i, n FROM f0", files=["t.csv"], full=True)
    assert list(whole["i"]) == list(range(200_000))


def test_what_a_large_file_has_late_is_an_error_and_no_other_value(folder: Path) -> None:
    """Beyond what is looked at, a repaired column takes nothing that it does not fit."""
    usual = "".join(f"{i},5;{'NA' if i == 3 else i};{i:>90}\n" for i in range(180_000))
    (folder / "t.csv").write_text("comma;word;x\n" + usual + "7.25;8;x\n", "utf-8")
    for column in ("comma", "word"):
        frame, error = tried("t.csv", sql=f"SELECT {column} FROM f0")
        assert (frame is None and error is not None) == (column == "comma")
    (folder / "t.csv").write_text("comma;word;x\n" + usual + "7,25;8.5;x\n", "utf-8")
    for column in ("comma", "word"):
        frame, error = tried("t.csv", sql=f"SELECT {column} FROM f0")
        assert (frame is None and error is not None) == (column == "word")


# Several files under one name.


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.name)
def test_several_files(pattern: Pattern, folder: Path) -> None:
    for name, data in pattern.files.items():
        (folder / name).write_bytes(data)
    frame, error = tried(pattern.pattern)
    if error is not None:
        assert pattern.may_fail, f"{error.code}: {error}"
        assert OPTION.search(hint(error)) or "one by one" in hint(error), f"no way out: {error}"
        return
    assert tuple(frame.columns) == pattern.header
    assert is_permuted(rows_of(frame), pattern.rows), f"{rows_of(frame)}, said {findings(frame)}"
    assert re.search(pattern.said, findings(frame)), f"{pattern.said} is not in {findings(frame)!r}"


def is_permuted(found: Iterable[Row], expected: Sequence[Row]) -> bool:
    left = list(expected)
    for row in found:
        match = next((one for one in left if same_rows([row], [one])), None)
        if match is None:
            return False
        left.remove(match)
    return not left


def test_many_files_are_all_read(folder: Path) -> None:
    for i in range(60):
        (folder / f"p{i}.csv").write_text(f"id,name\n{i},n{i}\n{i + 100},m\n", "utf-8")
    frame = load("p*.csv")
    assert Counter(frame["id"]) == Counter(j for i in range(60) for j in (i, i + 100))


def test_options_are_for_the_files_of_a_pattern_too(folder: Path) -> None:
    for i in range(3):
        (folder / f"p{i}.csv").write_bytes(f"title\nStadt^zip\nKöln^0{i}\n".encode("latin-1"))
    frame = load("p*.csv", {"delim": "^", "skip": 1, "encoding": "latin-1", "text": "zip"})
    assert sorted(rows_of(frame)) == [("Köln", f"0{i}") for i in range(3)]


# Descriptions.

SECRETS = "name,password,email,iban,salary\nAl,hunter2222,al@example.org,DE02120300000000202051,5432.5\n"


def described(target: Any, **more: Any) -> Any:
    return dg.duckdb_schema(target, **more)


def nulls(found: Any) -> dict[str, str]:
    return dict(zip(found.columns["column"], found.columns["null"], strict=True))


def test_a_small_csv_is_counted(folder: Path) -> None:
    text = "a,b\n" + "".join(f'{i},"x\ny"\n' for i in range(1234))
    (folder / "t.csv").write_text(text, "utf-8")
    found = described("t.csv")
    assert (found.rows, found.rows_exact, found.size) == (1234, True, len(text.encode()))
    assert found.target == "t.csv"
    assert list(zip(found.columns["column"], found.columns["type"], strict=True)) == [("a", "BIGINT"), ("b", "VARCHAR")]
    assert rows_of(found.sample) == [(i, "x\ny") for i in range(5)]


@pytest.mark.parametrize(("wanted", "shown"), [(0, None), (1, 1), (5, 5), (7, 7), (50, 50)])
def test_sample_rows(folder: Path, wanted: int, shown: int | None) -> None:
    (folder / "t.csv").write_text("a\n" + "".join(f"{i}\n" for i in range(99)), "utf-8")
    sample = described("t.csv", sample_rows=wanted).sample
    assert (None if sample is None else list(sample["a"])) == (None if shown is None else list(range(shown)))


def test_a_sample_of_fewer_rows_than_asked_for(folder: Path) -> None:
    (folder / "t.csv").write_text("a,b\n1,x\n", "utf-8")
    assert rows_of(described("t.csv", sample_rows=50).sample) == [(1, "x")]
    (folder / "t.csv").write_text("a,b\n", "utf-8")
    assert list(described("t.csv").sample.columns) == ["a", "b"]


@pytest.mark.parametrize("wanted", [-1, 51, 10**9, True, "5", 2.5, None])
def test_sample_rows_that_cannot_be(folder: Path, wanted: Any) -> None:
    (folder / "t.csv").write_text("a\n1\n", "utf-8")
    with pytest.raises(BadArgument) as caught:
        described("t.csv", sample_rows=wanted)
    assert caught.value.code == "bad-sample-rows"


def big(path: Path, size: int) -> int:
    """Writes lines of different length until the size is reached; returns their number."""
    block = "".join(
        f"{i},{i * 7919 % 100003},name {'x' * (i % 30)},{i / 7:.4f},2024-01-{i % 28 + 1:02d}\n" for i in range(20_000)
    )
    times = size // len(block) + 1
    with path.open("w", encoding="utf-8") as file:
        file.write("id,n,name,share,day\n")
        for _ in range(times):
            file.write(block)
    return times * 20_000


def test_a_larger_csv_is_estimated(folder: Path) -> None:
    rows = big(folder / "t.csv", 20_000_000)
    found = described("t.csv")
    assert not found.rows_exact
    assert abs(found.rows - rows) < rows / 10
    assert "about" in found.headline()
    assert found.size == (folder / "t.csv").stat().st_size


def test_lines_inside_quotes_are_no_rows_of_an_estimate(folder: Path) -> None:
    row = '1,"' + "line\n" * 9 + 'end"\n'
    (folder / "t.csv").write_text("a,b\n" + row * 400_000, "utf-8")
    found = described("t.csv")
    assert found.rows_exact or abs(found.rows - 400_000) < 40_000


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_an_estimate_with_other_ends_of_lines(folder: Path, end: str) -> None:
    (folder / "t.csv").write_bytes((f"a,b{end}" + f"123456,some text{end}" * 1_200_000).encode())
    found = described("t.csv")
    assert found.rows is None or abs(found.rows - 1_200_000) < 120_000
    assert found.rows is not None or end == "\r"


def test_an_estimate_of_a_file_in_utf_16(folder: Path) -> None:
    (folder / "t.csv").write_bytes(("a,b\n" + "123456,some text\n" * 600_000).encode("utf-16"))
    found = described("t.csv")
    assert found.rows is not None
    assert abs(found.rows - 600_000) < 60_000


def test_a_compressed_file_tells_no_wrong_number(folder: Path) -> None:
    text = "a,b\n" + "123456,some text\n" * 2_000_000
    (folder / "t.csv.gz").write_bytes(gzip.compress(text.encode(), 1))
    found = described("t.csv.gz")
    assert found.rows in (None, 2_000_000)
    assert found.size == (folder / "t.csv.gz").stat().st_size


def test_a_pattern_is_described_as_one(folder: Path) -> None:
    for i in range(3):
        (folder / f"p{i}.csv").write_text("a,b\n1,x\n2,y\n", "utf-8")
    found = described("p*.csv")
    assert (found.rows, found.rows_exact, found.size) == (6, True, 36)


def parquet(path: Path, *fields: pa.Field, rows: int = 3) -> None:
    values = {field.name: [{"x": 1}] * rows if pa.types.is_struct(field.type) else [1] * rows for field in fields}
    pq.write_table(pa.table(values, schema=pa.schema(fields)), path)


def test_required_columns_of_parquet(folder: Path) -> None:
    parquet(
        folder / "t.parquet", pa.field("must", pa.int64(), nullable=False), pa.field("may", pa.int64()), rows=70_000
    )
    found = described("t.parquet")
    assert nulls(found) == {"must": "no", "may": "yes"}
    assert (found.rows, found.rows_exact) == (70_000, True)


def test_required_columns_of_parquet_beside_fields_of_the_same_name(folder: Path) -> None:
    inner = pa.struct([pa.field("x", pa.int64())])
    parquet(folder / "t.parquet", pa.field("x", pa.int64(), nullable=False), pa.field("s", inner))
    assert nulls(described("t.parquet")) == {"x": "no", "s": "yes"}
    inner = pa.struct([pa.field("x", pa.int64(), nullable=False)])
    parquet(folder / "t.parquet", pa.field("x", pa.int64()), pa.field("s", inner, nullable=False))
    assert nulls(described("t.parquet")) == {"x": "yes", "s": "no"}


def test_required_columns_of_several_parquet_files(folder: Path) -> None:
    must, may = pa.field("a", pa.int64(), nullable=False), pa.field("a", pa.int64())
    other = pa.field("b", pa.int64(), nullable=False)
    parquet(folder / "p0.parquet", must, other)
    parquet(folder / "p1.parquet", may, other)
    assert nulls(described("p*.parquet")) == {"a": "yes", "b": "no"}
    parquet(folder / "p1.parquet", must)  # where b is missing it is NULL
    assert nulls(described("p*.parquet")) == {"a": "no", "b": "yes"}


@pytest.fixture
def database(folder: Path) -> str:
    with duckdb.connect(str(folder / "shop.duckdb")) as own:
        own.execute("CREATE TABLE orders (id BIGINT NOT NULL, note VARCHAR, iban VARCHAR)")
        own.execute("INSERT INTO orders SELECT i, 'n' || i, 'DE0212030' FROM range(3000) t(i)")
        own.execute("CREATE TABLE items (id BIGINT PRIMARY KEY, n INTEGER)")
        own.execute("CREATE VIEW recent AS SELECT id FROM orders WHERE id > 2990")
    return "shop.duckdb"


def test_a_database_lists_its_tables(database: str) -> None:
    found = described(database)
    assert set(found.columns["table"]) == {"orders", "items", "recent"}
    assert found.size == Path(database).stat().st_size


@pytest.mark.parametrize(
    ("name", "rows", "expected"),
    [
        ("f0.orders", 3000, {"id": "no", "note": "yes", "iban": "yes"}),
        ("F0.Items", 0, {"id": "no", "n": "yes"}),
        ("f0.recent", 9, {"id": "yes"}),
    ],
)
def test_a_table_of_a_database(database: str, name: str, rows: int, expected: dict[str, str]) -> None:
    found = described(name, files=[database])
    assert (found.rows, found.rows_exact) == (rows, True)
    assert nulls(found) == expected
    assert len(found.sample) == min(rows, 5)
    assert "DE0212030" not in found.sample.to_string()


def test_tables_of_one_name_in_two_databases(database: str, folder: Path) -> None:
    with duckdb.connect(str(folder / "old.duckdb")) as own:
        own.execute("CREATE TABLE orders (id BIGINT, note VARCHAR NOT NULL)")
        own.execute("CREATE TABLE other (id BIGINT)")
    assert nulls(described("f1.orders", files=[database, "old.duckdb"])) == {"id": "yes", "note": "no"}
    assert nulls(described("f0.orders", files=[database, "old.duckdb"])) == {"id": "no", "note": "yes", "iban": "yes"}


def test_a_name_that_is_not_mounted(folder: Path) -> None:
    (folder / "t.csv").write_text("a\n1\n", "utf-8")
    with pytest.raises(UnknownName) as caught:
        described("sales", files=["t.csv"])
    assert caught.value.code == "not-mounted"


@pytest.mark.parametrize("delim", [",", ";", "\t"])
@pytest.mark.parametrize("header", [True, False])
def test_the_sample_is_redacted(folder: Path, delim: str, header: bool) -> None:
    text = (SECRETS if header else SECRETS.partition("\n")[2]).replace(",", delim)
    (folder / "t.csv").write_text(text if header else text * 2, "utf-8")
    found = described("t.csv", sample_rows=50)
    shown = repr(found) + repr(found.sample) + found.sample.to_string() + " ".join(found.findings)
    if header:
        assert not [word for word in ("hunter2222", "DE02120300000000202051") if word in shown]
        reasons = dict(zip(found.columns["column"], found.columns["sensitive"], strict=True))
        assert all(reasons[name] for name in ("password", "email", "iban"))
        assert not reasons["name"]
        assert "al@example.org" in shown  # contact data is marked, and shown
    else:  # nothing says what they are; no line may become names that are shown
        assert not [name for name in found.columns["column"] if "hunter" in name]


def test_a_sensitive_column_with_decimal_commas_is_redacted(folder: Path) -> None:
    (folder / "t.csv").write_text("name;card_number\nAl;4111,5\nCy;4222,5\n", "utf-8")
    shown = described("t.csv").sample.to_string()
    assert "4111" not in shown
    assert "Al" in shown


def read_bytes(what: Callable[[], Any]) -> int:
    """The bytes that this process reads meanwhile; 0 where the system does not tell."""

    told = Path("/proc/self/io")

    def so_far() -> int:
        return int(told.read_text("ascii").split()[1]) if told.exists() else 0

    before = so_far()
    what()
    return so_far() - before


@pytest.mark.soak
@pytest.mark.skipif(not soak.FULL, reason="in the soak only: it writes 200 MB")
@pytest.mark.parametrize("usual", ["plain", "decimal commas", "ragged"])
def test_two_hundred_megabytes_are_described_at_once(folder: Path, usual: str) -> None:
    big(folder / "t.csv", 200_000_000)
    if usual != "plain":
        text = (folder / "t.csv").read_text("ascii")
        is_comma = usual == "decimal commas"
        text = text.replace(",", ";").replace(".", ",") if is_comma else text.replace(",2024-01-02\n", "\n", 1)
        (folder / "t.csv").write_text(text, "ascii")
    started = time.monotonic()
    read = read_bytes(lambda: described("t.csv", sample_rows=50))
    taken = time.monotonic() - started
    found = described("t.csv")
    print(f"\nsoak: 200 MB of CSV ({usual}) described in {taken:.2f} s, {read / 1e6:.0f} MB read")
    assert not found.rows_exact
    assert taken < 2
    assert read < 150_000_000
