"""What failed in public in other tools that run SQL in notebooks: a test for each row of that table, by its number.

In: the smallest input that showed the failure. Out: what a user expects, through the magics or the functions behind
them; where another engine is meant, the gate's answer for its dialect. One file, so that the rows stand in order.
"""

from __future__ import annotations

import codecs
import datetime as dt
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
import pandas as pd
import pytest
import soak
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from nbclient import NotebookClient

import dbgraph_nb as dg
from dbgraph_nb import gate
from dbgraph_nb.errors import GateRefused, UnknownName
from dbgraph_nb.model import Dialect
from dbgraph_nb.result import ResultFrame

if TYPE_CHECKING:
    from conftest import MariaDatabase
    from notebook.conftest import Notebook

MAGICS = ("%%duckdb", "%%dbgraph sql")
ALL_DIALECTS: tuple[Dialect, ...] = ("sqlite", "mysql", "mariadb", "postgres", "duckdb")
ID = 1234567890123456789  # 19 digits; the nearest double is …800
SERIES = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) SELECT i FROM n"  # any dialect

both = pytest.mark.parametrize("magic", MAGICS)
Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Puts a file into the workspace; its name comes back."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, content: str | bytes, encoding: str = "utf-8") -> str:
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return name

    return write


def rows(frame: pd.DataFrame) -> list[tuple[Any, ...]]:
    return list(frame.itertuples(index=False, name=None))


def shown(nb: Notebook, value: object, mime: str = "text/html") -> str:
    """As a cell shows it."""
    data, _ = nb.shell.display_formatter.format(value)  # type: ignore[union-attr]
    return str(data[mime])


def refused(sql: str, dialect: Dialect) -> bool:
    try:
        gate.check(sql, dialect=dialect)
    except GateRefused:
        return True
    return False


def test_every_row_has_a_test() -> None:
    numbered = {name[9:11] for name in globals() if name.startswith("test_row_")}
    assert numbered == {f"{row:02}" for row in range(1, 33)}


# --- the text of a statement ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("slice_", ["[:2]", "[1:2]", "[ : 2]", "[:n]", "[1:n]"])
def test_row_01_a_slice_is_no_parameter(shop: Notebook, slice_: str) -> None:
    shop["n"] = shop["two"] = 1
    sql = f"SELECT 'abc'{slice_} AS v FROM (SELECT 2 AS n)"
    assert shop.run(f"%%duckdb\n{sql}")["v"].tolist() == ["ab"]
    beside = shop.run(f"%%duckdb --param p=7\nSELECT 'abc'{slice_} AS v, :p AS p FROM (SELECT 2 AS n)")
    assert rows(beside) == [("ab", 7)]
    assert shop.run(f"%%dbgraph sql\nSELECT 'x{slice_}' AS v")["v"].tolist() == [f"x{slice_}"]


@both
@pytest.mark.parametrize("form", ["{};\n-- a comment", "/* before */ {}", "/* a */\n-- b\n{} -- c\n;\n/* d */\n"])
def test_row_02_comments_around_a_statement_lose_no_row(shop: Notebook, magic: str, form: str) -> None:
    frame = shop.run(f"{magic}\n{form.format(SERIES.format(8))}")
    assert isinstance(frame, ResultFrame)
    assert frame["i"].tolist() == [1, 2, 3, 4, 5, 6, 7, 8]


@both
def test_row_03_a_comment_behind_a_statement_is_no_option(shop: Notebook, magic: str) -> None:
    assert shop.run(f"{magic}\nSELECT 1 AS v --max-rows no number")["v"].tolist() == [1]
    assert shop.run(f"{magic}\nSELECT 1 AS v --show-sensitive").meta.warnings == ()


def test_row_03_a_statement_in_the_line_of_a_magic_is_refused(shop: Notebook) -> None:
    assert "below" in str(shop.fails("%dbgraph sql SELECT 1 AS v -- some words", "wrong-form"))
    shop.fails("%%duckdb SELECT 1 AS v -- some words\nSELECT 2 AS v", "bad-option")


