"""PostgreSQL's errors in one sentence each, by SQLSTATE and, for a connection that failed, by libpq's text.

In: an exception of psycopg, the statement, the target. Out: an error of ours. Never: the server's own text, which can
hold values of rows and literals.
"""

from __future__ import annotations

import re
from typing import Any

from dbgraph_nb.engines.echo import Told, tell
from dbgraph_nb.errors import ConnectionFailed, DbgraphError, QueryFailed, QueryTimeout
from dbgraph_nb.model import Target

_LOOK = "Look at the tables with %dbgraph schema; if the database changed, refresh the index with %dbgraph index."
_NAME = r"\"?([^\"\s(]+)\"?"
_NOT_ALLOWED = Told("not-allowed", "The statement does something else than reading, and the connection can only read.")
_RANGE = Told("value-out-of-range", "A number or a date is too large for its type.", "Cast it to numeric or text.")
# By SQLSTATE, then by its class (the first two characters): https://www.postgresql.org/docs/current/errcodes-appendix.html
_BY_STATE = {
    "42P01": Told("no-such-table", "A table does not exist.", _LOOK, "There is no table {}.",
                  rf"relation {_NAME} does not exist|table {_NAME}"),
    "42703": Told("no-such-column", "A column does not exist.", _LOOK, "There is no column {}.",
                  rf"column {_NAME} (?:does not exist|of relation)"),
    "42702": Told("ambiguous-column", "A column is in more than one of the tables.", "Write table.column.",
                  "The column {} is in more than one of the tables.", rf"column reference {_NAME}"),
    "42883": Told("no-such-function", "A function or an operator does not exist for these types.",
                  "Check its name and the types of its arguments; cast them where needed (value::type).",
                  "There is no function {} for these types.", r"function (\w+)\("),
    "42803": Told("not-grouped", "A column is neither grouped by nor inside an aggregate.",
                  "Add it to GROUP BY, or use an aggregate.",
                  "The column {} is neither grouped by nor inside an aggregate.", rf"column {_NAME} must appear"),
    "42P20": Told("misplaced-function", "A window function cannot be used in that place."),
    "42601": Told("syntax-error", "PostgreSQL does not understand the statement.", None,
                  "PostgreSQL does not understand the statement near {}.", r"at or near \"(.*?)\""),
    "42501": Told("not-granted", "The user may not read one of the tables, or not use a function.",
                  "Ask the owner of the database for the SELECT right.", "The user may not read {}.",
                  rf"permission denied for (?:table|view|schema|function|relation) {_NAME}"),
    "42804": Told("bad-conversion", "Two values of different types are compared or combined.", "Cast one of them."),
    "42P18": Told("unclear-parameter", "The type of a parameter is not clear.", "Cast it: :name::text."),
    "42P08": Told("unclear-parameter", "The type of a parameter is not clear.", "Cast it: :name::text."),
    "22012": Told("division-by-zero", "The statement divides by zero.", "Use NULLIF(x, 0)."),
    "22003": _RANGE,
    "22008": _RANGE,
    "22P02": Told("bad-conversion", "A value cannot be converted to the type that is asked for."),
    "22007": Told("bad-conversion", "A value cannot be converted to the type that is asked for."),
    "21000": Told("column-count", "A subquery gives more than one row where one is needed."),
    "25006": _NOT_ALLOWED,
    "25001": _NOT_ALLOWED,
    "25P02": _NOT_ALLOWED,
    "54001": Told("too-complex", "The statement or a value is too large."),
    "53100": Told("disk-full", "The server's disk is full.", "Ask for less at once."),
    "53200": Told("too-complex", "The server has not enough memory for the statement.", "Ask for less at once."),
    "55P03": Told("database-locked", "A table is locked by another session.", "Try again later."),
    "55000": Told("bad-statement", "Something that the statement reads is not in the state for it."),
}  # fmt: skip
_BY_CLASS = {
    "42": Told("bad-statement", "The statement does not fit the tables or the types of its columns."),
    "22": Told("bad-value", "A function or an operator got a value that it cannot use."),
    "25": _NOT_ALLOWED,
    "54": Told("too-complex", "The statement or a value is too large."),
    "0A": Told("not-supported", "The server does not support that."),
}
_LOST = ("08", "57P01", "57P02", "57P03", "57P05")
_MORE_STATEMENTS = "cannot insert multiple commands"


