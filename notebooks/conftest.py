"""Gives the tutorials what they need when nbval runs them: a home of their own, and a private MariaDB with the shop."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator

import pytest

_open = contextlib.ExitStack()


@contextlib.contextmanager
def _home() -> Iterator[None]:
    folder = tempfile.mkdtemp(prefix="dbgraph-nbval-")
    try:
        os.environ["DBGRAPH_NB_HOME"] = folder
        os.environ["IPYTHONDIR"] = f"{folder}/ipython"
        yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Before the first kernel starts; kernels inherit the environment. Cells are no functions and request no fixture."""
    cells = [item for item in session.items if type(item).__name__ == "IPyNbCell"]
    if session.config.option.collectonly or not cells:
        return
    _open.enter_context(_home())
    if any("02_mysql" in str(item.path) for item in cells):
        from shop_server import shop_on_mariadb

        url, version = _open.enter_context(shop_on_mariadb())
        os.environ["SHOP_URL"] = url
        print(f"\nthe tutorials talk to a private {version}")


def pytest_sessionfinish(session: pytest.Session) -> None:
    _open.close()
    os.environ.pop("SHOP_URL", None)
