"""SQLite: a file, read-only, with an allow-list of what a statement may do.

In: an ``AllowedQuery``. Out: ``RawRows`` with the true number of rows. Never: a created file, a write, a value in an
error.
"""

from __future__ import annotations

import contextlib
import itertools
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

from dbgraph_nb.engines import budget
from dbgraph_nb.engines.interruptible import Stop, Stopped, Turns, check_timeout
from dbgraph_nb.engines.params import bind_query
from dbgraph_nb.engines.sqlite_errors import translate
from dbgraph_nb.engines.sqlite_file import OpenFile, open_file
from dbgraph_nb.errors import DbgraphError
from dbgraph_nb.model import AllowedQuery, Dialect, RawRows, Target

T = TypeVar("T")
Job = Callable[[sqlite3.Connection, Stop], T]

_LOCK_SECONDS = 5.0  # how long another program's write is waited for
_LOCK_MARGIN = 0.25  # before the timeout, so that the lock is named and not the time: one more try, and a wait
_CHUNK = 256  # rows between two looks at the stop while only counting


class SqliteEngine:
    """See ``engines.Engine``; connects at once."""

    dialect: Dialect = "sqlite"
    default_schema = "main"

    def __init__(self, target: Target, *, timeout: float = 30.0) -> None:
        self.server = f"SQLite {sqlite3.sqlite_version}"
        self._path = target.database
        self._timeout = check_timeout(timeout)
        self._turns = Turns()
        self._open: OpenFile | None = None
        self._call(lambda connection, stop: None, "", self._timeout)

    def __repr__(self) -> str:
        return f"SqliteEngine({self._path!r})"

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
        sql, args = bind_query(query, params, self.dialect)
        started = time.monotonic()

        def select(connection: sqlite3.Connection, stop: Stop) -> RawRows:
            with contextlib.closing(connection.cursor()) as cursor:
                cursor.execute(sql, () if args is None else args)
                names = tuple(str(column[0]) for column in cursor.description or ())
                rows = budget.take(cursor, fetch)
                total, exact = (
                    _count_on(connection, cursor, len(rows), stop) if len(rows) == fetch else (len(rows), True)
                )
            return RawRows(
                columns=names,
                rows=rows,
                types=("",) * len(names),
                row_count=total if exact else len(rows),
                exact=exact,
                truncated=total > len(rows) or not exact,
                elapsed=time.monotonic() - started,
            )

        return self._call(select, query.sql, check_timeout(timeout))

    def catalog(self, sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of one of our own queries; placeholders are ``?``; broken text is repaired, not an error."""

        def read(connection: sqlite3.Connection, stop: Stop) -> list[tuple[Any, ...]]:
            connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
            try:
                return connection.execute(sql, tuple(params)).fetchall()
            finally:
                connection.text_factory = str

        return self._call(read, sql, self._timeout)

    def privileges(self) -> tuple[str, ...]:
        """Nothing: the file is opened read-only, whoever opens it."""
        return ()

    def cancel(self) -> None:
        """Stops the running statement, from any thread."""
        self._turns.cancel()

    def close(self) -> None:
        """Stops what runs and closes the file."""
        self._turns.close(self._drop)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- one statement at a time, in a thread of its own ----------------------------------------------------------

    def _call(self, job: Job[T], sql: str, timeout: float) -> T:
        return self._turns.call(
            lambda stop: self._work(job, sql, stop, min(_LOCK_SECONDS, timeout - _LOCK_MARGIN)),
            cancel=self._interrupt,
            give_up=self._give_up,
            timeout=timeout,
            late_value=True,  # an interrupted statement raises; only counting ends with what it has
        )

    def _work(self, job: Job[T], sql: str, stop: Stop, patience: float) -> T:
        """In the working thread: the job, again while another program has the file locked, for ``patience`` seconds."""
        deadline = time.monotonic() + patience
        while True:
            try:
                return self._once(job, stop)
            except sqlite3.Error as error:
                locked = getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
                if stop or not locked or time.monotonic() > deadline:
                    problem = translate(error, sql, self._path)
                    break
            except DbgraphError:
                raise
            except (UnicodeError, OverflowError, ValueError, MemoryError, sqlite3.Warning) as error:
                problem = translate(error, sql, self._path)
                break
            stop.wait(0.05)
        raise problem

    def _once(self, job: Job[T], stop: Stop) -> T:
        while True:
            opened = self._current(stop)
            try:
                value = _tolerant(job, opened.connection, stop)
                if not opened.immutable or opened.is_current(self._path):
                    return value
            except sqlite3.DatabaseError:
                if stop or not opened.immutable or opened.is_current(self._path):
                    raise
            finally:
                if self._open is not opened:  # given up meanwhile
                    opened.connection.close()
            # Somebody wrote to the file while it was read as immutable: the rows may be torn, so read again.

    def _current(self, stop: Stop) -> OpenFile:
        """The open file, opened again if another file is at the path now."""
        opened = self._open
        if opened is not None and not opened.is_current(self._path):
            opened.connection.close()
            opened = None
        if opened is None:
            opened = open_file(self._path, stop)
        if stop:
            opened.connection.close()
            raise Stopped
        opened.stop = stop
        self._open = opened
        return opened

    def _interrupt(self) -> None:
        opened = self._open
        if opened is not None:
            with contextlib.suppress(sqlite3.Error):
                opened.connection.interrupt()

    def _give_up(self) -> None:
        """The working thread is stuck; it closes its connection when it wakes up, and we open another."""
        self._open = None

    def _drop(self) -> None:
        if self._open is not None:
            self._open.connection.close()
            self._open = None


def _tolerant(job: Job[T], connection: sqlite3.Connection, stop: Stop) -> T:
    """The job; if a text is no UTF-8, once more with such texts as bytes (decoding each by hand would be slow)."""
    try:
        return job(connection, stop)
    except sqlite3.OperationalError as error:
        if "decode to UTF-8" not in str(error):
            raise
    connection.text_factory = _text_or_bytes
    try:
        return job(connection, stop)
    finally:
        connection.text_factory = str


def _text_or_bytes(raw: bytes) -> str | bytes:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw


def _count_on(connection: sqlite3.Connection, cursor: sqlite3.Cursor, seen: int, stop: Stop) -> tuple[int, bool]:
    """Counts to the end of the cursor; (rows, whether that is all)."""
    factory = connection.text_factory
    connection.text_factory = bytes  # nothing to decode when nothing is kept
    try:
        counter = itertools.count(seen)
        before = -1
        while before < seen:
            before = seen
            # Counted in C, and one row at a time: a row can be as large as the memory.
            deque(zip(itertools.islice(cursor, _CHUNK), counter, strict=False), maxlen=0)
            seen = next(counter)
            counter = itertools.count(seen)
            if stop:
                return seen, False
    except sqlite3.OperationalError:
        if stop.reason != "timeout":
            raise
        return seen, False
    finally:
        connection.text_factory = factory
    return seen, True
