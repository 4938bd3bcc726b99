"""Private database servers for tests: own data folder, own port on 127.0.0.1, gone afterwards.

In: the programs of the machine's packages. Out: running servers with their addresses. Never: the machine's own server,
root rights inside the server process, or anything left behind.

As root, the server runs as an unprivileged user. Where a program is missing, tests skip on a person's machine and fail
in CI (environment variable ``CI``).
"""

from __future__ import annotations

import contextlib
import functools
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import pytest

_START_SECONDS = 40
_STOP_SECONDS = 15
_STANDARD_PATHS = ("/usr/sbin", "/usr/bin", "/usr/local/bin", "/usr/local/sbin")


@dataclass
class MariaServer:
    """A running MariaDB. ``root`` are keyword arguments for ``pymysql.connect``; root has no password."""

    port: int
    folder: Path
    version: str = ""
    root: dict[str, Any] = field(default_factory=dict)

    @property
    def log(self) -> Path:
        """The general log: every statement with its connection, while ``logging`` is on."""
        return self.folder / "general.log"

    def connect(self, **more: Any) -> Any:
        """A pymysql connection as root."""
        import pymysql

        return pymysql.connect(**{**self.root, **more})

    def execute(self, *statements: str, **more: Any) -> list[tuple[Any, ...]]:
        """Runs statements as root; returns the rows of the last one."""
        with self.connect(**more) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return list(cursor.fetchall())

    @contextlib.contextmanager
    def logging(self) -> Iterator[Callable[[], list[str]]]:
        """Turns the general log on; yields a function that returns the statements since then."""
        self.execute("SET GLOBAL general_log = ON")
        start = self.log.stat().st_size if self.log.exists() else 0
        try:
            yield lambda: _statements(self.log, start)
        finally:
            self.execute("SET GLOBAL general_log = OFF")


def _statements(log: Path, start: int) -> list[str]:
    """The texts of all queries in the general log from byte ``start`` on, without those of root's own switches."""
    entries: list[str] = []
    for line in log.read_bytes()[start:].decode("utf-8", "replace").splitlines():
        stamp, tab, rest = line.partition("\t")
        body = rest.lstrip("\t").lstrip() if tab and (not stamp.strip() or stamp[:6].isdigit()) else None
        words = body.split(None, 2) if body else []
        if len(words) >= 2 and words[0].isdigit() and words[1] in _COMMANDS:
            entries.append(words[2] if words[1] == "Query" and len(words) > 2 else "")
        elif entries:
            entries[-1] += f"\n{line}"
    return [entry for entry in entries if entry and "general_log" not in entry]


_COMMANDS = {"Query", "Connect", "Quit", "Init", "Prepare", "Execute", "Close", "Field", "Kill", "Ping", "Statistics"}


@dataclass
class PostgresServer:
    """A running PostgreSQL with the superuser ``postgres`` and no passwords."""

    port: int
    folder: Path
    version: str = ""

    @property
    def log(self) -> Path:
        return self.folder / "server.log"

    @property
    def dsn(self) -> str:
        return f"host=127.0.0.1 port={self.port} user=postgres dbname=postgres"


def program(name: str, *folders: str) -> Path:
    """The path of a program; without it the test is skipped, or fails in CI."""
    found = shutil.which(name, path=os.pathsep.join([*folders, os.environ.get("PATH", ""), *_STANDARD_PATHS]))
    if found:
        return Path(found)
    return _missing(f"{name} is not installed: this test needs a private server of its own")


def _missing(message: str) -> NoReturn:
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


@contextlib.contextmanager
def mariadb(*options: str, certificates: Path | None = None) -> Iterator[MariaServer]:
    """A MariaDB server.

    Args:
        *options: added to its command line.
        certificates: a folder with ca.pem, server.pem and server-key.pem; with it the server offers TLS.
    """
    install, daemon = program("mariadb-install-db"), program("mariadbd")
    small = ["--innodb-log-file-size=8M", "--innodb-buffer-pool-size=32M", "--innodb-flush-log-at-trx-commit=0"]
    with _home("mdb-", "mysql") as home:
        data = f"--datadir={home.path / 'data'}"
        home.run(install, "--no-defaults", data, "--skip-test-db", "--auth-root-authentication-method=normal", *small)

        if certificates is not None:
            given = home.adopt(certificates)
            options += (
                f"--ssl-ca={given}/ca.pem",
                f"--ssl-cert={given}/server.pem",
                f"--ssl-key={given}/server-key.pem",
            )

        def command(port: int) -> list[str | Path]:
            return [
                daemon, "--no-defaults", data, "--bind-address=127.0.0.1", f"--port={port}",
                f"--socket={home.path / 'sock'}", f"--tmpdir={home.path}", "--skip-name-resolve",
                "--character-set-server=utf8mb4", "--collation-server=utf8mb4_unicode_ci", "--log-output=FILE",
                "--general-log=0", f"--general-log-file={home.path / 'general.log'}", *small, *options,
            ]  # fmt: skip

        server = MariaServer(0, home.path)

        def probe(port: int) -> None:
            server.port = port
            server.root = {
                "host": "127.0.0.1", "port": port, "user": "root", "password": "", "charset": "utf8mb4",
                "autocommit": True, "connect_timeout": 5, "ssl_disabled": True,
            }  # fmt: skip
            server.version = str(server.execute("SELECT VERSION()")[0][0])

        with home.serving(command, probe, stop=signal.SIGTERM):
            yield server


