"""Files that are replaced whole or not at all."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dbgraph_nb.catalog.atomic import is_alive, remove_leftovers, replacing


def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_the_file_appears_when_the_block_ends_well(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    with replacing(path) as temporary:
        temporary.write_text("whole")
        assert not path.exists()
        assert temporary.parent == path.parent
        assert temporary.name.startswith(f"file.{os.getpid()}-")
        assert temporary.suffix == ".tmp"
    assert path.read_text() == "whole"
    assert list(path.parent.iterdir()) == [path]
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_an_error_in_the_block_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def interrupted() -> None:
        with replacing(path) as temporary:
            temporary.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_leftovers_of_the_dead_go_and_everything_else_stays(tmp_path: Path) -> None:
    path, dead = tmp_path / "shop.db", dead_pid()
    gone = [
        f"shop.db.{dead}-0123ab.tmp",
        f"shop.db.{dead}-0123ab.tmp-journal",
        f"shop.db.{os.getpid()}-beef.tmp",  # our number, but an earlier process: we are not writing it
        "shop.db.99999999999999999999-1.tmp",
    ]
    kept = [
        "shop.db",
        f"shop.db.{os.getppid()}-0123ab.tmp",
        f"shop2.db.{dead}-0123ab.tmp",
        f"shopxdb.{dead}-0123ab.tmp",
        f"shop.db.{dead}-0123ab.tmp.bak",
        f"shop.db.{dead}-user's.tmp",
    ]
    for name in gone + kept:
        (tmp_path / name).write_text("x")
    with replacing(path) as temporary:
        assert sorted(remove_leftovers(path)) == sorted(gone)
        assert temporary.exists()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == sorted(kept)


def test_no_folder_no_leftovers(tmp_path: Path) -> None:
    assert remove_leftovers(tmp_path / "nothing" / "index") == ()


def test_who_is_alive() -> None:
    assert is_alive(os.getpid())
    assert is_alive(os.getppid())
    assert not is_alive(dead_pid())
    assert not is_alive(0)
