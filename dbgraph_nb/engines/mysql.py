"""MySQL and MariaDB through pymysql: a read-only session, one statement on the wire for each run.

In: an ``AllowedQuery``. Out: ``RawRows``. Never: a second statement for a ``run``, a write, the server's own error
text, a password in anything that can be printed. It is long because it is the only module that knows the driver.
"""

from __future__ import annotations

import contextlib
import select
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

import pymysql
from pymysql.cursors import Cursor, SSCursor

from dbgraph_nb.engines import budget, tls
from dbgraph_nb.engines.interruptible import Stop, Stopped, Turns, check_timeout
from dbgraph_nb.engines.mysql_errors import INTERRUPTED, translate
from dbgraph_nb.engines.mysql_refusals import LOST, refusal
from dbgraph_nb.engines.mysql_session import PRIVILEGES, is_read, server_of, session_settings, type_name
from dbgraph_nb.engines.params import bind_query
from dbgraph_nb.errors import DbgraphError, MissingPackage, QueryFailed, QueryTimeout
from dbgraph_nb.model import AllowedQuery, Dialect, RawRows, Target

T = TypeVar("T")

_SPARE = 1.0  # seconds that the server's own limit is above ours
_CONNECT_SECONDS = 10.0
_KILL_SECONDS = 0.7
_OUT_OF_STEP = 2014


class _Connection(pymysql.connections.Connection):
    """pymysql's connection with settings by server version, a look at the socket, a hard stop, and cheaper TLS."""

    limit = 0.0

    def _create_ssl_ctx(self, options: Any) -> Any:
        if options == {}:  # PREFERRED: TLS if the server has it, whoever the server is
            return tls.unverified()
        return super()._create_ssl_ctx(options)  # type: ignore[misc]

    def _get_server_information(self) -> None:
        super()._get_server_information()  # type: ignore[misc]
        if self.limit:
            self.init_command = session_settings(self.version(), self.limit)

    def _process_auth(self, plugin: bytes, packet: Any, handler: Any = None) -> Any:
        if plugin in (b"mysql_clear_password", b"dialog") and not self._secure:  # type: ignore[attr-defined]
            raise pymysql.err.OperationalError(2059, "a password in clear text, without TLS")
        return super()._process_auth(plugin, packet, handler)  # type: ignore[misc]

    def version(self) -> str:
        """As the server greets."""
        return str(self.get_server_info())  # type: ignore[no-untyped-call]

    def is_alive(self) -> bool:
        """Whether an idle connection is open: data to read would be the server's goodbye."""
        sock: socket.socket | None = self._sock  # type: ignore[attr-defined]
        try:
            return sock is not None and not select.select([sock], [], [], 0)[0]
        except (OSError, ValueError):
            return False

    def hang_up(self) -> None:
        """Ends a blocked read of another thread; closing the socket would not."""
        with contextlib.suppress(OSError, AttributeError):
            self._sock.shutdown(socket.SHUT_RDWR)  # type: ignore[attr-defined]


class _Stream(SSCursor):
    """Rows as they come, and a way to leave the rest unread."""

    def type_names(self) -> tuple[str, ...]:
        fields = getattr(self._result, "fields", None) or ()  # type: ignore[attr-defined]
        return tuple(type_name(field.type_code, field.flags, field.charsetnr) for field in fields)

    def leave(self) -> None:
        """Forgets the rest of the rows; pymysql would read them all. The connection must be closed then."""
        result = self._result  # type: ignore[attr-defined]
        if result is not None:
            result.unbuffered_active, result.connection = False, None
        self.connection = None  # type: ignore[assignment]


class _Secret:
    """A password that no repr shows."""

    __slots__ = ("_value",)

    def __init__(self, value: str | None) -> None:
        self._value = value

    def __bool__(self) -> bool:
        return bool(self._value)

    def reveal(self) -> bytes:
        return (self._value or "").encode("utf-8", "surrogateescape")  # pymysql itself would take Latin-1


