"""The named connections, in ``connections.json``: a reference to each credential, never a credential.

In: the home folder and ``Connection`` values. Out: the same, and a 0600 file that is replaced whole. Never: a
password in the file, a half-written file, or a change to a file that cannot be read. It is long for the many ways in
which a file that people edit can be broken.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dbgraph_nb import connection_url
from dbgraph_nb.errors import BadArgument, DbgraphError, UnknownName
from dbgraph_nb.model import Connection, SensitivePolicy

FILE_NAME = "connections.json"
_LONGEST_NAME = 64
_REFERENCE = re.compile(r"keyring:.*|env:[A-Za-z_][A-Za-z0-9_]*|prompt:")
_LOCK_SECONDS = 10


def check_name(name: str) -> str:
    """Whether ``name`` can be a connection's name; returns it in Unicode's composed form (NFC).

    Raises:
        BadArgument: it is empty, longer than 64 characters, or holds a character that no name should (code
            ``bad-connection-name``).

    >>> check_name("订单库")
    '订单库'
    """
    reason = None
    if not isinstance(name, str) or not name.strip():
        reason = "A connection needs a name."
    elif "://" in name:
        reason = "A URL was given where the name of a connection belongs."  # not repeated: it may hold a password
    elif len(name) > _LONGEST_NAME:
        reason = f"A connection's name has at most {_LONGEST_NAME} characters; this one has {len(name)}."
    elif name != name.strip() or name.startswith("-"):
        reason = f"The name {name!a} begins or ends with a space, or begins with a dash."
    elif any(c in "/\\" or unicodedata.category(c)[0] == "C" for c in name) or name in (".", ".."):
        reason = f"The name {name!a} holds a slash, a backslash or an invisible character."
    if reason:
        raise BadArgument(reason, code="bad-connection-name", hint="Use letters, digits, _ and -; Chinese is fine.")
    return unicodedata.normalize("NFC", name)


def all_connections(home: Path) -> list[Connection]:
    """The stored connections, by name.

    Raises:
        DbgraphError: the file cannot be read (code ``connections-file-broken``); it is left as it is.
    """
    stored = _entries(_read(home))
    return [_connection(home, name, stored[name]) for name in sorted(stored)]


def get(home: Path, name: str) -> Connection | None:
    """The connection of that name, or None.

    Raises:
        DbgraphError: as ``all_connections``.
    """
    name = unicodedata.normalize("NFC", name)
    entry = _entries(_read(home)).get(name)
    return None if entry is None else _connection(home, name, entry)


def put(home: Path, connection: Connection) -> None:
    """Stores a connection in place of one of the same name; keys of the file that we do not know are kept.

    Raises:
        BadArgument: the name is not usable, the URL holds a password (code ``password-in-url``), or the credential
            is no reference (``bad-reference``).
        DbgraphError: the file cannot be read or written, or another process holds it.
    """
    name = check_name(connection.name)
    _check_no_secret(connection)
    with _locked(home):
        content = _read(home)
        entries = content.setdefault("connections", {})
        old = _entries(content).get(name)
        kept = old.items() if isinstance(old, dict) else ()
        entry = {k: v for k, v in kept if k not in ("url", "credential", "sensitive")}
        entry["url"] = connection.url
        if connection.credential is not None:
            entry["credential"] = connection.credential
        policy = connection.sensitive
        entry["sensitive"] = policy if isinstance(policy, str) else asdict(policy)
        entries[name] = entry
        _write(home, content)


def remove(home: Path, name: str) -> None:
    """Removes a connection from the file, also one whose entry is broken; its index is not touched.

    Raises:
        UnknownName: there is none of that name (code ``unknown-connection``).
        DbgraphError: as ``put``.
    """
    name = unicodedata.normalize("NFC", name)
    with _locked(home):
        content = _read(home)
        written = [known for known in _entries(content) if unicodedata.normalize("NFC", known) == name]
        if not written:
            raise UnknownName(f"There is no connection named {name!r}.", code="unknown-connection")
        for known in written:
            del content["connections"][known]
        _write(home, content)


def folder(home: Path, name: str) -> Path:
    """The folder of everything that is derived from one connection; not created here.

    >>> folder(Path("/h"), "订单 库").name
    '订单_库-235d6887'
    """
    name = unicodedata.normalize("NFC", name)
    readable = re.sub(r"[^\w-]", "_", name)[:40]
    return home / "catalog" / f"{readable}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def _check_no_secret(connection: Connection) -> None:
    if not connection.url.startswith("env:"):
        _, password = connection_url.parse(connection.url, check_file=False)
        if password is not None:
            raise BadArgument("A stored URL cannot hold a password.", code="password-in-url")
    if connection.credential is not None and not _REFERENCE.fullmatch(connection.credential):
        raise BadArgument(
            "A credential is stored as a reference only.",
            code="bad-reference",
            hint="Use keyring:, env:NAME or prompt:.",
        )


# --- the file -------------------------------------------------------------------------------------------------


def _read(home: Path) -> dict[str, Any]:
    path = home / FILE_NAME
    reason: str | None
    try:
        content: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {"version": 1, "connections": {}}
    except OSError as error:
        reason = (error.strerror or "it cannot be read").lower()
    except (ValueError, RecursionError):  # JSON and UTF-8 alike; their text could repeat a part of the file
        reason = "it is not valid JSON"
    else:
        reason = _malformed(content)
        if reason is None:
            return content
    raise _broken(path, reason)


def _malformed(content: object) -> str | None:
    if not isinstance(content, dict) or not isinstance(content.get("connections", {}), dict):
        return "it does not hold an object of connections"
    if content.get("version", 1) != 1:
        return "it was written by another version of dbgraph_nb"
    return None


def _broken(path: Path, reason: str) -> DbgraphError:
    return DbgraphError(
        f"{path} cannot be used: {reason}.",
        code="connections-file-broken",
        hint="It was left as it is: correct it or remove the entry, or move it away and connect again.",
    )


def _entries(content: dict[str, Any]) -> dict[str, Any]:
    """Name → entry as it is in the file, which a person may have edited."""
    found: dict[str, Any] = content.get("connections", {})
    return found


def _connection(home: Path, name: str, entry: Any) -> Connection:
    """The entry as a connection; what is not one is named, but nothing of it is repeated: it may hold a password."""
    problem = _wrong(name, entry)
    if problem:
        shown = "an entry" if "://" in name else f"the entry {name!r}"
        raise _broken(home / FILE_NAME, f"{shown} {problem}")
    return Connection(
        name, entry["url"], entry.get("credential"), _policy(home, name, entry.get("sensitive", "redact"))
    )


def _wrong(name: str, entry: Any) -> str | None:
    if not isinstance(entry, dict):
        return "is not an object"
    url, credential = entry.get("url"), entry.get("credential")
    if not isinstance(url, str) or not (credential is None or isinstance(credential, str)):
        return "has no url, or a credential that is no text"
    try:
        check_name(name)
        _check_no_secret(Connection(name, url, credential))
    except BadArgument as error:
        return _SAID.get(error.code, f"has a url that cannot be read ({error.code})")
    return None


_SAID = {
    "password-in-url": "has a password in its url",
    "bad-reference": "has a credential that is no reference (keyring:, env:NAME or prompt:)",
    "bad-connection-name": "has a name that no connection can have",
}


def _policy(home: Path, name: str, stored: object) -> Any:
    if stored in ("redact", "show"):
        return stored
    if isinstance(stored, dict):
        standard = asdict(SensitivePolicy())
        given: dict[str, Any] = {
            key: tuple(v) if isinstance(v, list) else v for key, v in stored.items() if key in standard
        }
        texts = (text for value in given.values() if isinstance(value, tuple) for text in value)
        if all(type(v) is type(standard[key]) for key, v in given.items()) and all(isinstance(t, str) for t in texts):
            return SensitivePolicy(**given)
    # A policy that cannot be read must not turn into one that shows more.
    raise _broken(home / FILE_NAME, f"the entry {name!r} has a sensitive policy that cannot be read")


def _write(home: Path, content: dict[str, Any]) -> None:
    """Writes a new file beside the old one and puts it in its place at once."""
    path = home / FILE_NAME
    draft = home / f"{FILE_NAME}.{os.getpid()}-{secrets.token_hex(4)}.tmp"
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump(content, file, ensure_ascii=False, indent=2)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        problem = _not_writable(home, error)
    else:
        return
    finally:
        draft.unlink(missing_ok=True)
    raise problem


def _not_writable(home: Path, error: OSError) -> DbgraphError:
    return DbgraphError(
        f"Connections cannot be stored in {home}: {(error.strerror or type(error).__name__).lower()}.",
        code="home-not-writable",
        hint="Name a folder you may write to in DBGRAPH_NB_HOME.",
    )


@contextmanager
def _locked(home: Path) -> Iterator[None]:
    """One writer at a time, across processes."""
    import filelock

    lock = filelock.FileLock(home / f"{FILE_NAME}.lock", timeout=_LOCK_SECONDS, mode=0o600)
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock.acquire()
    except filelock.Timeout:
        problem = DbgraphError(
            f"Another process holds {home / FILE_NAME} for more than {_LOCK_SECONDS} s.", code="connections-file-busy"
        )
    except OSError as error:
        problem = _not_writable(home, error)
    else:
        try:
            yield
        finally:
            lock.release()
        return
    raise problem
