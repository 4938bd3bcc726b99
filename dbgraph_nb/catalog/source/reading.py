"""What one reading of a catalog shares: the engine, what may be spent, and what could not be read.

In: an engine, a level, a budget. Out: rows of constant catalog queries, and warnings for those that failed.
Never: a swallowed cancel or a lost connection; only a statement that the engine rejected is survived.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from dbgraph_nb.errors import QueryFailed
from dbgraph_nb.model import Column, DbObject, Dialect, ForeignKey, Level, TableIndex
from dbgraph_nb.progress import Progress

Rows = list[tuple[Any, ...]]


class CatalogEngine(Protocol):
    """The part of an engine that reading a catalog needs."""

    @property
    def dialect(self) -> Dialect: ...
    @property
    def server(self) -> str: ...
    @property
    def default_schema(self) -> str: ...
    def catalog(self, sql: str, params: Sequence[Any] = ()) -> Rows: ...


@dataclass(frozen=True, slots=True)
class Budget:
    """What the optional statements of level l2 (enum samples, row counts, probes of views) may cost.

    Attributes:
        statements: how many in all.
        seconds: how long in all; looked at between statements.
        statement_seconds: how long one may take, where the server can be told.
        rows: length of the row prefix that a sample is taken from.
        values: a column with more distinct values has no sample.
        value_length: a column with a longer value (in characters) has no sample.
    """

    statements: int = 5_000
    seconds: float = 60.0
    statement_seconds: float = 2.0
    rows: int = 10_000
    values: int = 20
    value_length: int = 64


class Meter:
    """Counts what was spent of a budget."""

    def __init__(self, budget: Budget, clock: Callable[[], float]) -> None:
        self.budget = budget
        self._clock = clock
        self._end = clock() + budget.seconds
        self._statements = 0

    def spend(self) -> bool:
        """Takes one statement from the budget; False when nothing is left."""
        if self._statements >= self.budget.statements or self._clock() >= self._end:
            return False
        self._statements += 1
        return True


@dataclass(slots=True)
class Reading:
    """One reading in progress. ``unreadable`` are (table, column) pairs whose values the account may not select,
    ``derived`` those that are computed from sensitive columns."""

    engine: CatalogEngine
    level: Level
    is_sensitive: Callable[[str, Column], bool]
    progress: Progress
    meter: Meter
    warnings: list[str] = field(default_factory=list)
    unreadable: set[tuple[str, str]] = field(default_factory=set)
    derived: set[tuple[str, str]] = field(default_factory=set)
    version: str = ""

    def rows(self, sql: str, params: Sequence[Any] = ()) -> Rows:
        """The rows of a query without which there is no catalog."""
        return self.engine.catalog(sql, params)

    def optional(self, what: str, sql: str, params: Sequence[Any] = ()) -> Rows:
        """The rows of a query whose failure costs only ``what``: then none, and a warning."""
        try:
            return self.engine.catalog(sql, params)
        except QueryFailed as error:
            self.warnings.append(f"{what} could not be read: {error.message}")
            return []

    def with_members(self, table: str, column: Column, members: tuple[str, ...] | None) -> Column:
        """The column with its declared members, which a sensitive one does not show."""
        if not members or self.is_sensitive(table, column):
            return column
        return replace(column, enum_values=members)

    def warn_about(self, names: Sequence[str], one: str, many: str) -> None:
        """A single warning about any number of names, of which the first five are given.

        ``one`` and ``many`` are sentences with ``{names}``, and ``{count}`` in ``many``; nothing is said of none.
        """
        if names:
            listed = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
            text = one if len(names) == 1 else many
            self.warnings.append(text.format(names=listed, count=len(names)))


@dataclass(frozen=True, slots=True)
class Details:
    """What level l2 adds, keyed by the names of tables in the connection's own schema.

    ``primary_keys`` holds the columns in the order of the key, or is None where ``Column.pk`` is already right.
    ``row_estimates`` and ``definitions`` (bodies of views) lack what is not known; ``notes`` are appended.
    """

    foreign_keys: list[ForeignKey] = field(default_factory=list)
    indexes: list[TableIndex] = field(default_factory=list)
    primary_keys: dict[str, tuple[str, ...]] | None = None
    row_estimates: dict[str, int] = field(default_factory=dict)
    definitions: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)


class DialectSource(Protocol):
    """What a dialect's file offers; ``read`` does the rest."""

    def database(self, reading: Reading) -> str:
        """The name of the database, for people."""
        ...

    def version(self, engine: CatalogEngine) -> str:
        """What changes with the schema, by one cheap statement; "" without one where the engine has nothing."""
        ...

    def objects(self, reading: Reading) -> list[DbObject]:
        """Tables and views with their columns, in any order, by a number of statements that does not grow with
        them unless one is broken. What is broken is listed, with a note."""
        ...

    def details(self, reading: Reading, objects: Sequence[DbObject]) -> Details:
        """What level l2 adds. A part that fails is left out with a warning."""
        ...

    def may_sample(self, owner: DbObject, column: Column) -> bool:
        """Whether the column's type can hold short, repeating values that are cheap to look at."""
        ...

    def sample_sql(self, table: str, column: Column, budget: Budget) -> str:
        """A query of at most ``budget.values + 2`` distinct values from a prefix of ``budget.rows`` rows."""
        ...

    def prefix_sql(self, table: str, column: Column, count: int, budget: Budget) -> str:
        """A query of a row for each value that is not NULL in the same prefix, at most ``count``."""
        ...


def with_note(item: DbObject, text: str) -> DbObject:
    """The object with a sentence added to its note.

    >>> with_note(DbObject("v", "view", note="It is broken."), "It is old.").note
    'It is broken. It is old.'
    """
    return replace(item, note=f"{item.note} {text}" if item.note else text)
