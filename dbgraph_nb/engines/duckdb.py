"""DuckDB: a database file, read-only, in a fresh locked connection for each statement.

In: an ``AllowedQuery``. Out: ``RawRows`` with the true number of rows. Never: a created or changed file, a connection
that two statements of a user share, a value in an error.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from dbgraph_nb.engines import budget
from dbgraph_nb.engines.colon_params import bind
from dbgraph_nb.engines.duckdb_errors import translate, translate_open
from dbgraph_nb.engines.duckdb_lock import Locked, only_read, open_locked
from dbgraph_nb.engines.interruptible import Stop, Stopped, Turns, check_timeout
from dbgraph_nb.errors import BadArgument, ConnectionFailed, DbgraphError, QueryFailed
from dbgraph_nb.model import AllowedQuery, Dialect, RawRows, Target
from dbgraph_nb.uninterrupted import load

if TYPE_CHECKING:
    import duckdb

T = TypeVar("T")
Job = Callable[["duckdb.DuckDBPyConnection", Stop], T]

_CHUNK = 2_048  # rows; as many as DuckDB's own vectors hold
_VECTORS = 64  # of that many rows, at once while only counting


class DuckdbEngine:
    """See ``engines.Engine``; looks at the file at once."""

    dialect: Dialect = "duckdb"
    default_schema = "main"

    def __init__(self, target: Target, *, timeout: float = 30.0) -> None:
        load("duckdb")
        import duckdb

        self.server = f"DuckDB {duckdb.__version__}"
        self._path = target.database
        self._timeout = check_timeout(timeout)
        self._turns = Turns()
        self._running: Locked | None = None
        self._call(lambda connection, stop: None, "", self._timeout)

    def __repr__(self) -> str:
        return f"DuckdbEngine({self._path!r})"

    def run(
        self,
        query: AllowedQuery,
        params: Mapping[str, Any] | Sequence[Any] | None = None,
        *,
        fetch: int = 200,
        count: bool = False,
        timeout: float = 30.0,
    ) -> RawRows:
        """Runs one statement; the rest of its rows is counted without being kept, as far as the time allows."""
        if not isinstance(query, AllowedQuery) or query.dialect != "duckdb":
            raise BadArgument("An engine runs only a statement that the gate checked for it.", code="not-checked")
        sql, values = bind(query.sql, params, "duckdb", query.parameters, query.places)
        started = time.monotonic()

        def select(connection: duckdb.DuckDBPyConnection, stop: Stop) -> RawRows:
            connection.execute(only_read(connection, sql), values)
            described = connection.description or []
            rows = budget.take(_rows(connection, fetch), fetch, lambda: bool(stop))
            total, exact = _count_on(connection, len(rows), stop) if len(rows) == fetch else (len(rows), True)
            return RawRows(
                columns=tuple(str(column[0]) for column in described),
                rows=rows,
                types=tuple(str(column[1]) for column in described),
                row_count=total if exact else len(rows),
                exact=exact,
                truncated=total > len(rows) or not exact,
                elapsed=time.monotonic() - started,
            )

        return self._call(select, query.sql, check_timeout(timeout))

    def catalog(self, sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of one of our own queries; placeholders are ``?``."""
        return self._call(lambda connection, stop: connection.execute(sql, list(params)).fetchall(), sql, self._timeout)

    def privileges(self) -> tuple[str, ...]:
        """Nothing: the file is opened read-only, whoever opens it."""
        return ()

    def cancel(self) -> None:
        """Stops the running statement, from any thread."""
        self._turns.cancel()

    def close(self) -> None:
        """Stops what runs; nothing stays open between statements."""
        self._turns.close(lambda: None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- one statement at a time, in a thread of its own ----------------------------------------------------------

    def _call(self, job: Job[T], sql: str, timeout: float) -> T:
        return self._turns.call(
            lambda stop: self._work(job, sql, stop),
            cancel=self._interrupt,
            give_up=lambda: None,  # the working thread closes what it opened
            timeout=timeout,
            late_value=True,  # an interrupted statement raises; only counting ends with what it has
        )

    def _work(self, job: Job[T], sql: str, stop: Stop) -> T:
        import duckdb

        problem: DbgraphError
        locked = self._open()
        try:
            self._running = locked
            if stop:
                raise Stopped
            return job(locked.connection, stop)
        except duckdb.Error as error:
            problem = translate(error, sql)
        except DbgraphError:
            raise
        except (UnicodeError, OverflowError, ValueError, MemoryError, RuntimeError, TypeError):
            problem = QueryFailed("A value of the result cannot be read.", code="bad-text")
        finally:
            self._running = None
            locked.close()
        raise problem

    def _open(self) -> Locked:
        import duckdb

        problem: ConnectionFailed
        if not Path(self._path).is_file():
            raise translate_open(OSError("No such file"), self._path)
        try:
            return open_locked(self._path)
        except duckdb.Error as error:
            problem = translate_open(error, self._path)
        except OSError:
            problem = ConnectionFailed(
                "There is no place for temporary files.", code="file-not-readable", hint="Check the temporary folder."
            )
        raise problem

    def _interrupt(self) -> None:
        running = self._running
        if running is not None:
            with contextlib.suppress(Exception):
                running.connection.interrupt()


def _rows(connection: duckdb.DuckDBPyConnection, fetch: int) -> Iterator[tuple[Any, ...]]:
    """The first rows, in pieces, so that a large one is seen before the next is read."""
    left = fetch
    while left > 0:
        rows = connection.fetchmany(min(left, _CHUNK))
        if not rows:
            return
        yield from rows
        left -= len(rows)


def _count_on(connection: duckdb.DuckDBPyConnection, seen: int, stop: Stop) -> tuple[int, bool]:
    """Counts to the end of the result; (rows, whether that is all)."""
    import duckdb

    try:
        while found := len(connection.fetch_df_chunk(_VECTORS)):  # to numpy; flat in memory, and no Python values
            seen += found
            if stop:
                return seen, False
    except duckdb.InterruptException:
        if stop.reason != "timeout":
            raise
        return seen, False
    return seen, True