Job = Callable[[_Connection, Stop], T]


class MysqlEngine:
    """See ``engines.Engine``; connects at once, and again when it has to."""

    def __init__(self, target: Target, password: str | None, *, timeout: float = 30.0) -> None:
        self.default_schema = target.database
        self.dialect: Dialect = target.dialect
        self.server = "MySQL"
        self._target = target
        self._options = dict(target.options)
        self._secret = _Secret(password)
        self._tls = tls.arguments(self._options)
        self._timeout = check_timeout(timeout)
        self._patience = float(self._options.get("connect_timeout", _CONNECT_SECONDS))
        self._turns = Turns()
        self._connection: _Connection | None = None
        silent = False
        try:
            self._call(lambda connection, stop: None, "", self._patience + 0.2, limit=self._timeout)
        except QueryTimeout:  # a name server, or a greeting that does not come
            silent = True
        if silent:
            raise refusal(target, cause=TimeoutError())

    def __repr__(self) -> str:
        return f"MysqlEngine({self._target.url!r})"

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
        sql, args = bind_query(query, params, self.dialect)
        if not is_read(sql):
            raise QueryFailed("The statement does not begin like one that reads.", code="not-allowed")
        started = time.monotonic()

        def fetch_rows(connection: _Connection, stop: Stop) -> RawRows:
            cursor = connection.cursor(_Stream)
            try:
                cursor.execute(sql, args)
                names = tuple(column[0] for column in cursor.description or ())
                types = cursor.type_names()
                rows, seen, complete = _read(cursor, fetch, count, stop)
            finally:
                cursor.leave()
            if not complete:
                self._discard(connection)
            return RawRows(
                columns=names,
                rows=rows,
                types=types,
                row_count=seen if complete else len(rows),
                exact=complete,
                truncated=seen > len(rows),
                elapsed=time.monotonic() - started,
            )

        return self._call(fetch_rows, query.sql, check_timeout(timeout))

    def catalog(self, sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of one of our own queries; placeholders are ``%s``, and without parameters ``%`` is itself."""

        def read(connection: _Connection, stop: Stop) -> list[tuple[Any, ...]]:
            with connection.cursor(Cursor) as cursor:
                cursor.execute(sql, tuple(params) or None)
                return list(cursor.fetchall())

        return self._call(read, sql, self._timeout)

    def privileges(self) -> tuple[str, ...]:
        """Files of the server are what its read-only transactions do not protect."""
        try:
            granted = self.catalog(PRIVILEGES)
        except QueryFailed:
            return ()
        return ("read and write files of the server",) if granted else ()

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

    def _call(self, job: Job[T], sql: str, timeout: float, limit: float | None = None) -> T:
        return self._turns.call(
            lambda stop: self._work(job, sql, stop, limit or timeout),
            cancel=self._kill,
            give_up=self._give_up,
            timeout=timeout,
        )

    def _work(self, job: Job[T], sql: str, stop: Stop, seconds: float) -> T:
        """In the working thread. The connection is kept only when it is certain that nothing is left on it."""
        connection = self._ready(stop, seconds)
        in_step = False
        try:
            value = job(connection, stop)
            in_step = not stop  # else a KILL QUERY may be on its way, and would hit the next statement
            return value
        except pymysql.MySQLError as error:
            number, text = _number(error)
            in_step = number == INTERRUPTED or (not stop and _from_server(number))
            problem = translate(number, text, getattr(error, "sqlstate", None), sql, self._target)
        except UnicodeError:
            problem = QueryFailed("A value or a name cannot be read as text.", code="bad-text")
        except RuntimeError:  # the server asks for a local file
            problem = QueryFailed("The server asked for a file of this computer; refused.", code="not-allowed")
        finally:
            if not in_step:
                self._discard(connection)
        raise problem

    def _ready(self, stop: Stop, seconds: float) -> _Connection:
        """The open connection, or a new one if it is gone or its own time limit is too short."""
        connection = self._connection
        if connection is None or connection.limit < seconds or not connection.is_alive():
            self._discard(connection)
            connection = self._connect(seconds + _SPARE)
            if stop:
                _close(connection)
                raise Stopped
            self._connection = connection
        return connection

    def _connect(self, limit: float) -> _Connection:
        problem: DbgraphError
        try:
            connection = _Connection(**self._arguments(self._patience, limit + self._patience))
            connection.limit = limit
            connection.connect()
            if connection.init_command is None:  # another pymysql than we know: the lock is not left to it
                connection.query(session_settings(connection.version(), limit))
        except pymysql.MySQLError as error:
            number, _ = _number(error)
            cause = getattr(error, "original_exception", None)
            problem = refusal(self._target, number=number, cause=cause, with_password=bool(self._secret))
        except RuntimeError:
            problem = MissingPackage(
                "The server's way to log in without TLS needs the package cryptography.",
                hint="Install it (pip install cryptography), or use TLS (ssl_mode=REQUIRED).",
            )
        except Exception as error:  # noqa: BLE001 - what pymysql makes of bytes that are not its protocol
            cause = error if isinstance(error, UnicodeError | OSError) else None
            problem = refusal(self._target, cause=cause)
        else:
            self.dialect, self.server = server_of(connection.version())
            return connection
        raise problem

    def _arguments(self, connect_timeout: float, read_timeout: float) -> dict[str, Any]:
        return {
            "host": self._target.host or "localhost",
            "port": self._target.port or 3306,
            "unix_socket": self._options.get("unix_socket"),
            "user": self._target.user,
            "password": self._secret.reveal(),
            "database": self._target.database,
            "charset": "utf8mb4",
            "autocommit": None,  # part of the session settings
            "local_infile": False,
            "connect_timeout": connect_timeout,
            "read_timeout": read_timeout,
            "program_name": "dbgraph_nb",
            "defer_connect": True,
            **self._tls,
        }

    def _kill(self) -> None:
        """Stops the statement from a second connection; the same user may do that without further rights."""
        running = self._connection
        if running is None:
            return
        with contextlib.suppress(Exception):
            thread = int(running.thread_id())  # type: ignore[no-untyped-call]
            killer = _Connection(**self._arguments(_KILL_SECONDS, _KILL_SECONDS))
            killer.connect()
            try:
                killer.query(f"KILL QUERY {thread}")
            finally:
                _close(killer)

    def _give_up(self) -> None:
        """The server does not react: the working thread is woken by the end of its socket."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.hang_up()

    def _discard(self, connection: _Connection | None) -> None:
        if self._connection is connection:
            self._connection = None
        if connection is not None:
            _close(connection)


def _close(connection: _Connection) -> None:
    with contextlib.suppress(Exception):
        connection.close()


def _number(error: pymysql.MySQLError) -> tuple[int, str]:
    """Number and text of a driver's error; those without a number are about bytes that are not the protocol."""
    number = error.args[0] if error.args else None
    return (number, str(error.args[-1])) if isinstance(number, int) else (_OUT_OF_STEP, "")


def _from_server(number: int) -> bool:
    """Whether an error came as a whole answer, after which the connection can go on (2000 to 2999 are the driver's)."""
    return number not in LOST and (1000 <= number < 2000 or number >= 3000)


def _read(cursor: _Stream, fetch: int, count: bool, stop: Stop) -> tuple[list[tuple[Any, ...]], int, bool]:
    """At most ``fetch`` rows, how many were seen, and whether those are all."""
    rows = budget.take(iter(cursor.fetchone, None), fetch, lambda: bool(stop))
    seen = len(rows)
    while cursor.fetchone() is not None:  # one at a time: a row can be large
        seen += 1
        if stop:
            raise Stopped
        if not count:
            return rows, seen, False
    if stop:
        raise Stopped
    return rows, seen, True
