"""Small databases in which every effect of a statement shows, for measuring one layer of protection alone.

In: a server or a folder. Out: a ``World``: an engine of ours, and a state that an independent connection with all
rights reads. Never: a look at the state through the engine that is judged, but for its own session.
"""

from __future__ import annotations

import hashlib
import socket
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dbservers

from dbgraph_nb.engines import Engine, open_engine
from dbgraph_nb.model import AllowedQuery, Dialect, Target

CANARY = "canary-7f3a91c2"
_SECRET = "secret-list.txt"
_SIZE = 12_347  # bytes of the secret file; a size in a result would show that it was looked at
_TABLE = ("CREATE TABLE t (id INTEGER, name VARCHAR(20))", "INSERT INTO t VALUES (1, 'a'), (2, 'b')")
_SEQUENCE = "CREATE SEQUENCE s START WITH 5"


@dataclass
class World:
    """A database, a folder beside it, and ways to see what happened to both."""

    dialect: Dialect
    role: str
    folder: Path
    reset: Callable[[], None]
    open: Callable[[], Engine]
    state: Callable[[], list[Any]]
    session: tuple[str, ...] = ()  # queries that show what a session was left with
    listener: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))

    def __str__(self) -> str:
        return f"{self.dialect} {self.role}".strip()

    def filled(self, sql: str) -> str:
        """The statement with the names of this world."""
        port = str(self.listener.getsockname()[1])
        places = {"{secret}": str(self.folder / _SECRET), "{folder}": str(self.folder), "{port}": port}
        for name, place in places.items():
            sql = sql.replace(name, place)
        return sql.replace("\\n", "\n")

    def shows_secret(self, rows: list[tuple[Any, ...]]) -> bool:
        """Whether rows hold something of the secret file: its content, its name or its size."""
        seen = repr(rows)
        return any(mark in seen for mark in (CANARY, _SECRET, str(_SIZE)))

    def was_called(self) -> bool:
        """Whether somebody connected to our port since the last look."""
        self.listener.settimeout(0.01)
        try:
            self.listener.accept()[0].close()
        except TimeoutError:
            return False
        return True

    def session_state(self, engine: Engine) -> list[Any]:
        """What the engine's next statements see."""
        return [engine.run(AllowedQuery(sql, self.dialect, None)).rows for sql in self.session]


def _prepared(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o777)  # a server's user may write here
    for old in folder.iterdir():
        if old.is_dir():
            for inner in old.iterdir():
                inner.unlink()
            old.rmdir()
        else:
            old.unlink()
    secret = folder / _SECRET
    secret.write_text(f"column0\n{CANARY}\n".ljust(_SIZE, "x"), "utf-8")
    secret.chmod(0o666)  # so that only the lock can protect it
    return folder


def _files(folder: Path) -> list[tuple[str, str]]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return [(str(path.relative_to(folder)), hashlib.sha256(path.read_bytes()).hexdigest()) for path in paths]


# --- files ------------------------------------------------------------------------------------------------------


def sqlite_world(base: Path) -> World:
    file, folder = base / "a.db", base / "work"

    def reset() -> None:
        _prepared(folder)
        file.unlink(missing_ok=True)
        for path, statements in ((file, _TABLE), (folder / "other.db", (f"CREATE TABLE o AS SELECT '{CANARY}' AS x",))):
            connection = sqlite3.connect(path)
            with connection:
                connection.executescript(";".join(statements))
            connection.close()

    def state() -> list[Any]:
        return [_files(base)]

    return World("sqlite", "", folder, reset, lambda: open_engine(Target("sqlite", str(file)), None), state)


def duckdb_world(base: Path) -> World:
    import duckdb

    file, folder = base / "a.duckdb", base / "work"

    def reset() -> None:
        _prepared(folder)
        for old in base.glob("a.duckdb*"):
            old.unlink()
        with duckdb.connect(file) as connection:
            for statement in (*_TABLE, _SEQUENCE):
                connection.execute(statement)
        with duckdb.connect(folder / "other.duckdb") as connection:
            connection.execute(f"CREATE TABLE o AS SELECT '{CANARY}' AS x")

    session = (
        "SELECT (SELECT count(*) FROM t), (SELECT count(*) FROM duckdb_variables()), "
        "(SELECT string_agg(name || '=' || value, ',' ORDER BY name) FROM duckdb_settings() "
        "WHERE name NOT IN ('temp_directory', 'allowed_directories')), "
        "(SELECT count(*) FROM duckdb_functions() WHERE NOT internal), "
        "(SELECT string_agg(table_name, ',' ORDER BY table_name) FROM duckdb_tables()), "
        "(SELECT count(*) FROM duckdb_views() WHERE NOT internal), "
        "(SELECT string_agg(database_name, ',' ORDER BY database_name) FROM duckdb_databases()), "
        "(SELECT count(*) FROM duckdb_prepared_statements())",
    )
    opener = lambda: open_engine(Target("duckdb", str(file)), None)  # noqa: E731
    return World("duckdb", "", folder, reset, opener, lambda: [_files(base)], session)


# --- servers ----------------------------------------------------------------------------------------------------

