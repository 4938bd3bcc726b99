"""The index of a connection: its levels, what is kept when a run fails, and what is said without a database."""

from __future__ import annotations

import json
import shutil
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from conftest import MariaDatabase
from explore.conftest import Shop
from explore.leaks import files_holding

import dbgraph_nb as dg
from dbgraph_nb.connection_store import folder
from dbgraph_nb.errors import (
    BadArgument,
    Cancelled,
    ConnectionFailed,
    CredentialMissing,
    IndexUnavailable,
    QueryTimeout,
    RedactionRefused,
)
from dbgraph_nb.explore import asking
from dbgraph_nb.jobs import Job
from dbgraph_nb.model import IndexReport


def index(name: str = "shop", level: str = "full", **more: Any) -> IndexReport:
    report = dg.index(name, level, **more)
    assert isinstance(report, IndexReport)
    return report


def background(name: str = "shop", **more: Any) -> Job[IndexReport]:
    job = dg.index(name, wait=False, **more)
    assert isinstance(job, Job)
    return job


def level(name: str = "shop") -> str:
    return str(dg.status(name)["level"][0])


def warnings_of(name: str = "shop") -> str:
    return str(dg.status(name)["warnings"][0])


def files(home: Path, name: str = "shop") -> dict[str, Path]:
    return {path.name: path for path in folder(home, name).iterdir()}


@pytest.fixture
def own(shop_file: Path, tmp_path: Path) -> Path:
    """A shop of this test alone, connected as ``shop`` and not indexed."""
    file = tmp_path / "own.db"
    shutil.copy(shop_file, file)
    dg.connect("shop", f"sqlite:///{file}")
    return file


