"""What every query returns: a DataFrame that knows where it came from.

In: clean rows (after redaction) and a ``ResultMeta``. Out: a ``ResultFrame``. Never: a silent change of a value
(big integers, decimals, far dates and digit texts stay what they were), and no HTML beyond pandas' own.
"""

from __future__ import annotations

import datetime as dt
import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbgraph_nb.uninterrupted import load

load("pandas")

import pandas as pd  # noqa: E402 - an interrupt must not leave it half imported

from dbgraph_nb.model import CatalogHit, CleanRows, Hits, RedactedColumn, Used  # noqa: E402


@dataclass(frozen=True, slots=True)
class ResultMeta:
    """What is known about a result beside its rows.

    ``row_count`` is the true number of rows before truncation when ``row_count_exact``, else the number that
    was fetched (and there are more). ``elapsed`` is in seconds."""

    row_count: int
    row_count_exact: bool = True
    truncated: bool = False
    redacted: tuple[RedactedColumn, ...] = ()
    source: str = ""
    sql: str = ""
    elapsed: float = 0.0
    warnings: tuple[str, ...] = ()

    def summary(self, shown: int) -> str:
        """One line about the result, for ``shown`` visible rows.

        >>> ResultMeta(row_count=12345, truncated=True, source="shop (MySQL)").summary(200)
        '200 of 12,345 rows · shop (MySQL)'
        """
        if not self.row_count_exact:
            rows = f"{shown:,} of more than {self.row_count:,} rows"
        elif shown != self.row_count:
            rows = f"{shown:,} of {self.row_count:,} rows"
        else:
            rows = f"{shown:,} row{'' if shown == 1 else 's'}"
        parts = [rows]
        if self.redacted:
            n = len(self.redacted)
            parts.append(f"{n} column{'' if n == 1 else 's'} redacted")
        if self.source:
            parts.append(self.source)
        return " · ".join([*parts, *self.warnings])


class ResultFrame(pd.DataFrame):
    """A DataFrame with ``.meta``; frames derived from it are plain DataFrames."""

    _metadata = ["_meta"]  # noqa: RUF012 - pandas' own protocol: survives pickling
    _meta: ResultMeta

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    @property
    def meta(self) -> ResultMeta:
        """What is known about this result: true row count, truncation, redaction, source, SQL, warnings."""
        return self._meta

    def __repr__(self) -> str:
        return f"{super().__repr__()}\n{self.meta.summary(len(self))}"

    def _repr_html_(self) -> str:
        table = pd.DataFrame._repr_html_(self) or ""  # type: ignore[attr-defined]  # not in the stubs
        return f"{table}\n<p>{html.escape(self.meta.summary(len(self)))}</p>"


def build(clean: CleanRows, meta: ResultMeta) -> ResultFrame:
    """Makes the frame: one pandas column per output column, each with the narrowest faithful dtype."""
    width = len(clean.raw.columns)
    columns = [to_series([row[i] for row in clean.rows]) for i in range(width)]
    return from_series(clean.raw.columns, columns, len(clean.rows), meta)


def from_records(names: Sequence[str], rows: Iterable[Sequence[Any]], meta: ResultMeta) -> ResultFrame:
    """The same for rows that were never in a database's tables (catalog listings)."""
    kept = [tuple(row) for row in rows]
    columns = [to_series([row[i] for row in kept]) for i in range(len(names))]
    return from_series(names, columns, len(kept), meta)


def from_series(names: Sequence[str], columns: Sequence[pd.Series[Any]], height: int, meta: ResultMeta) -> ResultFrame:
    """Joins columns by position, so that two columns of the same name both stay."""
    frame = ResultFrame(dict(enumerate(columns)), index=pd.RangeIndex(height))
    frame.columns = pd.Index(list(names), dtype=object)
    frame._meta = meta
    return frame


def to_series(values: list[Any]) -> pd.Series[Any]:
    """A faithful pandas Series: a native dtype where it holds every value exactly, else ``object``."""
    dtype = _dtype(values)
    try:
        series: pd.Series[Any] = pd.Series(values, dtype=dtype)
    except (ValueError, TypeError, OverflowError, UnicodeError):
        series = pd.Series(values, dtype=object)
    return series


