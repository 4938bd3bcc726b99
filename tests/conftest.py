"""Fixtures that many tests need: a home folder of their own, a keyring in memory, a private MariaDB."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import dbservers
import keyring
import keyring.backend
import keyring.errors
import pytest

_versions: dict[str, str] = {}  # of the servers that were started, for the summary
_numbers = itertools.count(1)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The log names the servers that were really used."""
    for name, version in _versions.items():
        terminalreporter.write_line(f"used a private {name} {version}")


class MemoryKeyring(keyring.backend.KeyringBackend):
    """A keyring that keeps secrets in this process."""

    priority = 5.0

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.entries: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if self.entries.pop((service, username), None) is None:
            raise keyring.errors.PasswordDeleteError("no such entry")


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home folder for this test alone, and no keyring of the machine."""
    from keyring.backends import null

    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("DBGRAPH_NB_HOME", str(folder))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")  # for child processes
    previous = keyring.get_keyring()
    keyring.set_keyring(null.Keyring())  # type: ignore[no-untyped-call]
    try:
        yield folder
    finally:
        keyring.set_keyring(previous)


@pytest.fixture
def memory_keyring() -> Iterator[MemoryKeyring]:
    """A working keyring, in memory."""
    previous, memory = keyring.get_keyring(), MemoryKeyring()
    keyring.set_keyring(memory)
    yield memory
    keyring.set_keyring(previous)


@pytest.fixture(scope="session")
def mariadb() -> Iterator[dbservers.MariaServer]:
    """A private MariaDB server, started when the first test asks for it."""
    with dbservers.mariadb() as server:
        _versions["MariaDB"] = server.version
        yield server


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[dbservers.PostgresServer]:
    """A private PostgreSQL server, started when the first test asks for it."""
    with dbservers.postgres() as server:
        _versions["PostgreSQL"] = server.version
        yield server


@dataclass(frozen=True)
class PostgresDatabase:
    """A fresh database and a role that may only read its tables; nobody has a password."""

    server: dbservers.PostgresServer
    name: str
    user: str

    @property
    def url(self) -> str:
        """The reader's URL."""
        return f"postgresql://{self.user}@127.0.0.1:{self.server.port}/{self.name}"

    @property
    def url_of_superuser(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.server.port}/{self.name}"

    def execute(self, *statements: str) -> list[tuple[object, ...]]:
        """Runs statements as superuser in this database, then lets the reader read; returns the rows of the last."""
        import psycopg

        dsn = f"host=127.0.0.1 port={self.server.port} user=postgres dbname={self.name}"
        with psycopg.connect(dsn, autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement)  # type: ignore[call-overload]
            rows = list(cursor.fetchall()) if cursor.description else []
            connection.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {self.user}")  # type: ignore[call-overload]
        return rows


@pytest.fixture
def postgres(postgres_server: dbservers.PostgresServer) -> Iterator[PostgresDatabase]:
    """A database of its own on the private PostgreSQL, dropped afterwards."""
    import psycopg

    number = next(_numbers)
    database = PostgresDatabase(postgres_server, f"shop{number}", f"reader{number}")
    with psycopg.connect(postgres_server.dsn, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {database.name}")  # type: ignore[call-overload]
        connection.execute(f"CREATE ROLE {database.user} LOGIN")  # type: ignore[call-overload]
    yield database
    with psycopg.connect(postgres_server.dsn, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {database.name} WITH (FORCE)")  # type: ignore[call-overload]
        connection.execute(f"DROP ROLE {database.user}")  # type: ignore[call-overload]


@dataclass(frozen=True)
class MariaDatabase:
    """A fresh database and a user who may only read it."""

    server: dbservers.MariaServer
    name: str
    user: str
    password: str

    @property
    def url(self) -> str:
        """The read-only user's URL, without the password."""
        return f"mysql://{self.user}@127.0.0.1:{self.server.port}/{self.name}"

    @property
    def url_with_password(self) -> str:
        return f"mysql://{self.user}:{self.password}@127.0.0.1:{self.server.port}/{self.name}"

    def execute(self, *statements: str) -> list[tuple[object, ...]]:
        """Runs statements as root in this database; returns the rows of the last one."""
        return self.server.execute(*statements, database=self.name)


@pytest.fixture
def maria(mariadb: dbservers.MariaServer) -> Iterator[MariaDatabase]:
    """A database of its own on the private MariaDB, dropped afterwards."""
    number = next(_numbers)
    database = MariaDatabase(mariadb, f"shop{number}", f"reader{number}", f"s3cret-{number}-口令")
    account = f"{database.user}@'127.0.0.1'"
    mariadb.execute(
        f"CREATE DATABASE {database.name}",
        f"CREATE USER {account} IDENTIFIED BY '{database.password}'",
        f"GRANT SELECT, SHOW VIEW ON {database.name}.* TO {account}",
    )
    yield database
    mariadb.execute(f"DROP DATABASE IF EXISTS {database.name}", f"DROP USER IF EXISTS {account}")