def change(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


# --- levels -----------------------------------------------------------------------------------------------------


def test_level_l1_knows_names_types_and_comments(own: Path) -> None:
    report = index("shop", "l1")
    assert (report.level, report.objects, report.columns) == ("l1", 17, 141)
    assert level() == "l1"
    frame = dg.columns("shop", "users").set_index("column")
    assert (frame["type"]["name"], frame["comment"]["name"]) == ("VARCHAR(50)", "姓名")
    assert set(frame["key"]) <= {"", "pk"}, "no foreign key yet"
    assert frame["sensitive"]["password"] == "credential"
    assert dg.objects("shop", "users")["rows_estimate"].isna().all()
    assert "level l1" in dg.digest("shop")
    assert dg.resolve("shop", "手机号")[0].column in ("mobile", "phone")
    assert dg.find("shop", "用户", ["姓名"], {"编号": 1}).status == "ok"


def test_level_l1_does_not_show_what_a_view_may_hide(own: Path) -> None:
    change(own, "CREATE VIEW innocent AS SELECT id, password AS memo FROM users")
    index("shop", "l1")
    for action in (
        lambda: dg.sql("shop", "SELECT memo FROM innocent"),
        lambda: dg.peek("shop", "innocent"),
        lambda: dg.find("shop", "innocent", ["memo"], {"id": 1}),
    ):
        with pytest.raises(RedactionRefused) as caught:
            action()
        assert caught.value.code == "view-not-known"
        assert "%dbgraph index shop" in str(caught.value)
    index("shop", "l2")
    assert dg.sql("shop", "SELECT memo FROM innocent LIMIT 1")["memo"].tolist() == ["[REDACTED]"]


@pytest.mark.parametrize("deeper", ["l2", "full"])
def test_l2_and_full_go_over_l1(deeper: str, own: Path) -> None:
    index("shop", "l1")
    report = index("shop", deeper)
    assert (report.level, level()) == ("l2", "full")
    frame = dg.columns("shop", "orders").set_index("column")
    assert frame["key"]["user_id"] == "→ users.id"
    assert frame["values"]["status"] == "pending, paid, shipped, completed, cancelled"
    assert dg.objects("shop", "orders")["rows_estimate"].tolist() == [140]
    assert report.edges == dg.status("shop")["edges"][0] > 18


def test_a_refresh_sees_what_changed(own: Path) -> None:
    index()
    change(own, "CREATE TABLE 仓库 (id INTEGER PRIMARY KEY, 名称 TEXT)")
    with pytest.raises(dg.DbgraphError):
        dg.schema("shop", "仓库")
    index()
    assert dg.schema("shop", "仓库")["column"].tolist() == ["id", "名称"]


def test_both_engines_have_the_same_catalog(shop: Shop, maria_shop: Shop) -> None:
    """The two shops come from one description; the home of this test holds MariaDB's."""
    maria = dg.schema("shop")
    dg.connect("local", shop.url)
    index("local")
    local = dg.schema("local")
    assert local["name"].tolist() == maria["name"].tolist()
    tables = maria["kind"] == "table"  # a view has no comment there
    assert local["comment"][tables].tolist() == maria["comment"][tables].tolist()


def test_an_empty_database(tmp_path: Path, maria: MariaDatabase) -> None:
    file = tmp_path / "empty.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("VACUUM")
    dg.connect("lite", f"sqlite:///{file}")
    dg.connect("maria", maria.url_with_password)
    for name in ("lite", "maria"):
        report = index(name)
        assert (report.objects, report.columns, report.edges, report.warnings) == (0, 0, 0, ())
        assert list(dg.schema(name).columns) == ["name", "kind", "columns", "rows_estimate", "comment", "note"]
        assert len(dg.schema(name)) == len(dg.columns(name)) == len(dg.resolve(name, "用户")) == 0
        assert dg.find(name, "用户", ["密码"], {"id": 1}).status == "not_found"
        assert "0 columns" in dg.digest(name)
        assert level(name) == "full"


# --- a failed deeper reading ------------------------------------------------------------------------------------


def lock_out(maria: MariaDatabase) -> Callable[[float | None, str], None]:
    """A listener that takes the reader's account away when the keys are about to be read."""

    def listen(fraction: float | None, message: str) -> None:
        if message == "reading keys and indexes":
            maria.execute(f"ALTER USER {maria.user}@'127.0.0.1' ACCOUNT LOCK")
            running = "SELECT id FROM information_schema.processlist WHERE user = '%s'" % maria.user  # noqa: UP031
            for (number,) in maria.execute(running):
                maria.execute(f"KILL {number}")

    return listen


@pytest.mark.parametrize("before", ["nothing", "l1", "full"])
def test_a_failed_l2_keeps_l1_and_says_why(before: str, maria: MariaDatabase) -> None:
    maria.execute("CREATE TABLE a (id INT PRIMARY KEY COMMENT '编号', s ENUM('x', 'y'))")
    dg.connect("shop", maria.url_with_password)
    if before != "nothing":
        index("shop", before)
    maria.execute("CREATE TABLE b (id INT PRIMARY KEY, a_id INT, FOREIGN KEY (a_id) REFERENCES a (id))")
    with pytest.warns(UserWarning, match="^shop: Only names and types are indexed"):
        report = index("shop", "full", progress=lock_out(maria))
    assert report.level == level() == "l1"
    for note in (*report.warnings, warnings_of()):
        assert "reading keys, indexes and samples failed" in note
        assert maria.user in note, "and why"
        assert maria.password not in note
    assert dg.schema("shop")["name"].tolist() == ["a", "b"], "the fresh names are there"
    maria.execute(f"ALTER USER {maria.user}@'127.0.0.1' ACCOUNT UNLOCK")
    assert index().level == "l2"
    assert warnings_of() == ""
    assert dg.columns("shop", "b")["key"].tolist() == ["pk", "→ a.id"]


def test_a_part_that_the_account_may_not_read_is_said(maria: MariaDatabase) -> None:
    maria.execute(
        "CREATE TABLE open_one (id INT PRIMARY KEY)",
        "CREATE TABLE closed_one (id INT PRIMARY KEY, secret_note VARCHAR(9))",
        "CREATE VIEW v AS SELECT id, secret_note AS memo FROM closed_one",
        f"REVOKE ALL ON {maria.name}.* FROM {maria.user}@'127.0.0.1'",
        f"GRANT SELECT ON {maria.name}.open_one TO {maria.user}@'127.0.0.1'",
        f"GRANT SELECT ON {maria.name}.v TO {maria.user}@'127.0.0.1'",
    )
    dg.connect("shop", maria.url_with_password)
    index()
    assert dg.schema("shop")["name"].tolist() == ["open_one", "v"]
    with pytest.raises(RedactionRefused) as caught:  # its SQL is not shown to this account
        dg.sql("shop", "SELECT memo FROM v")
    assert caught.value.code == "view-not-known"


# --- a run that ends early --------------------------------------------------------------------------------------


def test_a_failed_run_keeps_the_index(own: Path) -> None:
    index()
    before = dg.digest("shop")
    own.rename(own.with_name("moved.db"))
    with pytest.raises(ConnectionFailed) as caught:
        index()
    assert caught.value.code == "file-missing"
    assert dg.digest("shop") == before
    assert len(dg.schema("shop")) == 17


@pytest.mark.parametrize("message", ["connecting", "reading keys and indexes", "preparing rows"])
@pytest.mark.parametrize("before", ["nothing", "full"])
def test_a_cancelled_run_keeps_what_is_whole(message: str, before: str, own: Path, home: Path) -> None:
    if before == "full":
        index()
    reached, cancelled = threading.Event(), threading.Event()

    def listen(fraction: float | None, told: str) -> None:
        if told == message:
            reached.set()
            assert cancelled.wait(20)

    job = background(progress=listen)
    assert reached.wait(20)
    assert job.status == "running"
    assert repr(job) == "Job('index shop', running)"
    job.cancel()
    cancelled.set()
    with pytest.raises(Cancelled):
        job.result(20)
    assert job.status == "cancelled"
    expected = "full" if before == "full" else "l1" if message == "reading keys and indexes" else "none"
    assert level() == expected
    assert not [name for name in files(home) if name.endswith(".tmp")]


def test_a_job_reports_and_returns(own: Path) -> None:
    seen: list[tuple[float | None, str]] = []
    job = background(progress=lambda fraction, message: seen.append((fraction, message)))
    report = job.result(60)
    assert job.status == "done"
    assert job.message == seen[-1][1] == "done"
    assert report.objects == 17
    fractions = [fraction for fraction, _ in seen if fraction is not None]
    assert fractions == sorted(fractions), "it never goes back"
    assert (fractions[0], fractions[-1]) == (0.0, 1.0)


def test_a_job_that_fails_says_so(own: Path) -> None:
    own.unlink()
    with pytest.raises(ConnectionFailed):  # at once, where it can be known at once
        background()


def test_a_job_asks_before_it_goes_to_the_background(maria: MariaDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    askers: list[str] = []

    def answer(question: str) -> str:
        askers.append(threading.current_thread().name)
        return maria.password

    asking.let_ask(lambda: answer)
    dg.connect("shop", maria.url, credential="prompt:")
    monkeypatch.setattr("dbgraph_nb.explore.context._remembered", {})  # as in a new kernel
    background().result(60)
    assert askers == [threading.current_thread().name] * 2
    monkeypatch.setattr("dbgraph_nb.explore.context._remembered", {})
    asking.let_ask(None)
    with pytest.raises(CredentialMissing):
        background()


def test_a_run_that_takes_too_long_keeps_the_index(own: Path) -> None:
    index()
    with pytest.raises(QueryTimeout) as caught:
        index(timeout=1e-6)
    assert caught.value.code == "work-timeout"
    assert level() == "full"


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        ("bad-level", {"level": "l3"}),
        ("bad-level", {"level": None}),
        ("bad-writer", {"writer": "fast"}),
        *[("bad-timeout", {"timeout": timeout}) for timeout in (0, -1, True, "5", None, float("nan"), float("inf"))],
    ],
)
def test_bad_arguments(code: str, arguments: dict[str, Any], own: Path) -> None:
    with pytest.raises(BadArgument) as caught:
        index(**arguments)
    assert caught.value.code == code


