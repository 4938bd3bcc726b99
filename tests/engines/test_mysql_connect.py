"""Connections that do not come about, and TLS."""

from __future__ import annotations

import contextlib
import datetime as dt
import ipaddress
import socket
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dbservers
import pytest
from conftest import MariaDatabase

from dbgraph_nb import connection_url
from dbgraph_nb.engines import open_engine
from dbgraph_nb.engines.mysql_refusals import refusal
from dbgraph_nb.errors import BadArgument, ConnectionFailed, DbgraphError
from dbgraph_nb.model import AllowedQuery, Target

PASSWORD = "hunter2@/:#%口令"


def opening(url: str, password: str | None = PASSWORD) -> DbgraphError:
    target, in_url = connection_url.parse(url)
    with pytest.raises(DbgraphError) as caught:
        open_engine(target, in_url or password)
    error = caught.value
    said = "".join(traceback.format_exception(error)) + repr(error)
    assert "hunter2" not in said
    assert error.__context__ is None
    assert "\n" not in str(error)
    return error


def test_wrong_password_and_none(maria: MariaDatabase) -> None:
    error = opening(maria.url)
    assert (error.code, type(error)) == ("access-denied", ConnectionFailed)
    assert f"refused the user {maria.user}" in str(error)
    error = opening(maria.url, None)
    assert error.code == "access-denied"
    assert "No password was given" in str(error)


def test_the_right_password_in_any_script(maria: MariaDatabase) -> None:
    maria.execute(f"ALTER USER {maria.user}@'127.0.0.1' IDENTIFIED BY '{PASSWORD}'")
    target, _ = connection_url.parse(maria.url)
    with open_engine(target, PASSWORD) as engine:
        assert engine.catalog("SELECT 1") == [(1,)]


def test_unknown_database(maria: MariaDatabase) -> None:
    error = opening(f"mysql://root@127.0.0.1:{maria.server.port}/nope", None)
    assert error.code == "unknown-database"
    assert "has no database nope" in str(error)
    assert opening(f"{maria.url}x", maria.password).code == "database-denied"


def test_nothing_listens() -> None:
    port = dbservers.free_port()
    error = opening(f"mysql://u@127.0.0.1:{port}/d")
    assert error.code == "connection-refused"
    assert f"Nothing listens at 127.0.0.1:{port}" in str(error)


def test_unknown_host_and_socket(tmp_path: Path) -> None:
    error = opening("mysql://u@no-such-host.invalid/d")
    assert error.code == "unknown-host"
    assert "no-such-host.invalid is not known" in str(error)


