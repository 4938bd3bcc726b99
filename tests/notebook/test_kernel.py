"""In a real kernel: what is saved in a notebook, who is asked for a password, what an interrupt does."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
import pytest
from jupyter_client import BlockingKernelClient, KernelManager
from nbclient import NotebookClient

if TYPE_CHECKING:
    from conftest import MariaDatabase

LONG = 60  # seconds after which a test gives up; nothing here takes longer than a few


@pytest.fixture(autouse=True)
def kernel_home(home: Path, shop_template: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What kernels inherit: a home with the indexed shop, no keyring, folders of this test alone."""
    shutil.copytree(shop_template[0], home, dirs_exist_ok=True)
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    for variable in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(variable, str(tmp_path / variable.lower()))


class Kernel:
    """A kernel with the extension loaded before the first cell, and every message that it sent."""

    def __init__(self, manager: KernelManager, client: BlockingKernelClient) -> None:
        self.manager, self.client = manager, client
        self.messages: list[dict[str, Any]] = []
        self.questions: list[dict[str, Any]] = []

    def run(self, code: str, *, answer: str | None = None) -> list[dict[str, Any]]:
        """The messages of one cell; ``answer`` is what a person types, None: there is no person."""
        sent: list[dict[str, Any]] = []

        def asked(message: dict[str, Any]) -> None:
            self.questions.append(message["content"])
            self.client.input(answer)

        self.client.execute_interactive(
            code, allow_stdin=answer is not None, timeout=LONG, output_hook=sent.append, stdin_hook=asked
        )
        self.messages += sent
        return sent

    def error(self, code: str, *, answer: str | None = None) -> dict[str, Any]:
        """The one error of a cell, which is one line."""
        (found,) = [m["content"] for m in self.run(code, answer=answer) if m["msg_type"] == "error"]
        assert len(found["traceback"]) == 1
        assert "\n" not in found["traceback"][0]
        return dict(found)

    def text(self, code: str, *, answer: str | None = None) -> str:
        """What a cell shows as plain text."""
        sent = self.run(code, answer=answer)
        assert [m["content"] for m in sent if m["msg_type"] == "error"] == []
        shown = [m["content"]["data"]["text/plain"] for m in sent if "data" in m["content"]]
        return "".join(shown + [m["content"]["text"] for m in sent if m["msg_type"] == "stream"])


