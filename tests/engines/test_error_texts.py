"""Each kind of failure has its own code and sentence, and none repeats the driver's text."""

from __future__ import annotations

import builtins
import socket
import sqlite3
import ssl
from typing import Any

import pytest

from dbgraph_nb.engines import mysql_errors, open_engine, sqlite_errors
from dbgraph_nb.engines.echo import position, typed
from dbgraph_nb.engines.mysql import MysqlEngine
from dbgraph_nb.engines.mysql_refusals import refusal
from dbgraph_nb.errors import BadArgument, ConnectionFailed, DbgraphError, MissingPackage, QueryFailed, QueryTimeout
from dbgraph_nb.model import Target

SHOP = Target("mysql", "shop", "db.example.com", 3306, "reader")


# --- MySQL: statements ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("numbers", "code"),
    [
        ((1146, 1109, 1046), "no-such-table"),
        ((1054,), "no-such-column"),
        ((1052,), "ambiguous-column"),
        ((1305, 1630, 1370), "no-such-function"),
        ((1582, 1318, 1210, 1584, 1235), "wrong-arguments"),
        ((1142, 1143, 1044, 1227), "table-denied"),
        ((1792, 1290), "read-only"),
        ((1055, 1140), "bad-grouping"),
        ((1111, 4015), "misplaced-function"),
        ((1222, 1241), "column-count"),
        ((1242,), "too-many-rows"),
        ((1060, 1066, 1248), "bad-alias"),
        ((1356, 1449), "broken-view"),
        ((1292, 1366, 1411, 1525), "bad-value"),
        ((1264, 1690), "value-out-of-range"),
        ((3141, 3143, 4038), "bad-json"),
        ((1139, 3685), "bad-pattern"),
        ((1267, 1273), "bad-collation"),
        ((1191,), "bad-match"),
        ((1205, 1213), "lock-wait"),
        ((1021, 1114), "disk-full"),
        ((1041, 1116, 1153), "too-complex"),
        ((1030, 1194), "table-damaged"),
        ((1317,), "statement-killed"),
        ((1064,), "syntax-error"),
        ((1969, 3024), "query-timeout"),
        ((2006, 2013, 1927, 1053), "connection-lost"),
        ((1105, 9999, 1644), "engine-error"),
    ],
)
def test_numbers_of_mysql(numbers: tuple[int, ...], code: str) -> None:
    text = "Something 'hunter2' about column 'hunter2' and table 'shop.hunter2', hunter2"
    for number in numbers:
        error = mysql_errors.translate(number, text, "HY000", "SELECT 1 FROM t", SHOP)
        assert error.code == code, number
        assert "hunter2" not in str(error)
        assert error.message.endswith(".")
    kinds = {"query-timeout": QueryTimeout, "connection-lost": ConnectionFailed}
    assert type(error) is kinds.get(code, QueryFailed)


@pytest.mark.parametrize(
    ("number", "text", "sql", "token"),
    [
        (1146, "Table 'shop.usr' doesn't exist", "select * from usr", "usr"),
        (1146, "Table 'shop.two words' doesn't exist", "select * from `two words`", "two words"),
        (1146, "Table 'shop.订单' doesn't exist", "select * from 订单", "订单"),
        (1054, "Unknown column 'u.nope' in 'field list'", "select u.nope from u", "u.nope"),
        (1142, "SELECT command denied to user 'r'@'h' for table `mysql`.`user`", "select * from mysql.user", "user"),
        (1142, "SELECT command denied to user 'r'@'h' for table 'user'", "select * from mysql.user", "user"),
        (1143, "SELECT command denied to user 'r'@'h' for column 'pw' in table 'u'", "select pw from u", "pw"),
        (1305, "FUNCTION shop.nofunc does not exist", "select nofunc(1)", "nofunc"),
        (1064, "You have an error … near 'frm t' at line 1", "select a frm t", "frm"),
        (1064, "You have an error … near 'hunter2' at line 1", "select :a", None),
        (1064, "You have an error … near 's hunter2'' at line 1", "select 'it's hunter2'", None),
        (1054, "Unknown column 'hunter2' in 'where clause'", "select :a", None),
    ],
)
def test_names_are_repeated_only_if_the_user_typed_them(number: int, text: str, sql: str, token: str | None) -> None:
    error = mysql_errors.translate(number, text, None, sql, SHOP)
    assert error.token == token
    assert (token or "there") in str(error) or token is None
    assert "hunter2" not in str(error)


# --- MySQL: connecting ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (1045, "access-denied"),
        (1698, "access-denied"),
        (1044, "database-denied"),
        (1049, "unknown-database"),
        (1040, "too-many-connections"),
        (1226, "too-many-connections"),
        (1130, "host-not-allowed"),
        (1862, "password-expired"),
        (3118, "account-locked"),
        (2059, "login-not-supported"),
        (1193, "server-too-old"),
        (2026, "tls-not-offered"),
        (3159, "tls-required"),
        (2013, "not-a-server"),
        (None, "not-a-server"),
        (4242, "connection-failed"),
    ],
)
def test_refusals(number: int | None, code: str) -> None:
    error = refusal(SHOP, number=number)
    assert (error.code, type(error)) == (code, ConnectionFailed)
    assert "db.example.com:3306" in str(error)


