"""The options of a database URL, read strictly: every name and value is known, or refused.

In: the part of a URL behind ``?``. Out: a dict of checked options, a password apart. Never: an error that repeats a
value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import unquote_to_bytes

from dbgraph_nb.errors import BadArgument

Check = Callable[[str, str], str]

SSL_MODES = ("DISABLED", "PREFERRED", "REQUIRED", "VERIFY_CA", "VERIFY_IDENTITY")
_PASSWORDS = ("password", "passwd", "pwd")


def decode(text: str, what: str) -> str:
    """Percent-decoded text; a ``%`` that begins no code stays.

    Raises:
        BadArgument: the bytes are not UTF-8, or hold a NUL.

    >>> decode("100%25%20%E7%94%A8", "path"), decode("50%", "password")
    ('100% 用', '50%')
    """
    try:
        decoded = unquote_to_bytes(text).decode("utf-8")
    except (UnicodeDecodeError, UnicodeEncodeError):
        decoded = "\0"
    if "\0" in decoded:
        raise BadArgument(f"The {what} in the URL is not percent-encoded UTF-8.", code="bad-url")
    return decoded


def read(query: str, known: Mapping[str, Check], dialect: str) -> dict[str, str]:
    """Options by name, each checked; ``-`` and ``_`` in a name are the same.

    Raises:
        BadArgument: an unknown name (code ``unknown-url-option``) or a value that cannot be (``bad-url-option``).
    """
    found: dict[str, str] = {}
    for part in filter(None, query.split("&")):
        written, _, value = part.partition("=")
        name = decode(written, "option name").strip().lower().replace("-", "_")
        if name not in known:
            shown = f" {name}" if re.fullmatch(r"\w{1,40}", name) else ""
            raise BadArgument(
                f"The URL option{shown} is not known for {dialect}.",
                code="unknown-url-option",
                hint=f"Known: {', '.join(option for option in known if option not in _PASSWORDS)}.",
            )
        if name in found:
            raise BadArgument(f"The URL option {name} is given twice.", code="bad-url-option")
        if name not in _PASSWORDS:
            value = value.replace("+", " ")  # as forms write a space, and as Target.url does
        found[name] = known[name](name, decode(value, f"option {name}"))
    return found


def read_server(query: str, dialect: str) -> tuple[dict[str, str], str | None]:
    """The options of a server URL, with one ``ssl_mode`` for all TLS options; and a password written as an option.

    Raises:
        BadArgument: as ``read``; also for TLS options that contradict each other.

    >>> read_server("ssl=true&pwd=x", "mysql")
    ({'ssl_mode': 'REQUIRED'}, 'x')
    """
    found = read(query, SERVER, dialect)
    passwords = [found.pop(name) for name in _PASSWORDS if name in found]
    if len(passwords) > 1:
        raise BadArgument("The URL has a password twice.", code="two-passwords")
    found.pop("charset", None)  # it can only be what it always is
    mode = _one_ssl_mode(found)
    if mode:
        found["ssl_mode"] = mode
    if ("ssl_cert" in found) != ("ssl_key" in found):
        raise BadArgument("The URL options ssl_cert and ssl_key belong together.", code="bad-url-option")
    return found, passwords[0] if passwords else None


def read_postgres(query: str, dialect: str) -> tuple[dict[str, str], str | None]:
    """The options of a PostgreSQL URL, in libpq's own words; and a password written as an option.

    Raises:
        BadArgument: as ``read``; also for TLS options that contradict each other.

    >>> read_postgres("sslmode=require&password=x", "postgres")
    ({'sslmode': 'require'}, 'x')
    """
    found = read(query, POSTGRES, dialect)
    passwords = [found.pop(name) for name in _PASSWORDS if name in found]
    if len(passwords) > 1:
        raise BadArgument("The URL has a password twice.", code="two-passwords")
    found.pop("client_encoding", None)  # it can only be what it always is
    if ("sslcert" in found) != ("sslkey" in found):
        raise BadArgument("The URL options sslcert and sslkey belong together.", code="bad-url-option")
    if found.get("sslmode") == "disable" and found.keys() & {"sslrootcert", "sslcert"}:
        raise BadArgument("The TLS options of the URL contradict each other.", code="bad-url-option")
    if "sslrootcert" in found and "sslmode" not in found:
        found["sslmode"] = "verify-ca"
    return found, passwords[0] if passwords else None


def _one_ssl_mode(found: dict[str, str]) -> str | None:
    """What all TLS options together ask for: a CA asks to be checked against, a certificate of ours for TLS."""
    asked = {found.pop("ssl_mode")} if "ssl_mode" in found else set()
    switch = found.pop("ssl", None)
    for name, mode in (("ssl_verify_identity", "VERIFY_IDENTITY"), ("ssl_verify_cert", "VERIFY_CA")):
        if found.pop(name, None) == "true" and "VERIFY_IDENTITY" not in asked:
            asked.add(mode)
    if switch == "false":
        asked.add("DISABLED")
    if not asked and "ssl_ca" in found:
        asked.add("VERIFY_CA")
    if not asked and (switch == "true" or "ssl_cert" in found):
        asked.add("REQUIRED")
    needs_tls = switch == "true" or "ssl_ca" in found or "ssl_cert" in found
    if len(asked) > 1 or ("DISABLED" in asked and needs_tls):
        raise BadArgument("The TLS options of the URL contradict each other.", code="bad-url-option")
    return asked.pop() if asked else None


# --- checks: each takes the name and the value of an option and returns the value as it is kept ------------------


def _choice(*known: str) -> Check:
    def check(name: str, value: str) -> str:
        found = {k.lower().replace("-", "_"): k for k in known}.get(value.lower().replace("-", "_"))
        if found is None:
            raise BadArgument(f"The URL option {name} must be one of {', '.join(known)}.", code="bad-url-option")
        return found

    return check


def _boolean(name: str, value: str) -> str:
    if value.lower() in ("true", "1", "yes", "on"):
        return "true"
    if value.lower() in ("false", "0", "no", "off"):
        return "false"
    raise BadArgument(f"The URL option {name} must be true or false.", code="bad-url-option")


def _seconds(name: str, value: str) -> str:
    if not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,3})?", value) or float(value) <= 0:
        raise BadArgument(f"The URL option {name} must be a number of seconds under 1000.", code="bad-url-option")
    return value


def _charset(name: str, value: str) -> str:
    if value.lower() not in ("utf8mb4", "utf8"):
        raise BadArgument(
            f"The URL option {name} can only be utf8mb4.",
            code="bad-url-option",
            hint="The server converts texts of other character sets by itself; leave the option out.",
        )
    return "utf8mb4"


def _file(name: str, value: str) -> str:
    if not value:
        raise BadArgument(f"The URL option {name} needs a path.", code="bad-url-option")
    return str(Path.cwd() / Path(value).expanduser())


def _as_it_is(name: str, value: str) -> str:
    return value


FILE: dict[str, Check] = {"mode": _choice("ro"), "uri": _boolean}
PG_SSL_MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
POSTGRES: dict[str, Check] = {
    "sslmode": _choice(*PG_SSL_MODES),
    "sslrootcert": _file,
    "sslcert": _file,
    "sslkey": _file,
    "connect_timeout": _seconds,
    "client_encoding": _choice("utf8"),
    "host": _file,
    **dict.fromkeys(_PASSWORDS, _as_it_is),
}
SERVER: dict[str, Check] = {
    "ssl_mode": _choice(*SSL_MODES),
    "ssl_ca": _file,
    "ssl_cert": _file,
    "ssl_key": _file,
    "ssl": _boolean,
    "ssl_verify_cert": _boolean,
    "ssl_verify_identity": _boolean,
    "connect_timeout": _seconds,
    "charset": _charset,
    "unix_socket": _file,
    **dict.fromkeys(_PASSWORDS, _as_it_is),
}
