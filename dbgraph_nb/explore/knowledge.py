"""What the local index says that a statement needs: schema, view bodies, sensitive columns.

In: an index file (or none). Out: ``Knowledge``. Never: a statement to the database.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import cast

from dbgraph_nb import redact
from dbgraph_nb.catalog import store
from dbgraph_nb.errors import IndexUnavailable
from dbgraph_nb.explore import context
from dbgraph_nb.model import Connection, Dialect, SensitivePolicy, Sensitivity
from dbgraph_nb.settings import Settings

Pair = tuple[str, str]

# What may stand before the name of an indexed table; None is the name of the database.
_PREFIXES: Mapping[str, tuple[tuple[str | None, ...], ...]] = {
    "sqlite": (("main",),),
    "mysql": ((None,),),
    "mariadb": ((None,),),
    "postgres": (("public",), (None, "public")),
    "duckdb": (("main",), (None,), (None, "main")),
}


@dataclass(frozen=True)
class Knowledge:
    """What is known of a database without asking it; empty when there is no index."""

    dialect: Dialect | None = None  # what the server turned out to speak; None: there is no index
    database: str = ""
    version: str = ""  # of the catalog when it was read; "" where an engine has none
    schema: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    views: Mapping[str, str] = field(default_factory=dict)  # "" where the body is not known: then it is not read
    classified: Mapping[Pair, Sensitivity] = field(default_factory=dict)

    def sensitive(self, policy: SensitivePolicy) -> dict[Pair, Sensitivity]:
        """The columns that ``policy`` hides: by tier, plus ``add``, without ``exempt``."""
        exempt = {name.casefold() for name in policy.exempt}
        hidden = {
            pair: why
            for pair, why in self.classified.items()
            if policy.hides(why.tier) and ".".join(pair).casefold() not in exempt
        }
        for name in policy.add:
            table, _, column = name.rpartition(".")
            hidden[(table, column)] = Sensitivity("credential", f"policy: {name}")
        return hidden

    @property
    def indexed(self) -> bool:
        """Whether there is an index."""
        return self.dialect is not None

    @cached_property
    def relations(self) -> frozenset[str | tuple[str, ...]] | None:
        """What a statement may read when sensitive columns are hidden: what the index knows; None without an index."""
        if not self.indexed:
            return None
        names: set[str | tuple[str, ...]] = {(table,) for table in self.schema}
        for prefix in _PREFIXES.get(self.dialect or "", ()):
            before = tuple(self.database if part is None else part for part in prefix)
            names |= {(*before, table) for table in self.schema}
        return frozenset(names)

    def nearest_tables(self, name: str) -> list[str]:
        """Up to three tables whose names look like ``name``."""
        return difflib.get_close_matches(name, list(self.schema), n=3, cutoff=0.6)

    def nearest_columns(self, name: str, relations: Iterable[tuple[str, ...]]) -> list[str]:
        """Up to three columns of the tables that a statement reads whose names look like ``name``."""
        read = {relation[-1] for relation in relations}
        columns = {c for table, own in self.schema.items() if table.casefold() in read for c in own}
        return difflib.get_close_matches(name.rpartition(".")[2], sorted(columns), n=3, cutoff=0.6)

    @property
    def opaque(self) -> tuple[str, ...]:
        """The views whose SQL is not known."""
        return tuple(name for name, body in self.views.items() if not body)


def read_knowledge(at: Settings, stored: Connection) -> Knowledge:
    """Reads the index of a connection; without one, or with one of another version or database, nothing is known.

    Raises:
        IndexUnavailable: the index file is damaged (code ``index-corrupt``).
    """
    path = context.index_path(at, stored.name)
    try:
        state = path.stat()
    except OSError:
        return Knowledge()
    if not context.belongs(at, stored):
        return Knowledge()
    try:
        return _read(path, state.st_mtime_ns, state.st_ino)
    except IndexUnavailable as error:
        if error.code in ("index-missing", "index-schema-version"):
            return Knowledge()
        raise


@lru_cache(maxsize=8)
def _read(path: Path, mtime: int, inode: int) -> Knowledge:
    """Cached by the identity of the file: a rebuilt index is another file."""
    with store.open_index(path) as index:
        views = {row.name: "" for row in index.objects() if "view" in row.kind} | index.view_definitions()
        meta = index.meta()
        known = (meta["database"], meta.get("catalogVersion", ""))
        schema = index.schema_map()
        return Knowledge(dialect_of(index), *known, schema, views, {**_fields(schema), **index.sensitive()})


def _fields(schema: Mapping[str, Mapping[str, str]]) -> dict[Pair, Sensitivity]:
    """The fields of DuckDB's structs that their names make sensitive."""
    return {
        (table, path): why
        for table, columns in schema.items()
        for column, declared in columns.items()
        if declared and "STRUCT(" in declared.upper()
        for path, why in redact.sensitive_fields(column, declared)
    }


def dialect_of(index: store.CatalogIndex) -> Dialect:
    """The dialect of an indexed database: that of its server, whatever its URL says."""
    return cast(Dialect, index.meta()["engine"])
