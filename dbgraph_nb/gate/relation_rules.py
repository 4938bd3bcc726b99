"""The rules about relations: plain names only, and only listed ones where a list is given.

In: a ``Statement`` with its tree. Out: a ``Refusal`` or None. Never: a path, a URL or a file name as a relation,
however it is quoted.
"""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from dbgraph_nb.gate.refusal import Refusal
from dbgraph_nb.gate.scan import Tok, fold
from dbgraph_nb.gate.statement import Relation, Statement
from dbgraph_nb.gate.words import words

_ENDINGS: Final = (
    "csv tsv txt psv log parquet parq json jsonl ndjson geojson xml yaml yml gz zst bz2 xz zip tar xlsx xls ods arrow "
    "arrows feather ipc avro orc duckdb ddb db db3 sqlite sqlite3 shp gpkg fgb kml dbf sas7bdat sav dta npy pickle pkl "
    "hdf h5 lance vortex sql env pem key"
)
_FILE: Final = re.compile(r"(?i)\.(?:" + "|".join(_ENDINGS.split()) + r")\Z")
_PATH: Final = re.compile(r"[/\\]|\A[a-zA-Z][a-zA-Z0-9+.-]*:|\A~|\A\.")
_DUCKDB_NAME: Final = re.compile(r"[^./\\:*?\[\]{}~'\"<>|%\x00-\x1f]+\Z")

# Relations of the engines that reach outside the tables: raw pages, prepared statements, files, settings, logs.
_CLOSED: Final[dict[str, frozenset[str]]] = {
    "sqlite": words("""
    sqlite_dbpage sqlite_dbptr sqlite_dbdata sqlite_stmt sqlite_stat3 sqlite_stat4 fsdir zipfile csv bytecode
    tables_used completion
    """),
    "postgres": words("""
    pg_hba_file_rules pg_ident_file_mappings pg_file_settings pg_config pg_largeobject pg_statistic
    pg_statistic_ext_data
    """),
    "duckdb": frozenset(["duckdb_logs", "duckdb_secrets", "duckdb_external_file_cache"]),
    "mysql": frozenset(),
    "mariadb": frozenset(),
}
# PostgreSQL's catalogue relations that hold secrets or values of rows, not metadata.
_NOT_METADATA: Final = words(
    "pg_authid pg_shadow pg_stats pg_stats_ext pg_stats_ext_exprs pg_subscription pg_user_mapping pg_user_mappings"
)
# Catalogue relations that may be read when only listed relations may.
_CATALOGUE: Final[dict[str, frozenset[str]]] = {
    "sqlite": words("""
    sqlite_schema sqlite_master sqlite_temp_schema sqlite_temp_master sqlite_sequence sqlite_stat1 dbstat
    """),
    "duckdb": words("""
    duckdb_columns duckdb_constraints duckdb_databases duckdb_indexes duckdb_schemas duckdb_tables duckdb_types
    duckdb_views pragma_database_list sqlite_master sqlite_schema sqlite_temp_master sqlite_temp_schema
    """),
    "postgres": frozenset(),
    "mysql": frozenset(),
    "mariadb": frozenset(),
}
_CATALOGUE_SCHEMAS: Final[dict[str, frozenset[str]]] = {
    "sqlite": frozenset(),
    "duckdb": frozenset({"information_schema", "pg_catalog"}),
    "postgres": frozenset({"information_schema", "pg_catalog"}),
    "mysql": frozenset({"information_schema"}),
    "mariadb": frozenset({"information_schema"}),
}
# Qualifiers under which an unqualified entry of the list is still meant.
_DEFAULT_SCHEMAS: Final[dict[str, frozenset[str]]] = {
    "sqlite": frozenset({"main"}),
    "duckdb": frozenset({"main", "memory"}),
    "postgres": frozenset({"public"}),
    "mysql": frozenset(),
    "mariadb": frozenset(),
}


def plain_relations(statement: Statement) -> Refusal | None:
    """A relation is a name: no text, parameter, path, URL or file name, and none of the engine's side doors."""
    listed = statement.policy.relations or frozenset()
    for relation in statement.relations:
        parts = tuple(fold(part) for part in relation.parts)
        if relation.plain and parts in listed:
            continue
        start, end = _span(relation, statement)
        if not relation.plain or _file_like(relation, statement):
            message = "A file, a URL or a text cannot stand for a table."
            return Refusal("file-relation", message, start, end, "Mount the file and read it by its mounted name.")
        if parts[-1] in _CLOSED[statement.dialect] or _closed_pragma(parts[-1], statement):
            message = f"{parts[-1]} shows more than tables and their metadata."
            return Refusal("relation", message, start, end, "Read the tables themselves, or the catalogue.")
    return None


