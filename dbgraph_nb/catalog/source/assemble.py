"""The pieces of a reading put together: keys on their columns, targets by their real names, everything sorted.

In: objects and details as a dialect read them. Out: a ``Snapshot``. Never: a foreign key that is dropped or guessed;
one that leads nowhere stays as it is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dbgraph_nb.catalog.generated import inherited
from dbgraph_nb.catalog.source.reading import Details, Reading, with_note
from dbgraph_nb.model import Column, DbObject, ForeignKey, Sensitivity, Snapshot, TableIndex


def snapshot(
    reading: Reading,
    database: str,
    objects: Sequence[DbObject],
    foreign_keys: Sequence[ForeignKey] = (),
    indexes: Sequence[TableIndex] = (),
) -> Snapshot:
    """The sorted snapshot: the same database gives an equal one."""
    server, _, version = reading.engine.server.partition(" ")
    engine = reading.engine.dialect
    if engine in ("mysql", "mariadb"):  # either URL reaches either server
        engine = "mariadb" if server == "MariaDB" else "mysql"
    return Snapshot(
        engine=engine,
        database=database,
        objects=tuple(sorted(objects, key=lambda item: (item.schema, item.name))),
        level=reading.level,
        engine_version=version,
        foreign_keys=tuple(
            sorted(foreign_keys, key=lambda k: (k.schema, k.table, k.columns, k.target_table, k.name or ""))
        ),
        indexes=tuple(sorted(indexes, key=lambda i: (i.schema, i.table, i.name))),
        warnings=tuple(reading.warnings),
        catalog_version=reading.version,
    )


def settled(reading: Reading, objects: Sequence[DbObject]) -> list[DbObject]:
    """The objects without what is not theirs to show: the default of a column that a view shows under another name,
    and the members of a column that is generated from a sensitive one (which ``reading.derived`` then has)."""
    found = []
    for item in objects:
        columns = item.columns
        if "view" in item.kind:
            columns = tuple(replace(column, default=None) for column in columns)
        elif any(column.generated for column in columns):
            own = [Sensitivity("credential", "") if reading.is_sensitive(item.name, c) else None for c in columns]
            hidden = {c.name for c, why in zip(columns, inherited(columns, own), strict=True) if why and c.generated}
            reading.derived |= {(item.name, name) for name in hidden}
            columns = tuple(replace(c, enum_values=None) if c.name in hidden else c for c in columns)
        found.append(replace(item, columns=columns))
    return found


def with_details(
    reading: Reading, objects: Sequence[DbObject], details: Details
) -> tuple[list[DbObject], list[ForeignKey], list[TableIndex]]:
    """The objects with their keys, estimates, bodies and notes; the foreign keys with their targets' real names; the
    indexes. Those of tables that are not listed (the shadows of a virtual table) are left out."""
    listed = {item.name for item in objects}
    unique = {(index.table, index.columns[0]) for index in details.indexes if index.unique and len(index.columns) == 1}
    found = []
    for item in objects:
        key = None if details.primary_keys is None else details.primary_keys.get(item.name, ())
        columns = tuple(_with_keys(column, key, (item.name, column.name) in unique) for column in item.columns)
        item = replace(
            item,
            columns=columns,
            row_estimate=details.row_estimates.get(item.name, item.row_estimate),
            definition=details.definitions.get(item.name, item.definition),
        )
        hidden = sum((item.name, column.name) in reading.unreadable for column in item.columns)
        if hidden:
            item = with_note(item, f"Values of {hidden} of its {len(item.columns)} columns may not be read.")
        if note := details.notes.get(item.name):
            item = with_note(item, note)
        found.append(item)
    keys = _resolved([key for key in details.foreign_keys if key.table in listed], found)
    return found, keys, [index for index in details.indexes if index.table in listed]


def _with_keys(column: Column, key: tuple[str, ...] | None, unique: bool) -> Column:
    pk = column.pk if key is None else (key.index(column.name) + 1 if column.name in key else 0)
    return replace(column, pk=pk, unique=column.unique or unique or (key == (column.name,)))


def _resolved(keys: Sequence[ForeignKey], objects: Sequence[DbObject]) -> list[ForeignKey]:
    """Targets inside the database by their real names: as written, else without regard to case if that is unique."""
    names = _Names([item.name for item in objects])
    by_name = {item.name: item for item in objects}
    columns: dict[str, _Names] = {}
    found = []
    for key in keys:
        target = by_name.get(names.real(key.target_table) or "") if not key.target_schema else None
        if target is None:
            found.append(key)
            continue
        if target.name not in columns:
            columns[target.name] = _Names([column.name for column in target.columns])
        wanted = tuple(columns[target.name].real(name) or name for name in key.target_columns)
        if not wanted:
            wanted = primary_key(target)
            wanted = wanted if len(wanted) == len(key.columns) else ()
        found.append(replace(key, target_table=target.name, target_columns=wanted))
    return found


def primary_key(item: DbObject) -> tuple[str, ...]:
    """The columns of an object's primary key in the order of the key."""
    return tuple(column.name for column in sorted(item.columns, key=lambda column: column.pk) if column.pk)


class _Names:
    """Names by how others may write them."""

    def __init__(self, names: Sequence[str]) -> None:
        self._exact = set(names)
        self._folded: dict[str, str | None] = {}
        for name in names:  # None: more than one is meant
            self._folded[name.casefold()] = None if name.casefold() in self._folded else name

    def real(self, name: str) -> str | None:
        """The one name that is meant, or None."""
        return name if name in self._exact else self._folded.get(name.casefold())
