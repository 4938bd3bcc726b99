"""A real JupyterLab and a headless Chromium, for the few things that only a browser shows.

The page may ask nothing but our own server; a request elsewhere, or an error on the page, fails the test.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import dbservers
import pytest

SWITCHES = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
]  # fmt: skip
SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True},
    "notebook-extension/tracker": {"windowingMode": "none"},  # every cell is in the page, also those out of sight
}
# The indicator says idle without a kernel, too; a run before the kernel is there would be lost.
KERNEL_IDLE = """() => {
  const kernel = window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel;
  return kernel && kernel.connectionStatus === 'connected' && kernel.status === 'idle' }"""
# The number of a cell's execution is set when it ends; the run is over when the last cell has one.
ALL_RAN = """() => {
  const cells = [...window.jupyterapp.shell.currentWidget.content.model.cells].filter(c => c.type === 'code');
  return cells[cells.length - 1].executionCount !== null }"""
EXECUTE = "c => void window.jupyterapp.commands.execute(c[0], c[1])"  # void: its promise may never come back


def cannot(reason: str) -> NoReturn:
    """Skips on a person's machine, fails in CI."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@dataclass
class Lab:
    """A running JupyterLab, and the folder that it shows."""

    url: str
    token: str
    root: Path
    log: Path


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    base = tmp_path_factory.mktemp("lab")
    root = base / "work"
    root.mkdir()
    for name, values in SETTINGS.items():
        file = base / "config/lab/user-settings/@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values))
    made = Lab(f"http://127.0.0.1:{dbservers.free_port()}", secrets.token_hex(16), root, base / "lab.log")
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "IPYTHON", "DBGRAPH_NB"))}
    places = {
        "HOME": base, "JUPYTER_CONFIG_DIR": base / "config", "JUPYTER_DATA_DIR": base / "data",
        "JUPYTER_RUNTIME_DIR": base / "run", "IPYTHONDIR": base / "ipython", "DBGRAPH_NB_HOME": base / "home",
    }  # fmt: skip
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1",
        f"--port={made.url.rpartition(':')[2]}", "--ServerApp.port_retries=0", f"--ServerApp.root_dir={root}",
        "--LabApp.extension_manager=readonly", "--LabApp.expose_app_in_browser=True",
    ]  # fmt: skip
    environ = clean | {name: str(path) for name, path in places.items()} | {"JUPYTER_TOKEN": made.token}
    with made.log.open("wb") as out:
        server = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, env=environ, cwd=root
        )
    try:
        _wait_for(made, server)
        yield made
    finally:
        server.terminate()  # it ends its kernels itself
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _wait_for(lab: Lab, server: subprocess.Popen[bytes]) -> None:
    ask = urllib.request.Request(f"{lab.url}/api/status", headers={"Authorization": f"token {lab.token}"})
    end = time.monotonic() + 60
    while True:
        try:
            urllib.request.urlopen(ask, timeout=10).close()
        except OSError:
            assert server.poll() is None, lab.log.read_text()
            assert time.monotonic() < end, lab.log.read_text()
            time.sleep(0.1)
        else:
            return


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        cannot("the package playwright is not installed: pip install playwright")
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        cannot("there is no Chromium on this machine: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=SWITCHES)
        yield browser
        browser.close()


@dataclass
class Opened:
    """A notebook in the browser."""

    page: Any
    stray: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def command(self, name: str, **arguments: object) -> None:
        self.page.evaluate(EXECUTE, [name, arguments])

    def run_all(self) -> None:
        """Runs every cell, and waits for the last."""
        self.page.wait_for_function(KERNEL_IDLE)
        self.command("notebook:run-all-cells")
        self.page.wait_for_function(ALL_RAN)
        self.page.wait_for_function(KERNEL_IDLE)

    def theme(self, name: str) -> None:
        self.command("apputils:change-theme", theme=name)
        self.page.wait_for_function("name => document.body.dataset.jpThemeName === name", arg=name)

    def output(self, source: str) -> Any:
        """The output area of the cell whose source begins so."""
        number = self.page.evaluate(
            """source => [...window.jupyterapp.shell.currentWidget.content.model.cells]
                         .findIndex(cell => cell.sharedModel.source.startsWith(source))""",
            source,
        )
        assert number >= 0, source
        return self.page.locator(".jp-Notebook .jp-Cell").nth(number).locator(".jp-OutputArea").first


@pytest.fixture
def open_notebook(chromium: Any, lab: Lab) -> Iterator[Callable[[Path], Opened]]:
    """Opens a copy of a notebook, without its stored outputs."""
    import nbformat

    context = chromium.new_context(viewport={"width": 1280, "height": 1000})
    context.set_default_timeout(30_000)
    opened = Opened(context.new_page())

    def gate(route: Any) -> None:
        if route.request.url.startswith((lab.url, f"blob:{lab.url}", "data:")):
            route.continue_()
        else:
            opened.stray.append(route.request.url)
            route.abort()

    def socket(made: Any) -> None:
        if not made.url.startswith(lab.url.replace("http", "ws", 1)):
            opened.stray.append(made.url)

    context.route("**/*", gate)
    opened.page.on("websocket", socket)
    opened.page.on("console", lambda m: opened.errors.append(m.text) if m.type == "error" else None)
    opened.page.on("pageerror", lambda error: opened.errors.append(str(error)))

    def go(path: Path) -> Opened:
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
        nbformat.write(notebook, lab.root / path.name)
        opened.page.goto(f"{lab.url}/lab/tree/{path.name}?reset&token={lab.token}")
        return opened

    yield go
    context.close()
    assert opened.stray == []
    assert opened.errors == []