@contextlib.contextmanager
def listener(answer: bytes | None) -> Iterator[int]:
    """Something that is no database: it answers with these bytes, or with nothing at all."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        held: list[socket.socket] = []

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    peer, _ = server.accept()
                    held.append(peer)
                    if answer is not None:
                        peer.sendall(answer)
                        peer.close()

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]
        for peer in held:
            peer.close()


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"-ERR unknown command\r\n", b"", b"\0" * 64])
def test_something_else_listens(answer: bytes) -> None:
    with listener(answer) as port:
        assert opening(f"mysql://u@127.0.0.1:{port}/d").code == "not-a-server"


def test_a_server_that_does_not_greet() -> None:
    with listener(None) as port:
        started = time.monotonic()
        error = opening(f"mysql://u@127.0.0.1:{port}/d?connect_timeout=0.3")
        assert error.code == "connection-timeout"
        assert time.monotonic() - started < 10


def test_the_server_is_full(maria: MariaDatabase) -> None:
    maria.execute(f"ALTER USER {maria.user}@'127.0.0.1' WITH MAX_USER_CONNECTIONS 1")
    target, _ = connection_url.parse(maria.url)
    with open_engine(target, maria.password):
        assert opening(maria.url, maria.password).code == "too-many-connections"


def test_the_server_goes_away(tmp_path: Path) -> None:
    with dbservers.mariadb() as server:
        server.execute("CREATE DATABASE d")
        engine = open_engine(Target("mysql", "d", "127.0.0.1", server.port, "root"), None)
        assert engine.run(AllowedQuery("SELECT 1", "mysql", None)).rows == [(1,)]
    with pytest.raises(ConnectionFailed) as caught:
        engine.run(AllowedQuery("SELECT 1", "mysql", None))
    assert caught.value.code == "connection-refused"
    engine.close()


def test_every_refusal_is_a_whole_sentence() -> None:
    target = Target("mysql", "d{b}", "h{x}", 3306, "u{y}")
    for number in (1045, 1049, 1040, 1130, 1820, 3118, 2059, 1193, 2026, 3159, 1234, 2013, None):
        error = refusal(target, number=number)
        assert str(error).endswith(".")
        assert "h{x}:3306" in str(error)


# --- TLS --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """ca.pem, other-ca.pem, and server.pem with its key, signed by the first for localhost."""
    folder = tmp_path_factory.mktemp("certificates")
    authority, authority_key = _certificate(folder, "ca", "Test CA")
    _certificate(folder, "other-ca", "Another CA")
    _certificate(folder, "server", "localhost", authority, authority_key)
    return folder


def _certificate(folder: Path, name: str, subject: str, issuer: Any = None, issuer_key: Any = None) -> tuple[Any, Any]:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    title = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)])
    now = dt.datetime.now(dt.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(title)
        .issuer_name(issuer.subject if issuer else title)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=2))
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
    )
    if issuer is not None:
        names = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.DNSName("db.example.com")])
        builder = builder.add_extension(names, critical=False)
        assert ipaddress.ip_address("127.0.0.1") not in names
    certificate = builder.sign(issuer_key or key, hashes.SHA256())
    (folder / f"{name}.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / f"{name}-key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return certificate, key


@pytest.fixture(scope="module")
def tls_server(certificates: Path) -> Iterator[dbservers.MariaServer]:
    with dbservers.mariadb(certificates=certificates) as server:
        server.execute("CREATE DATABASE d", "CREATE USER 'u'@'%'", "GRANT ALL ON d.* TO 'u'@'%'")
        yield server


def cipher(url: str) -> str:
    target, _ = connection_url.parse(url)
    with open_engine(target, None) as engine:
        sql = "SELECT variable_value FROM information_schema.session_status WHERE variable_name = 'ssl_cipher'"
        return str(engine.run(AllowedQuery(sql, "mysql", None)).rows[0][0])


def test_tls_is_used_as_the_url_says(tls_server: dbservers.MariaServer, certificates: Path) -> None:
    url = f"mysql://u@127.0.0.1:{tls_server.port}/d"
    assert cipher(url), "PREFERRED is the standard"
    assert cipher(f"{url}?ssl_mode=REQUIRED")
    assert cipher(f"{url}?ssl_ca={certificates}/ca.pem"), "VERIFY_CA does not look at the host name"
    assert not cipher(f"{url}?ssl_mode=DISABLED")
    named = f"mysql://u@localhost:{tls_server.port}/d"
    assert cipher(f"{named}?ssl_ca={certificates}/ca.pem&ssl_mode=VERIFY_IDENTITY")


def test_certificates_that_are_not_trusted(tls_server: dbservers.MariaServer, certificates: Path) -> None:
    url = f"mysql://u@127.0.0.1:{tls_server.port}/d"
    assert opening(f"{url}?ssl_ca={certificates}/other-ca.pem").code == "tls-not-trusted"
    assert opening(f"{url}?ssl_mode=VERIFY_CA").code == "tls-not-trusted"
    assert opening(f"{url}?ssl_ca={certificates}/ca.pem&ssl_mode=VERIFY_IDENTITY").code == "tls-not-trusted"


def test_certificate_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "bad.pem").write_text("hunter2")
    for query in (f"ssl_ca={tmp_path}/no.pem", f"ssl_ca={tmp_path}/bad.pem", "ssl_cert=/no.pem&ssl_key=/no.pem"):
        error = opening(f"mysql://u@127.0.0.1:1/d?{query}")
        assert (type(error), error.code) == (BadArgument, "bad-certificate")


def test_tls_that_is_not_offered(maria: MariaDatabase) -> None:
    assert opening(f"{maria.url}?ssl_mode=REQUIRED", maria.password).code == "tls-not-offered"


def test_an_interrupt_stops_a_query_over_tls(tls_server: dbservers.MariaServer) -> None:
    target, _ = connection_url.parse(f"mysql://u@127.0.0.1:{tls_server.port}/d?ssl_mode=REQUIRED")
    endless = (
        "SELECT count(*) FROM information_schema.columns a, information_schema.columns b, information_schema.columns c"
    )
    number = AllowedQuery("SELECT connection_id()", "mysql", None)
    with open_engine(target, None) as engine:
        before = engine.run(number).rows
        with pytest.raises(DbgraphError) as caught:
            engine.run(AllowedQuery(endless, "mysql", None), timeout=0.3)
        assert caught.value.code == "query-timeout"
        assert engine.run(number).rows == before, "the same connection goes on"
