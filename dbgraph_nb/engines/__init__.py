"""Database engines: open read-only, run an allowed statement, stop it.

In: a ``Target`` and a password; then ``AllowedQuery`` values. Out: ``RawRows``. Never: a write, a statement that the
gate has not passed, or a driver's text that could hold a value or a secret.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Protocol, Self

from dbgraph_nb.errors import BadArgument
from dbgraph_nb.model import AllowedQuery, Dialect, RawRows, Target
from dbgraph_nb.uninterrupted import load


class Engine(Protocol):
    """An open, locked-down connection that runs one statement at a time.

    Attributes:
        dialect: what the server turned out to speak (``mariadb`` also behind a ``mysql://`` URL).
        server: name and version, such as ``MariaDB 10.11.19``.
        default_schema: the schema of unqualified table names.
    """

    dialect: Dialect
    server: str
    default_schema: str

    def run(
        self,
        query: AllowedQuery,
        params: Mapping[str, Any] | Sequence[Any] | None = None,
        *,
        fetch: int = 200,
        count: bool = False,
        timeout: float = 30.0,
    ) -> RawRows:
        """Runs one statement.

        Args:
            query: what the gate let pass. Without parameters its text is sent byte for byte.
            params: values for ``:name`` (a mapping) or ``?`` (a sequence), bound by the driver.
            fetch: rows to keep at most.
            count: whether a server counts the rest too; a local engine always does, as far as the time allows.
            timeout: seconds for the statement and its rows.

        Raises:
            BadArgument: a parameter is missing, unknown or no single value.
            QueryTimeout: it took too long and was stopped.
            QueryFailed: the engine rejected or aborted it.
            ConnectionFailed: the connection is gone.
            KeyboardInterrupt: the user stopped it; the statement has ended and the engine stays usable.
        """
        ...

    def catalog(self, sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of one of our own constant catalog queries; placeholders are the driver's (``?`` or ``%s``).

        Raises:
            QueryFailed, QueryTimeout, ConnectionFailed: as ``run``.
        """
        ...

    def cancel(self) -> None:
        """Stops the running statement, from any thread; it then raises ``Cancelled``. Nothing running: no effect."""
        ...

    def privileges(self) -> tuple[str, ...]:
        """What the login may do beyond reading, that only the gate stops, each a short phrase such as
        ``read files of the server``; empty for a plain reader. At most one statement; what cannot be asked is left out.
        """
        ...

    def close(self) -> None:
        """Stops what runs and closes the connection; a second call has no effect."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def open_engine(target: Target, password: str | None, *, timeout: float = 30.0) -> Engine:
    """Opens a database read-only and locks the session down.

    Args:
        target: where it is.
        password: or None if there is none.
        timeout: seconds that a statement may take, for catalog queries and as the server's own limit.

    Raises:
        ConnectionFailed: it could not be reached, or refused us; one sentence, with a code for each cause.
        BadArgument: an option or the timeout cannot be, or there is no engine for the dialect.
    """
    if target.dialect == "sqlite":
        from dbgraph_nb.engines.sqlite import SqliteEngine

        return SqliteEngine(target, timeout=timeout)
    if target.dialect in ("mysql", "mariadb"):
        from dbgraph_nb.engines.mysql import MysqlEngine

        return MysqlEngine(target, password, timeout=timeout)
    if target.dialect == "postgres":
        load("psycopg")
        from dbgraph_nb.engines.postgres import PostgresEngine

        return PostgresEngine(target, password, timeout=timeout)
    if target.dialect == "duckdb":
        from dbgraph_nb.engines.duckdb import DuckdbEngine

        return DuckdbEngine(target, timeout=timeout)
    raise BadArgument(f"There is no engine for {target.dialect} in this version.", code="engine-not-supported")