@both
def test_row_04_a_line_comment_ends_with_its_line(shop: Notebook, magic: str) -> None:
    shop.run(f"{magic} -o kept\nSELECT 1 AS a\n-- , 2 AS b\n, 3 AS c")
    assert list(shop["kept"].columns) == ["a", "c"]
    assert rows(shop["kept"]) == [(1, 3)]


def test_row_05_braces_belong_to_sql(shop: Notebook) -> None:
    shop["a"] = shop["x"] = "expanded"
    assert shop.run("%%duckdb\nSELECT {'a': 1, 'b': 2} AS v")["v"].tolist() == [{"a": 1, "b": 2}]
    assert shop.run("%%duckdb\nSELECT {a: 1, 'b': {x: '{x}'}} AS v")["v"].tolist() == [{"a": 1, "b": {"x": "{x}"}}]
    assert shop.run("%%dbgraph sql\nSELECT '{a} {{x}} $x' AS v")["v"].tolist() == ["{a} {{x}} $x"]


@both
@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("SELECT 1 AS v -- it's", 1),
        ("-- it's\nSELECT 1 AS v", 1),
        ("SELECT 1 /* it's */ AS v", 1),
        ("SELECT 'it''s' AS v", "it's"),
        ('SELECT 1 AS "it\'s"', 1),
    ],
)
def test_row_06_one_apostrophe(shop: Notebook, magic: str, body: str, value: object) -> None:
    assert rows(shop.run(f"{magic}\n{body}")) == [(value,)]


def test_row_06_one_apostrophe_in_a_value_of_find(shop: Notebook) -> None:
    answer = shop.run("""%dbgraph find users where name="O'Neil" """)
    assert (answer.status, len(answer.frame), list(answer.params.values())) == ("ok", 0, ["O'Neil"])


LIKE = "SELECT 'a word, 50% of %s' AS v WHERE 'a word here' LIKE '%word%' AND '100%' LIKE '%\\%' ESCAPE '\\'"


@both
def test_row_07_percent_signs(shop: Notebook, magic: str) -> None:
    assert shop.run(f"{magic}\n{LIKE}")["v"].tolist() == ["a word, 50% of %s"]
    assert shop.run(f"{magic} --param p=%a%\n{LIKE} AND 'bad' LIKE :p")["v"].tolist() == ["a word, 50% of %s"]


def test_row_07_percent_signs_through_a_driver_that_formats(nb: Notebook, maria: MariaDatabase) -> None:
    dg.connect("mine", maria.url_with_password)
    sql = "SELECT 'a word, 50% of %s' AS v FROM (SELECT 1 AS n) AS t WHERE 'a word here' LIKE '%word%'"
    assert nb.run(f"%%dbgraph sql mine\n{sql}")["v"].tolist() == ["a word, 50% of %s"]
    assert nb.run(f"%%dbgraph sql mine --param p=%a%\n{sql} AND 'bad' LIKE :p")["v"].tolist() == ["a word, 50% of %s"]


@both
def test_row_08_json_is_no_parameter(shop: Notebook, magic: str) -> None:
    shop["true"] = shop["null"] = "expanded"
    text = '{"a":true,"b":null,"c":[:1]}'
    assert shop.run(f"{magic}\nSELECT '{text}' AS v")["v"].tolist() == [text]
    assert rows(shop.run(f"{magic} --param p=1\nSELECT '{text}' AS v, :p AS p")) == [(text, 1)]


# --- what comes back ------------------------------------------------------------------------------------------------


def test_row_09_columns_of_one_name_both_stay(nb: Notebook, write: Write) -> None:
    one, two = write("one.csv", "id,k\n1,7\n"), write("two.csv", "id,k\n2,7\n")
    frame = nb.run(f"%%duckdb -f {one} -f {two}\nSELECT f0.id, f1.id FROM f0 JOIN f1 USING (k)")
    assert list(frame.columns) == ["id", "id"]
    assert rows(frame) == [(1, 2)]
    assert shown(nb, frame).count(">id</th>") == 2
    assert nb.run("%%duckdb\nSELECT * FROM (SELECT 1 AS id), (SELECT 'x' AS id)").iloc[0].tolist() == [1, "x"]


def test_row_09_columns_of_one_name_in_a_database(shop: Notebook) -> None:
    frame = shop.run("%%dbgraph sql\nSELECT * FROM (SELECT 1 AS id), (SELECT 'x' AS id)")
    assert frame.iloc[0].tolist() == [1, "x"]
    assert len(frame.columns) == 2


