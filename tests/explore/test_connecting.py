"""Connections: what is tried, what is stored, who is asked, and what never lies around."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import dbservers
import pytest
from conftest import MariaDatabase, MemoryKeyring
from explore.leaks import files_holding
from shop_server import load_shop

import dbgraph_nb as dg
from dbgraph_nb.connection_store import folder
from dbgraph_nb.errors import (
    BadArgument,
    ConnectionFailed,
    CredentialMissing,
    DbgraphError,
    IndexUnavailable,
    UnknownName,
)
from dbgraph_nb.explore import asking


def refused(name: str, url: str, **more: object) -> dg.DbgraphError:
    """The error of a connection that must not come about: one line, and nothing is stored."""
    with pytest.raises(dg.DbgraphError) as caught:
        dg.connect(name, url, **more)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    assert name not in list(dg.connections()["name"])
    return caught.value


class Person:
    """Somebody who can be asked, and remembers the questions."""

    def __init__(self, *answers: str | BaseException) -> None:
        self.answers = list(answers)
        self.questions: list[str] = []
        asking.let_ask(lambda: self.answer)

    def answer(self, question: str) -> str:
        self.questions.append(question)
        given = self.answers.pop(0)
        if isinstance(given, BaseException):
            raise given
        return given


# --- what is stored ---------------------------------------------------------------------------------------------


def test_a_sqlite_file(shop_file: Path) -> None:
    made = dg.connect("店铺", f"sqlite:///{shop_file}")
    assert (made.name, made.url, made.credential) == ("店铺", f"sqlite:///{shop_file}", None)
    frame = dg.connections()
    assert frame.to_dict("records") == [
        {
            "name": "店铺", "engine": "sqlite", "url": made.url, "credential": "", "sensitive": "redact",
            "index": "none",
        }
    ]  # fmt: skip
    assert dg.sql("店铺", "SELECT count(*) AS n FROM users")["n"].tolist() == [60]


def test_one_name_in_two_spellings_of_unicode(shop_file: Path) -> None:
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    assert dg.connect(decomposed, f"sqlite:///{shop_file}").name == composed
    assert list(dg.connections()["name"]) == [composed]
    dg.index(decomposed, "l1")
    assert dg.status(composed)["level"].tolist() == ["l1"]
    dg.forget(decomposed)
    assert dg.connections().empty


def test_a_password_in_the_url_goes_to_the_keyring(
    maria: MariaDatabase, memory_keyring: MemoryKeyring, home: Path
) -> None:
    maria.execute("CREATE TABLE t (a INT)", "INSERT INTO t VALUES (7)")
    made = dg.connect("shop", maria.url_with_password)
    assert made.url == maria.url
    assert made.credential is not None
    assert made.credential.startswith("keyring:dbgraph_nb/shop-")
    assert list(memory_keyring.entries.values()) == [maria.password]
    assert dg.sql("shop", "SELECT a FROM t")["a"].tolist() == [7]
    dg.index("shop")
    assert maria.password not in repr(made) + dg.connections().to_csv() + dg.digest("shop") + dg.status().to_csv()
    assert files_holding(home, maria.password) == []
    dg.forget("shop")
    assert memory_keyring.entries == {}


def test_without_a_keyring_it_is_remembered_by_this_process_only(maria: MariaDatabase, home: Path) -> None:
    assert dg.connect("shop", maria.url_with_password).credential == "prompt:"
    assert dg.sql("shop", "SELECT 1 AS a")["a"].tolist() == [1]
    assert files_holding(home, maria.password) == []
    code = "import dbgraph_nb as dg\ntry: dg.sql('shop', 'SELECT 1')\nexcept dg.DbgraphError as e: print(e.code)"
    other = subprocess.run(
        [sys.executable, "-c", code], env=dict(os.environ), capture_output=True, text=True, timeout=60, check=True
    )
    assert other.stdout.split() == ["no-prompt"]


def test_an_empty_password_is_none(mariadb: dbservers.MariaServer, memory_keyring: MemoryKeyring) -> None:
    url = f"mysql://root:@127.0.0.1:{mariadb.port}/mysql"
    with pytest.warns(UserWarning, match="may read and write files of the server"):
        assert dg.connect("system", url).credential is None
    assert memory_keyring.entries == {}


@pytest.mark.parametrize("place", ["process", "file"])
def test_a_credential_from_the_environment(
    place: str, maria: MariaDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    if place == "process":
        monkeypatch.setenv("SHOP_PW", maria.password)
    else:
        (tmp_path / ".env").write_text(f"SHOP_PW='{maria.password}'\n", "utf-8")
    assert dg.connect("shop", maria.url, credential="env:SHOP_PW").credential == "env:SHOP_PW"
    assert dg.sql("shop", "SELECT 1 AS a")["a"].tolist() == [1]
    assert files_holding(home, maria.password) == []
    monkeypatch.delenv("SHOP_PW", raising=False)
    (tmp_path / ".env").unlink(missing_ok=True)
    with pytest.raises(CredentialMissing) as caught:
        dg.sql("shop", "SELECT 1")
    assert caught.value.code == "env-missing"


def test_a_whole_url_from_the_environment(
    maria: MariaDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text(f"DATABASE_URL={maria.url_with_password}\n", "utf-8")
    made = dg.connect("shop", "env:DATABASE_URL")
    assert (made.url, made.credential) == ("env:DATABASE_URL", None)
    assert dg.connections()["engine"].tolist() == ["mysql"]
    assert dg.sql("shop", "SELECT 1 AS a")["a"].tolist() == [1]
    assert files_holding(home, maria.password) == []
    (tmp_path / ".env").unlink()
    assert dg.connections()["engine"].tolist() == [""]
    with pytest.raises(CredentialMissing) as caught:
        dg.sql("shop", "SELECT 1")
    assert caught.value.code == "env-missing"
    assert refused("other", "env:DATABASE_URL").code == "env-missing"


# --- what cannot be reached -------------------------------------------------------------------------------------


def test_each_failure_has_one_sentence_and_stores_nothing(
    maria: MariaDatabase, memory_keyring: MemoryKeyring, home: Path, tmp_path: Path
) -> None:
    port, secret = maria.server.port, "Wr0ng-geheim-口令"
    somewhere = f"{maria.user}:{secret}@127.0.0.1"
    not_a_database = tmp_path / "notes.db"
    not_a_database.write_text("no database " * 200)
    for url, code, word in [
        (f"mysql://{maria.user}:{secret}@no-such-host.invalid/{maria.name}", "unknown-host", "no-such-host.invalid"),
        (f"mysql://{somewhere}:{dbservers.free_port()}/{maria.name}", "connection-refused", "Nothing listens"),
        (f"mysql://{somewhere}:{port}/{maria.name}", "access-denied", maria.user),
        (f"{maria.url}", "access-denied", "No password was given"),
        (f"{maria.url_with_password}x", "database-denied", f"{maria.name}x"),
        (f"mysql://root@127.0.0.1:{port}/nope", "unknown-database", "has no database nope"),
        (f"mysql://{somewhere}:{port}", "no-database", "names no database"),
        (f"mysql://{somewhere}:99999/{maria.name}", "bad-port", "65535"),
        (f"mysql://{somewhere}:{port}/{maria.name}?ssl_mode=MAYBE", "bad-url-option", "ssl_mode"),
        (f"oracle://{somewhere}:{port}/{maria.name}", "unknown-scheme", "oracle"),
        (f"redis://{somewhere}:{port}/{maria.name}", "engine-not-supported", "redis"),
        (f"duckdb:///{tmp_path}/nowhere.duckdb", "file-missing", "nowhere.duckdb"),
        (f"duckdb:///{not_a_database}", "not-a-database", "not a DuckDB database"),
        ("duckdb://", "in-memory-database", "in-memory"),
        (secret, "bad-url", "database URL"),
        (f"sqlite:///{tmp_path}/nowhere.db", "file-missing", "nowhere.db"),
        (f"sqlite:///{not_a_database}", "not-a-database", "not a SQLite database"),
        ("sqlite://", "in-memory-database", "in-memory"),
        ("env:NO_SUCH_VARIABLE", "env-missing", "NO_SUCH_VARIABLE"),
    ]:
        error = refused("shop", url)
        assert (error.code, word in str(error)) == (code, True), f"{code}: {error.code} {error}"
        assert secret not in str(error)
    assert memory_keyring.entries == {}
    assert files_holding(home, secret, maria.password) == []
    assert not (home / "connections.json").exists()


def test_a_failed_connection_leaves_the_one_of_that_name(shop_file: Path) -> None:
    dg.connect("shop", f"sqlite:///{shop_file}")
    with pytest.raises(ConnectionFailed):
        dg.connect("shop", "sqlite:////nowhere/file.db")
    assert dg.sql("shop", "SELECT 1 AS a")["a"].tolist() == [1]


def test_the_server_goes_away(home: Path) -> None:
    with dbservers.mariadb() as server:
        load_shop(server, "shop")
        server.execute("CREATE USER looker", "GRANT SELECT, SHOW VIEW ON shop.* TO looker")
        dg.connect("shop", f"mysql://looker@127.0.0.1:{server.port}/shop")
        dg.index("shop")
        assert dg.find("shop", "用户", ["姓名"], {"id": 1}).status == "ok"
    for action in (
        lambda: dg.sql("shop", "SELECT 1"),
        lambda: dg.peek("shop", "users"),
        lambda: dg.find("shop", "用户", ["姓名"], {"id": 1}),
        lambda: dg.index("shop"),
    ):
        with pytest.raises(ConnectionFailed) as caught:
            action()
        assert caught.value.code == "connection-refused"
        assert "\n" not in str(caught.value)
    assert len(dg.schema("shop")) == 17, "the index answers all the same"
    assert dg.resolve("shop", "电话")[0].table in ("users", "addresses", "employees")
    assert dg.find("shop", "用户").status == "missing_predicate"
    assert dg.status("shop")["level"].tolist() == ["full"]


# --- who is asked -----------------------------------------------------------------------------------------------


def test_prompt_fails_at_once_when_nobody_can_be_asked(maria: MariaDatabase) -> None:
    started = time.monotonic()
    error = refused("shop", maria.url, credential="prompt:")
    assert (error.code, type(error)) == ("no-prompt", CredentialMissing)
    assert "nobody to ask" in str(error)
    asking.let_ask(lambda: None)  # an outer layer that has nobody either
    assert refused("shop", maria.url, credential="prompt:").code == "no-prompt"
    assert time.monotonic() - started < 10


def test_a_password_is_asked_for_once_and_kept_in_the_keyring(
    maria: MariaDatabase, memory_keyring: MemoryKeyring, home: Path
) -> None:
    person = Person(maria.password)
    made = dg.connect("shop", maria.url)
    assert made.credential is not None
    assert made.credential.startswith("keyring:")
    assert len(person.questions) == 1
    assert maria.user in person.questions[0]
    assert "127.0.0.1" in person.questions[0]
    dg.sql("shop", "SELECT 1")
    assert dg.connect("shop", maria.url) == made, "a notebook that runs again asks for nothing"
    assert len(person.questions) == 1
    assert files_holding(home, maria.password) == []


def test_without_a_keyring_it_is_asked_for_once_in_a_process(maria: MariaDatabase, home: Path) -> None:
    person = Person(maria.password)
    assert dg.connect("shop", maria.url).credential == "prompt:"
    dg.sql("shop", "SELECT 1")
    dg.index("shop", "l1")
    dg.connect("shop", maria.url)
    assert len(person.questions) == 1
    assert files_holding(home, maria.password) == []


def test_a_wrong_answer_is_not_kept(maria: MariaDatabase, memory_keyring: MemoryKeyring) -> None:
    person = Person("wrong", "wrong again", maria.password)
    assert refused("shop", maria.url).code == "access-denied"
    assert refused("shop", maria.url, credential="prompt:").code == "access-denied"
    assert memory_keyring.entries == {}
    dg.connect("shop", maria.url, credential="prompt:")
    dg.sql("shop", "SELECT 1")
    assert len(person.questions) == 3


@pytest.mark.parametrize("answer", [EOFError(), OSError("no input")])
def test_an_answer_that_does_not_come(answer: BaseException, maria: MariaDatabase) -> None:
    Person(answer)
    assert refused("shop", maria.url).code == "no-prompt"


def test_a_changed_password_is_asked_for_again(maria: MariaDatabase, memory_keyring: MemoryKeyring) -> None:
    person = Person(maria.password, "new-one")
    dg.connect("shop", maria.url)
    maria.execute(f"ALTER USER {maria.user}@'127.0.0.1' IDENTIFIED BY 'new-one'")
    with pytest.raises(ConnectionFailed) as caught:
        dg.sql("shop", "SELECT 1")
    assert caught.value.code == "access-denied"
    dg.connect("shop", maria.url)
    dg.sql("shop", "SELECT 1")
    assert len(person.questions) == 2
    assert list(memory_keyring.entries.values()) == ["new-one"]


def test_a_typed_password_is_never_sent_to_another_place(maria: MariaDatabase, mariadb: dbservers.MariaServer) -> None:
    person = Person(maria.password, "for the other one")
    dg.connect("shop", maria.url, credential="prompt:")
    other = maria.url.replace("127.0.0.1", "localhost")
    with pytest.raises(ConnectionFailed):
        dg.connect("shop", other, credential="prompt:")
    assert len(person.questions) == 2, "asked again"
    assert "localhost" in person.questions[1]
    dg.sql("shop", "SELECT 1")
    assert len(person.questions) == 2, "and the first one is still known where it belongs"


# --- drop, forget, replace --------------------------------------------------------------------------------------


def test_drop_and_forget(shop_file: Path, home: Path) -> None:
    dg.connect("shop", f"sqlite:///{shop_file}")
    dg.index("shop")
    dg.alias("shop", "贵宾", "users")
    kept = folder(home, "shop")
    leftover = kept / "index.db.1-0123456789ab.tmp"
    leftover.write_bytes(b"")
    dg.drop("shop")
    assert {path.name for path in kept.iterdir()} - {"aliases.txt.lock"} == {"aliases.txt"}
    assert dg.status("shop")["level"].tolist() == ["none"]
    with pytest.raises(IndexUnavailable) as caught:
        dg.schema("shop")
    assert caught.value.code == "index-missing"
    dg.drop("shop")  # once more: nothing there
    dg.index("shop")
    assert dg.resolve("shop", "贵宾")[0].table == "users", "an alias outlives the index"
    dg.forget("shop")
    assert not kept.exists()
    assert dg.connections().empty
    assert shop_file.exists()
    for action in (dg.drop, dg.forget, dg.schema, dg.digest, dg.status, dg.index):
        with pytest.raises(UnknownName) as unknown:
            action("shop")
        assert unknown.value.code == "unknown-connection"


def test_another_database_under_the_same_name_drops_the_index(shop_file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    shutil.copy(shop_file, other)
    dg.connect("shop", f"sqlite:///{shop_file}")
    dg.index("shop")
    dg.connect("shop", f"sqlite:///{shop_file}")  # the same again keeps it
    assert dg.status("shop")["level"].tolist() == ["full"]
    with pytest.warns(UserWarning, match=r"shop leads to another database now; its index was dropped"):
        dg.connect("shop", f"sqlite:///{other}")
    assert dg.status("shop")["level"].tolist() == ["none"]
    for action in (lambda: dg.schema("shop"), lambda: dg.find("shop", "用户"), lambda: dg.digest("shop")):
        with pytest.raises(IndexUnavailable) as caught:
            action()
        assert caught.value.code == "index-missing"
    assert "not indexed" in repr(dg.sql("shop", "SELECT 1"))


def test_another_user_or_option_of_the_same_database_keeps_the_index(maria: MariaDatabase) -> None:
    maria.execute("CREATE TABLE t (a INT)")
    dg.connect("shop", maria.url_with_password)
    dg.index("shop")
    for url in (f"mysql://root@{{}}/{maria.name}?connect_timeout=5", f"mariadb://root@{{}}/{maria.name}"):
        with pytest.warns(UserWarning, match="may read and write files"):
            dg.connect("shop", url.format(f"127.0.0.1:{maria.server.port}"))
    assert dg.status("shop")["level"].tolist() == ["full"]
    with pytest.warns(UserWarning, match="may read and write"), pytest.warns(UserWarning, match="another database"):
        dg.connect("shop", f"mysql://root@127.0.0.1:{maria.server.port}/mysql")


def test_a_variable_that_leads_elsewhere(shop_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "other.db"
    shutil.copy(shop_file, other)
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{shop_file}")
    dg.connect("shop", "env:DATABASE_URL")
    dg.index("shop")
    monkeypatch.delenv("DATABASE_URL")
    assert len(dg.schema("shop")) == 17, "the structure is known without the variable"
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{other}")
    for action in (lambda: dg.schema("shop"), lambda: dg.find("shop", "用户", [], {}), lambda: dg.digest("shop")):
        with pytest.raises(IndexUnavailable) as caught:
            action()
        assert caught.value.code == "index-of-another-database"
    status = dg.status("shop")
    assert status["level"].tolist() == ["none"]
    assert "another database" in status["warnings"][0]
    assert dg.digest() == ""
    frame = dg.sql("shop", "SELECT password FROM users LIMIT 1")
    assert frame["password"].tolist() == ["[REDACTED]"]
    assert "not indexed" in repr(frame)
    report = dg.index("shop")
    assert any("another database" in note for note in report.warnings)  # type: ignore[union-attr]
    assert dg.find("shop", "用户", ["姓名"], {"id": 1}).status == "ok"


def test_the_password_of_a_replaced_connection_leaves_the_keyring(
    maria: MariaDatabase, memory_keyring: MemoryKeyring, shop_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dg.connect("shop", maria.url_with_password)
    monkeypatch.setenv("SHOP_PW", maria.password)
    memory_keyring.set_password("mine", "shop", maria.password)
    dg.connect("shop", maria.url, credential="env:SHOP_PW")
    assert list(memory_keyring.entries) == [("mine", "shop")]
    dg.connect("shop", maria.url, credential="keyring:mine/shop")
    dg.connect("shop", f"sqlite:///{shop_file}")
    dg.forget("shop")
    assert list(memory_keyring.entries) == [("mine", "shop")], "what a person put there is left alone"


# --- what is hidden ---------------------------------------------------------------------------------------------

PEOPLE = "SELECT name, password, mobile FROM users WHERE id = 1"


def values(name: str = "shop", sql: str = PEOPLE) -> list[object]:
    return dg.sql(name, sql).iloc[0].tolist()


def test_the_policy_decides(shop_file: Path) -> None:
    url = f"sqlite:///{shop_file}"
    dg.connect("shop", url)
    dg.index("shop")
    assert values() == ["张三", "[REDACTED]", "12900000001"]
    dg.connect("shop", url, sensitive=dg.SensitivePolicy(contact=True, credential=False))
    assert values() == ["张三", dg.samples.DEMO_PASSWORD, "[REDACTED]"]
    assert dg.connections()["sensitive"].tolist() == ["custom"]
    with pytest.warns(UserWarning, match="policy that names other columns"):
        dg.connect("shop", url, sensitive=dg.SensitivePolicy(add=("Users.NAME",), exempt=("main.users.password",)))
    for _ in ("by name alone", "with an index"):
        assert values(sql="SELECT name FROM users WHERE id = 1") == ["[REDACTED]"]
        dg.index("shop")
    assert values() == ["[REDACTED]", dg.samples.DEMO_PASSWORD, "12900000001"]
    assert dg.find("shop", "员工", ["姓名", "身份证"], {"工号": "E0003"}).frame["id_card"].tolist() == ["[REDACTED]"]  # type: ignore[index]


def test_a_policy_holds_without_an_index_too(shop_file: Path) -> None:
    dg.connect("shop", f"sqlite:///{shop_file}", sensitive=dg.SensitivePolicy(contact=True, credential=False))
    assert values() == ["张三", dg.samples.DEMO_PASSWORD, "[REDACTED]"]


def test_show_is_said_by_every_result(shop_file: Path) -> None:
    dg.connect("shop", f"sqlite:///{shop_file}", sensitive="show")
    dg.index("shop")
    frames = [dg.sql("shop", PEOPLE), dg.peek("shop", "users"), dg.find("shop", "用户", ["密码"], {"id": 1}).frame]
    for frame in frames:
        assert frame is not None
        assert "sensitive values shown" in frame.meta.warnings
        assert "sensitive values shown" in repr(frame)
        assert frame["password"][0] == dg.samples.DEMO_PASSWORD
        assert frame.meta.redacted == ()


def test_a_changed_policy_drops_the_samples_that_it_forbids(shop_file: Path, home: Path) -> None:
    url = f"sqlite:///{shop_file}"
    dg.connect("shop", url)
    dg.index("shop")
    assert "male" in dg.columns("shop", "users", "gender")["values"][0]
    with pytest.warns(UserWarning, match="names other columns"):
        dg.connect("shop", url, sensitive=dg.SensitivePolicy(add=("users.gender",)))
    dg.index("shop")
    row = dg.columns("shop", "users", "gender").iloc[0]
    assert (row["values"], row["sensitive"]) == ("", "credential")
    assert b"unknown" not in (folder(home, "shop") / "index.db").read_bytes()


# --- arguments --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        ("bad-connection-name", {"name": ""}),
        ("bad-connection-name", {"name": "a/b"}),
        ("bad-connection-name", {"name": "-x"}),
        ("bad-connection-name", {"name": 5}),
        ("bad-policy", {"sensitive": "hide"}),
        ("bad-policy", {"sensitive": None}),
        ("bad-policy", {"sensitive": dg.SensitivePolicy(add="users.name")}),  # type: ignore[arg-type]
        ("bad-policy", {"sensitive": dg.SensitivePolicy(add=("name",))}),
        ("bad-policy", {"sensitive": dg.SensitivePolicy(exempt=["users.name"])}),  # type: ignore[arg-type]
        ("bad-policy", {"sensitive": dg.SensitivePolicy(contact="yes")}),  # type: ignore[arg-type]
        ("bad-reference", {"credential": "hunter2"}),
        ("bad-reference", {"credential": 5}),
        ("bad-url", {"url": 5}),
        ("bad-url", {"url": "hunter2"}),
        ("two-credentials", {"url": "mysql://u:hunter2@h/d", "credential": "env:X"}),
    ],
)
def test_bad_arguments_are_told_before_anything_is_opened(
    code: str, arguments: dict[str, object], monkeypatch: pytest.MonkeyPatch, shop_file: Path, home: Path
) -> None:
    def opened(*arguments: object, **more: object) -> None:
        raise AssertionError("something was opened")

    monkeypatch.setattr("dbgraph_nb.explore.connecting.open_engine", opened)
    monkeypatch.setattr("dbgraph_nb.explore.context.open_engine", opened)
    given = {"name": "shop", "url": f"sqlite:///{shop_file}", **arguments}
    with pytest.raises(BadArgument) as caught:
        dg.connect(given.pop("name"), given.pop("url"), **given)  # type: ignore[arg-type]
    assert caught.value.code == code
    assert "hunter2" not in str(caught.value)
    assert list(home.iterdir()) == []


def test_the_file_holds_references_only(maria: MariaDatabase, memory_keyring: MemoryKeyring, home: Path) -> None:
    dg.connect("shop", maria.url_with_password)
    stored = json.loads((home / "connections.json").read_text("utf-8"))["connections"]["shop"]
    assert stored["url"] == maria.url
    assert stored["credential"].startswith("keyring:")
    assert (home / "connections.json").stat().st_mode & 0o777 == 0o600


def test_a_broken_entry_can_be_forgotten(shop_file: Path, home: Path) -> None:
    dg.connect("good", f"sqlite:///{shop_file}")
    dg.connect("bad", f"sqlite:///{shop_file}")
    path = home / "connections.json"
    content = json.loads(path.read_text("utf-8"))
    content["connections"]["bad"] = 5
    path.write_text(json.dumps(content), "utf-8")
    with pytest.raises(DbgraphError) as caught:
        dg.index("bad")
    assert caught.value.code == "connections-file-broken"
    dg.forget("bad")
    assert list(dg.connections()["name"]) == ["good"]
