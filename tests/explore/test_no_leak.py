"""After a session of work with many failures, no password is found anywhere but where it belongs.

Looked at: the files of the home folder and the working folder, what was printed, logged and warned, the results' texts
in all forms, and the errors with their whole chains and tracebacks. Not looked at: the local variables of frames that
are at work with a password when they fail; a traceback shows those only if it is asked to.
"""

from __future__ import annotations

import logging
import pickle
import sqlite3
import sys
import threading
import traceback
import warnings
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import dbservers
import pytest
from conftest import MariaDatabase, MemoryKeyring
from explore.leaks import files_holding, forms, texts_holding
from shop_server import READER_PASSWORD

import dbgraph_nb as dg
from dbgraph_nb.engines import open_engine
from dbgraph_nb.explore import asking, context
from dbgraph_nb.explore.finding import find_words
from dbgraph_nb.jobs import Job
from dbgraph_nb.render import answer as render_answer
from dbgraph_nb.render import frame as render_frame
from dbgraph_nb.result import FindAnswer, ResultFrame

WRONG = "wr0ng-geheim-口令/@:#"
SECRETS = (dg.samples.DEMO_PASSWORD, READER_PASSWORD, WRONG)


class Session:
    """Does things, keeps what came out: results, errors, and every text of them."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.hidden: list[str] = []  # what only a debugger shows
        self.errors: list[BaseException] = []

    def do(self, action: Callable[[], Any]) -> Any:
        try:
            result = action()
        except dg.DbgraphError as error:
            self.errors.append(error)
            self.texts += told(error)
            self.hidden += behind(error)
            return None
        self.texts += shown(result)
        return result

    def fail(self, action: Callable[[], Any]) -> None:
        before = len(self.errors)
        self.do(action)
        assert len(self.errors) == before + 1, "that had to fail"


def told(error: BaseException) -> list[str]:
    """All that is printed of an error."""
    return [str(error), repr(error), repr(error.args), repr(vars(error)), "".join(traceback.format_exception(error))]


def behind(error: BaseException) -> list[str]:
    """What a debugger shows of an error: those that it hides, and the objects in the frames of its traceback."""
    texts = [repr(one) for one in objects_of(error)]
    hidden = error.__cause__ or error.__context__
    while hidden is not None:
        texts += told(hidden)
        hidden = hidden.__cause__ or hidden.__context__
    return texts


def objects_of(error: BaseException) -> list[object]:
    """The objects of this package, and of the driver, that the frames of a traceback hold."""
    found: list[object] = []
    for frame, _ in traceback.walk_tb(error.__traceback__):
        for value in frame.f_locals.values():
            if type(value).__module__.split(".")[0] in ("dbgraph_nb", "pymysql", "sqlglot", "keyring"):
                found.append(value)
    return found


def shown(result: object) -> list[str]:
    texts = [repr(result), str(result)]
    if isinstance(result, FindAnswer):
        texts += [render_answer.answer_text(result), render_answer.answer_html(result), repr(result.used)]
        result = result.frame
    if isinstance(result, ResultFrame):
        texts += [result.to_csv(), result._repr_html_(), repr(result.meta), render_frame.to_text(result)]
        texts.append(pickle.dumps(result).decode("latin-1"))
    return texts


@pytest.fixture
def everything_said(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[[], list[str]]:
    """All logs from DEBUG on, of every logger, and all that is printed, also by C code and other threads."""
    caplog.set_level(logging.DEBUG)
    for name in ("pymysql", "sqlglot", "keyring", "numba", "dbgraph_nb", "asyncio"):
        caplog.set_level(logging.DEBUG if name != "numba" else logging.INFO, logger=name)
    unraised: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda given: unraised.append(repr(given)))
    monkeypatch.setattr(threading, "excepthook", lambda given: unraised.append(repr(given)))

    def said() -> list[str]:
        out, err = capfd.readouterr()
        records = [f"{record.getMessage()} {record.args!r} {record.exc_info!r}" for record in caplog.records]
        return [out, err, caplog.text, *records, *unraised]

    return said


def stored_secrets(shop_file: Path) -> list[str]:
    """Values of rows that nobody typed: passwords, salts and tokens of the shop but the demo user's."""
    with closing(sqlite3.connect(shop_file)) as connection:
        passwords = connection.execute("SELECT password, password_salt FROM users WHERE id > 1").fetchall()
        cards = connection.execute("SELECT id_card, bank_card FROM employees").fetchall()
        tokens = connection.execute("SELECT session_token FROM 登录日志 WHERE session_token IS NOT NULL").fetchall()
    return [value for row in (*passwords, *cards, *tokens) for value in row]