def test_row_10_decimals_and_sums_are_exact(nb: Notebook) -> None:
    frame = nb.run(
        "%%duckdb\nSELECT 1.10 AS d, sum(v) AS s, sum(v::DECIMAL(18, 2)) AS t\n"
        "FROM (VALUES (9007199254740993), (0)) x(v)"
    )
    ((d, s, t),) = rows(frame)
    assert (type(d), str(d)) == (Decimal, "1.10")
    assert (type(s), s) == (int, 2**53 + 1)
    assert (type(t), str(t)) == (Decimal, "9007199254740993.00")


def test_row_11_far_dates(nb: Notebook) -> None:
    frame = nb.run("%%duckdb\nSELECT DATE '9999-12-31' AS a, DATE '0001-01-01' AS b, TIMESTAMP '9999-12-31' AS c")
    assert rows(frame) == [(dt.date(9999, 12, 31), dt.date(1, 1, 1), dt.datetime(9999, 12, 31))]
    assert "9999-12-31" in shown(nb, frame)


LOS_ANGELES = """
import duckdb, dbgraph_nb as dg
sql = "SELECT TIMESTAMPTZ '0001-01-01 00:00:00+00' AS v UNION ALL SELECT TIMESTAMPTZ '0001-01-02 12:00:00+00'"
shown = dg.duckdb_query(sql)
assert shown["v"].tolist() == [value for (value,) in duckdb.connect().execute(sql).fetchall()], shown
print(duckdb.connect().execute("SELECT current_setting('TimeZone')").fetchone()[0], shown._repr_html_())
"""


def test_row_11_year_one_in_los_angeles(tmp_path: Path) -> None:
    zone = "America/Los_Angeles"  # of the process: DuckDB asks for it only once
    done = subprocess.run(
        [sys.executable, "-c", LOS_ANGELES],
        env={**os.environ, "TZ": zone},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(zone)
    assert "0001-01-0" in done.stdout


def test_row_12_nineteen_digits_in_html(nb: Notebook, write: Write) -> None:
    file = write("ids.csv", f"id,name\n{ID},x\n{ID + 1},y\n")
    frame = nb.run(f"%%duckdb -f {file}\nFROM f0")
    assert frame["id"].tolist() == [ID, ID + 1]
    for mime in ("text/html", "text/plain"):
        assert str(ID) in shown(nb, frame, mime)
        assert str(ID + 1) in shown(nb, frame, mime)
    assert str(ID) in shown(nb, nb.run(f"%%duckdb\nSELECT {ID} AS id UNION ALL SELECT NULL"))


def test_row_12_nineteen_digits_in_a_saved_notebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Write
) -> None:
    for variable in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(variable, str(tmp_path / variable.lower()))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    sources = ["%load_ext dbgraph_nb", f"%%duckdb\nSELECT {ID} AS id, {{'id': [{ID}]}} AS nested"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(tmp_path)}}).execute()
    nbformat.write(notebook, tmp_path / "saved.ipynb")
    (output,) = nbformat.read(tmp_path / "saved.ipynb", as_version=4).cells[1].outputs
    assert set(output["data"]) == {"text/plain", "text/html"}
    for text in output["data"].values():
        assert text.count(str(ID)) == 2
        assert "12345678901234568" not in text  # how a double or a browser would write it


def test_row_13_stop_ends_a_cross_join(nb: Notebook) -> None:
    nb.run("%%duckdb\nSELECT 1 AS v")  # what is imported at first use is there
    stop = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    started = time.monotonic()
    stop.start()
    done = nb.shell.run_cell(
        "%%duckdb --timeout 60\nSELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range + b.range = -1"
    )
    seconds = time.monotonic() - started
    stop.join()
    assert isinstance(done.error_in_exec, KeyboardInterrupt)
    assert 1 <= seconds < 10  # the promise of one second is measured in test_stop.py
    assert nb.run("%%duckdb\nSELECT 1 AS v")["v"].tolist() == [1]


