"""The first rows of a DuckDB statement as values, and the number of all of them, in one pass.

In: a connection, a statement with its values. Out: ``Read``. Never: more rows in memory than are kept and one batch,
or a statement that is executed twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dbgraph_nb.engines import budget
from dbgraph_nb.engines.arrow_c import ArrowStream, Batch, Field, StreamFailed
from dbgraph_nb.engines.arrow_values import can_decode, decode
from dbgraph_nb.engines.interruptible import Stop

if TYPE_CHECKING:
    import duckdb

Values = Mapping[str, Any] | Sequence[Any] | None
Row = tuple[Any, ...]

_PIECE = 2_048  # rows that are decoded at once, so that a large one is seen before the next are read
_VECTORS = 64  # of that many rows, at once while only counting
_NOT_ARROW = "VARIANT"  # the one type whose Arrow form is another language


@dataclass(frozen=True, slots=True)
class Read:
    """``total`` counts all rows if ``exact``, else those that were seen before the time was over."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: list[Row]
    total: int
    exact: bool


def read(connection: duckdb.DuckDBPyConnection, statement: Any, values: Values, fetch: int, stop: Stop) -> Read:
    """Runs a statement, keeps ``fetch`` rows and counts the others.

    Raises:
        duckdb.Error, StreamFailed: the engine says why.
        QueryFailed: the rows that are kept are too large (code ``result-too-large``).
    """
    relation: Any = connection.sql(statement, params=values or None)
    if relation is None:  # a statement without rows
        return Read((), (), [], 0, True)
    columns, types = tuple(map(str, relation.columns)), tuple(map(str, relation.types))
    if not any(_NOT_ARROW in kind for kind in types):
        stream = ArrowStream(relation.__arrow_c_stream__())
        try:
            fields = [_named(field, kind) for field, kind in zip(stream.fields(), types, strict=True)]
            if all(map(can_decode, fields)):
                return Read(columns, types, *_from_stream(stream, fields, fetch, stop))
        finally:
            stream.close()
    del relation
    return Read(columns, types, *_from_client(connection, statement, values, fetch, stop))


def _from_stream(stream: ArrowStream, fields: list[Field], fetch: int, stop: Stop) -> tuple[list[Row], int, bool]:
    batches = stream.batches()
    seen = 0

    def first() -> Iterator[Row]:
        nonlocal seen
        for batch in batches:
            wanted = min(batch.length, fetch - seen)
            seen += batch.length
            yield from _rows(batch, fields, wanted)
            if seen >= fetch:
                return

    rows = budget.take(first(), fetch, lambda: bool(stop))
    try:
        for batch in batches:
            if stop:
                return rows, max(seen, len(rows)), False
            seen += batch.length
    except StreamFailed as error:
        if not str(error).startswith("INTERRUPT") or stop.reason != "timeout":
            raise
        return rows, seen, False
    return rows, seen, True


def _rows(batch: Batch, fields: Sequence[Field], wanted: int) -> Iterator[Row]:
    arrays = batch.columns()
    for start in range(0, wanted, _PIECE):
        end = min(start + _PIECE, wanted)
        yield from zip(
            *(decode(field, array, start, end) for field, array in zip(fields, arrays, strict=True)), strict=True
        )


def _from_client(
    connection: duckdb.DuckDBPyConnection, statement: Any, values: Values, fetch: int, stop: Stop
) -> tuple[list[Row], int, bool]:
    """By the client's own conversion."""
    import duckdb

    connection.execute(statement, values)
    rows = budget.take(_fetched(connection, fetch), fetch, lambda: bool(stop))
    seen = len(rows)
    try:
        while found := len(connection.fetch_df_chunk(_VECTORS)):
            seen += found
            if stop:
                return rows, seen, False
    except duckdb.InterruptException:
        if stop.reason != "timeout":
            raise
        return rows, seen, False
    return rows, seen, True


def _fetched(connection: duckdb.DuckDBPyConnection, fetch: int) -> Iterator[Row]:
    left = fetch
    while left > 0 and (rows := connection.fetchmany(min(left, _PIECE))):
        yield from rows
        left -= len(rows)


def from_table(table: Any, types: Sequence[str]) -> list[Row]:
    """The rows of a ``pyarrow.Table``; integers of DuckDB that travelled as decimals are integers again."""
    stream = ArrowStream(table.__arrow_c_stream__())
    try:
        fields = stream.fields()
        if not all(map(can_decode, fields)):
            return list(zip(*(column.to_pylist() for column in table.columns), strict=True))
        found: list[Row] = []
        for batch in stream.batches():
            found += _rows(batch, fields, batch.length)
    finally:
        stream.close()
    wide = [i for i, kind in enumerate(types) if kind in ("HUGEINT", "UHUGEINT")]
    return [_whole(row, wide) for row in found] if wide else found


def _whole(row: Row, positions: list[int]) -> Row:
    values = list(row)
    for i in positions:
        values[i] = None if values[i] is None else int(values[i])
    return tuple(values)


def _named(field: Field, kind: str) -> Field:
    """Without the names that Arrow needs and DuckDB invents for the parts of ``row(1, 2)``."""
    invented = field.children and all(child.name == f"element{i}" for i, child in enumerate(field.children, 1))
    unnamed = bool(invented) and field.format == "+s" and "element1" not in kind
    children = tuple(_named(replace(child, name="") if unnamed else child, kind) for child in field.children)
    return replace(field, children=children)
