"""Foreign keys and indexes as rows between ids, and those that lead nowhere.

In: a snapshot, and the object and column rows made of it. Out: the rows of ``edges``, one per column pair of a foreign
key and one per column of an index, and a sentence for each that is dangling. Never: an edge that vanishes in silence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dbgraph_nb.catalog.tables import storable
from dbgraph_nb.model import ForeignKey, Snapshot, TableIndex

Row = tuple[Any, ...]


def edge_rows(snapshot: Snapshot, objects: Sequence[Row], columns: Sequence[Row]) -> tuple[list[Row], tuple[str, ...]]:
    """All edges in the order of the snapshot, foreign keys first, and what is dangling.

    A foreign key to a table or column that is not in the snapshot keeps its row: what is missing is NULL, and
    ``detail`` is the name that was wanted. An edge *of* an unknown table has no row. A part of an index that is no
    column (an expression) has no ``src_column`` and is not dangling. ``detail`` of an index is ``unique`` or NULL.
    """
    names = _Names(objects, columns)
    rows: list[Row] = []
    dangling: list[str] = []
    for key in snapshot.foreign_keys:
        made, missing = _foreign_key(key, names)
        rows += made
        dangling += [f"{_told(key)}: {name} is not in the catalog" for name in missing]
    for index in snapshot.indexes:
        made = _index(index, names)
        rows += made
        if not made and index.columns:
            dangling.append(f"index {index.name} of {index.table}: {index.table} is not in the catalog")
    numbered = [(number, *row) for number, row in enumerate(rows, 1)]
    return numbered, tuple(storable(text) for text in dangling)


def _foreign_key(key: ForeignKey, names: _Names) -> tuple[list[Row], list[str]]:
    source = names.object(key.schema, key.table)
    if source is None:
        return [], [key.table]
    target = names.object(key.target_schema or key.schema, key.target_table)
    # A key that names no target columns means the primary key of the target.
    wanted = key.target_columns or (names.primary_key(target) if target else ())
    rows: list[Row] = []
    missing: list[str] = []
    if target is None:
        missing.append(key.target_table)
    for position, column in enumerate(key.columns, 1):
        target_column = wanted[position - 1] if position <= len(wanted) else ""
        src, dst = names.column(source, column), names.column(target, target_column)
        detail = None
        if src is None:
            missing.append(f"{key.table}.{column}")
        if dst is None:
            detail = f"{key.target_table}.{target_column}" if target_column else key.target_table
            if target is not None:
                missing.append(detail)
        rows.append(("fk", storable(key.name), position, source, src, target, dst, storable(detail)))
    return rows, missing


def _index(index: TableIndex, names: _Names) -> list[Row]:
    source = names.object(index.schema, index.table)
    if source is None:
        return []
    detail = "unique" if index.unique else None
    return [
        ("index", storable(index.name), position, source, names.column(source, column), None, None, detail)
        for position, column in enumerate(index.columns, 1)
    ]


def _told(key: ForeignKey) -> str:
    target = f"({', '.join(key.target_columns)})" if key.target_columns else ""
    return f"foreign key {key.table}({', '.join(key.columns)}) -> {key.target_table}{target}"


class _Names:
    """Names to ids: as written first, then without regard to case."""

    def __init__(self, objects: Sequence[Row], columns: Sequence[Row]) -> None:
        self._objects: dict[tuple[str, str], int] = {}
        self._columns: dict[tuple[int, str], int] = {}
        self._keys: dict[int, list[tuple[int, str]]] = {}
        # Later entries never displace earlier ones, and all exact names come before all folded ones.
        for fold in (str, str.casefold):
            for row in objects:
                self._objects.setdefault((fold(row[1]), fold(row[2])), row[0])
            for row in columns:
                self._columns.setdefault((row[1], fold(row[3])), row[0])
        for row in columns:
            if row[9]:
                self._keys.setdefault(row[1], []).append((row[9], row[3]))

    def object(self, schema: str, name: str) -> int | None:
        schema, name = storable(schema), storable(name)
        exact = self._objects.get((schema, name))
        return exact if exact is not None else self._objects.get((schema.casefold(), name.casefold()))

    def column(self, owner: int | None, name: str) -> int | None:
        if owner is None:
            return None
        name = storable(name)
        exact = self._columns.get((owner, name))
        return exact if exact is not None else self._columns.get((owner, name.casefold()))

    def primary_key(self, owner: int) -> tuple[str, ...]:
        return tuple(name for _, name in sorted(self._keys.get(owner, ())))