def test_row_14_no_rows_show_their_headers(shop: Notebook, write: Write) -> None:
    file = write("empty.csv", "城市,amount\n")
    for cell in (f"%%duckdb -f {file}\nFROM f0", '%%dbgraph sql\nSELECT 1 AS "城市", 2 AS amount WHERE 1 = 0'):
        frame = shop.run(cell)
        assert (list(frame.columns), len(frame)) == (["城市", "amount"], 0)
        for mime in ("text/html", "text/plain"):
            assert all(word in shown(shop, frame, mime) for word in ("城市", "amount", "0 rows"))


@pytest.mark.parametrize(
    ("magic", "sql"), [("%%duckdb", "SELECT '\\xAA\\x00'::BLOB AS v"), ("%%dbgraph sql", "SELECT x'AA00' AS v")]
)
def test_row_15_binary_values_are_bytes(shop: Notebook, magic: str, sql: str) -> None:
    frame = shop.run(f"{magic}\n{sql}")
    (value,) = frame["v"].tolist()
    assert (type(value), value) == (bytes, b"\xaa\x00")
    assert "0xaa00" in shown(shop, frame)
    assert "170" not in shown(shop, frame)


# --- files ----------------------------------------------------------------------------------------------------------


def test_row_16_a_byte_order_mark_is_no_part_of_a_header(nb: Notebook, write: Write) -> None:
    file = write("bom.csv", codecs.BOM_UTF8 + "编号,b\n1,2\n".encode())
    assert nb.run(f"%%duckdb -f {file}\nSELECT 编号 FROM f0")["编号"].tolist() == [1]
    assert list(nb.run(f"%%duckdb -f {file}\nFROM f0").columns) == ["编号", "b"]


@pytest.mark.parametrize("word", ["Café", "Straße 7", "Köln", "Málaga"])
def test_row_17_semicolons_decimal_commas_and_a_latin_byte(nb: Notebook, write: Write, word: str) -> None:
    """The byte of some words begins a character of GBK, too."""
    file = write("preise.csv", f"ort;preis;menge\n{word};4,35;1\nBonn;-12,50;20\nUlm;0,5;3\n", "latin-1")
    frame = nb.run(f"%%duckdb -f {file}\nSELECT ort, preis, menge, sum(preis) OVER () AS summe FROM f0")
    assert frame["ort"].tolist() == [word, "Bonn", "Ulm"]
    numbers = frame["preis"].tolist()
    assert {type(number) for number in numbers} <= {float, Decimal}
    assert [float(number) for number in numbers] == [4.35, -12.5, 0.5]
    assert float(frame["summe"].iloc[0]) == pytest.approx(-7.65)
    assert frame["menge"].tolist() == [1, 20, 3]


def test_row_17_decimal_commas_in_utf8(nb: Notebook, write: Write) -> None:
    file = write("p.csv", "a;b\n4,35;x,y\n10,1;z\n")
    frame = nb.run(f"%%duckdb -f {file}\nFROM f0")
    assert [float(value) for value in frame["a"].tolist()] == [4.35, 10.1]
    assert {type(value) for value in frame["a"].tolist()} <= {float, Decimal}
    assert frame["b"].tolist() == ["x,y", "z"]


CITIES = "城市,人口,备注\n北京,2189,首都\n上海,2487,“魔都”\n广州,1867,花城、羊城\n"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "gbk", "gb18030", "utf-16", "utf-16-le-bom", "utf-16-be-bom"]
)
def test_row_17_chinese_encodings(nb: Notebook, write: Write, encoding: str) -> None:
    marks = {"utf-16-le-bom": codecs.BOM_UTF16_LE, "utf-16-be-bom": codecs.BOM_UTF16_BE}
    content = marks.get(encoding, b"") + CITIES.encode(encoding.removesuffix("-bom"))
    frame = nb.run(f"%%duckdb -f {write('cities.csv', content)}\nFROM f0")
    assert list(frame.columns) == ["城市", "人口", "备注"]
    assert rows(frame) == [("北京", 2189, "首都"), ("上海", 2487, "“魔都”"), ("广州", 1867, "花城、羊城")]


