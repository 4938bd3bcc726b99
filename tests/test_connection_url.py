from __future__ import annotations

import traceback
from pathlib import Path

import pytest

from dbgraph_nb.connection_url import parse
from dbgraph_nb.errors import BadArgument, ConnectionFailed
from dbgraph_nb.model import Target


@pytest.mark.parametrize("scheme", ["mysql", "mysql+pymysql", "MySQL", "mysql+mysqlconnector"])
def test_mysql_spellings(scheme: str) -> None:
    target, password = parse(f"{scheme}://reader:pw@db.example.com:3307/shop")
    assert target == Target("mysql", "shop", "db.example.com", 3307, "reader")
    assert password == "pw"


def test_mariadb_is_a_dialect_of_its_own() -> None:
    assert parse("mariadb+pymysql://reader@h/shop")[0].dialect == "mariadb"


def test_parts_may_be_missing() -> None:
    assert parse("mysql://h/shop") == (Target("mysql", "shop", "h"), None)
    assert parse("mysql:///shop")[0].host == "localhost"
    assert parse("mysql://root:@h/shop")[1] == ""


@pytest.mark.parametrize(
    ("host", "expected"), [("[::1]", "::1"), ("[2001:db8::7]", "2001:db8::7"), ("[fe80::1%eth0]", "fe80::1%eth0")]
)
def test_ipv6(host: str, expected: str) -> None:
    target, _ = parse(f"mysql://u@{host}:3306/d")
    assert (target.host, target.port) == (expected, 3306)


@pytest.mark.parametrize(
    "password",
    ["p@ss", "a:b:c", "a/b", "a#b", "a?b", "50%", "100%zz", "@", "p@ss/w:o#r?d", "口令", "sp ace", "a&b=c", "'\"`"],
)
@pytest.mark.parametrize("quoted", [True, False])
def test_passwords_with_special_characters(password: str, quoted: bool) -> None:
    from urllib.parse import quote

    written = quote(password, safe="") if quoted else password
    target, found = parse(f"mysql://reader:{written}@db.example.com:3306/shop?ssl_ca=/etc/a@b.pem")
    assert found == password
    assert (target.user, target.host, target.database) == ("reader", "db.example.com", "shop")


def test_user_with_an_at_sign_and_encoded_database() -> None:
    target, password = parse("mysql://me%40corp:x@h/%E8%AE%A2%E5%8D%95")
    assert (target.user, target.database, password) == ("me@corp", "订单", "x")


@pytest.mark.parametrize("name", ["password", "passwd", "PWD"])
def test_a_password_given_as_an_option_is_taken_as_the_password(name: str) -> None:
    target, password = parse(f"mysql://u@h/d?{name}=s+3%26cret")
    assert password == "s+3&cret"
    assert "cret" not in target.url


def test_two_passwords_are_refused() -> None:
    with pytest.raises(BadArgument) as caught:
        parse("mysql://u:one@h/d?password=two")
    assert caught.value.code == "two-passwords"


@pytest.mark.parametrize(
    ("query", "mode"),
    [
        ("ssl_mode=required", "REQUIRED"),
        ("ssl-mode=Verify_Identity", "VERIFY_IDENTITY"),
        ("ssl=true", "REQUIRED"),
        ("ssl=false", "DISABLED"),
        ("ssl_ca=/ca.pem", "VERIFY_CA"),
        ("ssl_ca=/ca.pem&ssl_verify_identity=true", "VERIFY_IDENTITY"),
        ("ssl_ca=/ca.pem&ssl_mode=VERIFY_IDENTITY&ssl_verify_cert=1", "VERIFY_IDENTITY"),
        ("ssl_cert=/c.pem&ssl_key=/k.pem", "REQUIRED"),
        ("ssl_verify_cert=true", "VERIFY_CA"),
        ("charset=utf8mb4", None),
    ],
)
def test_tls_options_become_one_mode(query: str, mode: str | None) -> None:
    assert dict(parse(f"mysql://u@h/d?{query}")[0].options).get("ssl_mode") == mode


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("ssl_mode=MAYBE", "bad-url-option"),
        ("ssl=perhaps", "bad-url-option"),
        ("ssl=false&ssl_ca=/ca.pem", "bad-url-option"),
        ("ssl=true&ssl_mode=DISABLED", "bad-url-option"),
        ("ssl_cert=/c.pem", "bad-url-option"),
        ("charset=gbk", "bad-url-option"),
        ("connect_timeout=0", "bad-url-option"),
        ("connect_timeout=soon", "bad-url-option"),
        ("ssl_ca=", "bad-url-option"),
        ("ssl=true&ssl=true", "bad-url-option"),
        ("local_infile=1", "unknown-url-option"),
        ("x=1", "unknown-url-option"),
    ],
)
def test_options_that_cannot_be(query: str, code: str) -> None:
    with pytest.raises(BadArgument) as caught:
        parse(f"mysql://u:hunter2@h/d?{query}")
    assert caught.value.code == code
    assert "hunter2" not in str(caught.value)


