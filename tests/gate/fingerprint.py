"""Engines without any lock, and all that a statement might have changed in them.

In: a folder or a server of the test's own. Out: ``World``: runs a text as the most powerful user, and tells its state
as named sections. Never: an engine lock, a read-only handle, or a limited user; only the gate stands before it.

The two servers are in ``fingerprint_servers.py``.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from gate.grammar_functions import Function, from_duckdb, from_sqlite

from dbgraph_nb.model import Dialect

CANARY = "c4n4ry"  # stands in every file of the work folder, and in no table and no statement
Fingerprint = dict[str, Any]
ROWS = """(1, 'ann', 10.5, '2024-01-01', '{"a": 1}'), (2, 'bob', -3, '2024-02-01', '{"a": [1]}'),
    (3, 'a%', NULL, NULL, NULL)"""
SCHEMA = (
    "CREATE TABLE t (id INTEGER PRIMARY KEY, name VARCHAR(40), amount DECIMAL(10, 2), day DATE, j JSON)",
    "CREATE TABLE u (id INTEGER, t_id INTEGER, note VARCHAR(40))",
    "CREATE TABLE u2 (a INTEGER)",
    "CREATE INDEX ix_name ON t (name)",
    f"INSERT INTO t VALUES {ROWS}",
    "INSERT INTO u VALUES (1, 1, 'n1'), (2, 1, 'n2'), (3, 2, NULL)",
    "CREATE VIEW v AS SELECT id, name, amount, day, j FROM t",
)
_SECONDS = 2.0


class World(ABC):
    """One engine with a schema of its own; ``relations`` are what the gate is told."""

    dialect: ClassVar[Dialect]
    relations: ClassVar[frozenset[str] | None] = None

    @abstractmethod
    def reset(self) -> None:
        """A fresh schema and a fresh session."""

    @abstractmethod
    def run(self, sql: str) -> str:
        """Execute ``sql``; the rows as a text, "" after an error of the engine."""

    @abstractmethod
    def fingerprint(self) -> Fingerprint:
        """Everything that a statement without effect leaves as it is."""

    @abstractmethod
    def catalogue(self) -> list[Function]:
        """The functions that this engine has."""

    @abstractmethod
    def close(self) -> None:
        """The session ends."""

    def begin(self) -> None:  # noqa: B027 - most engines have nothing to prepare
        """Called before a batch of statements."""


def files(folder: Path, content: Callable[[str], bool] = lambda name: True) -> list[tuple[str, str]]:
    """Every path below ``folder`` with a hash of its bytes; of those that ``content`` leaves out, the path alone."""
    found = []
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        digest = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() and content(name) else ""
        found.append((name, digest))
    return found


def put_canaries(folder: Path) -> None:
    """Small files of several kinds that hold the canary; read only by what must not pass."""
    (folder / "sub").mkdir(parents=True)
    for name in ("canary.csv", "canary.tsv", "canary", "sub/canary.csv", "planted.txt"):
        (folder / name).write_text(f"secret\n{CANARY}\n{CANARY}2\n", encoding="utf-8")
    (folder / "canary.json").write_text(f'{{"secret": "{CANARY}"}}\n', encoding="utf-8")


def _interrupting(stop: Callable[[], None], action: Callable[[], str]) -> str:
    timer = threading.Timer(_SECONDS, stop)
    timer.start()
    try:
        return action()
    finally:
        timer.cancel()


class SqliteWorld(World):
    dialect = "sqlite"

    def __init__(self, folder: Path) -> None:
        self.folder, self.number = folder, 0
        self.connection: sqlite3.Connection | None = None
        self.reset()

    def reset(self) -> None:
        self.close()
        self.number += 1
        self.work = self.folder / f"sqlite{self.number}"
        put_canaries(self.work)
        os.chdir(self.work)
        self.connection = sqlite3.connect(self.work / "main.db", isolation_level=None, check_same_thread=False)
        if hasattr(self.connection, "enable_load_extension"):  # not every build has it
            self.connection.enable_load_extension(True)
        for statement in SCHEMA:
            self.connection.execute(statement)

    def run(self, sql: str) -> str:
        assert self.connection is not None
        try:
            return _interrupting(self.connection.interrupt, lambda: self._rows(sql))
        except (sqlite3.Error, sqlite3.Warning, UnicodeError, OverflowError):
            return ""

    def _rows(self, sql: str) -> str:
        assert self.connection is not None
        cursor = self.connection.execute(sql)
        rows = repr(cursor.fetchmany(500))
        cursor.close()
        return rows

    def fingerprint(self) -> Fingerprint:
        connection = self.connection
        assert connection is not None
        pragmas = [name for (name,) in connection.execute("SELECT name FROM pragma_pragma_list ORDER BY 1")]
        acting = ("wal_checkpoint", "optimize", "incremental_vacuum", "shrink_memory", "integrity_check", "quick_check")
        acting += ("module_list",)  # SQLite notes a built-in virtual table there when it is first read
        state: Fingerprint = {
            "rows and schema": [*connection.iterdump()],
            "temporary": connection.execute("SELECT * FROM sqlite_temp_master").fetchall(),
            "changes": connection.total_changes,
            "transaction": connection.in_transaction,
            "databases": connection.execute("PRAGMA database_list").fetchall(),
            "functions": connection.execute("SELECT count(*), sum(flags) FROM pragma_function_list").fetchall(),
            "like": connection.execute("SELECT 'a' LIKE 'A'").fetchall(),
            "files": files(self.work),
        }
        for name in pragmas:
            if name not in acting:
                state[f"pragma {name}"] = connection.execute(f"PRAGMA {name}").fetchall()
        return state

    def catalogue(self) -> list[Function]:
        return from_sqlite(self.connection)

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
            shutil.rmtree(self.work)
            self.connection = None


class DuckdbWorld(World):
    dialect = "duckdb"
    relations = frozenset({"t", "u", "u2", "v"})

    def __init__(self, folder: Path) -> None:
        self.folder, self.number = folder, 0
        self.connection: Any = None
        self.reset()

    def reset(self) -> None:
        import duckdb

        self.close()
        self.number += 1
        self.work = self.folder / f"duckdb{self.number}"
        put_canaries(self.work)
        os.chdir(self.work)
        self.error: type[Exception] = duckdb.Error
        self.connection = duckdb.connect(str(self.work / "main.duckdb"), config={"memory_limit": "1GB", "threads": 2})
        for name, form in (("canary.parquet", "parquet"), ("sub/canary.parquet", "parquet")):
            self.connection.execute(f"COPY (SELECT '{CANARY}' AS secret) TO '{name}' (FORMAT {form})")
        self.connection.execute(f"CREATE TABLE not_mounted AS SELECT '{CANARY}' AS secret")
        for statement in (*SCHEMA, "CREATE SEQUENCE s", "SELECT nextval('s')"):
            self.connection.execute(statement)
        self.connection.execute("CHECKPOINT")

    def run(self, sql: str) -> str:
        try:
            return _interrupting(self.connection.interrupt, lambda: repr(self._rows(sql)))
        except (self.error, UnicodeError, ValueError, OverflowError, RuntimeError, NotImplementedError):
            return ""

    def _rows(self, sql: str) -> list[Any]:
        result = self.connection.execute(sql)
        rows: list[Any] = result.fetchmany(500)
        return rows

    def fingerprint(self) -> Fingerprint:
        ask = lambda sql: self.connection.execute(sql).fetchall()  # noqa: E731 - twelve short questions
        state = {
            table: ask(f"FROM {table} ORDER BY ALL") for table in ("main.t", "main.u", "main.u2", "main.not_mounted")
        }
        user = "WHERE NOT internal ORDER BY ALL"
        # PIVOT without a list of values leaves an enum type of its own name in the session; nothing reads it again.
        types = "WHERE NOT internal AND type_name NOT LIKE '\\_\\_pivot\\_enum\\_%' ESCAPE '\\' ORDER BY ALL"
        return state | {
            "tables": ask(f"SELECT database_name, schema_name, table_name, sql FROM duckdb_tables() {user}"),
            "views": ask(f"SELECT database_name, schema_name, view_name, sql FROM duckdb_views() {user}"),
            "functions": ask(f"SELECT function_name, macro_definition FROM duckdb_functions() {user}"),
            "count": ask("SELECT count(*) FROM duckdb_functions()"),
            "types": ask(f"SELECT type_name FROM duckdb_types() {types}"),
            "schemas": ask("SELECT database_name, schema_name FROM duckdb_schemas() ORDER BY ALL"),
            "indexes": ask("SELECT index_name FROM duckdb_indexes() ORDER BY ALL"),
            "sequences": ask("SELECT sequence_name, last_value, temporary FROM duckdb_sequences() ORDER BY ALL"),
            "settings": ask("SELECT name, value FROM duckdb_settings() ORDER BY ALL"),
            "variables": ask("SELECT * FROM duckdb_variables() ORDER BY ALL"),
            "databases": ask("SELECT database_name, path, type FROM duckdb_databases() ORDER BY ALL"),
            "prepared": ask("SELECT name FROM duckdb_prepared_statements() ORDER BY ALL"),
            "extensions": ask("SELECT extension_name, loaded, installed FROM duckdb_extensions() ORDER BY ALL"),
            "secrets": ask("SELECT name FROM duckdb_secrets() ORDER BY ALL"),
            "log": ask("SELECT count(*) FROM duckdb_logs()"),
            "comments": ask("SELECT comment FROM duckdb_tables() WHERE comment IS NOT NULL"),
            "place": ask("SELECT current_database(), current_schema()"),
            "transaction": self._transaction(),
            "files": files(self.work, lambda name: not name.startswith("main.duckdb")),
            "size": (self.work / "main.duckdb").stat().st_size,
        }

    def _transaction(self) -> bool:
        try:
            self.connection.begin()
        except self.error:
            return True
        self.connection.rollback()
        return False

    def catalogue(self) -> list[Function]:
        return from_duckdb(self.connection)

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
            shutil.rmtree(self.work)
            self.connection = None