@pytest.mark.parametrize("empty", [10, 1, 0])
@pytest.mark.parametrize("lines", [False, True])
def test_row_18_json_of_mostly_empty_objects_keeps_its_column(
    nb: Notebook, write: Write, empty: int, lines: bool
) -> None:
    objects = ['{"a":1}', *["{}"] * empty]
    file = write("few.jsonl", "\n".join(objects)) if lines else write("few.json", f"[{','.join(objects)}]")
    frame = nb.run(f"%%duckdb -f {file}\nFROM f0")
    assert list(frame.columns) == ["a"]
    first, *others = frame["a"].tolist()
    assert (type(first), first) == (int, 1)
    assert [value is None or value is pd.NA for value in others] == [True] * empty
    assert nb.run(f"%%duckdb -f {file}\nSELECT sum(a) AS s FROM f0")["s"].tolist() == [1]


def test_row_19_names_of_files_and_headers_in_any_script(nb: Notebook, write: Write) -> None:
    file = write("销售 数据 👍.csv", "👍,值\n1,2\n")
    assert rows(nb.run(f"%%duckdb -f '{file}'\nSELECT \"👍\", 值 FROM f0")) == [(1, 2)]
    assert rows(nb.run(f"%%duckdb -f '销售={file}'\nFROM 销售")) == [(1, 2)]
    assert rows(dg.duckdb_query("FROM f0", [file])) == [(1, 2)]


@both
@pytest.mark.parametrize("names", [("index", "a"), ("0", "1", "2"), ("index", "0", "1", "2")])
def test_row_20_columns_named_index_or_by_numbers_are_shown(shop: Notebook, magic: str, names: tuple[str, ...]) -> None:
    values = [f"value{i}" for i in range(len(names))]
    columns = ", ".join(f"'{value}' AS \"{name}\"" for name, value in zip(names, values, strict=True))
    frame = shop.run(f"{magic}\nSELECT {columns}")
    assert list(frame.columns) == list(names)
    assert [frame[name].tolist() for name in names] == [[value] for value in values]
    for mime in ("text/html", "text/plain"):
        text = shown(shop, frame, mime)
        places = [text.index(word) for word in (*(f">{n}<" if mime == "text/html" else n for n in names), *values)]
        assert places == sorted(places)


FRAME = "import dbgraph_nb as dg, pandas as pd\ndf = pd.DataFrame({'a': [1, 2], '名': ['x', None]})"


def test_row_21_a_frame_that_is_given_by_name(nb: Notebook) -> None:
    nb.run(FRAME)
    found = nb.run("dg.duckdb_query('SELECT a, 名 FROM df WHERE a < :n', files=[('df', df)], params={'n': 2})")
    assert rows(found) == [(1, "x")]
    assert nb.run("dg.duckdb_query('SELECT count(名) AS n FROM f0', files=[df])")["n"].tolist() == [1]


def test_row_21_a_frame_of_the_notebook_in_the_next_cell(nb: Notebook) -> None:
    """Defined by code or kept with ``-o``; never found unless ``-f`` names it."""
    nb.run(FRAME)
    assert nb.run("%%duckdb -f df -o kept\nSELECT a + 1 AS b FROM df ORDER BY a")["b"].tolist() == [2, 3]
    assert nb.run("%%duckdb -f kept\nSELECT max(b) AS m FROM kept")["m"].tolist() == [3]


def test_row_21_a_name_that_stands_for_nothing(nb: Notebook) -> None:
    error = nb.fails("%%duckdb\nSELECT * FROM nothing", "not-mounted")
    assert isinstance(error, UnknownName)
    assert "nothing" in str(error)
    nb["nothing"] = 5
    nb.fails("%%duckdb\nSELECT * FROM nothing", "not-mounted")


# --- errors and results ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("magic", "sql"),
    [
        ("%%duckdb", "SELECT factorial(i) AS v FROM range(100) t(i)"),
        ("%%duckdb", "SELECT chr((i - 5)::INTEGER) AS v FROM range(10) t(i)"),
        ("%%duckdb", "SELECT (CASE i WHEN 4999 THEN 'x' ELSE '1' END)::INTEGER AS v FROM range(5000) t(i)"),
        ("%%dbgraph sql", "SELECT abs(-9223372036854775807 - 1) AS v"),
    ],
)
def test_row_22_an_error_while_running_is_an_error(shop: Notebook, magic: str, sql: str) -> None:
    done = shop.shell.run_cell(f"{magic}\n{sql}", store_history=False)
    error = done.error_in_exec
    assert done.result is None
    assert error is not None
    shop.fails(f"{magic}\n{sql}", error.code)