@pytest.mark.parametrize(
    ("cause", "code"),
    [
        (socket.gaierror(-2, "hunter2"), "unknown-host"),
        (TimeoutError("hunter2"), "connection-timeout"),
        (ConnectionRefusedError(111, "hunter2"), "connection-refused"),
        (FileNotFoundError(2, "hunter2"), "connection-refused"),
        (OSError(113, "hunter2"), "host-unreachable"),
        (ssl.SSLCertVerificationError("hunter2"), "tls-not-trusted"),
        (ssl.SSLError("hunter2"), "tls-failed"),
    ],
)
def test_causes_of_the_system(cause: Exception, code: str) -> None:
    error = refusal(SHOP, number=2003, cause=cause)
    assert error.code == code
    assert "hunter2" not in str(error)


def test_places() -> None:
    socket_path = Target("mysql", "d", options=(("unix_socket", "/run/db.sock"),))
    assert "at /run/db.sock" in str(refusal(socket_path, cause=FileNotFoundError()))
    assert "[::1]:3307" in str(refusal(Target("mysql", "d", "::1", 3307), number=1045))


def test_a_package_that_the_login_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(self: Any) -> None:
        raise RuntimeError("'cryptography' package is required for hunter2")

    monkeypatch.setattr("dbgraph_nb.engines.mysql._Connection.connect", connect)
    with pytest.raises(MissingPackage) as caught:
        MysqlEngine(SHOP, "hunter2")
    assert caught.value.code == "missing-package"
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("error", "code"),
    [(UnicodeDecodeError("ascii", b"hunter2", 0, 1, "x"), "bad-text"), (RuntimeError(), "not-allowed")],
)
def test_what_the_driver_cannot_read(error: Exception, code: str, maria_like: MysqlEngine) -> None:
    def job(connection: Any, stop: Any) -> None:
        raise error

    with pytest.raises(QueryFailed) as caught:
        maria_like._call(job, "SELECT 1", 5)
    assert caught.value.code == code
    assert "hunter2" not in str(caught.value)


@pytest.fixture
def maria_like(monkeypatch: pytest.MonkeyPatch) -> MysqlEngine:
    """An engine whose connection is made of nothing."""
    monkeypatch.setattr("dbgraph_nb.engines.mysql._Connection.connect", lambda self: None)
    monkeypatch.setattr("dbgraph_nb.engines.mysql._Connection.version", lambda self: "8.0.36")
    sent: list[str] = []
    monkeypatch.setattr("dbgraph_nb.engines.mysql._Connection.query", lambda self, sql: sent.append(sql))
    engine = MysqlEngine(SHOP, None)
    assert "transaction_read_only = 1" in sent[0], "the session is locked even if pymysql did not do it"
    assert (engine.dialect, engine.server) == ("mysql", "MySQL 8.0.36")
    return engine


# --- SQLite -----------------------------------------------------------------------------------------------------


def sqlite_error(text: str, number: int = sqlite3.SQLITE_ERROR, name: str = "SQLITE_ERROR") -> sqlite3.Error:
    error = sqlite3.OperationalError(text)
    error.sqlite_errorcode, error.sqlite_errorname = number, name
    return error


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (sqlite3.SQLITE_BUSY, "database-locked"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, "database-locked"),
        (sqlite3.SQLITE_NOTADB, "not-a-database"),
        (sqlite3.SQLITE_CORRUPT_VTAB, "database-corrupt"),
        (sqlite3.SQLITE_CANTOPEN, "file-not-readable"),
        (sqlite3.SQLITE_IOERR_READ, "file-not-readable"),
        (sqlite3.SQLITE_FULL, "disk-full"),
        (sqlite3.SQLITE_READONLY_ROLLBACK, "file-needs-recovery"),
        (sqlite3.SQLITE_READONLY_DIRECTORY, "file-needs-recovery"),
    ],
)
def test_errors_of_the_file(number: int, code: str) -> None:
    error = sqlite_errors.translate(sqlite_error("hunter2", number), "SELECT 1", "/data/a.db")
    assert (error.code, type(error)) == (code, ConnectionFailed)
    assert "/data/a.db" in str(error)
    assert "hunter2" not in str(error)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("no such module: hunter2", "no-such-module"),
        ("no such collation sequence: hunter2", "bad-collation"),
        ("bad JSON path: 'hunter2'", "bad-json"),
        ('fts5: syntax error near "hunter2"', "bad-match"),
        ("no such column: hunter2", "no-such-column"),
        ("attempt to write a readonly database", "not-allowed"),
        ("something hunter2", "engine-error"),
    ],
)
def test_texts_of_sqlite(text: str, code: str) -> None:
    error = sqlite_errors.translate(sqlite_error(text), "SELECT 1", "/data/a.db")
    assert (error.code, type(error)) == (code, QueryFailed)
    assert "hunter2" not in str(error)


# --- shared -----------------------------------------------------------------------------------------------------


def test_positions() -> None:
    assert position("usr", "select usr_id\nfrom usr") == (2, 6)
    assert position("a", "select a, a") == (None, None)
    assert typed("db.t", "select * from `t`") is None
    assert typed("x" * 100, "x" * 100) is None
    assert typed(None, "") is None


def test_engines_that_are_not_there_yet() -> None:
    with pytest.raises(BadArgument) as caught:
        open_engine(Target("redis", "d"), None)  # type: ignore[arg-type]
    assert caught.value.code == "engine-not-supported"


def test_sqlite_needs_no_driver_of_mysql(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    original = builtins.__import__

    def without(name: str, *more: Any) -> Any:
        assert not name.startswith("pymysql"), "imported without need"
        return original(name, *more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(DbgraphError):
        open_engine(Target("sqlite", str(tmp_path / "no.db")), None)
