"""What one action needs to know: settings, stored connections, and who may be asked for a password.

In: the environment and the home folder. Out: settings, a connection, an open engine. Never: a password in
anything that is returned, stored or shown, and never one that is sent to another place than it was typed for.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from dbgraph_nb import connection_store, connection_url, credentials
from dbgraph_nb import settings as settings_module
from dbgraph_nb.catalog.atomic import replacing
from dbgraph_nb.engines import Engine, open_engine
from dbgraph_nb.errors import ConnectionFailed, DbgraphError, IndexUnavailable, UnknownName
from dbgraph_nb.explore import asking
from dbgraph_nb.model import Connection, Dialect, SensitivePolicy, Target
from dbgraph_nb.settings import Settings

_PORTS = {"mysql": 3306, "mariadb": 3306, "postgres": 5432}
# Passwords that were typed in this process: the target's URL → connection → password. Never written.
_remembered: dict[str, dict[str, str]] = {}


def settings() -> Settings:
    """The settings as they are now; cheap enough to read at the start of each action."""
    return settings_module.load()


def connection(name: str, at: Settings) -> Connection:
    """The stored connection of that name.

    Raises:
        UnknownName: there is none (code ``unknown-connection``), with the names that there are.
        BadArgument: the text cannot be a name (code ``bad-connection-name``).
    """
    stored = connection_store.get(at.home, connection_store.check_name(name))
    if stored is None:
        known = [c.name for c in connection_store.all_connections(at.home)]
        listed = f"Known: {', '.join(known)}." if known else "There is none yet: %dbgraph connect NAME URL."
        raise UnknownName(f"There is no connection named {name!r}.", code="unknown-connection", hint=listed)
    return stored


def locate(stored: Connection) -> tuple[Target, str | None]:
    """The target of a connection, and the password if its URL is read from the environment and holds one."""
    return connection_url.parse(credentials.expand_url(stored.url))


def open_connection(stored: Connection, *, timeout: float = 30.0) -> Engine:
    """Opens the database read-only with the credential that the connection refers to."""
    target, password = locate(stored)
    if password is None:
        password = credential(stored, target, asking.current())
    try:
        return open_engine(target, password, timeout=timeout)
    except ConnectionFailed as error:
        if error.code == "access-denied":
            remembered(target).pop(stored.name, None)  # a wrong password is asked for again, not kept
        raise


def credential(stored: Connection, target: Target, ask: asking.Ask | None) -> str | None:
    """The password that a connection refers to, for ``target``; None if it refers to none."""
    return credentials.resolve(
        stored.credential, name=stored.name, target=target, ask=ask, remembered=remembered(target)
    )


def remembered(target: Target) -> dict[str, str]:
    """The passwords by connection that this process remembers for one target."""
    return _remembered.setdefault(target.url, {})


def dialect(stored: Connection) -> str:
    """The kind of database a connection leads to; "" while its URL cannot be read."""
    with suppress(DbgraphError):
        return connection_url.parse(credentials.expand_url(stored.url), check_file=False)[0].dialect
    return ""


def policy(stored: Connection) -> SensitivePolicy | None:
    """The policy of a connection; None when it shows everything."""
    if stored.sensitive == "show":
        return None
    return SensitivePolicy() if stored.sensitive == "redact" else stored.sensitive


def forget(name: str) -> None:
    """Drops what this process remembers of a connection."""
    for passwords in _remembered.values():
        passwords.pop(name, None)


def index_path(at: Settings, name: str) -> Path:
    """Where the index of a connection is kept."""
    return connection_store.folder(at.home, name) / "index.db"


def status_path(at: Settings, name: str) -> Path:
    """Where the status of an index is kept."""
    return connection_store.folder(at.home, name) / "status.json"


def database_path(at: Settings, name: str) -> Path:
    """Where it is kept of which database the index is."""
    return connection_store.folder(at.home, name) / "database"


def fingerprint(target: Target) -> str:
    """Tells one database from another, whoever connects to it and with whatever options.

    >>> one = Target("mysql", "shop", "db.example.com", None, "reader", (("connect_timeout", "3"),))
    >>> fingerprint(one) == fingerprint(Target("mysql", "shop", "db.example.com", 3306, "admin"))
    True
    """
    options = tuple(option for option in target.options if option[0] in ("unix_socket", "host"))
    port = None if target.port == _PORTS.get(target.dialect) else target.port
    dialect: Dialect = "mysql" if target.dialect == "mariadb" else target.dialect  # spellings of one server
    same = replace(target, dialect=dialect, user=None, port=port, options=options)
    return hashlib.sha256(same.url.encode()).hexdigest()


def note_database(at: Settings, stored: Connection) -> None:
    """Notes of which database the index of a connection is.

    Raises:
        IndexUnavailable: it could not be written (code ``index-write-failed``).
    """
    path = database_path(at, stored.name)
    try:
        with replacing(path) as temporary:
            temporary.write_text(fingerprint(locate(stored)[0]), "ascii")
    except OSError as error:
        problem = f"{path} could not be written: {(error.strerror or type(error).__name__).lower()}."
    else:
        return
    raise IndexUnavailable(
        problem, code="index-write-failed", hint="Check the free space and the rights of its folder."
    )


def belongs(at: Settings, stored: Connection) -> bool:
    """Whether the index of a connection is of the database that it leads to now; in doubt it is."""
    try:
        indexed = database_path(at, stored.name).read_text("ascii")
        target, _ = connection_url.parse(credentials.expand_url(stored.url), check_file=False)
    except (OSError, ValueError, DbgraphError):  # nothing was noted, or the URL's variable is not set now
        return True
    return indexed == fingerprint(target)


def of_another_database(name: str) -> IndexUnavailable:
    """The error for an index that does not belong to its connection any more."""
    return IndexUnavailable(
        f"The index of {name} is of another database than the one that its URL leads to now.",
        code="index-of-another-database",
        hint=f"Run %dbgraph index {name} to build it anew.",
    )
