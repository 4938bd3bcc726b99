"""docs/samples.md says what the code makes: tables, keys, functions and error codes."""

import re
from pathlib import Path

from dbgraph_nb import samples
from dbgraph_nb.samples.flights import FLIGHT_TABLES
from dbgraph_nb.samples.shop_tables import TABLES, VIEWS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "samples.md").read_text(encoding="utf-8")


def listed_keys() -> set[str]:
    return {line for line in PAGE.splitlines() if re.fullmatch(r"\S+\.\S+(, \S+)? → \S+(, \S+)?", line)}


def made_keys() -> set[str]:
    return {
        ", ".join(f"{t.name}.{c}" for c in r.columns) + " → " + ", ".join(f"{r.target}.{c}" for c in r.target_columns)
        for t in (*TABLES, *FLIGHT_TABLES)
        for r in t.references
    }


def test_every_table_and_view_has_its_line():
    rows = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.M))
    assert rows == {t.name for t in TABLES} | {v.name for v in VIEWS}


def test_every_column_that_is_named_exists():
    columns = {t.name: {c.name for c in t.columns} for t in TABLES}
    for name, cell in re.findall(r"^\| `([^`]+)` \| [^|]* \| ([^|]*) \|$", PAGE, re.M):
        assert set(re.findall(r"`([^`]+)`", cell)) <= columns[name], name


def test_the_foreign_keys_are_the_ones_of_the_tables():
    assert listed_keys() == made_keys()


def test_every_public_name_is_documented():
    assert all(f"samples.{name}" in PAGE for name in samples.__all__)


def test_every_error_code_is_documented():
    sources = (ROOT / "dbgraph_nb" / "samples").glob("*.py")
    used = {code for file in sources for code in re.findall(r'code="([^"]+)"', file.read_text(encoding="utf-8"))}
    assert used == set(re.findall(r"^\| `((?:sample|missing)-[a-z0-9-]+)` \|", PAGE, re.M))


def test_the_password_itself_is_not_in_the_docs():
    assert samples.DEMO_PASSWORD not in PAGE
