"""The frozen values that travel between the steps; standard library only.

In: nothing. Out: plain data with types. Never: behaviour that opens, runs or renders anything.
It is long because all of them stand here, in the order in which they travel.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar, overload

Dialect = Literal["sqlite", "mysql", "mariadb", "postgres", "duckdb"]
TypeClass = Literal["number", "text", "time", "bool", "binary", "json", "enum", "other"]
Tier = Literal["credential", "identity", "contact"]
Level = Literal["l1", "l2"]
EdgeKind = Literal["fk", "index", "view_ref", "code_ref"]

T = TypeVar("T")


# --- text ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tokens:
    """What ``text.tokenize`` returns: ``tokens`` in reading order, the ``joined`` form of each run that was
    split, and ``variants`` (simplified forms of tokens written in traditional characters)."""

    tokens: tuple[str, ...]
    joined: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()


# --- connections --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Target:
    """Where a database is, without any secret. ``database`` is a file path for sqlite."""

    dialect: Dialect
    database: str
    host: str | None = None
    port: int | None = None
    user: str | None = None
    options: tuple[tuple[str, str], ...] = ()

    @property
    def url(self) -> str:
        """The target as a URL without a password, fit to be shown and stored."""
        from urllib.parse import quote, urlencode

        query = f"?{urlencode(self.options)}" if self.options else ""
        if self.dialect in ("sqlite", "duckdb"):
            return f"{self.dialect}:///{quote(self.database, safe='/:~')}{query}"
        user = f"{quote(self.user, safe='')}@" if self.user else ""
        host = f"[{self.host}]" if self.host and ":" in self.host else (self.host or "")
        port = f":{self.port}" if self.port else ""
        return f"{self.dialect}://{user}{host}{port}/{quote(self.database, safe='')}{query}"


@dataclass(frozen=True, slots=True)
class SensitivePolicy:
    """What is hidden on a connection: ``True`` redacts the tier, ``False`` shows it. ``add`` and ``exempt`` are
    ``table.column`` names (case-insensitive) that are always, or never, sensitive."""

    credential: bool = True
    identity: bool = True
    contact: bool = False
    add: tuple[str, ...] = ()
    exempt: tuple[str, ...] = ()

    def hides(self, tier: Tier) -> bool:
        """Whether values of ``tier`` are redacted under this policy."""
        return bool(getattr(self, tier))


@dataclass(frozen=True, slots=True)
class Connection:
    """A named connection as it is stored: a reference to a credential, never a credential.

    ``url`` has no password, or is ``env:NAME`` and is read from the environment at each use."""

    name: str
    url: str
    credential: str | None = None
    sensitive: SensitivePolicy | Literal["redact", "show"] = "redact"


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Why a column is sensitive: its tier and the rule that says so."""

    tier: Tier
    rule: str


# --- the catalog, as a source reports it ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Column:
    """One column. ``enum_values``: declared members, or at level l2 a bounded sample of distinct values."""

    name: str
    ordinal: int
    type: str
    type_class: TypeClass
    nullable: bool = True
    default: str | None = None
    comment: str | None = None
    pk: int = 0  # 0: not part of the primary key; else the 1-based position in it
    unique: bool = False
    enum_values: tuple[str, ...] | None = None
    generated: bool = False
    expression: str | None = None  # what a generated column is computed by, if known


@dataclass(frozen=True, slots=True)
class DbObject:
    """A table, view, or other named thing with columns. ``note`` says what could not be read about it."""

    name: str
    kind: str  # table | view | virtual table | …
    columns: tuple[Column, ...] = ()
    schema: str = ""
    comment: str | None = None
    row_estimate: int | None = None
    definition: str | None = None  # the SQL body of a view
    note: str | None = None


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """``columns[i]`` of ``table`` refers to ``target_columns[i]`` of ``target_table``."""

    table: str
    columns: tuple[str, ...]
    target_table: str
    target_columns: tuple[str, ...]
    schema: str = ""
    target_schema: str = ""
    name: str | None = None