def listed_relations(statement: Statement) -> Refusal | None:
    """With a list of relations, every name is on it or belongs to the catalogue."""
    listed = statement.policy.relations
    if listed is None:
        return None
    targets = _targets(statement)
    for relation in statement.relations:
        parts = tuple(fold(part) for part in relation.parts)
        if _is_listed(parts, listed, statement) or _is_catalogue(parts, statement):
            continue
        if relation.token is not None and relation.token.start in targets:
            continue
        start, end = _span(relation, statement)
        message = f"{'.'.join(relation.parts)} is not one of the relations that may be read here."
        names = sorted(".".join(entry) for entry in listed)[:8]
        hint = f"Known here: {', '.join(names)}." if names else "No relation is mounted."
        return Refusal("relation-not-listed", message, start, end, hint)
    return None


def _span(relation: Relation, statement: Statement) -> tuple[int, int]:
    token: Tok = relation.token or statement.tokens[statement.form.body or 0]
    return token.start, token.end


def _file_like(relation: Relation, statement: Statement) -> bool:
    """DuckDB looks for a file when no table has the name; a.csv without quotes is the file "a.csv" as well."""
    whole = ".".join(relation.parts)
    if statement.dialect == "duckdb":
        return bool(_FILE.search(whole)) or not all(_DUCKDB_NAME.match(part) for part in relation.parts)
    return any(_PATH.search(part) or _FILE.search(part) for part in relation.parts)


def _closed_pragma(name: str, statement: Statement) -> bool:
    from dbgraph_nb.gate.functions import allowed_tables

    if statement.dialect != "sqlite" or not name.startswith("pragma_"):
        return False
    return name not in (allowed_tables("sqlite") or ())


def _is_listed(parts: tuple[str, ...], listed: frozenset[tuple[str, ...]], statement: Statement) -> bool:
    if parts in listed:
        return True
    schemas = _DEFAULT_SCHEMAS[statement.dialect]
    if any(entry[-len(parts) :] == parts for entry in listed):
        return True  # an unqualified name of a qualified entry
    return any(parts[-len(entry) :] == entry and schemas.issuperset(parts[: -len(entry)]) for entry in listed)


def _is_catalogue(parts: tuple[str, ...], statement: Statement) -> bool:
    dialect = statement.dialect
    if dialect == "postgres" and parts and parts[-1] in _NOT_METADATA:
        return False
    if len(parts) > 1 and parts[-2] in _CATALOGUE_SCHEMAS[dialect]:
        return len(parts) == 2 or dialect in ("duckdb", "postgres")
    if len(parts) > 1 and not (dialect in ("sqlite", "duckdb") and parts[:-1] in (("main",), ("temp",))):
        return False
    name = parts[-1]
    if dialect == "postgres":
        return name.startswith("pg_")
    if dialect == "sqlite" and name.startswith("pragma_"):
        return True
    return name in _CATALOGUE[dialect]


def _targets(statement: Statement) -> frozenset[int]:
    """Where the names of the tables stand that a writing statement creates or changes."""
    tree = statement.tree
    if not statement.policy.writes or tree is None:
        return frozenset()
    if isinstance(tree, exp.TruncateTable | exp.Drop):
        nodes: list[exp.Expr] = list(tree.find_all(exp.Table))
    elif isinstance(tree, exp.Insert | exp.Update | exp.Delete | exp.Merge | exp.Create | exp.Alter):
        this = tree.this
        nodes = [this.this if isinstance(this, exp.Schema) else this]
        nodes += [action.this for action in tree.args.get("actions") or () if isinstance(action, exp.AlterRename)]
    else:
        nodes = []
    starts = set()
    for node in nodes:
        for part in node.walk() if node is not None else ():
            if isinstance(part, exp.Identifier) and "start" in part.meta:
                starts.add(part.meta["start"])
    return frozenset(starts)


def read_relations(statement: Statement) -> tuple[tuple[str, ...], ...]:
    """The relations that the statement reads, folded, each once, in order."""
    targets = _targets(statement)
    found = (
        tuple(fold(part) for part in relation.parts)
        for relation in statement.relations
        if relation.token is None or relation.token.start not in targets
    )
    return tuple(dict.fromkeys(found))
