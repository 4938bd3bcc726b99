"""The sample shop as a SQLite file: what is in it, and what it never overwrites."""

import hashlib
import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from urllib.parse import unquote

import pytest

from dbgraph_nb import samples
from dbgraph_nb.errors import BadArgument
from dbgraph_nb.samples.shop_tables import TABLES, VIEWS


def digest(statements) -> str:
    """A hash of statements and rows that does not depend on the version of SQLite or Python."""
    return hashlib.sha256(repr(statements).encode()).hexdigest()


@pytest.fixture
def shop(tmp_path):
    samples.shop(tmp_path / "shop.db")
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection:
        yield connection


def test_url_is_absolute_and_leads_to_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    url = samples.shop("商店 #1.db")
    assert url.startswith("sqlite:////")
    assert Path(unquote(url.removeprefix("sqlite:///"))) == tmp_path / "商店 #1.db"
    assert (tmp_path / "商店 #1.db").is_file()
    assert [p.name for p in tmp_path.iterdir()] == ["商店 #1.db"]


def test_file_is_private(tmp_path):
    samples.shop(tmp_path / "shop.db")
    assert stat.S_IMODE((tmp_path / "shop.db").stat().st_mode) == 0o600


def test_two_runs_write_the_same_bytes(tmp_path):
    samples.shop(tmp_path / "a.db")
    samples.shop(tmp_path / "b.db")
    assert (tmp_path / "a.db").read_bytes() == (tmp_path / "b.db").read_bytes()


@pytest.mark.parametrize("dialect", ["sqlite", "mysql"])
def test_content_does_not_depend_on_the_hash_seed(dialect):
    code = (
        "import hashlib; from dbgraph_nb.samples import shop_statements as s; "
        f"print(hashlib.sha256(repr(s({dialect!r})).encode()).hexdigest())"
    )
    env = os.environ | {"PYTHONHASHSEED": "77", "TZ": "Asia/Shanghai", "LC_ALL": "C"}
    other = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert other.stdout.strip() == digest(samples.shop_statements(dialect))


def test_content_is_the_one_of_this_release():
    # the tutorials and the stored expectations show this content: change it knowingly, and them with it
    assert (
        digest(samples.shop_statements("sqlite")) == "c8e5bfa6a6d0753fab6bd614bfa3b9d39cc949aa6956bf6d61126ec630ca2aa4"
    )


def test_the_same_rows_in_both_dialects():
    sqlite, mysql = ([data for _, data in samples.shop_statements(d) if data] for d in ("sqlite", "mariadb"))
    assert sqlite == mysql


def test_size_and_kinds(shop):
    kinds = shop.execute("SELECT type, count(*) FROM sqlite_master WHERE name NOT LIKE 'sqlite%' GROUP BY 1").fetchall()
    assert dict(kinds) == {"index": 7, "table": 13, "view": 4}
    counts = {t.name: shop.execute(f"SELECT count(*) FROM {t.name}").fetchone()[0] for t in TABLES}
    assert 200 <= sum(counts.values()) <= 2000
    assert min(counts.values()) >= 4
    assert all(shop.execute(f"SELECT count(*) FROM {v.name}").fetchone()[0] > 0 for v in VIEWS)


def test_foreign_keys_hold(shop):
    assert shop.execute("PRAGMA foreign_key_check").fetchall() == []
    assert shop.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    widths = [len(r.columns) for t in TABLES for r in t.references]
    assert len(widths) == 18
    assert 2 in widths


def test_comments_are_kept_in_the_create_text(shop):
    text = shop.execute("SELECT sql FROM sqlite_master WHERE name = 'users'").fetchone()[0]
    assert text.splitlines()[0] == "CREATE TABLE users ( -- 用户"
    assert "    password VARCHAR(64) NOT NULL, -- 登录密码" in text.splitlines()


def test_demo_user_is_there_once_with_everything(shop):
    rows = shop.execute("SELECT id, password, mobile, email FROM users WHERE name = ?", [samples.DEMO_USER]).fetchall()
    assert [(id_, password) for id_, password, *_ in rows] == [(1, samples.DEMO_PASSWORD)]
    assert None not in rows[0]
    assert shop.execute("SELECT count(*) FROM employees WHERE name = ?", [samples.DEMO_USER]).fetchone() == (0,)
    for table in ("orders", "addresses", "reviews", "登录日志"):
        assert shop.execute(f"SELECT count(*) FROM {table} WHERE user_id = 1").fetchone()[0] > 1