def test_an_unknown_option_lists_the_known_ones() -> None:
    with pytest.raises(BadArgument, match=r"sslmode is not known for mysql.*ssl_mode, ssl_ca.*unix_socket"):
        parse("mysql://u@h/d?sslmode=require")


def test_a_target_survives_its_own_url() -> None:
    target, _ = parse("mariadb://u%3A1:p@[::1]:3307/d%2Fe?connect_timeout=5&ssl_ca=/a b/c+d.pem&unix_socket=/tmp/s")
    assert parse(target.url) == (target, None)


# --- sqlite ---------------------------------------------------------------------------------------------------


def test_sqlite_paths_become_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "订单 库.db").touch()
    expected = Target("sqlite", str(tmp_path / "订单 库.db"))
    for url in (
        "sqlite:///订单 库.db",
        "sqlite:///%E8%AE%A2%E5%8D%95%20库.db",
        "sqlite:///./x/../订单 库.db",
        f"sqlite:///{tmp_path}/订单 库.db",
        "sqlite+pysqlite:///~/订单 库.db",
        "sqlite:///file:订单 库.db?mode=ro&uri=true",
    ):
        assert parse(url) == (expected, None), url
    assert parse(expected.url) == (expected, None)


@pytest.mark.parametrize("name", ["a#b.db", "a%20b.db", "50%.db", "a&b=c.db", "a;b.db", "a?b.db"])
def test_sqlite_paths_with_special_characters(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    target = Target("sqlite", str(tmp_path / name))
    assert parse(target.url) == (target, None)


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///", "sqlite:///:memory:"])
def test_sqlite_in_memory_is_refused_with_advice(url: str) -> None:
    with pytest.raises(BadArgument, match="file") as caught:
        parse(url)
    assert caught.value.code == "in-memory-database"


def test_a_missing_file(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/nope.db"
    with pytest.raises(ConnectionFailed, match=r"There is no file .*nope\.db") as caught:
        parse(url)
    assert caught.value.code == "file-missing"
    assert parse(url, check_file=False)[0].database.endswith("nope.db")
    assert not (tmp_path / "nope.db").exists()


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("sqlite://host/x.db", "bad-url"),
        ("sqlite:x.db", "bad-url"),
        ("sqlite:///x.db?cache=shared", "unknown-url-option"),
        ("sqlite:///x.db?mode=rwc", "bad-url-option"),
        ("sqlite:///%ff.db", "bad-url"),
    ],
)
def test_sqlite_urls_that_cannot_be(url: str, code: str) -> None:
    with pytest.raises(BadArgument) as caught:
        parse(url)
    assert caught.value.code == code


# --- what is refused, and what an error may say -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("redis://:hunter2@h", "engine-not-supported"),
        ("oracle://u:hunter2@h/d", "unknown-scheme"),
        ("mysql+asyncmy://u:hunter2@h/d", "unknown-scheme"),
        ("shop.db", "bad-url"),
        ("", "bad-url"),
        ("hunter2:hunter2@h/d", "bad-url"),
        ("Server=h;Pwd=hunter2", "bad-url"),
        ("mysql://u:hunter2@h", "no-database"),
        ("mysql://u:hunter2@h/", "no-database"),
        ("mysql://u:hunter2@h:99999/d", "bad-port"),
        ("mysql://u:hunter2@h:port/d", "bad-port"),
        ("mysql://u:hunter2@h o s t/d", "bad-url"),
        ("mysql://u:hunter2@h/d/e", "bad-url"),
        ("mysql://u:hunter2%ff@h/d", "bad-url"),
        ("mysql://u:hunter2%00@h/d", "bad-url"),
    ],
)
def test_urls_that_cannot_be_used(url: str, code: str) -> None:
    with pytest.raises(BadArgument) as caught:
        parse(url)
    assert caught.value.code == code
    said = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    assert "hunter2" not in said.replace(f'"{url}"', "").replace(repr(url), "")


def test_something_that_is_no_text() -> None:
    with pytest.raises(BadArgument, match="int"):
        parse(5)  # type: ignore[arg-type]
