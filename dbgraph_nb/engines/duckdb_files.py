"""DuckDB over data files: one locked connection that reads exactly the given files, under names of our own making.

In: the paths of the files, database files to attach, frames; then names with the SELECT of each. Out: as
``DuckdbEngine``, over the one connection. Never: another file, or a name that a statement replaced.

The views are made after the lock, so that reading a file for the first time, which may take long, can be interrupted
like a statement. A user's statement cannot change anything that the next one sees, so one connection is enough.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dbgraph_nb.engines import duckdb_spare
from dbgraph_nb.engines.colon_params import bind
from dbgraph_nb.engines.duckdb import DuckdbEngine, Report, opened
from dbgraph_nb.engines.duckdb_errors import translate, translate_open
from dbgraph_nb.engines.duckdb_lock import Locked, attach, kind_of, lock, only_read, only_write
from dbgraph_nb.engines.duckdb_lock import text as literal
from dbgraph_nb.engines.duckdb_rows import from_table
from dbgraph_nb.engines.interruptible import Stop
from dbgraph_nb.errors import BadArgument, DbgraphError
from dbgraph_nb.model import AllowedQuery, RawRows, Target

if TYPE_CHECKING:
    import duckdb


SCRATCH = "scratch"


class DuckdbFiles(DuckdbEngine):
    """See ``engines.Engine``.

    Args:
        paths: the files that may be read.
        databases: names, the database file that each stands for, attached read-only, and how people call it.
        catalogs: names of empty databases in memory, for views.
        frames: names, and the DataFrame that each stands for.
        scratch: a database file whose tables have plain names, made if it is not there and ``write``.
        write: whether statements may write to the scratch database.
        lossless: whether Arrow gets DuckDB's own types, which only ``arrow_values`` reads.
        timeout: seconds for opening, a catalog query, and the making of a view.
    """

    def __init__(
        self,
        paths: Sequence[str] = (),
        *,
        databases: Mapping[str, tuple[str, str]] | None = None,
        catalogs: Sequence[str] = (),
        frames: Mapping[str, Any] | None = None,
        scratch: str = "",
        write: bool = False,
        lossless: bool = True,
        timeout: float = 30.0,
    ) -> None:
        self._paths, self._databases, self._frames = tuple(paths), dict(databases or {}), dict(frames or {})
        self._catalogs, self._scratch, self._write, self._lossless = tuple(catalogs), scratch, write, lossless
        self._kept: Locked | None = None
        super().__init__(Target("duckdb", "files"), timeout=timeout)

    def __repr__(self) -> str:
        return f"DuckdbFiles({len(self._paths)} files)"

    def define(self, views: Sequence[tuple[str, str]]) -> None:
        """Makes views: the name as SQL writes it, and the SELECT of each.

        Raises:
            QueryFailed: from the engine.
        """

        def make(connection: duckdb.DuckDBPyConnection, stop: Stop) -> None:
            for name, select in views:
                if stop:
                    return
                connection.execute(f"CREATE VIEW {name} AS {select}")

        self._call(make, "", self._timeout)

    def shape(self, query: AllowedQuery, params: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names and types of the outputs of a statement, which is not run."""
        sql, values = _bound(query, params)

        def look(connection: duckdb.DuckDBPyConnection, stop: Stop) -> tuple[tuple[str, ...], tuple[str, ...]]:
            relation = connection.sql(self._look(connection, sql), params=values or None)
            return tuple(map(str, relation.columns)), tuple(map(str, relation.types))

        return self._call(look, query.sql, self._timeout)

    def export(
        self,
        query: AllowedQuery,
        params: Mapping[str, Any],
        *,
        outputs: Sequence[str],
        path: str,
        options: str,
        timeout: float,
        progress: Report | None = None,
    ) -> int:
        """Writes the whole result to a file that is one of ``paths``; returns the number of rows.

        Args:
            outputs: what is written of each output, as SQL over ``c0``, ``c1`` …
            options: of ``COPY``, as SQL.

        Raises:
            QueryFailed, QueryTimeout: from the engine; what is in the file then is no result.
        """
        sql, values = _bound(query, params)

        def copy(connection: duckdb.DuckDBPyConnection, stop: Stop) -> int:
            if (
                kind_of(only_read(connection, sql)) == "MULTI"
            ):  # several statements, which do not tell how many rows they wrote
                raise BadArgument(
                    "A PIVOT is written to a file only with the list of its values.",
                    code="no-rows-to-write",
                    hint="Write PIVOT … ON column IN ('a', 'b') …, or keep the rows with -o.",
                )
            text = f"COPY ({wrapped(sql, outputs)}) TO {literal(path)} ({options}, USE_TMP_FILE false)"
            return int(connection.execute(text, values).fetchall()[0][0])

        return self._call(copy, query.sql, timeout, lambda: self._report(progress))

    def table(
        self,
        query: AllowedQuery,
        params: Mapping[str, Any],
        *,
        outputs: Sequence[str],
        types: Sequence[str],
        fetch: int,
        show: int,
        timeout: float,
        progress: Report | None = None,
    ) -> tuple[Any, RawRows]:
        """The first ``fetch`` rows as a ``pyarrow.Table``, and ``show`` of them as rows of the given types."""
        sql, values = _bound(query, params)
        started = time.monotonic()

        def read_all(connection: duckdb.DuckDBPyConnection, stop: Stop) -> tuple[Any, RawRows]:
            import pyarrow as pa

            only_read(connection, sql)
            reader = connection.sql(wrapped(sql, outputs), params=values or None).to_arrow_reader()
            kept, seen = [], 0
            for batch in reader:
                if seen < fetch:
                    kept.append(batch.slice(0, fetch - seen))
                seen += batch.num_rows
                if stop:
                    break
            table = pa.Table.from_batches(kept, reader.schema)
            return table, RawRows(
                columns=tuple(table.column_names),
                rows=from_table(table.slice(0, show), types),
                types=tuple(types),
                row_count=table.num_rows if stop else seen,
                exact=not stop,
                truncated=bool(stop) or seen > table.num_rows,
                elapsed=time.monotonic() - started,
            )

        return self._call(read_all, query.sql, timeout, lambda: self._report(progress))

    def close(self) -> None:
        """Stops what runs, and closes the connection."""
        self._turns.close(self._end)

    def _end(self) -> None:
        kept, self._kept = self._kept, None
        if kept is not None:
            duckdb_spare.retire(kept, at_once=bool(self._databases or self._scratch))

    def _borrow(self) -> Locked:
        import duckdb

        if self._kept is not None:
            return self._kept
        problem: DbgraphError
        try:
            self._kept = opened(self._prepare)
        except DbgraphError:  # a refused connection is an OSError, too
            raise
        except duckdb.Error as error:
            problem = translate(error, "")
        except OSError:
            problem = translate_open(OSError("no place for temporary files"), "temporary")
        else:
            return self._kept
        raise problem

    def _prepare(self, connection: duckdb.DuckDBPyConnection) -> None:
        for name, (path, shown) in self._databases.items():
            _attach(connection, path, name, shown)
        for name in self._catalogs:
            attach(connection, ":memory:", name, write=True)
        for name, frame in self._frames.items():
            connection.register(name, frame)
        if self._scratch:
            attach(connection, self._scratch, SCRATCH, write=self._write)
            connection.execute(f"SET search_path = '{SCRATCH}.main,memory.main'")
        if not self._lossless:
            connection.execute("SET arrow_lossless_conversion = false")
        lock(connection, self._paths)

    def _look(self, connection: duckdb.DuckDBPyConnection, sql: str) -> Any:
        return only_write(connection, sql) if self._write else only_read(connection, sql)

    def _give_back(self, locked: Locked) -> None:
        """The connection stays for the next piece of work."""


def _attach(connection: duckdb.DuckDBPyConnection, path: str, name: str, shown: str) -> None:
    import duckdb

    try:
        attach(connection, path, name)
    except duckdb.Error as error:
        problem = translate_open(error, shown)
    else:
        return
    raise problem


def _bound(query: AllowedQuery, params: Mapping[str, Any]) -> tuple[str, Any]:
    if not isinstance(query, AllowedQuery) or query.dialect != "duckdb":
        raise BadArgument("An engine runs only a statement that the gate checked for it.", code="not-checked")
    return bind(query.sql, params, "duckdb", query.parameters, query.places)


def wrapped(sql: str, outputs: Sequence[str]) -> str:
    """A query that takes outputs from the rows of a statement (without a semicolon); a line break ends a comment."""
    names = ", ".join(f"c{i}" for i in range(len(outputs)))
    return f"SELECT {', '.join(outputs)} FROM (\n{sql}\n) AS result({names})"