def wrong_statements() -> list[str]:
    demo = dg.samples.DEMO_PASSWORD
    return [
        f"SELECT id FROM users WHERE password = '{demo}'",
        f"SELECT id FROM users WHERE name = '{demo}' AND",
        f"SELECT id FROM usrs WHERE name = '{demo}'",
        f"SELECT no_such_function('{demo}')",
        f"SELECT name FROM users WHERE name = '{demo}",
        f"UPDATE users SET password = '{demo}'",
        f"INSERT INTO users (password) VALUES ('{demo}')",
        f"SELECT 1; SELECT '{demo}'",
        "SELECT id FROM users ORDER BY password",
        "SELECT max(password) OVER () FROM users GROUP BY password",
        "SELECT (SELECT password FROM users) + 1 FROM users",
        "SELECT json_extract(password, '$[') FROM users",
        "SELECT CAST(password AS no_such_type) FROM users",
        "SELECT id FROM users WHERE password LIKE 'k%'",
        "SELECT CASE WHEN password > 'k' THEN 1 ELSE 0 END FROM users",
        "SELECT id FROM users UNION SELECT password FROM users ORDER BY 1",
    ]


def work(session: Session, name: str) -> None:
    """What an analyst does in a day, right and wrong."""
    do, fail = session.do, session.fail
    do(lambda: dg.sql(name, "SELECT id, password AS p FROM users"))  # not indexed yet
    do(lambda: dg.index(name, "l1"))
    do(lambda: dg.index(name))
    job = dg.index(name, wait=False)
    assert isinstance(job, Job)
    do(lambda: job.result(60))
    do(lambda: job)
    for action in (dg.schema, dg.columns, dg.digest, dg.status):
        do(lambda action=action: action(name))  # type: ignore[misc]
    do(lambda: dg.columns(name, "users"))
    do(dg.connections)
    do(lambda: dg.resolve(name, "张三的密码是什么"))
    do(lambda: dg.find(name, "用户", ["密码", "密码盐值"], {"name": "张三"}))
    do(lambda: dg.find(name, "用户", [], {}))
    do(lambda: find_words(name, ["用户", "密码", "where", "姓名=张三"]))
    fail(lambda: dg.find(name, "用户", ["姓名"], {"密码": dg.samples.DEMO_PASSWORD}))
    fail(lambda: find_words(name, ["用户", "where", f"密码={dg.samples.DEMO_PASSWORD}"]))
    fail(lambda: dg.alias(name, "密", f"users.password={dg.samples.DEMO_PASSWORD}"))
    for table in ("users", "employees", "登录日志", "v_user_contact"):
        do(lambda table=table: dg.peek(name, table))  # type: ignore[misc]
    do(lambda: dg.sql(name, "SELECT * FROM users", full=True))
    do(lambda: dg.sql(name, "SELECT upper(password), password || 'x', concat(password, 'x') FROM users"))
    do(lambda: dg.sql(name, "WITH p AS (SELECT password AS memo FROM users) SELECT memo, count(*) FROM p"))
    fail(lambda: dg.sql(name, "SELECT id FROM users WHERE name = :p AND :q", {"p": dg.samples.DEMO_PASSWORD}))
    fail(lambda: dg.sql(name, "SELECT :p", {"p": [dg.samples.DEMO_PASSWORD]}))
    fail(lambda: dg.sql(name, "SELECT id FROM usrs WHERE name = :p", {"p": dg.samples.DEMO_PASSWORD}))
    for sql in wrong_statements():
        do(lambda sql=sql: dg.sql(name, sql))  # type: ignore[misc]
    fail(lambda: dg.sql(name, "SELECT count(*) FROM orders a, orders b, orders c, orders d", timeout=0.05))