def test_demo_password_stands_in_one_cell_only(shop):
    cells = [
        (table.name, column.name)
        for table in TABLES
        for column in table.columns
        for (value,) in shop.execute(f"SELECT {column.name} FROM {table.name}")
        if samples.DEMO_PASSWORD in str(value)
    ]
    assert cells == [("users", "password")]


def test_a_name_that_two_users_share_exists(shop):
    twice = "SELECT name FROM users GROUP BY name HAVING count(*) > 1"
    assert len(shop.execute(twice).fetchall()) >= 2


def test_every_enum_member_is_used(shop):
    for table in TABLES:
        for column in table.columns:
            if column.type.startswith("enum("):
                members = set(column.type[5:-1].split("|"))
                seen = {v for (v,) in shop.execute(f"SELECT DISTINCT {column.name} FROM {table.name}")}
                assert seen == members, (table.name, column.name)


def test_null_and_not_null_both_occur_where_null_is_allowed(shop):
    for table in TABLES:
        for column in table.columns:
            if column.null:
                nulls, total = shop.execute(f"SELECT sum({column.name} IS NULL), count(*) FROM {table.name}").fetchone()
                assert 0 < nulls < total, (table.name, column.name)


def test_an_earlier_sample_shop_is_replaced(tmp_path):
    path = tmp_path / "shop.db"
    samples.shop(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM reviews")
        connection.commit()
    samples.shop(path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM reviews").fetchone()[0] > 0


def test_a_link_to_an_earlier_sample_shop_stays_a_link(tmp_path):
    samples.shop(tmp_path / "real.db")
    (tmp_path / "link.db").symlink_to(tmp_path / "real.db")
    assert samples.shop(tmp_path / "link.db").endswith("/real.db")
    assert (tmp_path / "link.db").is_symlink()


@pytest.mark.parametrize("content", [b"", b"my notes", b"SQLite format 3\0" + bytes(84)])
def test_another_file_is_left_alone(tmp_path, content):
    path = tmp_path / "mine.db"
    path.write_bytes(content)
    with pytest.raises(BadArgument) as caught:
        samples.shop(path)
    assert caught.value.code == "sample-not-ours"
    assert path.read_bytes() == content
    assert len(list(tmp_path.iterdir())) == 1


def test_a_database_of_the_users_is_left_alone(tmp_path):
    path = tmp_path / "mine.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE users (id INTEGER)")
    before = path.read_bytes()
    with pytest.raises(BadArgument, match="not a sample shop"):
        samples.shop(path)
    assert path.read_bytes() == before


def test_a_folder_is_left_alone(tmp_path):
    with pytest.raises(BadArgument) as caught:
        samples.shop(tmp_path)
    assert caught.value.code == "sample-not-ours"


def test_a_missing_folder_is_not_made(tmp_path):
    with pytest.raises(BadArgument) as caught:
        samples.shop(tmp_path / "no" / "shop.db")
    assert caught.value.code == "sample-folder-missing"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("end", ["-journal", "-wal"])
def test_a_shop_in_use_is_left_alone(tmp_path, end):
    path = tmp_path / "shop.db"
    samples.shop(path)
    (tmp_path / f"shop.db{end}").write_bytes(b"x")
    with pytest.raises(BadArgument) as caught:
        samples.shop(path)
    assert caught.value.code == "sample-in-use"


@pytest.mark.parametrize(
    "path", ["", "  ", ":memory:", "a\0b", None, b"shop.db", "x" * 5000, "~nobody-has-this-name/a"]
)
def test_what_is_no_path_is_refused(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadArgument) as caught:
        samples.shop(path)
    assert caught.value.code in ("sample-path", "sample-folder-missing")
    assert list(tmp_path.iterdir()) == []


def test_a_failure_while_writing_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "shop.db"
    samples.shop(path)
    before = path.read_bytes()
    broken = [*samples.shop_statements("sqlite")[:3], ("INSERT INTO nowhere VALUES (?)", [(1,)])]
    monkeypatch.setattr("dbgraph_nb.samples.shop_sqlite.shop_statements", lambda dialect: broken)
    with pytest.raises(BadArgument) as caught:
        samples.shop(path)
    assert caught.value.code == "sample-not-writable"
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_an_unknown_dialect_is_refused():
    with pytest.raises(BadArgument) as caught:
        samples.shop_statements("oracle")
    assert caught.value.code == "sample-dialect"
    assert "\n" not in str(caught.value)
