"""PostgreSQL through psycopg: each statement alone in a read-only transaction that is rolled back.

In: an ``AllowedQuery``. Out: ``RawRows``. Never: a second statement in a text, a write, anything of a statement that a
later one sees, the server's own error text, a password in anything that can be printed. It is long because it is the
only module that knows the driver.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from types import TracebackType
from typing import Any, Self, TypeVar

import psycopg
from psycopg.pq import TransactionStatus

from dbgraph_nb.engines import budget, postgres_session, postgres_values
from dbgraph_nb.engines.colon_params import bind
from dbgraph_nb.engines.interruptible import Stop, Stopped, Turns, check_timeout
from dbgraph_nb.engines.postgres_errors import refusal, translate
from dbgraph_nb.errors import BadArgument, DbgraphError, QueryFailed, QueryTimeout
from dbgraph_nb.model import AllowedQuery, Dialect, RawRows, Target

T = TypeVar("T")
Job = Callable[["psycopg.Connection[Any]", Stop], T]

_SPARE = 1.0  # seconds that the server's own limit is above ours
_CONNECT_SECONDS = 10.0
_KILL_SECONDS = 0.7
_CHUNK = 256  # rows of one answer of the server, where libpq can


class PostgresEngine:
    """See ``engines.Engine``; connects at once, and again when it has to."""

    dialect: Dialect = "postgres"
    default_schema = "public"

    def __init__(self, target: Target, password: str | None, *, timeout: float = 30.0) -> None:
        self.server = "PostgreSQL"
        self._target = target
        self._secret = _Secret(password)
        self._timeout = check_timeout(timeout)
        self._patience = float(dict(target.options).get("connect_timeout", _CONNECT_SECONDS))
        self._turns = Turns()
        self._connection: psycopg.Connection[Any] | None = None
        silent = False
        try:
            self._call(lambda connection, stop: None, "", self._patience + 0.2)
        except QueryTimeout:  # a name server, or a greeting that does not come
            silent = True
        if silent:
            raise refusal(target, "timeout expired", with_password=True)

    def __repr__(self) -> str:
        return f"PostgresEngine({self._target.url!r})"

    def run(
        self,
        query: AllowedQuery,
        params: Mapping[str, Any] | Sequence[Any] | None = None,
        *,
        fetch: int = 200,
        count: bool = False,
        timeout: float = 30.0,
    ) -> RawRows:
        """Runs one statement; rows beyond ``fetch`` are left to the server unless they are to be counted."""
        if not isinstance(query, AllowedQuery) or query.dialect != "postgres":
            raise BadArgument("An engine runs only a statement that the gate checked for it.", code="not-checked")
        sql, values = bind(query.sql, params, "postgres", query.parameters, query.places)
        if not postgres_session.is_read(sql):
            raise QueryFailed("The statement does not begin like one that reads.", code="not-allowed")
        started, seconds = time.monotonic(), check_timeout(timeout)

        def fetch_rows(connection: psycopg.Connection[Any], stop: Stop) -> RawRows:
            with _transaction(connection, seconds + _SPARE), connection.cursor() as cursor:
                stream: Any = cursor.stream(sql, values, size=_chunk())  # a generator: closing it cancels the rest
                with closing(stream) as rows:
                    kept, seen, complete = _read(rows, fetch, count, stop)
                described = [(column.name, column.type_display) for column in cursor.description or ()]
                if not described:  # psycopg has no headers where it has no rows
                    described = _described(connection, sql, values is not None)
            return RawRows(
                columns=tuple(name for name, _ in described),
                rows=kept,
                types=tuple(kind for _, kind in described),
                row_count=seen if complete else len(kept),
                exact=complete,
                truncated=seen > len(kept),
                elapsed=time.monotonic() - started,
            )

        return self._call(fetch_rows, query.sql, seconds)

    def catalog(self, sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of one of our own queries; placeholders are ``%s``, and without parameters ``%`` is itself."""

        def read(connection: psycopg.Connection[Any], stop: Stop) -> list[tuple[Any, ...]]:
            with _transaction(connection, self._timeout + _SPARE):
                return connection.execute(sql, tuple(params) or None).fetchall()

        return self._call(read, sql, self._timeout)

    def privileges(self) -> tuple[str, ...]:
        """What the role may do beyond reading; a superuser may do everything, so nothing more is said of one."""
        try:
            row = self.catalog(postgres_session.PRIVILEGES)[0]
        except QueryFailed:  # before PostgreSQL 11 there are no such roles
            return ()
        phrases = tuple(phrase for has, phrase in zip(row, postgres_session.PHRASES, strict=True) if has)
        return phrases[:1] if row[0] else phrases

    def cancel(self) -> None:
        """Stops the running statement, from any thread."""
        self._turns.cancel()

    def close(self) -> None:
        """Stops what runs and closes the connection."""
        self._turns.close(lambda: self._discard(self._connection))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- one statement at a time, in a thread of its own ----------------------------------------------------------

    def _call(self, job: Job[T], sql: str, timeout: float) -> T:
        return self._turns.call(
            lambda stop: self._work(job, sql, stop), cancel=self._cancel, give_up=self._give_up, timeout=timeout
        )

    def _work(self, job: Job[T], sql: str, stop: Stop) -> T:
        """In the working thread. The connection is kept only when it is idle, with nothing left on it."""
        connection = self._ready(stop)
        problem: DbgraphError
        in_step = False
        try:
            value = job(connection, stop)
            in_step = not stop  # else a cancel may be on its way, and would hit the next statement
            return value
        except psycopg.Error as error:
            in_step = not stop and error.sqlstate is not None
            problem = translate(error, sql, self._target)
        except (UnicodeError, ValueError, OverflowError):
            problem = QueryFailed("A value or a name cannot be read as text.", code="bad-text")
        finally:
            if not in_step or connection.info.transaction_status != TransactionStatus.IDLE:
                self._discard(connection)
        raise problem

    def _ready(self, stop: Stop) -> psycopg.Connection[Any]:
        connection = self._connection
        if connection is None or not _is_alive(connection):
            self._discard(connection)
            connection = self._connect()
            if stop:
                connection.close()
                raise Stopped
            self._connection = connection
        return connection

    def _connect(self) -> psycopg.Connection[Any]:
        try:
            connection = psycopg.connect(**self._arguments())
        except psycopg.Error as error:
            message = str(error)
        except (UnicodeError, ValueError):
            message = ""
        else:
            connection.prepare_threshold = None
            postgres_values.keep_exact(connection)
            self.server = f"PostgreSQL {connection.info.parameter_status('server_version') or ''}".strip()
            return connection
        raise refusal(self._target, message, with_password=bool(self._secret))

    def _arguments(self) -> dict[str, Any]:
        options = dict(self._target.options)
        return {
            "host": options.get("host") or self._target.host or "localhost",
            "port": self._target.port or 5432,
            "user": self._target.user,
            "password": self._secret.reveal() or "",  # not None: then libpq would look into the environment
            "dbname": self._target.database,
            "client_encoding": "UTF8",
            "connect_timeout": max(2, round(self._patience)),  # libpq knows whole seconds from 2 up
            "application_name": "dbgraph_nb",
            "options": postgres_session.startup(self._timeout + _SPARE),
            "autocommit": True,
            "passfile": f"{os.devnull}/none",  # a password comes from the connection's credential only
            "hostaddr": "",
            "sslmode": options.get("sslmode", "prefer"),
            **{name: options[name] for name in ("sslrootcert", "sslcert", "sslkey") if name in options},
        }

    def _cancel(self) -> None:
        running = self._connection
        if running is not None:
            with contextlib.suppress(Exception):
                running.cancel_safe(timeout=_KILL_SECONDS)

    def _give_up(self) -> None:
        """The server does not react: the working thread is woken by the end of its socket."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(Exception), socket.socket(fileno=os.dup(connection.fileno())) as copy:
                copy.shutdown(socket.SHUT_RDWR)

    def _discard(self, connection: psycopg.Connection[Any] | None) -> None:
        if self._connection is connection:
            self._connection = None
        if connection is not None:
            with contextlib.suppress(Exception):
                connection.close()


class _Secret:
    """A password that no repr shows."""

    __slots__ = ("_value",)

    def __init__(self, value: str | None) -> None:
        self._value = value

    def __bool__(self) -> bool:
        return bool(self._value)

    def reveal(self) -> str | None:
        return self._value


@contextlib.contextmanager
def _transaction(connection: psycopg.Connection[Any], seconds: float) -> Iterator[None]:
    """A read-only transaction that ends with nothing left of it."""
    _command(connection, postgres_session.begin(seconds))
    try:
        yield
    finally:
        if not connection.closed and connection.info.transaction_status != TransactionStatus.UNKNOWN:
            _command(connection, postgres_session.END)


def _described(connection: psycopg.Connection[Any], sql: str, has_values: bool) -> list[tuple[str, str]]:
    """Names and types of the columns that a statement would give; it is prepared and not run."""
    if has_values:
        numbers = itertools.count(1)
        sql = re.sub(r"%(.)", lambda found: "%" if found[1] == "%" else f"${next(numbers)}", sql, flags=re.DOTALL)
    connection.pgconn.prepare(b"", sql.encode())
    result = connection.pgconn.describe_prepared(b"")
    found = []
    for at in range(result.nfields):
        known = connection.adapters.types.get(result.ftype(at))
        found.append(((result.fname(at) or b"").decode(), known.name if known else str(result.ftype(at))))
    return found


def _command(connection: psycopg.Connection[Any], commands: bytes) -> None:
    """Constant commands of ours, in one message."""
    with connection.cursor() as cursor:
        cursor.execute(commands)


def _is_alive(connection: psycopg.Connection[Any]) -> bool:
    """Whether an idle connection is open: data to read would be the server's goodbye."""
    import select

    try:
        return not connection.closed and not select.select([connection.fileno()], [], [], 0)[0]
    except (OSError, ValueError, psycopg.Error):
        return False


def _chunk() -> int:
    return _CHUNK if psycopg.capabilities.has_stream_chunked() else 1


def _read(
    rows: Iterator[tuple[Any, ...]], fetch: int, count: bool, stop: Stop
) -> tuple[list[tuple[Any, ...]], int, bool]:
    """At most ``fetch`` rows, how many were seen, and whether those are all."""
    kept = budget.take(rows, fetch, lambda: bool(stop))
    seen = len(kept)
    for _ in rows:
        seen += 1
        if stop:
            raise Stopped
        if not count:
            return kept, seen, False
    if stop:
        raise Stopped
    return kept, seen, True