def test_row_23_unnest_and_arrows(nb: Notebook, write: Write) -> None:
    sql = "SELECT unnest(['{\"k\": 1}'::JSON, '{\"k\": \"z\"}'::JSON])->>'k' AS v"
    assert nb.run(f"%%duckdb\n{sql}")["v"].tolist() == ["1", "z"]
    sql = "SELECT j->'k'->>0 AS v FROM (SELECT unnest(['{\"k\": [5]}'::JSON]) AS j)"
    assert nb.run(f"%%duckdb\n{sql}")["v"].tolist() == ["5"]


@pytest.mark.parametrize(
    "sql", ["SELECT a FROM unnest", 'SELECT u.a FROM "unnest" AS u', "FROM unnest", "SELECT unnest.a FROM unnest"]
)
def test_row_23_a_table_named_unnest(nb: Notebook, write: Write, sql: str) -> None:
    file = write("u.csv", "a\n7\n")
    assert rows(nb.run(f"%%duckdb -f unnest={file}\n{sql}")) == [(7,)]


@both
def test_row_24_a_result_can_be_used_twice(shop: Notebook, magic: str) -> None:
    shop.run(f"{magic} -o kept\n{SERIES.format(3)}")
    first, second = shop.run("kept"), shop.run("kept")
    assert first["i"].tolist() == second["i"].tolist() == [1, 2, 3]
    assert shown(shop, first) == shown(shop, second)
    copies = [pd.DataFrame(shop["kept"]) for _ in range(2)]
    assert copies[0].equals(copies[1])
    assert len(copies[1]) == 3


@both
def test_row_25_words_in_texts_and_with_are_no_writes(shop: Notebook, magic: str) -> None:
    text = "pragma; DROP TABLE users; -- attach /* delete */"
    assert shop.run(f"{magic}\nSELECT '{text}' AS v")["v"].tolist() == [text]
    assert shop.run(f'{magic}\nSELECT 1 AS "delete", 2 AS "update"').iloc[0].tolist() == [1, 2]
    assert shop.run(f"{magic}\n{SERIES.format(4)}")["i"].tolist() == [1, 2, 3, 4]


def test_row_25_a_word_in_a_value_of_find(shop: Notebook) -> None:
    answer = shop.run("%dbgraph find users where name='pragma; DROP TABLE users'")
    assert (answer.status, len(answer.frame)) == ("ok", 0)


# --- what must not run ----------------------------------------------------------------------------------------------


@pytest.fixture
def guarded(shop: Notebook, write: Write) -> Notebook:
    """The shop, and a file that ``%%duckdb`` mounts as users."""
    write("users.csv", "id,name\n1,x\n")
    return shop


def stays(nb: Notebook, sql: str) -> None:
    """Both magics refuse the statement, and neither the database nor the folder changes."""
    count = "%%dbgraph sql\nSELECT count(*) AS n FROM users"
    before = (nb.run(count)["n"].tolist(), sorted(Path().iterdir()), Path("users.csv").read_bytes())
    for magic in ("%%duckdb -f users=users.csv", "%%dbgraph sql"):
        done = nb.shell.run_cell(f"{magic}\n{sql}", store_history=False)
        assert isinstance(done.error_in_exec, GateRefused), (magic, sql)
        assert done.result is None
    assert (nb.run(count)["n"].tolist(), sorted(Path().iterdir()), Path("users.csv").read_bytes()) == before


@pytest.mark.parametrize("change", ["UPDATE users SET name = 'y' RETURNING id", "DELETE FROM users RETURNING id",
                                    "INSERT INTO users SELECT * FROM users RETURNING id"])  # fmt: skip
def test_row_26_a_change_inside_with(guarded: Notebook, change: str) -> None:
    sql = f"WITH x AS ({change}) SELECT * FROM x"
    stays(guarded, sql)
    assert all(refused(sql, dialect) for dialect in ALL_DIALECTS)
    assert not refused("WITH x AS (SELECT id FROM users) SELECT * FROM x", "postgres")


