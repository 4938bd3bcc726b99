"""``%%duckdb`` in a shell: every option, and bodies byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dbgraph_nb.notebook.magics.duckdb import DUCKDB
from dbgraph_nb.result import ResultFrame

if TYPE_CHECKING:
    from notebook.conftest import Notebook


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "sales.csv").write_text("city,amount\nBJ,100\nSH,200\nBJ,200\n", "utf-8")
    (tmp_path / "odd name.csv").write_text("password\ngeheim\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_cell_over_a_file(nb: Notebook, files: Path) -> None:
    frame = nb.run("%%duckdb -f sales.csv\nSELECT city, sum(amount) AS total FROM f0 GROUP BY city ORDER BY city")
    assert isinstance(frame, ResultFrame)
    assert frame["total"].tolist() == [300, 200]


def test_names_parameters_and_variables(nb: Notebook, files: Path) -> None:
    nb["least"] = 150
    frame = nb.run(
        "%%duckdb --file s=sales.csv -f 'odd name.csv' --param city=BJ --timeout 5\n"
        "SELECT * FROM s WHERE amount > :least AND city = :city"
    )
    assert frame["amount"].tolist() == [200]


def test_output_keeps_the_whole_result(nb: Notebook, files: Path) -> None:
    shown = nb.run("%%duckdb -f sales.csv -o rows --max-rows 1\nFROM f0")
    assert (len(shown), len(nb["rows"])) == (1, 3)
    assert "1 of 3 rows" in repr(shown)
    nb.run("%%duckdb -f sales.csv --output again\nFROM f0")
    assert len(nb["again"]) == 3


def test_sensitive_values(nb: Notebook, files: Path) -> None:
    assert nb.run("%%duckdb -f 'odd name.csv'\nFROM f0")["password"].tolist() == ["[REDACTED]"]
    shown = nb.run("%%duckdb -f 'odd name.csv' --show-sensitive\nFROM f0")
    assert shown["password"].tolist() == ["geheim"]
    assert "sensitive values shown" in repr(shown)


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("SELECT 'it''s {x} $HOME % --x' AS v -- a comment's end", "it's {x} $HOME % --x"),
        ("-- one\nSELECT 'a[:2]' AS v\n-- two's", "a[:2]"),
        ("SELECT {'k': 1}.k AS v;\n-- after", 1),
        ("/* before */ SELECT '[1:2]' AS v", "[1:2]"),
        ("SELECT '{\"a\": true}'::JSON AS v", '{"a": true}'),
        ("SELECT 'a\n--b\nc' AS v", "a\n--b\nc"),
    ],
)
def test_the_body_reaches_the_engine_as_it_is(nb: Notebook, body: str, value: object) -> None:
    assert nb.run(f"%%duckdb\n{body}")["v"].tolist() == [value]


def test_errors_are_one_line(nb: Notebook, files: Path) -> None:
    nb.fails("%%duckdb -f ../x.csv\nSELECT 1", "path-parent")
    nb.fails("%%duckdb -f sales.csv\nSELECT * FROM f3", "not-mounted")
    nb.fails("%%duckdb -f sales.csv\nDROP TABLE f0", "gate-statement-form")
    error = nb.fails("%%duckdb --nothing\nSELECT 1", "bad-option")
    assert str(error).startswith("%%duckdb: ")
    nb.fails("%%duckdb -f sales.csv -o print\nSELECT 1", "bad-variable")


def test_help_lists_the_options(nb: Notebook, capsys: pytest.CaptureFixture[str]) -> None:
    nb.run("%%duckdb --help\nSELECT 1")
    told = capsys.readouterr().out
    assert told.startswith(("%%duckdb [-h]", "%%duckdb [-f FILE]"))
    assert all(option in told for action in DUCKDB.parser._actions for option in action.option_strings)


def test_a_whole_result_of_a_database_goes_to_a_new_file(shop: Notebook, files: Path) -> None:
    told = shop.run("%%dbgraph sql --to users.csv\nSELECT id, name, password FROM users ORDER BY id;")
    assert told["file"].tolist() == ["users.csv"]
    assert "[REDACTED]" in (files / "users.csv").read_text("utf-8")
    shop.fails("%%dbgraph sql --to users.csv\nSELECT 1 AS a", "file-exists")


def test_every_option_of_the_file_magics(nb: Notebook, files: Path) -> None:
    nb.run("%%duckdb --file sales.csv --write --timeout 20\nCREATE TABLE kept AS SELECT city FROM f0")
    told = nb.run("%%duckdb --csv text=* --to out.parquet -f sales.csv\nFROM f0")
    assert told["rows"].tolist() == [len(nb.run("%%duckdb\nFROM kept"))]
    shown = nb.run("%%duckdb -f out.parquet --output every --as arrow --max-rows 1\nFROM f0")
    assert len(shown) == 1
    assert nb["every"].num_rows == told["rows"].tolist()[0]
    nb.fails("%%duckdb --as polars\nSELECT 1 AS a", "bad-option")
    assert nb.run("%duckdb_schema sales.csv --sample 2 --csv header=yes").target == "sales.csv"
    assert nb.run("%duckdb_schema s -f s=sales.csv --sample 0").sample is None
    nb["frame"] = nb.run("%%duckdb -f sales.csv\nFROM f0")
    assert nb.run("%duckdb_schema frame").columns["column"].tolist() == list(nb["frame"].columns)
    assert "rows" in nb.printed("%duckdb_schema sales.csv")
