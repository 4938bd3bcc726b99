"""An IPython shell of its own for each test, and a home folder that has the sample shop, indexed."""

from __future__ import annotations

import atexit
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import dbgraph_nb
from dbgraph_nb.errors import DbgraphError


@dataclass
class Notebook:
    """Runs cells as a kernel does, in this process."""

    shell: InteractiveShell
    capsys: pytest.CaptureFixture[str]

    def run(self, source: str) -> Any:
        """The value of the cell's last expression; what went wrong is raised here."""
        done = self.shell.run_cell(source, store_history=False)
        done.raise_error()
        return done.result

    def printed(self, source: str) -> str:
        """What the cell writes to its output."""
        self.capsys.readouterr()
        self.run(source)
        return self.capsys.readouterr().out

    def fails(self, source: str, code: str) -> DbgraphError:
        """The error of the cell, which has this code and is shown as one line without a traceback."""
        self.capsys.readouterr()
        done = self.shell.run_cell(source, store_history=False)
        error = done.error_in_exec
        shown = self.capsys.readouterr()
        assert isinstance(error, DbgraphError), (error, shown)
        assert error.code == code, error
        assert shown.out == f"{type(error).__name__}: {error}\n", shown
        assert shown.err == ""
        assert "\n" not in str(error)
        return error

    def __getitem__(self, variable: str) -> Any:
        return self.shell.user_ns[variable]

    def __setitem__(self, variable: str, value: object) -> None:
        self.shell.user_ns[variable] = value


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    """A fresh shell without history."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    monkeypatch.chdir(tmp_path)
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    made = InteractiveShell(config=config)
    yield made
    dbgraph_nb.unload_ipython_extension(made)
    made.restore_sys_module_state()
    atexit.unregister(made.atexit_operations)  # it collects garbage for half a second


@pytest.fixture
def nb(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> Iterator[Notebook]:
    """A notebook with the extension loaded, no connection, and no table of an earlier one."""
    from dbgraph_nb.explore import scratch

    notebook = Notebook(shell, capsys)
    notebook.run("%load_ext dbgraph_nb")
    yield notebook
    scratch.drop()


@pytest.fixture(scope="session")
def shop_template(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A home with the connection ``shop``, indexed; and the URL of its database."""
    base = tmp_path_factory.mktemp("template")
    url = dbgraph_nb.samples.shop(str(base / "shop.db"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DBGRAPH_NB_HOME", str(base / "home"))
        dbgraph_nb.connect("shop", url)
        dbgraph_nb.index("shop", writer="python")
    return base / "home", url


@pytest.fixture
def shop(nb: Notebook, home: Path, shop_template: tuple[Path, str]) -> Notebook:
    """A notebook whose home has the sample shop as the only connection; its URL is the variable ``url``."""
    template, nb["url"] = shop_template
    shutil.copytree(template, home, dirs_exist_ok=True)
    return nb
