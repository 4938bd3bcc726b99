"""Statements of analysts, from four sources, for counting what the gate refuses without need.

In: our own files, the blind author's file, the texts inside DuckDB's benchmark extensions, the gold statements of the
linking questions. Out: statements with dialect and source. Never: a text of a benchmark that is kept in this project.
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gate.gate_cases import DEVELOPMENT, FOLDER, lines

from dbgraph_nb.model import Dialect

OWN: tuple[Dialect, ...] = ("duckdb", "postgres", "sqlite", "mariadb")
# Of an extension's file: texts that end with a semicolon and a NUL, and name one of the benchmark's tables.
_TEXT = re.compile(rb"(?<![\t\n\x20-\x7e])\s*(?:SELECT|WITH|select|with)\s[\t\n\x20-\x7e]{100,30000};\s*(?=\x00)")
_TABLES = {"tpch": "lineitem|partsupp|orders|customer", "tpcds": "_sales|inventory|date_dim|item"}


@dataclass(frozen=True)
class Said:
    """A statement that an analyst could write."""

    source: str
    dialect: Dialect
    sql: str


def own() -> Iterator[Said]:
    """Ours, after the topics of the engines' manuals; a statement ends with a semicolon at the end of a line."""
    for dialect in OWN:
        text = (FOLDER / f"corpus_own_{dialect}.sql").read_text("utf-8").partition("\n")[2]
        for sql in re.split(r"(?<=;)\n", text):
            if sql.strip():
                yield Said("own", dialect, sql.strip())


def blind() -> Iterator[Said]:
    """Those of somebody who had not seen the gate."""
    for case in lines(FOLDER / "corpus_blind.jsonl"):
        yield Said("blind", case["dialect"], case["sql"])


def tables(name: str) -> dict[Dialect, list[str]]:
    """What makes the tables that ``own`` or ``blind`` statements read."""
    found: dict[Dialect, list[str]] = json.loads((FOLDER / name).read_text("utf-8"))
    return found


def benchmark(name: str) -> list[Said]:
    """The texts of TPC-H or TPC-DS that DuckDB's extension holds, for the engines that have their functions; none if
    the package is not installed."""
    found = importlib.util.find_spec(f"duckdb_extension_{name}")
    if found is None or not found.submodule_search_locations:
        return []
    (path,) = Path(found.submodule_search_locations[0]).glob("extensions/*/*.duckdb_extension")
    texts = [text[0].decode().strip() for text in _TEXT.finditer(path.read_bytes())]
    kept = [text for text in texts if re.search(_TABLES[name], text)]
    return [Said(name, dialect, sql) for sql in kept for dialect in ("duckdb", "postgres")]  # type: ignore[arg-type]


def questions() -> Iterator[Said]:
    """The distinct gold statements of the development questions, as SQLite (Spider) and DuckDB (SNAILS); without
    those of SQL Server's own language."""
    for name, dialect in (("spider_dev", "sqlite"), ("snails_dev", "duckdb")):
        path = DEVELOPMENT / "linking" / f"{name}.jsonl"
        if path.exists():
            texts = sorted({case["sql"] for case in lines(path) if case.get("sql")})
            yield from (Said(name, dialect, sql) for sql in texts if not _OF_SQL_SERVER.search(sql))  # type: ignore[arg-type]


_OF_SQL_SERVER = re.compile(r"\bTOP\b|\bGETDATE\b|\[|\bDAY\(|\bMONTH\(|\bYEAR\(|\bDATEPART\b|\bISNULL\b", re.IGNORECASE)
