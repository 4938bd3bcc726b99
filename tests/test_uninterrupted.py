"""A stop button that comes while a package is imported for the first time breaks nothing for the cells after it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from soak import scale

from dbgraph_nb.uninterrupted import load

# Interrupts itself after the given seconds, somewhere in the first imports; then everything has to work.
SCRIPT = """
import signal, sys
signal.signal(signal.SIGALRM, signal.default_int_handler)
import dbgraph_nb as dg
dg.connect("a", sys.argv[2])
signal.setitimer(signal.ITIMER_REAL, float(sys.argv[1]))
try:
    dg.sql("a", "SELECT 1 AS one")
    print("whole")
except KeyboardInterrupt:
    print("interrupted")
signal.setitimer(signal.ITIMER_REAL, 0)
assert dg.sql("a", "SELECT 2 AS two")["two"].tolist() == [2]
dg.index("a")
assert list(dg.schema("a")["name"]) == ["t"]
"""


@pytest.mark.skipif(not hasattr(__import__("signal"), "setitimer"), reason="this system has no timer signals")
@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_an_interrupt_of_the_first_imports(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    if kind == "sqlite":
        import sqlite3

        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE t (a INTEGER)")
        connection.close()
    else:
        import duckdb

        with duckdb.connect(path) as made:
            made.execute("CREATE TABLE t (a INTEGER)")
    seen = set()
    times = max(3, scale(60))
    for number in range(times):
        seconds = 0.02 + 0.6 * number / times
        command = [sys.executable, "-W", "error", "-c", SCRIPT, str(seconds), f"{kind}:///{path}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, f"after {seconds:.2f} s: {done.stderr[-1500:]}"
        seen.add(done.stdout.strip())
    assert "interrupted" in seen


def test_a_package_that_is_not_there() -> None:
    with pytest.raises(ImportError):
        load("no_such_package_7f3a")


def test_what_is_imported_already_needs_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    def started(*_: object, **__: object) -> None:
        raise AssertionError("a thread was started")

    monkeypatch.setattr("dbgraph_nb.uninterrupted.threading.Thread", started)
    load("sys")
    with pytest.raises(AssertionError, match="a thread was started"):
        load("no_such_package_7f3a")
