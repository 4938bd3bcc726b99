"""A database URL as people write it → a ``Target`` without a secret, and the password apart.

In: the text of a URL. Out: ``(Target, password or None)``. Never: a network or database access, and never an error
that repeats the URL: at most its scheme and the names of its options.
"""

from __future__ import annotations

import re
from pathlib import Path

from dbgraph_nb import url_options
from dbgraph_nb.errors import BadArgument, ConnectionFailed
from dbgraph_nb.model import Dialect, Target
from dbgraph_nb.url_options import decode

_DRIVERS: dict[str, tuple[str, ...]] = {
    "sqlite": ("pysqlite",),
    "mysql": ("pymysql", "mysqldb", "mysqlconnector"),
    "mariadb": ("pymysql", "mysqldb", "mariadbconnector"),
    "postgresql": ("psycopg", "psycopg2", "pg8000", "asyncpg"),
    "postgres": ("psycopg",),
    "duckdb": (),
    "redis": (),
    "rediss": (),
}
_LONGEST_PATH = 4_096
_SHOWN = 300  # characters of a path in an error
_SUPPORTED = ("sqlite", "duckdb", "mysql", "mariadb", "postgresql", "postgres")
_EXAMPLES = (
    "Known: sqlite:///path/to/file.db, duckdb:///path/to/file.duckdb, mysql://user@host:3306/database, "
    "mariadb://user@host:3306/database, postgresql://user@host:5432/database."
)
_FORM = {
    "mysql": "mysql://user@host:3306/database",
    "mariadb": "mariadb://user@host:3306/database",
    "postgres": "postgresql://user@host:5432/database",
}
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9.-]{0,30})(?:\+([A-Za-z0-9_]{1,30}))?:(//)?")
# What follows the "@" that ends the password: strict, so that "@", "/", ":", "#" and "?" may be inside a password.
_LOCATION = re.compile(
    r"""(?P<host>\[[0-9A-Fa-f:.]+(?:%[\w.-]+)?\]|[^\s\[\]@:/?\#]*)
        (?::(?P<port>[^@/?\#]*))?
        (?:/(?P<database>[^@/?\#]*))?
        (?:\?(?P<query>(?:[^=&?]+=[^&]*)(?:&[^=&?]+=[^&]*)*)?)?""",
    re.VERBOSE,
)


def parse(url: str, *, check_file: bool = True) -> tuple[Target, str | None]:
    """Reads a database URL.

    Args:
        url: ``sqlite:///relative.db``, ``sqlite:////absolute.db``, ``duckdb:///…`` in the same way,
            ``mysql://user:password@host:port/database?option=…``, ``mariadb://…``, ``postgresql://…``, and SQLAlchemy's
            spellings of these such as ``mysql+pymysql://``. Special characters may be percent-encoded; a password may
            also hold them as they are.
        check_file: whether a missing file is an error.

    Returns:
        The target (the path of a file is made absolute), and the password or None if the URL has none.

    Raises:
        BadArgument: the URL is not usable; the message never repeats a password.
        ConnectionFailed: the file does not exist (code ``file-missing``).

    >>> target, password = parse("mysql+pymysql://reader:s%40cret@127.0.0.1:3307/shop")
    >>> target.url, password
    ('mysql://reader@127.0.0.1:3307/shop', 's@cret')
    """
    if not isinstance(url, str):
        raise BadArgument(f"The URL is a {type(url).__name__}, not text.", code="bad-url", hint=_EXAMPLES)
    text = url.strip()
    match = _SCHEME.match(text)
    if not match or not (match[3] or match[1].lower() in _DRIVERS):
        raise BadArgument("That is not a database URL.", code="bad-url", hint=_EXAMPLES)
    scheme, driver = match[1].lower(), (match[2] or "").lower()
    if scheme not in _DRIVERS:
        raise BadArgument(f"The scheme {scheme}:// is not known.", code="unknown-scheme", hint=_EXAMPLES)
    if driver and driver not in _DRIVERS[scheme]:
        known = ", ".join(f"{scheme}+{name}" for name in _DRIVERS[scheme]) or scheme
        raise BadArgument(
            f"The driver in {scheme}+{driver}:// is not known.", code="unknown-scheme", hint=f"Use {known}."
        )
    if scheme not in _SUPPORTED:
        raise BadArgument(
            f"{scheme}:// is not supported yet in this version.", code="engine-not-supported", hint=_EXAMPLES
        )
    if not match[3]:
        raise BadArgument(f"The URL needs // after {scheme}:.", code="bad-url", hint=_EXAMPLES)
    rest = text[match.end() :]
    if scheme in ("sqlite", "duckdb"):
        return _file("sqlite" if scheme == "sqlite" else "duckdb", rest, check_file), None
    return _server("postgres" if scheme.startswith("postgres") else "mariadb" if scheme == "mariadb" else "mysql", rest)


# --- files ----------------------------------------------------------------------------------------------------


def _file(dialect: Dialect, rest: str, check_file: bool) -> Target:
    """``rest`` is what follows ``sqlite://``: three slashes are a relative path, four an absolute one."""
    title, ending = ("SQLite", "db") if dialect == "sqlite" else ("DuckDB", "duckdb")
    place, _, query = rest.partition("?")
    if place and not place.startswith("/"):
        raise BadArgument(
            f"A {title} URL has no host: three slashes for a relative path, four for an absolute one.",
            code="bad-url",
            hint=f"Write {dialect}:///file.{ending} or {dialect}:////folder/file.{ending}.",
        )
    path = decode(place[1:], "path")
    options = url_options.read(query, url_options.FILE, dialect)
    if "uri" in options:
        path = path.removeprefix("file:")
    if path in ("", ":memory:"):
        raise BadArgument(
            f"An in-memory {title} database has nothing in it to explore.",
            code="in-memory-database",
            hint=f"Give a file: {dialect}:///path/to/file.{ending}.",
        )
    file = Path(path)
    try:
        absolute = Path.cwd() / (file.expanduser() if path.startswith("~") else file)
    except RuntimeError:
        raise BadArgument(f"There is no home folder for {file.parts[0]}.", code="bad-url") from None
    absolute = Path(*_without_dots(absolute.parts))
    if len(path) > _LONGEST_PATH:
        raise BadArgument(
            f"The path of the {title} file has {len(path):,} characters; at most {_LONGEST_PATH:,}.", code="bad-url"
        )
    if check_file and not _exists(absolute):
        raise ConnectionFailed(
            f"There is no file {absolute}.",
            code="file-missing",
            hint="A relative path starts at the current folder; an absolute one has four slashes: "
            f"{dialect}:////folder/file.",
        )
    return Target(dialect, str(absolute))


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError as error:  # a part that is too long, a folder that cannot be entered, links in a circle
        reason = (error.strerror or "it cannot be looked at").lower()
    shown = str(path) if len(str(path)) <= _SHOWN else f"{str(path)[:_SHOWN]}…"
    raise ConnectionFailed(
        f"The file {shown} cannot be opened: {reason}.",
        code="file-not-readable",
        hint="Check the path and its permissions.",
    )


def _without_dots(parts: tuple[str, ...]) -> list[str]:
    kept: list[str] = []
    for part in parts:
        if part == ".." and len(kept) > 1:
            kept.pop()
        elif part not in (".", ".."):
            kept.append(part)
    return kept


# --- servers --------------------------------------------------------------------------------------------------


def _server(dialect: Dialect, rest: str) -> tuple[Target, str | None]:
    credentials, found = _split(rest)
    user, colon, written = credentials.partition(":")
    password = decode(written, "password") if colon else None
    read = url_options.read_postgres if dialect == "postgres" else url_options.read_server
    options, in_query = read(found["query"] or "", dialect)
    if in_query is not None:
        if password:
            raise BadArgument("The URL has a password twice, before the @ and as an option.", code="two-passwords")
        password = in_query
    database = decode(found["database"] or "", "database name")
    if not database:
        raise BadArgument("The URL names no database.", code="no-database", hint=f"Write {_FORM[dialect]}.")
    host = (found["host"] or "").strip("[]")
    target = Target(
        dialect=dialect,
        database=database,
        host=decode(host, "host name") or "localhost",
        port=_port(found["port"]),
        user=decode(user, "user name") or None,
        options=tuple(sorted(options.items())),
    )
    return target, password


def _split(rest: str) -> tuple[str, re.Match[str]]:
    """Divides at the first ``@`` after which everything reads as host, port, database and options."""
    match = _LOCATION.fullmatch(rest)
    if match and ("@" not in rest or (match["database"] and (match["port"] or "0").isdigit())):
        return "", match
    at = rest.find("@")
    while at >= 0:
        match = _LOCATION.fullmatch(rest, at + 1)
        if match:
            return rest[:at], match
        at = rest.find("@", at + 1)
    raise BadArgument(
        "The URL cannot be read as user:password@host:port/database?option=value.",
        code="bad-url",
        hint="Percent-encode special characters: @ is %40, / is %2F, : is %3A, # is %23, ? is %3F.",
    )


def _port(text: str | None) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 65536):
        raise BadArgument("The port in the URL is not a number from 1 to 65535.", code="bad-port")
    return int(text)