_MARIA_STATE = (
    "SELECT * FROM layers.t",
    "SELECT next_not_cached_value FROM layers.s",
    "SELECT table_schema, table_name, table_type, table_comment FROM information_schema.tables "
    "WHERE table_schema NOT IN ('performance_schema', 'sys') ORDER BY 1, 2",
    "SELECT column_name FROM information_schema.columns WHERE table_schema = 'layers' ORDER BY 1",
    "SELECT index_name FROM information_schema.statistics WHERE table_schema = 'layers'",
    "SELECT user, host FROM mysql.user ORDER BY 1, 2",
    "SELECT * FROM information_schema.user_privileges ORDER BY 1, 3",
    "SELECT name FROM mysql.func",
    "SELECT plugin_name FROM information_schema.plugins WHERE plugin_status = 'ACTIVE' ORDER BY 1",
    "SELECT variable_name, variable_value FROM information_schema.global_variables WHERE variable_name NOT IN "
    "('GTID_BINLOG_POS', 'GTID_CURRENT_POS', 'TIMESTAMP') ORDER BY 1",
    "SELECT is_used_lock('planted')",
    "SHOW OPEN TABLES WHERE in_use > 0",
    "SHOW ALL SLAVES STATUS",
    "XA RECOVER",
)
_MARIA_SESSION = (
    "SELECT count(*) FROM t",
    "SELECT @planted, @@tx_read_only, @@max_statement_time > 0, @@sql_mode, @@in_transaction, DATABASE()",
    "SHOW TABLES",
)


def mariadb_world(server: dbservers.MariaServer, *, privileged: bool) -> World:
    folder = server.folder / "work"

    def reset() -> None:
        _prepared(folder)
        server.execute(
            "SET GLOBAL max_connections = 151",
            "DROP DATABASE IF EXISTS layers",
            "DROP USER IF EXISTS planted, layers_reader",
            "CREATE DATABASE layers",
            "USE layers",
            *_TABLE,
            _SEQUENCE,
            "CREATE USER layers_reader IDENTIFIED BY 'pw'",
            "GRANT SELECT, SHOW VIEW ON layers.* TO layers_reader",
        )

    def opened() -> Engine:
        user, password = ("root", "") if privileged else ("layers_reader", "pw")
        return open_engine(Target("mariadb", "layers", "127.0.0.1", server.port, user), password)

    def state() -> list[Any]:
        return [_files(folder), *(server.execute(sql) for sql in _MARIA_STATE)]

    return World("mariadb", "root" if privileged else "reader", folder, reset, opened, state, _MARIA_SESSION)


_POSTGRES_STATE = (
    "SELECT * FROM t",
    "SELECT last_value, is_called FROM s",
    "SELECT relname, relkind, obj_description(oid), relacl::text FROM pg_class WHERE relnamespace = 2200 OR "
    "relname LIKE 'planted%' ORDER BY 1",
    "SELECT attname FROM pg_attribute WHERE attrelid = 't'::regclass ORDER BY attnum",
    "SELECT proname FROM pg_proc WHERE proname = 'planted'",
    "SELECT rolname, rolsuper FROM pg_roles ORDER BY 1",
    "SELECT count(*) FROM pg_largeobject_metadata",
    "SELECT extname FROM pg_extension ORDER BY 1",
    "SELECT subname FROM pg_subscription",
    "SELECT gid FROM pg_prepared_xacts",
    "SELECT name, setting FROM pg_file_settings ORDER BY 1, 2",
    "SELECT stats_reset FROM pg_stat_database WHERE datname = 'layers'",
    "SELECT pg_conf_load_time()",
    "SELECT pg_walfile_name(pg_current_wal_lsn())",
    "SELECT locktype, mode FROM pg_locks WHERE pid <> pg_backend_pid() AND (locktype = 'advisory' OR "
    "relation = 't'::regclass)",
)
_POSTGRES_SESSION = (
    "SELECT count(*) FROM t",
    "SELECT name FROM pg_prepared_statements WHERE name = 'planted'",
    "SELECT name FROM pg_cursors WHERE name = 'planted'",
    "SELECT pg_listening_channels()",
    "SELECT current_user, session_user, current_setting('search_path'), current_setting('transaction_read_only'), "
    "current_setting('default_transaction_read_only'), current_setting('statement_timeout'), "
    "current_setting('standard_conforming_strings')",
    "SELECT relname FROM pg_class WHERE relname = 'planted'",
)


def postgres_world(server: dbservers.PostgresServer, *, privileged: bool) -> World:
    import psycopg

    folder = server.folder / "work"

    def execute(database: str, *statements: str) -> list[tuple[Any, ...]]:
        dsn = f"host=127.0.0.1 port={server.port} user=postgres dbname={database}"
        with psycopg.connect(dsn, autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement)  # type: ignore[call-overload]
            return list(cursor.fetchall()) if cursor.description else []

    def reset() -> None:
        _prepared(folder)
        execute(
            "postgres",
            "ALTER SYSTEM RESET ALL",
            "DROP DATABASE IF EXISTS layers WITH (FORCE)",
            "DROP ROLE IF EXISTS planted",
            "DROP ROLE IF EXISTS layers_reader",
            "CREATE DATABASE layers",
            "CREATE ROLE layers_reader LOGIN",
        )
        execute("layers", *_TABLE, _SEQUENCE, "GRANT SELECT ON t, s TO layers_reader")

    def opened() -> Engine:
        user = "postgres" if privileged else "layers_reader"
        return open_engine(Target("postgres", "layers", "127.0.0.1", server.port, user), None)

    def state() -> list[Any]:
        return [_files(folder), *(execute("layers", sql) for sql in _POSTGRES_STATE)]

    role = "superuser" if privileged else "reader"
    return World("postgres", role, folder, reset, opened, state, _POSTGRES_SESSION)
