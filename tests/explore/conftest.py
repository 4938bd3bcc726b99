"""The sample shop, connected and indexed as ``shop``: indexed once, copied into the home folder of each test."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import dbservers
import pytest
from shop_server import READER_PASSWORD, load_shop

import dbgraph_nb as dg
from dbgraph_nb.explore import asking, context

READER = "SHOP_READER_PASSWORD"  # the variable that the connection to MariaDB refers to
MARIA_SHOP = "exploreshop"


@dataclass(frozen=True)
class Shop:
    """The connection ``shop`` in this test's home folder. ``url`` has no password."""

    engine: str  # as results name it
    url: str
    home: Path


@pytest.fixture(scope="session")
def shop_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shop as a SQLite file; copy it to change it."""
    file = tmp_path_factory.mktemp("shop") / "shop.db"
    dg.samples.shop(str(file))
    return file


@pytest.fixture(scope="session")
def maria_url(mariadb: dbservers.MariaServer) -> str:
    """The shop on the private MariaDB, for a reader who may only read."""
    load_shop(mariadb, MARIA_SHOP)
    return f"mysql://reader@127.0.0.1:{mariadb.port}/{MARIA_SHOP}"


@pytest.fixture(scope="session")
def sqlite_home(shop_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _indexed(tmp_path_factory.mktemp("indexed"), f"sqlite:///{shop_file}", None)


@pytest.fixture(scope="session")
def maria_home(maria_url: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    with _environment(READER, READER_PASSWORD):
        return _indexed(tmp_path_factory.mktemp("indexed"), maria_url, f"env:{READER}")


def _indexed(home: Path, url: str, credential: str | None) -> Path:
    with _environment("DBGRAPH_NB_HOME", str(home)):
        dg.connect("shop", url, credential=credential)
        dg.index("shop")
    return home


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(name, value)
        yield


@pytest.fixture
def shop(shop_file: Path, sqlite_home: Path, home: Path) -> Shop:
    """The shop on SQLite."""
    shutil.copytree(sqlite_home, home, dirs_exist_ok=True)
    return Shop("SQLite", f"sqlite:///{shop_file}", home)


@pytest.fixture
def maria_shop(maria_url: str, maria_home: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """The shop on MariaDB."""
    monkeypatch.setenv(READER, READER_PASSWORD)
    shutil.copytree(maria_home, home, dirs_exist_ok=True)
    return Shop("MariaDB", maria_url, home)


@pytest.fixture(params=["sqlite", "mariadb"])
def either(request: pytest.FixtureRequest) -> Shop:
    """The shop on each engine in turn."""
    found: Shop = request.getfixturevalue("shop" if request.param == "sqlite" else "maria_shop")
    return found


@pytest.fixture(autouse=True)
def _nobody_to_ask() -> Iterator[None]:
    """No test leaves behind somebody to ask, or a remembered password."""
    yield
    asking.let_ask(None)
    context._remembered.clear()
