"""DuckDB: a database file, read-only, in a fresh locked connection for each statement.

In: an ``AllowedQuery``. Out: ``RawRows`` with the true number of rows. Never: a created or changed file, a connection
that two statements of a user share, a value in an error.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from dbgraph_nb.engines import duckdb_spare
from dbgraph_nb.engines.arrow_c import StreamFailed
from dbgraph_nb.engines.colon_params import bind
from dbgraph_nb.engines.duckdb_errors import translate, translate_open, translate_text
from dbgraph_nb.engines.duckdb_lock import Locked, attach, called, lock, only_read, use
from dbgraph_nb.engines.duckdb_rows import read
from dbgraph_nb.engines.interruptible import Stop, Stopped, Turns, check_timeout
from dbgraph_nb.errors import BadArgument, ConnectionFailed, DbgraphError, QueryFailed
from dbgraph_nb.model import AllowedQuery, Dialect, RawRows, Target
from dbgraph_nb.uninterrupted import load

if TYPE_CHECKING:
    import duckdb

T = TypeVar("T")
Report = Callable[[float | None, str], object]  # called with the share done, 0 to 1, and what is done
Job = Callable[["duckdb.DuckDBPyConnection", Stop], T]


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
        progress: Report | None = None,
    ) -> RawRows:
        """Runs one statement; the rest of its rows is counted without being kept, as far as the time allows."""
        if not isinstance(query, AllowedQuery) or query.dialect != "duckdb":
            raise BadArgument("An engine runs only a statement that the gate checked for it.", code="not-checked")
        sql, values = bind(query.sql, params, "duckdb", query.parameters, query.places)
        started = time.monotonic()

        def select(connection: duckdb.DuckDBPyConnection, stop: Stop) -> RawRows:
            found = read(connection, self._look(connection, sql), values, fetch, stop)
            return RawRows(
                columns=found.columns,
                rows=found.rows,
                types=found.types,
                row_count=found.total if found.exact else len(found.rows),
                exact=found.exact,
                truncated=found.total > len(found.rows) or not found.exact,
                elapsed=time.monotonic() - started,
            )

        return self._call(select, query.sql, check_timeout(timeout), lambda: self._report(progress))

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

    def _report(self, progress: Report | None) -> None:
        """How far the running statement is, as far as DuckDB can tell."""
        running = self._running
        if running is not None and progress is not None:
            with contextlib.suppress(Exception):
                share = running.connection.query_progress()
                progress(share / 100 if 0 <= share <= 100 else None, "reading")

    def _call(self, job: Job[T], sql: str, timeout: float, tick: Callable[[], None] | None = None) -> T:
        return self._turns.call(
            lambda stop: self._work(job, sql, stop),
            tick=tick,
            cancel=self._interrupt,
            give_up=lambda: None,  # the working thread closes what it opened
            timeout=timeout,
            late_value=True,  # an interrupted statement raises; only counting ends with what it has
        )

    def _work(self, job: Job[T], sql: str, stop: Stop) -> T:
        import duckdb

        problem: DbgraphError
        locked = self._borrow()
        try:
            self._running = locked
            if stop:
                raise Stopped
            return job(locked.connection, stop)
        except duckdb.Error as error:
            problem = translate(error, sql)
        except StreamFailed as error:
            problem = translate_text(str(error), sql)
        except DbgraphError:
            raise
        except (UnicodeError, OverflowError, ValueError, MemoryError, RuntimeError, TypeError):
            problem = QueryFailed("A value of the result cannot be read.", code="bad-text")
        finally:
            self._running = None
            self._give_back(locked)
        raise problem

    def _borrow(self) -> Locked:
        """A connection for one piece of work."""
        import duckdb

        problem: ConnectionFailed
        if not Path(self._path).is_file():
            raise translate_open(OSError("No such file"), self._path)
        try:
            return opened(self._prepare)
        except duckdb.Error as error:
            problem = translate_open(error, self._path)
        except OSError:
            problem = ConnectionFailed(
                "There is no place for temporary files.", code="file-not-readable", hint="Check the temporary folder."
            )
        raise problem

    def _prepare(self, connection: duckdb.DuckDBPyConnection) -> None:
        name = called(self._path)
        attach(connection, self._path, name)
        use(connection, name)
        lock(connection)

    def _look(self, connection: duckdb.DuckDBPyConnection, sql: str) -> Any:
        """The second look at a statement, after the gate's."""
        return only_read(connection, sql)

    def _give_back(self, locked: Locked) -> None:
        duckdb_spare.retire(locked, at_once=True)

    def _interrupt(self) -> None:
        running = self._running
        if running is not None:
            with contextlib.suppress(Exception):
                running.connection.interrupt()


def opened(prepare: Callable[[duckdb.DuckDBPyConnection], None]) -> Locked:
    """A connection that nobody used, after ``prepare``.

    Raises:
        duckdb.Error: from ``prepare``; the connection is closed.
        OSError: there is no place for temporary files.
    """
    locked = duckdb_spare.take()
    try:
        prepare(locked.connection)
    except BaseException:
        locked.close()
        raise
    return locked
