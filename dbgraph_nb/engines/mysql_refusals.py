"""Why a MySQL or MariaDB server could not be connected to, in one sentence each.

In: an error number, the operating system's or TLS's error, the target. Out: ``ConnectionFailed``. Never: the server's
own text.
"""

from __future__ import annotations

import socket
import ssl

from dbgraph_nb.engines.echo import Told
from dbgraph_nb.errors import ConnectionFailed
from dbgraph_nb.model import Target

# The server, or what is between it and us, is gone.
LOST = frozenset({0, 1053, 1077, 1079, 1080, 1152, 1158, 1159, 1160, 1161, 1927, 2006, 2013, 2014, 2027, 4031})

_DENIED = Told(
    code="access-denied",
    sentence="{where} refused the user {user} or the password.",
    hint="Check both, and from which computers that user may connect.",
)
_TOO_MANY = Told(
    code="too-many-connections",
    sentence="{where} has no connection left for {user}.",
    hint="Try again later, or close other connections.",
)
_EXPIRED = Told(
    code="password-expired",
    sentence="The password of {user} on {where} has expired.",
    hint="Set a new one with another program.",
)
_HOST_DENIED = Told(code="host-not-allowed", sentence="{where} does not let this computer connect.")
_LOCKED = Told(code="account-locked", sentence="The account {user} on {where} is locked.")
_LOGIN = Told(
    code="login-not-supported",
    sentence="{where} asks for a way to log in that is not known here, or that sends the password unprotected.",
    hint="Use TLS (ssl_mode=REQUIRED), or a user with another authentication plugin.",
)
_REFUSED = {
    1045: _DENIED,
    1698: _DENIED,
    1044: Told(code="database-denied", sentence="The user {user} may not use the database {database} on {where}."),
    1049: Told(
        code="unknown-database",
        sentence="{where} has no database {database}.",
        hint="Check its name; upper and lower case may matter.",
    ),
    1040: _TOO_MANY,
    1203: _TOO_MANY,
    1226: _TOO_MANY,
    1129: _HOST_DENIED,
    1130: _HOST_DENIED,
    1820: _EXPIRED,
    1862: _EXPIRED,
    3118: _LOCKED,
    4151: _LOCKED,
    1251: _LOGIN,
    2058: _LOGIN,
    2059: _LOGIN,
    1193: Told(
        code="server-too-old",
        sentence="{where} does not know the settings that make a session read-only.",
        hint="It needs MySQL 5.7.8, MariaDB 10.1, or newer.",
    ),
    2026: Told(
        code="tls-not-offered",
        sentence="{where} offers no TLS, and the URL asks for it.",
        hint="Use ssl_mode=PREFERRED or DISABLED only where that is safe.",
    ),
    3159: Told(
        code="tls-required", sentence="{where} accepts only connections with TLS.", hint="Use ssl_mode=REQUIRED."
    ),
}
_NO_SERVER = Told(
    code="not-a-server",
    sentence="What listens at {where} does not speak like a MySQL or MariaDB server.",
    hint="Check the port.",
)
_OTHER = Told(code="connection-failed", sentence="{where} refused the connection (error {number}).")
_CERTIFICATE = Told(
    code="tls-not-trusted",
    sentence="The TLS certificate of {where} is not signed by the given authority for that host name.",
    hint="Check ssl_ca and the host name of the URL.",
)
_TLS = Told(
    code="tls-failed",
    sentence="TLS with {where} failed.",
    hint="Check the TLS options of the URL, and those of the server.",
)
_UNKNOWN_HOST = Told(
    code="unknown-host", sentence="The host name {host} is not known.", hint="Check its spelling, and the network."
)
_SILENT = Told(
    code="connection-timeout",
    sentence="{where} does not answer.",
    hint="Check host, port and network (a VPN, a firewall).",
)
_NOBODY = Told(
    code="connection-refused",
    sentence="Nothing listens at {where}.",
    hint="Check host and port, and whether the server runs.",
)
_NO_WAY = Told(code="host-unreachable", sentence="{where} cannot be reached.", hint="Check host, port and network.")


def place(target: Target) -> str:
    """Where the server is, for people: ``host:port`` or the path of its socket.

    >>> place(Target("mysql", "shop", host="::1"))
    '[::1]:3306'
    """
    path = dict(target.options).get("unix_socket")
    if path:
        return path
    host = target.host or "localhost"
    return f"{f'[{host}]' if ':' in host else host}:{target.port or 3306}"


def refusal(
    target: Target, *, number: int | None = None, cause: BaseException | None = None, with_password: bool = True
) -> ConnectionFailed:
    """The error for a connection that did not come about.

    Args:
        number: of the server's or the driver's error; None if what answered is no such server.
        cause: the error of the operating system or of TLS, if there is one.
        with_password: whether a password was given.
    """
    told = _unreachable(cause) if cause is not None else _answered(number)
    hint = told.hint
    if told is _DENIED and not with_password:
        hint = "No password was given: name a credential (keyring:, env:NAME or prompt:)."
    sentence = told.sentence.format(
        where=place(target),
        host=target.host or "localhost",
        user=target.user or "this user",
        database=target.database,
        number=number,
    )
    return ConnectionFailed(sentence, code=told.code, hint=hint)


def _answered(number: int | None) -> Told:
    if number is None or number in LOST:
        return _NO_SERVER
    return _REFUSED.get(number, _OTHER)


def _unreachable(cause: BaseException) -> Told:
    if isinstance(cause, ssl.SSLCertVerificationError):
        return _CERTIFICATE
    if isinstance(cause, ssl.SSLError):
        return _TLS
    if isinstance(cause, socket.gaierror | UnicodeError):
        return _UNKNOWN_HOST
    if isinstance(cause, TimeoutError):
        return _SILENT
    if isinstance(cause, ConnectionRefusedError | FileNotFoundError):
        return _NOBODY
    return _NO_WAY