@contextlib.contextmanager
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server that logs every statement to ``log``."""
    try:
        import psycopg
    except ImportError:
        _missing("psycopg is not installed: this test talks to a PostgreSQL server")
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
    folders = [str(path) for path in reversed(versions)]
    initdb, daemon = program("initdb", *folders), program("postgres", *folders)
    with _home("pg-", "postgres") as home:
        data = home.path / "data"
        home.run(
            initdb, "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync",
            "--no-instructions",
        )  # fmt: skip

        def command(port: int) -> list[str | Path]:
            return [
                daemon, "-D", data, "-h", "127.0.0.1", "-p", str(port), "-k", home.path, "-F",
                "-c", "synchronous_commit=off", "-c", "full_page_writes=off", "-c", "log_statement=all",
            ]  # fmt: skip

        server = PostgresServer(0, home.path)

        def probe(port: int) -> None:
            server.port = port
            with psycopg.connect(server.dsn, connect_timeout=5) as connection:
                row = connection.execute("SHOW server_version").fetchone()
                server.version = str(row[0]) if row else ""

        # SIGINT stops it although clients are connected; SIGTERM would wait for them.
        with home.serving(command, probe, stop=signal.SIGINT):
            yield server


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


# --- a folder and a process that go away ------------------------------------------------------------------------


@dataclass
class _Home:
    path: Path
    process_options: dict[str, Any]

    @property
    def output(self) -> Path:
        return self.path / "server.log"

    def run(self, *command: str | Path) -> None:
        with self.output.open("ab") as out:
            done = subprocess.run(command, stdout=out, stderr=out, check=False, **self.process_options)
        if done.returncode:
            raise RuntimeError(f"{command[0]} ended with {done.returncode}:\n{self.tail()}")

    def adopt(self, folder: Path) -> Path:
        """A copy of a folder that the server may read."""
        copy = self.path / folder.name
        shutil.copytree(folder, copy)
        if "user" in self.process_options:
            for path in (copy, *copy.iterdir()):
                os.chown(path, self.process_options["user"], self.process_options["group"])
        return copy

    def tail(self) -> str:
        return self.output.read_text("utf-8", "replace")[-3000:]

    @contextlib.contextmanager
    def serving(
        self, command: Callable[[int], list[str | Path]], probe: Callable[[int], None], stop: signal.Signals
    ) -> Iterator[None]:
        process = self._start(command, probe)
        try:
            yield
        finally:
            _end(process, stop)

    def _start(
        self, command: Callable[[int], list[str | Path]], probe: Callable[[int], None]
    ) -> subprocess.Popen[bytes]:
        for _ in range(3):  # another program may have taken the port in between
            port = free_port()
            with self.output.open("ab") as out:
                process = subprocess.Popen(
                    command(port), stdout=out, stderr=out, start_new_session=True, **self.process_options
                )
            try:
                if _answers(process, functools.partial(probe, port)):
                    return process
            except BaseException:
                _end(process, signal.SIGKILL)
                raise
            _end(process, signal.SIGKILL)
        raise RuntimeError(f"The server did not start:\n{self.tail()}")


@contextlib.contextmanager
def _home(prefix: str, preferred_user: str) -> Iterator[_Home]:
    """A short path under /tmp (a socket's path has 107 bytes), owned by an unprivileged user if we are root."""
    path = Path(tempfile.mkdtemp(prefix=prefix, dir="/tmp"))
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PG", "MYSQL", "MARIADB"))}
    search = os.pathsep.join([os.environ.get("PATH", ""), *_STANDARD_PATHS])
    options: dict[str, Any] = {
        "cwd": path,
        "env": {**kept, "HOME": str(path), "LC_ALL": "C.UTF-8", "PATH": search},
        "stdin": subprocess.DEVNULL,
    }
    if os.getuid() == 0:
        user = _unprivileged(preferred_user)
        os.chown(path, user.pw_uid, user.pw_gid)
        options |= {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    try:
        yield _Home(path, options)
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _unprivileged(preferred: str) -> pwd.struct_passwd:
    for name in (preferred, "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise RuntimeError("There is no unprivileged user to run a server as.")


def _answers(process: subprocess.Popen[bytes], probe: Callable[[], None]) -> bool:
    end = time.monotonic() + _START_SECONDS
    while process.poll() is None and time.monotonic() < end:
        try:
            probe()
        except Exception:  # noqa: BLE001 - whatever a driver raises while the server starts
            time.sleep(0.03)
        else:
            return True
    return False


def _end(process: subprocess.Popen[bytes], how: signal.Signals) -> None:
    if process.poll() is None:
        process.send_signal(how)
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