@dataclass(frozen=True, slots=True)
class TableIndex:
    """An index of the database: its columns in order."""

    table: str
    name: str
    columns: tuple[str, ...]
    unique: bool = False
    schema: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A whole catalog at one moment; what both index writers take. ``level`` is what was read."""

    engine: str  # sqlite | mysql | mariadb
    database: str
    objects: tuple[DbObject, ...]
    level: Level = "l1"
    engine_version: str = ""
    foreign_keys: tuple[ForeignKey, ...] = ()
    indexes: tuple[TableIndex, ...] = ()
    warnings: tuple[str, ...] = ()
    catalog_version: str = ""  # changes with the schema; "" where the engine has none


# --- the flow: gate → run → redact ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AllowedQuery:
    """A statement that the gate let pass. Made only by ``gate.check``; engines run nothing else.

    ``sql`` is the original text, byte for byte; ``tree`` is the parsed copy (a sqlglot expression);
    ``relations`` are the plain table names it reads (lower-cased parts, without CTE names)."""

    sql: str
    dialect: Dialect
    tree: Any = field(repr=False)
    relations: tuple[tuple[str, ...], ...] = ()
    parameters: tuple[str, ...] = ()
    form: str = "select"
    places: tuple[int, ...] | None = None  # where each use of a named parameter begins; None: not told


@dataclass(frozen=True, slots=True, repr=False)
class RawRows:
    """Rows as the engine gave them, before redaction; its repr shows only a shape.

    ``row_count`` is the true count when ``exact``, else the number of rows fetched (there are more when
    ``truncated``)."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    types: tuple[str, ...] = ()  # the engine's type name per column, "" where it has none
    row_count: int = 0
    exact: bool = True
    truncated: bool = False
    elapsed: float = 0.0  # seconds

    def __repr__(self) -> str:
        return f"RawRows({len(self.rows)} rows × {len(self.columns)} columns)"


@dataclass(frozen=True, slots=True)
class RedactedColumn:
    """An output column that was hidden, with the tier and the rule that hid it."""

    index: int
    name: str
    tier: Tier
    rule: str


@dataclass(frozen=True, slots=True)
class RedactionPlan:
    """Which outputs of one statement to hide: ``columns`` are positions; ``refused`` says why nothing may run.

    ``outputs`` are the headers that were traced, None for one that an engine makes up (all None: their number is not
    known); a result with others is not shown. ``by_name``: tables without a known schema are read, so the headers of
    the result decide too, those of ``names`` for certain. ``unknown``: the name that is not in the index, if it was
    refused for that. ``nulls``: those of ``columns`` whose NULL may be seen, since it says no more than that the
    sensitive column itself is NULL; in the others NULL is hidden like a value."""

    columns: tuple[int, ...] = ()
    refused: str | None = None
    reasons: Mapping[int, Sensitivity] = field(default_factory=dict)
    outputs: tuple[str | None, ...] | None = None
    by_name: bool = False
    names: Mapping[str, Sensitivity] = field(default_factory=dict)
    unknown: str | None = None
    nulls: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class CleanRows:
    """Rows after redaction; what a ResultFrame is made of. Made only by ``redact.apply``."""

    raw: RawRows
    rows: list[tuple[Any, ...]]
    redacted: tuple[RedactedColumn, ...] = ()

    def __repr__(self) -> str:
        return f"CleanRows({len(self.rows)} rows × {len(self.raw.columns)} columns)"


# --- answers ----------------------------------------------------------------------------------------------------


class Hits(Sequence[T], Generic[T]):
    """An immutable, ranked sequence of hits: ``total`` found, ``truncated``, ``warnings`` and the ``mode`` used."""

    __slots__ = ("_items", "mode", "total", "truncated", "warnings")

    def __init__(
        self, items: Sequence[T], *, total: int | None = None, warnings: Sequence[str] = (), mode: str = ""
    ) -> None:
        self._items = tuple(items)
        self.total = len(self._items) if total is None else total
        self.truncated = self.total > len(self._items)
        self.warnings = tuple(warnings)
        self.mode = mode

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def __repr__(self) -> str:
        return f"Hits({len(self._items)} of {self.total}, mode={self.mode!r})"


@dataclass(frozen=True, slots=True)
class CatalogHit:
    """A table, or a column of one (``column`` is None for a table), with its score and the reasons."""

    table: str
    column: str | None
    score: float
    reasons: tuple[str, ...] = ()
    schema: str = ""
    value: str | None = None  # the enum literal that matched, if a value did


@dataclass(frozen=True, slots=True)
class Used:
    """One thing that ``find`` used for its statement, and why."""

    role: Literal["entity", "field", "where", "join"]
    word: str
    table: str
    column: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What an index run did. ``seconds`` is wall time; ``dangling`` are edges that lead to no known object."""

    name: str
    level: str
    writer: str
    objects: int
    columns: int
    edges: int
    terms: int
    seconds: float
    warnings: tuple[str, ...] = ()
    dangling: tuple[str, ...] = ()
    path: str = ""