def translate(error: Any, sql: str, target: Target) -> DbgraphError:
    """Our error for one of psycopg about the statement ``sql``."""
    state = str(getattr(error, "sqlstate", None) or "")
    message = str(getattr(getattr(error, "diag", None), "message_primary", None) or "")
    if state.startswith(_LOST) or (not state and type(error).__name__ in ("OperationalError", "InterfaceError")):
        return ConnectionFailed(
            f"The connection to {place(target)} was lost while the statement ran.",
            code="connection-lost",
            hint="Run it again; that connects anew.",
        )
    if state == "57014":
        if "timeout" in message:
            return QueryTimeout("The server stopped the statement: it took too long.", hint="Ask for less at once.")
        return QueryFailed("Somebody stopped the statement on the server.", code="statement-killed")
    if _MORE_STATEMENTS in message:
        return QueryFailed(
            "Only one statement can be run at a time.",
            code="not-one-statement",
            hint="Remove the extra semicolon, and what follows it.",
        )
    told = _BY_STATE.get(state) or _BY_CLASS.get(state[:2])
    if told is not None:
        return tell(told, message, sql)
    return QueryFailed(
        f"The server could not run the statement ({f'SQLSTATE {state}' if state else 'the driver refused it'}).",
        code="engine-error",
        hint="Its own text is not shown: it can hold values of rows.",
    )


# --- connections ------------------------------------------------------------------------------------------------

_DENIED = Told("access-denied", "{where} refused the user {user} or the password.",
               "Check both, and from which computers that user may connect.")  # fmt: skip
# libpq has no SQLSTATE for a failed login, so its English text decides; none of it is shown.
_REFUSED = (
    (r"password authentication failed|no password supplied|authentication failed|role .* does not exist", _DENIED),
    (r"database .* does not exist",
     Told("unknown-database", "{where} has no database {database}.", "Check its name; case matters.")),
    (r"permission denied for database|CONNECT privilege",
     Told("database-denied", "The user {user} may not use the database {database} on {where}.")),
    (r"not permitted to log in", Told("account-locked", "The account {user} on {where} may not log in.")),
    (r"no pg_hba.conf entry", Told("host-not-allowed", "{where} does not let this computer and user connect.",
                                   "Its pg_hba.conf decides; some servers want TLS (sslmode=require).")),
    (r"too many (?:clients|connections)|remaining connection slots",
     Told("too-many-connections", "{where} has no connection left for {user}.", "Try again later.")),
    (r"could not translate host name|Name or service not known|nodename nor servname",
     Told("unknown-host", "The host name {host} is not known.", "Check its spelling, and the network.")),
    (r"does not support SSL",
     Told("tls-not-offered", "{where} offers no TLS, and the URL asks for it.",
          "Use sslmode=prefer or disable only where that is safe.")),
    (r"root certificate file|certificate verify failed|does not match host name|server certificate for",
     Told("tls-not-trusted", "The TLS certificate of {where} is not signed by the given authority for that host name.",
          "Check sslrootcert and the host name of the URL.")),
    (r"SSL|TLS|certificate|private key",
     Told("tls-failed", "TLS with {where} failed.", "Check the TLS options of the URL, and those of the server.")),
    (r"Connection refused|No such file or directory",
     Told("connection-refused", "Nothing listens at {where}.", "Check host and port, and whether the server runs.")),
    (r"timeout expired|timed out|timeout",
     Told("connection-timeout", "{where} does not answer.", "Check host, port and network (a VPN, a firewall).")),
    (r"No route to host|unreachable",
     Told("host-unreachable", "{where} cannot be reached.", "Check host, port and network.")),
    (r"the database system is (?:starting|shutting)",
     Told("connection-failed", "{where} is starting or stopping.", "Try again in a moment.")),
    (r"unsupported startup parameter|invalid response|expected authentication|received invalid|server closed",
     Told("not-a-server", "What listens at {where} does not speak like a PostgreSQL server.",
          "Check the port; a pooler must pass on the login's options.")),
)  # fmt: skip


def place(target: Target) -> str:
    """Where the server is, for people: ``host:port`` or the folder of its socket.

    >>> place(Target("postgres", "shop", host="::1"))
    '[::1]:5432'
    """
    folder = dict(target.options).get("host")
    if folder:
        return folder
    host = target.host or "localhost"
    return f"{f'[{host}]' if ':' in host else host}:{target.port or 5432}"


def refusal(target: Target, message: str, *, with_password: bool) -> ConnectionFailed:
    """The error for a connection that did not come about; ``message`` is libpq's, searched and not shown."""
    told = next((told for pattern, told in _REFUSED if re.search(pattern, message, re.IGNORECASE)), None)
    if told is None:
        told = Told("connection-failed", "{where} refused the connection.")
    hint = told.hint
    if told is _DENIED and not with_password:
        hint = "No password was given: name a credential (keyring:, env:NAME or prompt:)."
    sentence = told.sentence.format(
        where=place(target), host=target.host or "localhost", user=target.user or "this user", database=target.database
    )
    return ConnectionFailed(sentence, code=told.code, hint=hint)
