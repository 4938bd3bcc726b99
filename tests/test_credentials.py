from __future__ import annotations

import os
import traceback
from pathlib import Path
from typing import Any

import keyring
import keyring.backend
import pytest

from dbgraph_nb import credentials
from dbgraph_nb.errors import BadArgument, CredentialMissing
from dbgraph_nb.model import Target

TARGET = Target("mysql", "shop", "db.example.com", 3306, "reader")


def resolve(reference: str | None, **more: Any) -> str | None:
    return credentials.resolve(reference, name="shop", target=TARGET, **more)


@pytest.mark.parametrize("reference", ["keyring:", "keyring:svc/name", "keyring:svc/a/b", "env:A_1", "prompt:"])
def test_references(reference: str) -> None:
    assert credentials.check_reference(reference) == reference


@pytest.mark.parametrize(
    "text", ["hunter2", "", "env:", "env:a b", "env:1", "keyring:svc", "keyring:/x", "prompt:hunter2"]
)
def test_what_is_no_reference_is_not_repeated(text: str) -> None:
    with pytest.raises(BadArgument) as caught:
        credentials.check_reference(text)
    assert caught.value.code == "bad-reference"
    assert "hunter2" not in str(caught.value)


def test_no_reference_is_no_password() -> None:
    assert resolve(None) is None


# --- env ------------------------------------------------------------------------------------------------------


def test_the_environment_wins_over_the_env_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("SHOP_PW='fi${HOME}le 口令'\nexport OTHER=x\n", "utf-8")
    before = dict(os.environ)
    assert resolve("env:SHOP_PW") == "fi${HOME}le 口令"
    assert resolve("env:OTHER") == "x"
    assert dict(os.environ) == before
    monkeypatch.setenv("SHOP_PW", "process")
    assert resolve("env:SHOP_PW") == "process"


def test_a_variable_that_is_not_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CredentialMissing, match="SHOP_PW is not set") as caught:
        resolve("env:SHOP_PW")
    assert caught.value.code == "env-missing"


def test_a_whole_url_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "mysql://u:hunter2@h/d")
    assert credentials.expand_url("env:DATABASE_URL") == "mysql://u:hunter2@h/d"
    assert credentials.expand_url("sqlite:///x.db") == "sqlite:///x.db"
    with pytest.raises(BadArgument):
        credentials.expand_url("env:not a name")


# --- prompt ---------------------------------------------------------------------------------------------------


def test_a_password_is_asked_for_once() -> None:
    asked: list[str] = []

    def ask(question: str) -> str:
        asked.append(question)
        return "hunter2"

    remembered: dict[str, str] = {}
    assert [resolve("prompt:", ask=ask, remembered=remembered) for _ in range(3)] == ["hunter2"] * 3
    assert len(asked) == 1
    assert "reader on db.example.com" in asked[0]


def test_without_a_terminal_a_prompt_fails_in_one_sentence() -> None:
    with pytest.raises(CredentialMissing) as caught:
        resolve("prompt:")
    assert caught.value.code == "no-prompt"
    assert "\n" not in str(caught.value)


def test_a_frontend_that_cannot_ask() -> None:
    def ask(question: str) -> str:
        raise EOFError

    with pytest.raises(CredentialMissing) as caught:
        resolve("prompt:", ask=ask)
    assert caught.value.__context__ is None

    def interrupted(question: str) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        resolve("prompt:", ask=interrupted)


# --- keyring --------------------------------------------------------------------------------------------------


def test_a_password_goes_to_the_keyring_and_comes_back(memory_keyring: Any) -> None:
    reference = credentials.store("shop", TARGET, "hunter2")
    assert reference is not None
    assert reference.startswith("keyring:dbgraph_nb/shop-")
    assert resolve(reference) == "hunter2"
    elsewhere = Target("mysql", "shop", "other.example.com", 3306, "reader")
    assert credentials.store("shop", elsewhere, "other") != reference, "bound to where it belongs"
    assert resolve(reference) == "hunter2"
    credentials.discard(reference, name="shop")
    with pytest.raises(CredentialMissing, match="has no password"):
        resolve(reference)


def test_keyring_entries_of_the_user(memory_keyring: Any) -> None:
    memory_keyring.set_password("dbgraph_nb", "shop", "mine")
    memory_keyring.set_password("my service", "a/b", "theirs")
    assert resolve("keyring:") == "mine"
    assert resolve("keyring:my service/a/b") == "theirs"
    credentials.discard("keyring:my service/a/b", name="shop")
    assert resolve("keyring:my service/a/b") == "theirs"


class BrokenKeyring(keyring.backend.KeyringBackend):
    priority = 5.0  # type: ignore[assignment]

    def get_password(self, service: str, username: str) -> str | None:
        raise RuntimeError("locked, hunter2")

    def set_password(self, service: str, username: str, password: str) -> None:
        raise RuntimeError("locked, hunter2")


class PlainFileKeyring(BrokenKeyring):
    priority = 0.5  # type: ignore[assignment]


def test_stand_ins_are_no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    from keyring.backends import chainer, fail, null

    monkeypatch.setattr(chainer.ChainerBackend, "backends", ())
    for backend in (null.Keyring(), fail.Keyring(), chainer.ChainerBackend(), PlainFileKeyring(), BrokenKeyring()):
        monkeypatch.setattr(keyring, "get_keyring", lambda backend=backend: backend)
        assert credentials.store("shop", TARGET, "hunter2") is None, backend


def test_a_broken_keyring_is_one_sentence() -> None:
    previous = keyring.get_keyring()
    keyring.set_keyring(BrokenKeyring())
    try:
        with pytest.raises(CredentialMissing) as caught:
            resolve("keyring:")
    finally:
        keyring.set_keyring(previous)
    assert caught.value.code == "keyring-missing"
    assert "hunter2" not in "".join(traceback.format_exception(caught.value))