# --- writers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("writer", ["auto", "numba", "python"])
def test_the_writer_is_said(writer: str, own: Path) -> None:
    used = "python" if writer == "python" else "numba"
    assert index(writer=writer).writer == used
    assert dg.status("shop")["writer"].tolist() == [used]
    assert dg.resolve("shop", "电话")[0].column in ("mobile", "phone", "联系电话")


def test_numba_fails_rather_than_slow_down(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index(writer="python")
    monkeypatch.setattr("dbgraph_nb.text.backend", lambda: "python")
    with pytest.raises(IndexUnavailable) as caught:
        index(writer="numba")
    assert caught.value.code == "writer-unavailable"
    assert dg.status("shop")["writer"].tolist() == ["python"]
    monkeypatch.setattr("dbgraph_nb.catalog.index._warned", False)
    with pytest.warns(RuntimeWarning, match="slower python writer"):
        assert index(writer="auto").writer == "python"


# --- status and digest ------------------------------------------------------------------------------------------


def test_status_and_digest_open_no_index(own: Path, home: Path, shop_file: Path) -> None:
    index()
    dg.connect("another", f"sqlite:///{shop_file}")
    expected = dg.digest("shop")
    files(home)["index.db"].unlink()
    assert dg.digest("shop") == dg.digest() == expected
    assert len(expected.encode()) <= 2048
    assert "users 用户" in expected
    row = dg.status().set_index("name").loc["shop"]
    assert (row["engine"], row["database"], row["level"], row["objects"], row["columns"]) == (
        "sqlite", "own.db", "full", 17, 141,
    )  # fmt: skip
    assert row["indexed_at"].endswith("Z")
    none = dg.status("another").iloc[0]
    assert (none["engine"], none["level"], none["warnings"]) == ("sqlite", "none", "")
    with pytest.raises(IndexUnavailable) as caught:
        dg.digest("another")
    assert caught.value.code == "index-missing"
    assert dg.connections().set_index("name")["index"].to_dict() == {"another": "none", "shop": "full"}


def test_no_value_of_a_row_is_in_status_or_digest(own: Path, home: Path) -> None:
    index()
    text = files(home)["status.json"].read_text("utf-8")
    for value in ("pending", "male", "张三", "王"):
        assert value not in text


def set_version(home: Path) -> None:
    change(files(home)["index.db"], "PRAGMA user_version = 0")
    path = files(home)["status.json"]
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), "schemaVersion": 0}), "utf-8")