@pytest.fixture
def kernel(kernel_home: None, tmp_path: Path) -> Iterator[Kernel]:
    """As when the extension stands in the configuration of IPython."""
    profile = tmp_path / "ipythondir" / "profile_default"
    profile.mkdir(parents=True)
    (profile / "ipython_config.py").write_text('get_config().InteractiveShellApp.extensions = ["dbgraph_nb"]\n')
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(cwd=str(tmp_path), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    client = manager.blocking_client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=LONG)
        yield Kernel(manager, client)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def saved(tmp_path: Path, *sources: str) -> list[list[dict[str, Any]]]:
    """The outputs of each cell as they are saved, in a run where nobody can be asked (as nbval and papermill do)."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    where = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=LONG, allow_errors=True, resources=where, record_timing=False).execute()
    nbformat.validate(notebook)
    return [list(cell.outputs) for cell in notebook.cells]


def test_what_a_run_saves(tmp_path: Path) -> None:
    outputs = saved(
        tmp_path,
        "%load_ext dbgraph_nb",
        "%%dbgraph sql\nDELETE FROM users",
        "%dbgraph connect other mysql://reader@127.0.0.1:1/shop --credential prompt:",
        "import dbgraph_nb.notebook.progress_line as line\nline.QUIET = line.EVERY = 0",
        "%dbgraph index shop --writer python",
        "%dbgraph find 用户 密码 where 姓名=张三",
    )
    assert outputs[0] == []
    (refused,) = outputs[1]
    assert (refused["output_type"], refused["ename"]) == ("error", "GateRefused")
    assert refused["traceback"] == [f"GateRefused: {refused['evalue']}"]
    (nobody,) = outputs[2]
    assert (nobody["output_type"], nobody["ename"]) == ("error", "CredentialMissing")
    assert nobody["traceback"] == [f"CredentialMissing: {nobody['evalue']}"]
    assert "nobody to ask" in nobody["evalue"]
    (report,) = outputs[4]  # and no trace of its progress
    assert report["output_type"] == "execute_result"
    assert report["data"]["text/plain"].startswith("shop: 17 tables and views")
    (answer,) = outputs[5]
    assert set(answer["data"]) == {"text/plain", "text/html"}
    assert "[REDACTED]" in answer["data"]["text/html"]


def kinds(sent: list[dict[str, Any]]) -> list[str]:
    return [m["msg_type"] for m in sent if m["msg_type"] not in ("status", "execute_input")]


def test_progress_is_shown_to_a_person_and_taken_away(kernel: Kernel) -> None:
    kernel.run("import dbgraph_nb.notebook.progress_line as line\nline.QUIET = line.EVERY = 0")
    index = "%dbgraph index shop --writer python"
    sent = kernel.run(index, answer="nothing is asked")
    first, *updates, cleared, result = kinds(sent)
    assert (first, set(updates)) == ("display_data", {"update_display_data"})
    assert (cleared, result) == ("clear_output", "execute_result")
    assert sent[2]["content"]["data"]["text/plain"].startswith("index shop")
    # a program that runs notebooks may keep what was sent; and quick work does not flicker
    assert kinds(kernel.run(index)) == ["execute_result"]
    assert kinds(kernel.run(f"line.QUIET = 60\n{index}", answer="")) == ["execute_result"]
    assert kernel.questions == []


def test_a_password_is_asked_for_once_and_shown_nowhere(kernel: Kernel, maria: MariaDatabase, home: Path) -> None:
    maria.execute("CREATE TABLE users (id int PRIMARY KEY, name text)", "INSERT INTO users VALUES (1, '张三')")
    connect = f"%dbgraph connect mine {maria.url} --credential prompt:"
    assert kernel.error(connect)["ename"] == "CredentialMissing"
    wrong = kernel.error(connect, answer="wr0ng-口令")
    assert wrong["ename"] == "ConnectionFailed"
    assert "connection mine" in kernel.text(connect, answer=maria.password)
    kernel.run("%dbgraph index mine --writer python")
    assert "张三" in kernel.text("%%dbgraph sql mine\nSELECT name FROM users")  # not asked again, and nobody could be
    assert len(kernel.questions) == 2
    assert all(question["password"] for question in kernel.questions)  # typed without echo
    assert maria.user in kernel.questions[0]["prompt"]
    history = kernel.text("%history") + kernel.text("repr([In, Out, dict(globals())])") + str(kernel.messages)
    files = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    for secret in ("wr0ng", "s3cret"):
        assert secret in maria.password + "wr0ng"
        assert secret not in history
        assert secret.encode() not in files


def test_connecting_asks_by_itself_when_a_password_is_needed(kernel: Kernel, maria: MariaDatabase) -> None:
    denied = kernel.error(f"%dbgraph connect mine {maria.url}")
    assert denied["ename"] == "ConnectionFailed"
    assert "connection mine" in kernel.text(f"%dbgraph connect mine {maria.url}", answer=maria.password)
    assert len(kernel.questions) == 1


def test_an_interrupt_ends_the_statement_and_leaves_the_connection(kernel: Kernel) -> None:
    process = int(kernel.text("import os; os.getpid()"))
    kernel.run("%dbgraph use shop")
    # what the stop button does, half a second into the statement; the manager's own call wants this thread
    stop = threading.Timer(0.5, os.kill, (process, signal.SIGINT))
    stop.start()
    started = time.monotonic()
    stopped = kernel.error(
        "%%dbgraph sql --timeout 300\nSELECT count(*) FROM orders a, orders b, orders c, orders d, orders e"
    )
    stop.join()
    assert stopped["ename"] == "KeyboardInterrupt"
    assert "stopped" in stopped["traceback"][0]
    assert time.monotonic() - started < 10  # without the engine's own cancel it would be five minutes
    assert "140" in kernel.text("%%dbgraph sql\nSELECT count(*) AS n FROM orders")
