"""Reads an index file.

In: the path of an index. Out: a ``CatalogIndex`` with the rows as frozen dataclasses, read when they are asked for.
Never: a write, a migration, or an answer from a file that is not an index of this version.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

from dbgraph_nb.catalog.tables import APPLICATION_ID, SCHEMA_VERSION, storable
from dbgraph_nb.errors import IndexUnavailable
from dbgraph_nb.model import EdgeKind, Sensitivity, Tier, TypeClass


@dataclass(frozen=True, slots=True)
class ObjectRow:
    """A table, view or other named thing. ``definition`` is the body of a view; ``note`` what could not be read."""

    id: int
    schema: str
    name: str
    kind: str
    comment: str | None
    row_estimate: int | None
    definition: str | None
    note: str | None
    column_count: int


@dataclass(frozen=True, slots=True)
class ColumnRow:
    """A column. ``pk`` is its 1-based position in the primary key, or 0. ``tier`` is None unless it is sensitive."""

    id: int
    object_id: int
    ordinal: int
    name: str
    type: str
    type_class: TypeClass
    nullable: bool
    default: str | None
    comment: str | None
    pk: int
    unique: bool
    enum_values: tuple[str, ...] | None
    generated: bool
    tier: Tier | None
    tier_rule: str | None

    @property
    def sensitivity(self) -> Sensitivity | None:
        """Why the column is sensitive, or None."""
        return None if self.tier is None else Sensitivity(self.tier, self.tier_rule or "")


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """One column pair of a foreign key, or one column of an index (no target; ``detail`` is ``unique`` or None).

    Ids are those of objects and columns. A dangling foreign key has None where nothing is known, and ``detail`` is
    the name that was wanted. An index part that is no column (an expression) has no ``src_column``.
    """

    id: int
    kind: EdgeKind
    name: str | None
    position: int
    src_object: int
    src_column: int | None
    dst_object: int | None
    dst_column: int | None
    detail: str | None


class CatalogIndex:
    """An open index. Made by ``open_index``; close it, or use it in a ``with`` statement.

    It reads the file as it was when it was opened, even while that is replaced. Rows are read once and kept. An
    instance may be used from any thread, but from one at a time.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path, name: str) -> None:
        self.connection = connection
        self.path = path
        self.name = name
        self._meta: dict[str, str] | None = None
        self._objects: tuple[ObjectRow, ...] | None = None
        self._columns: tuple[ColumnRow, ...] | None = None
        self._columns_of: dict[int, tuple[ColumnRow, ...]] = {}
        self._edges: tuple[EdgeRow, ...] | None = None
        self._names: dict[str, ObjectRow] | None = None

    def query(self, sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of one of our own constant queries.

        Raises:
            IndexUnavailable: a part of the file cannot be read (code ``index-corrupt``).
        """
        with _damage(self.path, self.name):
            return self.connection.execute(sql, params).fetchall()

    def meta(self) -> dict[str, str]:
        """engine, engineVersion, database, schemaVersion, l1IndexedAt, l2IndexedAt, writer, tokenizer, catalogVersion
        (``Snapshot.catalog_version``)."""
        if self._meta is None:
            self._meta = dict(self.query("SELECT key, value FROM meta"))
        return dict(self._meta)

    def objects(self) -> tuple[ObjectRow, ...]:
        """All objects by id, which is by schema and name."""
        if self._objects is None:
            self._objects = tuple(ObjectRow(*row) for row in self.query("SELECT * FROM objects ORDER BY id"))
        return self._objects

    def columns(self, object_id: int | None = None) -> tuple[ColumnRow, ...]:
        """The columns of one object in their order, or of all objects."""
        if object_id is not None:
            if object_id not in self._columns_of:
                rows = self.query("SELECT * FROM columns WHERE object_id = ? ORDER BY id", (object_id,))
                self._columns_of[object_id] = tuple(map(_column, rows))
            return self._columns_of[object_id]
        if self._columns is None:
            self._columns = tuple(map(_column, self.query("SELECT * FROM columns ORDER BY id")))
            for owner, group in groupby(self._columns, key=lambda row: row.object_id):
                self._columns_of[owner] = tuple(group)
        return self._columns

    def edges(self, kind: EdgeKind | None = None) -> tuple[EdgeRow, ...]:
        """All edges by id, or those of one kind."""
        if self._edges is None:
            self._edges = tuple(EdgeRow(*row) for row in self.query("SELECT * FROM edges ORDER BY id"))
        return self._edges if kind is None else tuple(row for row in self._edges if row.kind == kind)

    def find_object(self, name: str) -> ObjectRow | None:
        """The object of that name, written exactly so if there is one, else without regard to case.

        ``name`` may be ``schema.name``; without a schema the first object of that name counts.
        """
        if self._names is None:
            self._names = {}
            for fold in (str, str.casefold):  # all exact names come before all folded ones
                for row in self.objects():
                    for written in (row.name, f"{row.schema}.{row.name}"):
                        self._names.setdefault(fold(written), row)
        wanted = storable(name)
        return self._names.get(wanted) or self._names.get(wanted.casefold())

    def view_definitions(self) -> dict[str, str]:
        """Name to SQL body, of the views whose body is known."""
        return {row.name: row.definition for row in self.objects() if row.definition and "view" in row.kind.lower()}

    def schema_map(self) -> dict[str, dict[str, str]]:
        """Table to column to type. Tables of one name in several schemas are taken together."""
        made: dict[str, dict[str, str]] = {row.name: {} for row in self.objects()}
        for table, column in self._named_columns():
            made[table][column.name] = column.type
        return made

    def sensitive(self) -> dict[tuple[str, str], Sensitivity]:
        """(table, column) to why it is sensitive."""
        return {
            (table, column.name): column.sensitivity
            for table, column in self._named_columns()
            if column.sensitivity is not None
        }

    def _named_columns(self) -> Iterator[tuple[str, ColumnRow]]:
        names = {row.id: row.name for row in self.objects()}
        for column in self.columns():
            yield names[column.object_id], column

    def close(self) -> None:
        """Closes the file; what was already read stays readable."""
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"CatalogIndex({str(self.path)!r})"


def open_index(path: str | os.PathLike[str], *, name: str | None = None) -> CatalogIndex:
    """Opens an index read-only. ``name`` is the connection's, for the hints (default: the file's stem).

    Raises:
        IndexUnavailable: there is no index (code ``index-missing``), it was written by another version
            (``index-schema-version``), it is damaged or no index at all (``index-corrupt``), or it may not be read
            (``index-unreadable``).
    """
    path = Path(path)
    name = path.stem if name is None else name
    if not path.is_file():
        raise IndexUnavailable(
            f"{name} has no index yet.", code="index-missing", hint=f"Run %dbgraph index {name} to build it."
        )
    with _damage(path, name):
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False)
        try:
            connection.execute("PRAGMA query_only = ON")
            found = connection.execute("PRAGMA application_id").fetchone()[0]
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if found != APPLICATION_ID:
                raise sqlite3.DatabaseError("it is no index file")
            if version == SCHEMA_VERSION:
                connection.execute("SELECT value FROM meta WHERE key = 'schemaVersion'").fetchone()
        except BaseException:
            connection.close()
            raise
    if version != SCHEMA_VERSION:
        connection.close()
        raise IndexUnavailable(
            f"The index of {name} has schema version {version}, and this version reads {SCHEMA_VERSION}.",
            code="index-schema-version",
            hint=f"It is rebuilt by %dbgraph index {name}.",
        )
    return CatalogIndex(connection, path, name)


@contextmanager
def _damage(path: Path, name: str) -> Iterator[None]:
    """Turns SQLite's complaints about the file into ours."""
    try:
        yield
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        if getattr(error, "sqlite_errorname", "").startswith(("SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
            code, wrong, what = "index-unreadable", "may not be read", "Check the rights of the file"
        elif isinstance(error, sqlite3.ProgrammingError):  # closed, or a mistake of ours: not the file's fault
            raise
        else:
            code, wrong, what = "index-corrupt", "is damaged or no index", "Nothing in it is needed"
        raise IndexUnavailable(
            f"The index file {path} {wrong} ({error}).",
            code=code,
            hint=f"{what}; %dbgraph index {name} builds it anew.",
        ) from None


def _column(row: tuple[Any, ...]) -> ColumnRow:
    values = list(row)
    values[6], values[10], values[12] = bool(row[6]), bool(row[10]), bool(row[12])
    values[11] = None if row[11] is None else tuple(cast("list[str]", json.loads(row[11])))
    return ColumnRow(*values)
