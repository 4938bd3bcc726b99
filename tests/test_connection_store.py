from __future__ import annotations

import json
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import filelock
import pytest

from dbgraph_nb import connection_store as store
from dbgraph_nb.errors import BadArgument, DbgraphError, UnknownName
from dbgraph_nb.model import Connection, SensitivePolicy

SHOP = Connection("shop", "mysql://reader@127.0.0.1:3306/shop", "keyring:")


def test_connections_come_back_as_they_were(home: Path) -> None:
    assert store.all_connections(home) == []
    policy = SensitivePolicy(contact=True, add=("users.note",), exempt=("t.c",))
    kept = [SHOP, Connection("订单库", "sqlite:////x/订单.db", None, "show"), replace(SHOP, name="z", sensitive=policy)]
    for connection in reversed(kept):
        store.put(home, connection)
    assert store.all_connections(home) == sorted(kept, key=lambda c: c.name)
    assert store.get(home, "订单库") == kept[1]
    assert store.get(home, "nope") is None
    store.put(home, replace(SHOP, credential=None))
    assert store.get(home, "shop") == replace(SHOP, credential=None)


def test_files_are_private(tmp_path: Path) -> None:
    home = tmp_path / "new"
    store.put(home, SHOP)
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert stat.S_IMODE((home / "connections.json").stat().st_mode) == 0o600
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in home.iterdir())
    assert not list(home.glob("*.tmp"))


def test_remove(home: Path) -> None:
    store.put(home, SHOP)
    store.remove(home, "shop")
    assert store.all_connections(home) == []
    with pytest.raises(UnknownName) as caught:
        store.remove(home, "shop")
    assert caught.value.code == "unknown-connection"


def test_unknown_keys_are_kept(home: Path) -> None:
    path = home / "connections.json"
    entry = {"url": "sqlite:////a.db", "colour": "red"}
    path.write_text(json.dumps({"version": 1, "later": [1], "connections": {"a": entry, "shop": {**entry, "x": 2}}}))
    store.put(home, SHOP)
    content = json.loads(path.read_text("utf-8"))
    assert content["later"] == [1]
    assert content["connections"]["a"] == entry
    assert content["connections"]["shop"]["x"] == 2
    assert content["connections"]["shop"]["url"] == SHOP.url


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"connections": []}',
        '{"connections": {"shop": "hunter2"}}',
        '{"connections": {"shop": {}}}',
        '{"connections": {"shop": {"url": "sqlite:////a", "sensitive": "hide"}}}',
        '{"connections": {"shop": {"url": "sqlite:////a", "sensitive": {"credential": "no"}}}}',
        '{"connections": {"shop": {"url": "sqlite:////a", "sensitive": {"add": "users.phone"}}}}',
        '{"version": 2, "connections": {}}',
        "\ufeff{",
    ],
)
def test_a_broken_file_is_said_and_left_alone(home: Path, text: str) -> None:
    path = home / "connections.json"
    path.write_text(text, "utf-8")
    with pytest.raises(DbgraphError) as caught:
        store.all_connections(home)
    assert caught.value.code == "connections-file-broken"
    assert "hunter2" not in str(caught.value)
    assert path.read_text("utf-8") == text


def test_a_broken_file_is_not_overwritten(home: Path) -> None:
    (home / "connections.json").write_text("{ oops")
    with pytest.raises(DbgraphError):
        store.put(home, SHOP)
    assert (home / "connections.json").read_text() == "{ oops"


def test_no_password_is_ever_written(home: Path) -> None:
    with pytest.raises(BadArgument) as caught:
        store.put(home, replace(SHOP, url="mysql://reader:hunter2@h/d"))
    assert caught.value.code == "password-in-url"
    for credential in ("hunter2", "keyring", "env:a b", "prompt:hunter2"):
        with pytest.raises(BadArgument) as caught:
            store.put(home, replace(SHOP, credential=credential))
        assert caught.value.code == "bad-reference"
        assert "hunter2" not in str(caught.value)
    assert not (home / "connections.json").exists()
    store.put(home, replace(SHOP, url="env:DATABASE_URL", credential=None))


@pytest.mark.parametrize("name", ["shop", "订单库", "a.b", "x" * 64, "two words", "Größe", "_", "shop-2"])
def test_names(name: str) -> None:
    assert store.check_name(name) == name


@pytest.mark.parametrize(
    "name", ["", " ", "x" * 65, "a/b", "a\\b", "a\nb", "a\0b", "..", " a", "a ", "-a", "a\u202eb", "\ud800", 5]
)
def test_names_that_cannot_be(name: str) -> None:
    with pytest.raises(BadArgument) as caught:
        store.check_name(name)
    assert caught.value.code == "bad-connection-name"
    assert str(caught.value).isascii() or "\u202e" not in str(caught.value)


def test_folders_are_safe_and_distinct(home: Path) -> None:
    names = ["shop", "Shop", "a b", "a_b", "订单库", "x" * 64, "..a", "con"]
    folders = [store.folder(home, name) for name in names]
    assert len(set(folders)) == len(names)
    assert all(folder.parent == home / "catalog" and len(folder.name.encode()) < 200 for folder in folders)
    assert store.folder(home, "e\u0301") == store.folder(home, "\u00e9")
    assert not (home / "catalog").exists()


def test_a_home_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DbgraphError) as caught:
        store.put(tmp_path / "file", SHOP)
    assert caught.value.code == "home-not-writable"


PUT_TEN = """
import sys
from pathlib import Path
from dbgraph_nb import connection_store
from dbgraph_nb.model import Connection
for number in range(10):
    connection_store.put(Path(sys.argv[1]), Connection(f"c{sys.argv[2]}-{number}", "sqlite:////a.db"))
"""


def test_processes_do_not_lose_each_others_connections(home: Path) -> None:
    commands = [[sys.executable, "-c", PUT_TEN, str(home), str(first)] for first in range(3)]
    processes = [subprocess.Popen(command) for command in commands]
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    assert len(store.all_connections(home)) == 30


def test_a_lock_that_is_not_freed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_LOCK_SECONDS", 0.2)
    with filelock.FileLock(home / "connections.json.lock"), pytest.raises(DbgraphError) as caught:
        store.put(home, SHOP)
    assert caught.value.code == "connections-file-busy"


def test_a_url_in_place_of_a_name_is_not_repeated(home: Path) -> None:
    with pytest.raises(BadArgument) as caught:
        store.check_name("mysql://reader:hunter2@127.0.0.1/shop")
    assert caught.value.code == "bad-connection-name"
    assert "hunter2" not in str(caught.value)