def connect_badly(session: Session, port: int, database: str, user: str) -> None:
    fail = session.fail
    for url in (
        f"mysql://{user}:{WRONG}@127.0.0.1:{port}/{database}",
        f"mysql+pymysql://{user}:{WRONG}@127.0.0.1:{port}/nope",
        f"mysql://{user}:{READER_PASSWORD}@127.0.0.1:{port}/nope",
        f"mysql://{user}:{READER_PASSWORD}@127.0.0.1:{dbservers.free_port()}/{database}",
        f"mysql://{user}:{READER_PASSWORD}@no-such-host.invalid/{database}",
        f"mysql://{user}:{READER_PASSWORD}@127.0.0.1:{port}/{database}?ssl_mode=REQUIRED&ssl_ca=/nowhere",
        f"mysql://{user}:{READER_PASSWORD}@127.0.0.1:{port}",
        f"mysql://{user}:{READER_PASSWORD}@127.0.0.1:99999/{database}",
        f"mysql://{user}:{READER_PASSWORD}@127.0.0.1:{port}/{database}?no_such_option={WRONG}",
        f"mysql://{user}:{READER_PASSWORD}@127.0.0.1:{port}/{database}?password={WRONG}",
        f"mysql:/{user}:{READER_PASSWORD}@127.0.0.1:{port}/{database}",
        f"postgresql://{user}:{READER_PASSWORD}@127.0.0.1:{port}/{database}",
        READER_PASSWORD,
        f"sqlite:////nowhere/{database}.db",
    ):
        fail(lambda url=url: dg.connect("bad", url))  # type: ignore[misc]
    good = f"mysql://{user}@127.0.0.1:{port}/{database}"
    fail(lambda: dg.connect("bad", good, credential=READER_PASSWORD))
    fail(lambda: dg.connect("bad", good.replace("@", f":{READER_PASSWORD}@"), credential="prompt:"))
    fail(lambda: dg.connect("bad", good, credential="env:WRONG_ONE"))
    fail(lambda: dg.connect("bad", good, credential="prompt:"))
    asking.let_ask(lambda: lambda question: WRONG)
    fail(lambda: dg.connect("bad", good))
    fail(lambda: dg.connect("bad", good, credential="prompt:"))
    asking.let_ask(None)


@pytest.mark.parametrize("with_keyring", [True, False])
def test_no_password_is_left_anywhere(
    with_keyring: bool,
    request: pytest.FixtureRequest,
    maria_url: str,
    mariadb: dbservers.MariaServer,
    shop_file: Path,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    everything_said: Callable[[], list[str]],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WRONG_ONE", WRONG)
    if with_keyring:
        request.getfixturevalue("memory_keyring")
    session = Session()
    database, user = maria_url.rsplit("/", 1)[1], "reader"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        connect_badly(session, mariadb.port, database, user)
        session.do(lambda: dg.connect("maria", maria_url.replace("@", f":{READER_PASSWORD}@")))
        session.do(lambda: dg.connect("lite", f"sqlite:///{shop_file}"))
        for name in ("lite", "maria"):
            work(session, name)
        session.do(lambda: dg.connect("lite", maria_url.replace("@", f":{READER_PASSWORD}@")))
        session.texts += [str(warning.message) for warning in caught]
    assert len(session.errors) > 50
    said = everything_said()
    assert texts_holding(said, *SECRETS) == []
    stored = stored_secrets(shop_file)
    assert texts_holding(session.texts, *SECRETS, *stored) == []
    # A statement holds what its author typed into it, here the demo password; all others must not be there either.
    assert texts_holding(session.hidden, READER_PASSWORD, WRONG, *stored) == []
    assert files_holding(home, *SECRETS, *stored) == []
    assert files_holding(tmp_path, *SECRETS, *stored) == []


def test_the_search_itself_finds_what_is_there(tmp_path: Path) -> None:
    """Without this, a broken search would pass every test of this file."""
    for number, form in enumerate(forms(WRONG)):
        (tmp_path / str(number)).write_bytes(b"\0before" + form + b"after\0")
    assert len(files_holding(tmp_path, WRONG)) == len(forms(WRONG))
    assert len(texts_holding(["nothing", f"a {WRONG} b", repr({"p": WRONG})], WRONG)) == 2

    def leaking() -> object:
        try:
            raise ValueError(WRONG)
        except ValueError:
            raise dg.DbgraphError("It failed.") from None

    session = Session()
    session.fail(leaking)
    assert texts_holding(session.hidden, WRONG), "an error that is only hidden behind another one is found"


def test_our_objects_hide_what_they_hold(maria: MariaDatabase, memory_keyring: MemoryKeyring) -> None:
    made = dg.connect("shop", maria.url_with_password)
    target, password = context.locate(made)
    assert password is None
    with open_engine(target, maria.password) as engine:
        texts = [repr(engine), str(engine), repr(vars(engine)), repr(target), repr(made)]
    assert texts_holding(texts, maria.password) == []
