"""Database files as mounts: each table of theirs under the name of the mount.

In: the attached file's catalogue. Out: views of ours, and what its own views stand for. Never: a change of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dbgraph_nb.errors import QueryFailed
from dbgraph_nb.localdata.formats import quoted_name, quoted_text

Ask = Callable[[str], list[tuple[Any, ...]]]
MOST = 2_000  # tables and views of one file


@dataclass(frozen=True, slots=True)
class Table:
    """A table or view of an attached file: its schema, its name, the statement that made a view, and the columns of a
    table that are computed from others."""

    schema: str
    name: str
    view: str | None
    generated: tuple[str, ...] = ()

    @property
    def called(self) -> str:
        """Its name under the mount's: that of the schema stands before it unless it is ``main``."""
        return self.name if self.schema == "main" else f"{self.schema}.{self.name}"


def tables(ask: Ask, attached: str, shown: str) -> list[Table]:
    """The tables and views of an attached file.

    Raises:
        QueryFailed: there are more than can be mounted (code ``too-many-tables``).
    """
    where = f"WHERE database_name = {quoted_text(attached)} AND NOT internal"
    rows = ask(
        f"SELECT schema_name, table_name, NULL FROM duckdb_tables() {where} UNION ALL "
        f"SELECT schema_name, view_name, sql FROM duckdb_views() {where} ORDER BY ALL LIMIT {MOST + 1}"
    )
    if len(rows) > MOST:
        raise QueryFailed(
            f"{shown} has more than {MOST:,} tables.", code="too-many-tables", hint="Connect to it: duckdb:///FILE."
        )
    computed: dict[tuple[str, str], list[str]] = {}
    for schema, table, column in ask(
        f"SELECT schema_name, table_name, column_name FROM duckdb_columns() {where} AND is_generated"
    ):
        computed.setdefault((schema, table), []).append(column)
    return [Table(schema, name, view, tuple(computed.get((schema, name), ()))) for schema, name, view in rows]


def views(names: Sequence[str], attached: str, found: Sequence[Table]) -> list[tuple[str, str]]:
    """Our views: ``f0.table`` for each, and ``f0`` itself for the only one."""
    made: list[tuple[str, str]] = []
    for name in names:
        for table in found:
            source = ".".join(map(quoted_name, (attached, table.schema, table.name)))
            made.append((f"{quoted_name(name)}.main.{quoted_name(table.called)}", f"SELECT * FROM {source}"))
            if len(found) == 1:
                made.append((f"memory.main.{quoted_name(name)}", f"SELECT * FROM {source}"))
    return made