def _dtype(values: list[Any]) -> Any:
    kinds = {type(v) for v in values}
    has_null = type(None) in kinds
    kinds.discard(type(None))
    present = [v for v in values if v is not None]
    if kinds == {bool}:
        return "boolean" if has_null else "bool"
    if kinds == {int}:
        return _integer_dtype(min(present), max(present), has_null)
    if kinds == {float} and has_null and any(v != v for v in present):
        return object  # float64 would make NULL of NaN
    if kinds == {float} or (kinds == {int, float} and all(float(v) == v for v in present)):
        return "float64"
    if kinds == {str}:
        return "str"
    if kinds == {dt.datetime} and all(v.tzinfo is None for v in present):
        return "datetime64[us]"
    if kinds == {dt.timedelta}:
        return "timedelta64[us]"
    return object


def _integer_dtype(low: int, high: int, has_null: bool) -> Any:
    if low >= -(2**63) and high < 2**63:
        return "Int64" if has_null else "int64"
    if low >= 0 and high < 2**64:
        return "UInt64" if has_null else "uint64"
    return object


@dataclass(frozen=True, slots=True, repr=False)
class FindAnswer:
    """What ``find`` answers.

    Attributes:
        status: ``ok`` (``frame`` holds the rows), ``ambiguous``, ``missing_predicate`` or ``not_found``
            (nothing was executed; ``candidates`` say what could be meant).
        sql, params: the one statement and its bound values (also planned ones that were not executed).
        used: which table, column and join stand for which word, and why.
        candidates: ranked tables and columns.
        message: one plain sentence.
        explain: whether its rendering shows the SQL, the parameters and the candidates.
    """

    status: str
    frame: ResultFrame | None
    sql: str | None
    params: Mapping[str, Any]
    used: tuple[Used, ...]
    candidates: Hits[CatalogHit]
    message: str = ""
    explain: bool = False

    def explanation(self) -> list[str]:
        """One line for each thing that was used, then the message."""
        lines = []
        for item in self.used:
            name = f"{item.table}.{item.column}" if item.column else item.table
            lines.append(f"{item.word} → {name} ({item.reason})")
        return [*lines, *([self.message] if self.message else [])]

    def __repr__(self) -> str:
        lines = self.explanation()
        if self.frame is not None:
            return "\n".join([repr(self.frame), *lines])
        return "\n".join([self.status, *lines, *(describe_hit(hit) for hit in self.candidates)])


def describe_hit(hit: CatalogHit) -> str:
    """One line for a ranked table or column.

    >>> describe_hit(CatalogHit("users", "phone", 2.5, ("name = phone",)))
    'users.phone  2.50  name = phone'
    """
    name = f"{hit.table}.{hit.column}" if hit.column else hit.table
    score = f"{hit.score:.2f}" if hit.score else ""  # a hint without evidence has none
    return "  ".join(part for part in (name, score, "; ".join(hit.reasons)) if part)


@dataclass(frozen=True, slots=True, repr=False)
class FileSchema:
    """What ``duckdb_schema`` answers.

    Attributes:
        target: the file, or the name that was asked for.
        columns: ``column``, ``type``, ``null`` (whether it is possible), ``sensitive`` (the tier, or nothing).
        sample: the first rows, redacted; None if none were asked for.
        rows: the number of rows; None where only reading everything would tell.
        rows_exact: whether that is the true number, or an estimate from the first megabyte.
        size: bytes; None for a frame and a table of the scratch database.
        findings: what was guessed about the file.
    """

    target: str
    columns: ResultFrame
    sample: ResultFrame | None
    rows: int | None
    rows_exact: bool
    size: int | None
    findings: tuple[str, ...] = ()

    def headline(self) -> str:
        """One line: name, rows, columns, bytes."""
        rows = "rows not counted" if self.rows is None else f"{self.rows:,} row{'' if self.rows == 1 else 's'}"
        about = "" if self.rows_exact or self.rows is None else "about "
        size = [] if self.size is None else [f"{self.size:,} bytes"]
        return " · ".join(
            [self.target, f"{about}{rows}", f"{len(self.columns)} column{'' if len(self.columns) == 1 else 's'}", *size]
        )

    def __repr__(self) -> str:
        return "\n".join([self.headline(), *self.findings, repr(pd.DataFrame(self.columns))])