@pytest.mark.parametrize("dialect", ["mysql", "mariadb"])
@pytest.mark.parametrize(
    "sql",
    [
        "/*! DELETE FROM users */",
        "/*!50000 DELETE FROM users */",
        "SELECT 1 /*!50000 ; DELETE FROM users */",
        "SELECT 1 /*!99999 INTO OUTFILE '/tmp/planted' */",
        "SELECT * FROM users /*!FOR UPDATE*/",
        "/*M!100100 DELETE FROM users */",
        "SELECT 1; /*!50000 DELETE FROM users */",
    ],
)
def test_row_27_a_version_comment_runs(dialect: Dialect, sql: str) -> None:
    assert refused(sql, dialect)
    assert not refused("SELECT 1 /* DELETE FROM users */", dialect)


@pytest.mark.parametrize("dialect", ["mysql", "mariadb"])
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 'word' INTO OUTFILE '/tmp/planted'",
        "SELECT 'word' INTO DUMPFILE '/tmp/planted'",
        "SELECT name INTO OUTFILE '/tmp/planted' FROM users",
        "SELECT name FROM users INTO/**/OUTFILE '/tmp/planted'",
        "SELECT 'word' UNION SELECT name FROM users INTO OUTFILE '/tmp/planted'",
        "(SELECT 'word') INTO OUTFILE '/tmp/planted'",
        "SELECT 'word' INTO @v",
    ],
)
def test_row_28_a_select_into_a_file(dialect: Dialect, sql: str) -> None:
    assert refused(sql, dialect)
    assert not refused("SELECT 'word' AS outfile", dialect)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM pg_read_file('/etc/passwd')",
        "SELECT * FROM pg_catalog.pg_read_binary_file('/etc/passwd') AS t",
        "SELECT u.* FROM users u, LATERAL pg_ls_dir('.') d",
        "SELECT * FROM ROWS FROM (pg_ls_dir('.'), generate_series(1, 2))",
        "SELECT * FROM users JOIN lo_import('/etc/passwd') l ON true",
        "SELECT * FROM dblink('host=x', 'DELETE FROM users') AS t(a int)",
        "SELECT * FROM query_to_xml('DELETE FROM users', true, true, '')",
    ],
)
def test_row_29_a_function_after_from(sql: str) -> None:
    assert refused(sql, "postgres")
    assert not refused("SELECT * FROM generate_series(1, 2)", "postgres")


@pytest.mark.parametrize("call", ["read_text('users.csv')", "glob('*')", "read_csv('users.csv')", "'users.csv'"])
def test_row_29_a_function_after_from_in_duckdb(guarded: Notebook, call: str) -> None:
    done = guarded.shell.run_cell(f"%%duckdb -f users.csv\nSELECT * FROM {call}", store_history=False)
    assert isinstance(done.error_in_exec, GateRefused)


@pytest.mark.parametrize(
    "comment", ["/* read */ ", "-- read\n", "/* SELECT */-- SELECT 1\n", "\n\n/**/\t", "-- SELECT\r\n", "/*;*/"]
)
def test_row_30_a_comment_before_a_change(guarded: Notebook, comment: str) -> None:
    stays(guarded, f"{comment}DELETE FROM users")
    assert all(refused(f"{comment}DELETE FROM users", dialect) for dialect in ALL_DIALECTS)
    assert not any(refused(f"{comment}SELECT 1", dialect) for dialect in ALL_DIALECTS)


@pytest.mark.parametrize(
    "sql", ["COMMIT; DELETE FROM users; SELECT 1", "SELECT 1; COMMIT; DELETE FROM users", "COMMIT", "END;",
            "SELECT 1;;DELETE FROM users", "ROLLBACK; SELECT 1", "BEGIN; SELECT 1", "SET TRANSACTION READ WRITE"],
)  # fmt: skip
def test_row_31_several_statements(guarded: Notebook, sql: str) -> None:
    stays(guarded, sql)
    assert all(refused(sql, dialect) for dialect in ALL_DIALECTS)
    assert not any(refused("SELECT ';' AS v;;", dialect) for dialect in ALL_DIALECTS)


