"""Connections by name: connect, list, drop the index, forget the whole.

In: a name, a URL, a credential reference. Out: stored connections and small tables about them. Never: a password in
a file, a table or an error.
"""

from __future__ import annotations

import shutil
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from dbgraph_nb import connection_store, connection_url, credentials
from dbgraph_nb.engines import Engine, open_engine
from dbgraph_nb.errors import BadArgument, ConnectionFailed, CredentialMissing, DbgraphError, IndexUnavailable
from dbgraph_nb.explore import asking, context, policies
from dbgraph_nb.model import Connection, SensitivePolicy, Target
from dbgraph_nb.settings import Settings

if TYPE_CHECKING:
    from dbgraph_nb.result import ResultFrame


def connect(
    name: str,
    url: str,
    *,
    credential: str | None = None,
    sensitive: SensitivePolicy | Literal["redact", "show"] = "redact",
) -> Connection:
    """Tries a database and stores it under a name; a later connection of the same name replaces it.

    The index of a replaced connection is dropped, with a warning, if it is of another database, or if the policy now
    names other columns (it could hold samples of them). The same URL again asks for no password again.

    Args:
        name: how you will call it; up to 64 characters, Chinese is fine.
        url: ``sqlite:///path``, ``duckdb:///path``, ``mysql://user@host:port/database``, ``mariadb://…``,
            ``postgresql://user@host:port/database`` (SQLAlchemy spellings too), or
            ``env:NAME`` to read the URL from the environment or ``.env`` at each use. A password in a URL goes to
            the system's keyring, or is remembered by this process only if there is none; it is never written.
        credential: where the password is: ``keyring:``, ``env:NAME`` or ``prompt:``.
        sensitive: ``"redact"`` (the default policy), ``"show"``, or a ``SensitivePolicy``.

    Returns:
        The connection as it was stored, without any password.

    Raises:
        BadArgument: the name, URL, option or policy is not usable; nothing was opened.
        CredentialMissing: the credential reference leads nowhere and nobody can be asked.
        ConnectionFailed: the database could not be reached or refused us; nothing was stored.
    """
    at = context.settings()
    name = connection_store.check_name(name)
    policies.check(sensitive)
    if credential is not None:
        credentials.check_reference(credential)
    old = connection_store.get(at.home, name)
    target, password = connection_url.parse(credentials.expand_url(url))
    if password is not None and credential is not None:
        raise BadArgument(
            "The URL has a password and a credential is given too.",
            code="two-credentials",
            hint="Give one of them.",
        )
    from_environment = url.startswith("env:")
    stored = Connection(name, url if from_environment else target.url, credential, sensitive)
    if credential is not None:
        may = _tried(context.open_connection(stored, timeout=at.timeout))
    elif from_environment:
        may = _tried(open_engine(target, password, timeout=at.timeout))
    elif password is not None:
        may = _tried(open_engine(target, password, timeout=at.timeout))
        stored = replace(stored, credential=_keep(name, target, password) if password else None)
    else:
        known = old.credential if old is not None and old.url == target.url else None
        reference, may = _settle_credential(stored, target, known, at.timeout)
        stored = replace(stored, credential=reference)
    connection_store.put(at.home, stored)
    if old is not None:
        _part_with(old, stored, at)
    if may:
        warnings.warn(
            f"The user of {name} may {', '.join(may)}; only the gate stops a statement that does. "
            "Connect with a user that may only read.",
            stacklevel=2,
        )
    return stored


def _tried(engine: Engine) -> tuple[str, ...]:
    """What the login may do beyond reading; the engine is closed."""
    with engine:
        return engine.privileges()


def _settle_credential(
    stored: Connection, target: Target, known: str | None, timeout: float
) -> tuple[str | None, tuple[str, ...]]:
    """Opens with the reference that is known for this URL, or without a password; if that is refused, asks once.
    Returns the reference to store, and what the login may do beyond reading."""
    ask = asking.current()
    try:
        password = context.credential(replace(stored, credential=known), target, None)
        may = _tried(open_engine(target, password, timeout=timeout))
    except (ConnectionFailed, CredentialMissing) as error:
        if ask is None or error.code not in ("access-denied", "keyring-missing", "env-missing", "no-prompt"):
            raise
    else:
        return known, may
    typed = credentials.resolve("prompt:", name=stored.name, target=target, ask=ask, remembered={})
    assert typed is not None  # a prompt answers or raises
    may = _tried(open_engine(target, typed, timeout=timeout))
    return _keep(stored.name, target, typed), may


def _keep(name: str, target: Target, password: str) -> str:
    """Puts a password that works into the keyring, or keeps it in this process; returns its reference."""
    reference = credentials.store(name, target, password)
    if reference is not None:
        return reference
    context.remembered(target)[name] = password
    return "prompt:"


def _part_with(old: Connection, stored: Connection, at: Settings) -> None:
    """Removes what the replaced connection leaves and the new one must not use, and says so."""
    if old.credential != stored.credential and (old.credential or "").startswith(f"keyring:{credentials.SERVICE}/"):
        credentials.discard(old.credential, name=old.name)
    reason = None
    if not context.belongs(at, stored):
        reason = "leads to another database now"
    elif policies.names(old) != policies.names(stored):
        reason = "has a policy that names other columns now"
    if reason and context.index_path(at, stored.name).exists():
        _drop_index(at, stored.name)
        warnings.warn(
            f"{stored.name} {reason}; its index was dropped. %dbgraph index {stored.name} builds a new one.",
            stacklevel=3,
        )


def connections() -> ResultFrame:
    """The stored connections: name, engine, URL without password, credential reference, policy, index level."""
    from dbgraph_nb import result
    from dbgraph_nb.explore.cataloging import level_of, status_of

    at = context.settings()
    rows = []
    for stored in connection_store.all_connections(at.home):
        level = level_of(status_of(at, stored)[0])
        shown = stored.sensitive if isinstance(stored.sensitive, str) else "custom"
        rows.append((stored.name, context.dialect(stored), stored.url, stored.credential or "", shown, level))
    names = ("name", "engine", "url", "credential", "sensitive", "index")
    return result.from_records(names, rows, result.ResultMeta(len(rows), source="connections"))


def drop(name: str) -> None:
    """Removes the index of a connection; the connection, its aliases and the database stay.

    Raises:
        UnknownName: there is no such connection.
    """
    at = context.settings()
    _drop_index(at, context.connection(name, at).name)


def _drop_index(at: Settings, name: str) -> None:
    try:
        for first in (context.status_path(at, name), context.index_path(at, name), context.database_path(at, name)):
            for path in first.parent.glob(f"{first.name}*"):  # with leftovers of broken runs
                path.unlink(missing_ok=True)
    except OSError as error:
        problem = f"The index of {name} could not be removed: {(error.strerror or type(error).__name__).lower()}."
    else:
        return
    raise IndexUnavailable(problem, code="index-not-removed", hint="Check the rights of its folder.")


def forget(name: str) -> None:
    """Removes a connection with its index, its aliases and its password in the keyring; the database stays.

    Raises:
        UnknownName: there is no such connection.
    """
    at = context.settings()
    try:
        stored = context.connection(name, at)
    except DbgraphError as error:
        if error.code != "connections-file-broken":
            raise  # a broken entry can still be removed; a file that is broken as a whole is refused below
    else:
        credentials.discard(stored.credential, name=stored.name)
    name = connection_store.check_name(name)
    context.forget(name)
    connection_store.remove(at.home, name)
    shutil.rmtree(connection_store.folder(at.home, name), ignore_errors=True)
