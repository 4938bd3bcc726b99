"""What the engines add to the plain picture: hidden columns, names without parentheses, functions in FROM.

In: a dialect and a lower-case name. Out: what lineage may assume of it. Never: an assumption about a name that does
not stand here; such a function in FROM is refused. The long lists are data (``engine_names.tsv``).
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path

Names = frozenset[str]

# sqlglot's name of each dialect.
PARSER = {"sqlite": "sqlite", "mysql": "mysql", "mariadb": "mysql", "postgres": "postgres", "duckdb": "duckdb"}
# Dialects in which the name of a table, used as a column, is its whole row (SQLite: for full-text tables).
WHOLE_ROWS = frozenset({"postgres", "duckdb", "sqlite"})
# Engines that rename the second column of one name in a derived table.
NUMBERS_NAMES = frozenset({"sqlite", "duckdb"})
# SQLite's json_each and json_tree, for stars.
JSON_EACH = ("key", "value", "type", "atom", "id", "parent", "fullkey", "path")

_ROWID = {
    "sqlite": frozenset({"rowid", "oid", "_rowid_"}),
    "mysql": frozenset({"_rowid"}),
    "mariadb": frozenset({"_rowid"}),
}
# Hidden columns that never hold what a column holds.
_HIDDEN = {
    "postgres": frozenset({"ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"}),
    "duckdb": frozenset({"rowid", "filename", "file_row_number", "file_index"}),
    "sqlite": frozenset({"rank"}),
    "mariadb": frozenset({"row_start", "row_end"}),
}


def _read() -> dict[str, Names]:
    lists: dict[str, set[str]] = defaultdict(set)
    for line in Path(__file__).with_name("engine_names.tsv").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, _, words = line.partition("\t")
            lists[name].update(words.split())
    return {name: frozenset(words) for name, words in lists.items()}


_LISTS = _read()
NILADIC = _LISTS["niladic"]
ROW_FUNCTIONS = _LISTS["row_functions"]
DOCUMENT_FUNCTIONS = _LISTS["document_functions"]
PART_FUNCTIONS = _LISTS["part_functions"]
HIDDEN_READS = _LISTS["hidden_reads"]
FROM_ARGUMENTS = _LISTS["from_arguments"]
MAKES_ROWS = _LISTS["makes_rows"]
_BUILT_IN = ("part_functions", "document_functions", "makes_rows", "unfolding", "from_arguments")
UNFOLDING = _LISTS["unfolding"]
POPULATES = _LISTS["populates"]
KEYS_AND_VALUES = _LISTS["keys_and_values"]
READS_KEYS = _LISTS["reads_keys"]
TESTS_KEYS = _LISTS["tests_keys"]
FROM_CATALOG = _LISTS["from_catalog"]
FROM_FILES = _LISTS["from_files"]
SHOWS = _LISTS["shows"]
PRAGMAS = _LISTS["pragmas"]


_CATALOG_SCHEMAS = frozenset({"information_schema", "pg_catalog", "performance_schema", "sys"})
_CATALOG_TABLES = frozenset({"sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema"})


def is_catalog(parts: tuple[str, ...]) -> bool:
    """Whether a table describes the catalog, so that no index lists it."""
    return parts[-1] in _CATALOG_TABLES or (len(parts) > 1 and parts[-2] in _CATALOG_SCHEMAS)


@cache
def _built_in(dialect: str) -> Names:
    # The gate's lists of what engines bring along: data of this package, read as such.
    folder = Path(__file__).parents[1] / "gate"
    return frozenset((folder / f"functions_{dialect}.txt").read_text(encoding="utf-8").lower().split())


def is_built_in(name: str, dialect: str) -> bool:
    """Whether the engine itself brings a function of this name, so that it reads nothing but its arguments."""
    return name in _built_in(dialect) or any(name in _LISTS[key] for key in _BUILT_IN)


def rowids(dialect: str) -> Names:
    """Hidden names under which an integer key may be read."""
    return _ROWID.get(dialect, frozenset())


def hidden(dialect: str) -> Names:
    """Hidden columns without a column's value."""
    return _HIDDEN.get(dialect, frozenset())


def holds_values(dialect: str, parts: tuple[str, ...]) -> bool:
    """Whether a catalog table holds samples of values, secrets, or other people's statements."""
    family = "mysql" if dialect == "mariadb" else dialect
    if family == "mysql":
        schema = parts[-2] if len(parts) > 1 else ""
        if schema == "mysql" and parts[-1] in _LISTS["value_tables_in_mysql"]:
            return True
        if schema not in ("mysql", "information_schema", "performance_schema", "sys"):
            return False  # a user's own table may have such a name
    if parts[-2:-1] == ("information_schema",) and parts[-1] in _LISTS["value_tables_in_information_schema"]:
        return True
    return parts[-1] in _LISTS[f"value_tables_{family}"]