@pytest.mark.parametrize("first", ["SELECT 1", "EXPLAIN SELECT 1", "EXPLAIN ANALYZE SELECT 1"])
@pytest.mark.parametrize("second", ["COPY (SELECT 1) TO 'planted.csv'", "EXPORT DATABASE 'planted'"])
def test_row_32_nothing_runs_a_second_statement(guarded: Notebook, first: str, second: str) -> None:
    stays(guarded, f"{first}; {second}")
    stays(guarded, f"EXPLAIN {second}")


@both
@pytest.mark.parametrize("end", ["-- LIMIT 10", "/* LIMIT 10 */", "-- limit 5000\n", "; -- LIMIT 10"])
def test_row_32_a_limit_in_a_comment_is_none(shop: Notebook, magic: str, end: str) -> None:
    frame = shop.run(f"{magic} --max-rows 50\n{SERIES.format(2000)} {end}")
    assert (len(frame), frame.meta.truncated) == (50, True)
    assert frame["i"].tolist() == list(range(1, 51))
    assert frame.meta.row_count >= 50 if magic == "%%dbgraph sql" else frame.meta.row_count == 2000


# --- byte for byte --------------------------------------------------------------------------------------------------

PIECES = [
    "SELECT 1 AS v", "\n", "\r\n", "\r", "\t", " ", ";", "--", "-- it's\n", "/*", "*/", "'", '"', "`", "$$", "{", "}",
    "{x}", "$x", "${x}", "%", "%%", "%s", "%(x)s", "%%duckdb", "%dbgraph find", "!ls", "!!", "?", "??", "?x", "x?",
    ">>> ", "... ", "In [1]: ", "   ...: ", "    ", "\\", "\\\n", "\\n", ":x", "::", "[:2]", "@x", "#", "\n\n\n",
    "\x00", "\x0b", "\x0c", "\x1c", "\x85", "\u00a0", "\u2028", "\u3000", "\ufeff", "张三", "👍", "e\u0301",
    "def f():", "get_ipython()", "_ = 1",
]  # fmt: skip
BODIES = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=60),  # half a pair cannot be saved in a notebook
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
)


ALTERED = [  # what IPython takes for its own when it looks at a whole cell
    "",
    "SELECT '\n>>> x\n... y' AS v\n",
    ">>> SELECT 1 AS v\n",
    "In [1]: SELECT 1 AS v\n",
    "SELECT 'a\n \t \nb' AS v\n",
    "    SELECT 1 AS v\n  ;\n",
]


@pytest.fixture
def sent(shop: Notebook, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What reaches the gate, which lets nothing further."""
    seen: list[str] = []

    def recorded(sql: str, **_: object) -> None:
        seen.append(sql)
        raise GateRefused("Seen.", rule="seen")

    monkeypatch.setattr(gate, "check", recorded)
    shop["x"] = "expanded"
    return seen


def ended(body: str) -> str:
    """IPython ends the last line of a cell that does not end; nothing else may differ."""
    return body if body.endswith("\n") else f"{body}\n"


@both
@pytest.mark.parametrize("body", ALTERED)
def test_a_body_that_ipython_would_alter(shop: Notebook, sent: list[str], magic: str, body: str) -> None:
    shop.shell.run_cell(f"{magic}\n{body}", store_history=False)
    assert sent == [ended(body)]


@both
def test_any_body_reaches_the_gate_byte_for_byte(shop: Notebook, sent: list[str], magic: str) -> None:
    @seed(20261201)
    @settings(max_examples=soak.scale(4_000), deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(BODIES)
    def holds(body: str) -> None:
        sent.clear()
        shop.shell.run_cell(f"{magic}\n{body}", store_history=False)
        assert sent == [ended(body)]

    holds()


@seed(20261201)
@settings(max_examples=soak.scale(2_000), deadline=None, suppress_health_check=list(HealthCheck), database=None)
@given(BODIES.map(lambda text: text.replace("\0", "")))  # the gate refuses NUL
def test_any_text_comes_back_from_the_engine(nb: Notebook, text: str) -> None:
    quoted = text.replace("'", "''")
    body = f"SELECT '{quoted}' AS v"
    frame = nb.run(f"%%duckdb\n{body}")
    assert frame["v"].tolist() == [text]
    assert frame.meta.sql == ended(body)