def spoil(home: Path) -> None:
    files(home)["index.db"].write_bytes(b"not an index" * 1000)
    files(home)["status.json"].write_text("{", "utf-8")


@pytest.mark.parametrize(
    ("damage", "codes", "why"),
    [
        (set_version, ("index-schema-version", "index-schema-version"), "schema version 0"),
        (spoil, ("index-corrupt", "status-corrupt"), "damaged"),
    ],
)
def test_an_index_that_cannot_be_used_is_rebuilt_and_said(
    damage: Callable[[Path], None], codes: tuple[str, str], why: str, own: Path, home: Path
) -> None:
    index()
    damage(home)
    for action in (lambda: dg.schema("shop"), lambda: dg.resolve("shop", "电话"), lambda: dg.find("shop", "用户")):
        with pytest.raises(IndexUnavailable) as caught:
            action()
        assert caught.value.code == codes[0]
        assert "%dbgraph index shop" in str(caught.value)
    with pytest.raises(IndexUnavailable) as caught:
        dg.digest("shop")
    assert caught.value.code == codes[1]
    if codes[0] == "index-corrupt":  # a damaged index is not passed over
        with pytest.raises(IndexUnavailable):
            dg.sql("shop", "SELECT 1")
    else:
        assert "not indexed" in repr(dg.sql("shop", "SELECT password FROM users LIMIT 1"))
    assert dg.connections()["index"].tolist() == ["none"]
    assert level() == "none"
    assert warnings_of() != ""
    report = index("shop", "l1")
    assert why in report.warnings[0]
    assert "built anew" in report.warnings[0]
    assert (level(), warnings_of()) == ("l1", "")
    assert index("shop", "l1").warnings == ()


# --- what an index never holds ----------------------------------------------------------------------------------


def test_no_secret_and_no_sample_of_an_added_column_is_stored(own: Path, home: Path) -> None:
    change(own, "CREATE TABLE vault (id INTEGER PRIMARY KEY, safe_word TEXT, pin_code TEXT)")
    change(own, *(f"INSERT INTO vault VALUES ({n}, 'open-{n % 3}-sesame', 'p{n % 3}nn')" for n in range(300)))
    index()
    assert "open-1-sesame" in dg.columns("shop", "vault", "safe_word")["values"][0], "it would be sampled"
    assert files_holding(home, "p1nn", dg.samples.DEMO_PASSWORD) == []
    with pytest.warns(UserWarning, match="policy that names other columns"):
        dg.connect("shop", f"sqlite:///{own}", sensitive=dg.SensitivePolicy(add=("main.Vault.safe_word",)))
    index()
    assert files_holding(home, "open-1-sesame") == []
    assert dg.columns("shop", "vault", "safe_word")["sensitive"].tolist() == ["credential"]


def test_a_name_of_the_policy_that_fits_nothing_is_said(own: Path) -> None:
    policy = dg.SensitivePolicy(add=("users.nickname", "users.preferences.token"), exempt=("Users.Email",))
    dg.connect("shop", f"sqlite:///{own}", sensitive=policy)
    report = index()
    assert report.warnings == ("The policy of shop names users.nickname, and there is no such column.",)
    assert "users.nickname" in warnings_of()


def test_only_its_owner_may_read_an_index(own: Path, home: Path) -> None:
    index()
    for path in files(home).values():
        assert path.stat().st_mode & 0o077 == 0, path
    assert folder(home, "shop").stat().st_mode & 0o077 == 0


def test_dangling_keys_are_reported(own: Path) -> None:
    change(own, "CREATE TABLE lost (id INTEGER PRIMARY KEY, who INT REFERENCES nobody (id))")
    report = index()
    assert any("nobody" in edge for edge in report.dangling)
    assert dg.columns("shop", "lost").set_index("column")["key"]["who"].startswith("→ nobody")
