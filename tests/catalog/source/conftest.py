"""Engines over real databases that also write down every catalog statement they are given."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from dbgraph_nb.engines import Engine, open_engine
from dbgraph_nb.model import Dialect, Target


class Recorded:
    """An engine that remembers the statements. ``fail`` maps a piece of SQL to the error it raises."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.statements: list[str] = []
        self.fail: dict[str, Exception] = {}

    @property
    def dialect(self) -> Dialect:
        return self._engine.dialect

    @property
    def server(self) -> str:
        return self._engine.server

    @property
    def default_schema(self) -> str:
        return self._engine.default_schema

    def catalog(self, sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        self.statements.append(sql)
        for piece, error in self.fail.items():
            if piece in sql:
                raise error
        return self._engine.catalog(sql, params)


@pytest.fixture
def sqlite_engine(tmp_path: Path) -> Iterator[Callable[..., Recorded]]:
    """Gives a function: SQL scripts → an engine over a new file that holds them."""
    opened: list[Engine] = []

    def make(*scripts: str, setup: Callable[[sqlite3.Connection], object] | None = None) -> Recorded:
        path = tmp_path / f"{len(opened)}.db"
        with sqlite3.connect(path) as connection:
            for script in scripts:
                connection.executescript(script)
            if setup:
                setup(connection)
        connection.close()
        opened.append(open_engine(Target("sqlite", str(path)), None))
        return Recorded(opened[-1])

    yield make
    for engine in opened:
        engine.close()


class Maria:
    """A database of its own on a private server: ``run`` as root, ``engine`` as a user who may only read."""

    def __init__(self, database: Any) -> None:
        self._database = database
        self.name: str = database.name
        self._opened: list[Engine] = []

    def run(self, *statements: str) -> None:
        """Runs the statements in one session."""
        self._database.execute(*statements)

    def engine(self, user: str | None = None, password: str | None = None, database: str | None = None) -> Recorded:
        """Opens an engine; by default as the reader, in this database."""
        target = Target(
            "mysql",
            self.name if database is None else database,
            host="127.0.0.1",
            port=self._database.server.port,
            user=user or self._database.user,
        )
        self._opened.append(open_engine(target, password or self._database.password))
        return Recorded(self._opened[-1])

    def logging(self) -> Any:
        """A context that gives a function: the statements that the server has seen since."""
        return self._database.server.logging()

    def close(self) -> None:
        for engine in self._opened:
            engine.close()


@pytest.fixture
def shop(maria: Any) -> Iterator[Maria]:
    """A fresh database on the private MariaDB."""
    database = Maria(maria)
    yield database
    database.close()
