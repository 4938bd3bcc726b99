"""What a PostgreSQL session is set to, and which texts may begin a statement on it.

In: limits, a statement's text. Out: constant SQL, a verdict. Never: a network access, and no import of the driver.
"""

from __future__ import annotations

import re

# Sent with the login, so that there is no moment without them. The gate reads texts with standard_conforming_strings.
SETTINGS = {
    "default_transaction_read_only": "on",
    "standard_conforming_strings": "on",
    "backslash_quote": "safe_encoding",
    "lock_timeout": "5000",
    "client_min_messages": "error",
    "DateStyle": "ISO",
    "IntervalStyle": "postgres",
    "bytea_output": "hex",
    "extra_float_digits": "1",
    "xmloption": "content",
    "jit": "off",  # its compiler cannot be interrupted, for up to a second at the start of an expensive statement
}
# After a statement nothing of it stays: settings and temporary objects end with the transaction, the rest is dropped.
END = b"ROLLBACK; SELECT pg_catalog.pg_advisory_unlock_all(); DEALLOCATE ALL; CLOSE ALL; UNLISTEN *"
PRIVILEGES = """
    SELECT rolsuper,
        pg_has_role(rolname, 'pg_read_server_files', 'USAGE'),
        pg_has_role(rolname, 'pg_write_server_files', 'USAGE'),
        pg_has_role(rolname, 'pg_execute_server_program', 'USAGE')
    FROM pg_catalog.pg_roles WHERE rolname = current_user
"""
PHRASES = (
    "do everything on the server (it is a superuser)",
    "read files of the server",
    "write files of the server",
    "run programs on the server",
)

_LEAD = re.compile(r"(?:\s|\(|--[^\n]*(?:\n|\Z)|/\*(?:[^*/]|\*(?!/)|/(?!\*))*\*/)*")
_FORM = re.compile(r"(?:select|with|values|table|show|explain)\b", re.IGNORECASE)


def begin(seconds: float) -> bytes:
    """Opens the transaction of one statement: read-only, with its own time limit.

    >>> begin(1.5)
    b'BEGIN TRANSACTION READ ONLY; SET LOCAL statement_timeout = 1500'
    """
    return f"BEGIN TRANSACTION READ ONLY; SET LOCAL statement_timeout = {max(1, round(seconds * 1000))}".encode()


def startup(seconds: float) -> str:
    """The settings as the ``options`` of a login; ``seconds`` a statement and an idle transaction may take."""
    limits = {
        "statement_timeout": str(max(1, round(seconds * 1000))),
        "idle_in_transaction_session_timeout": str(round(seconds * 1000) + 60_000),
    }
    return " ".join(f"-c {name}={value}" for name, value in {**SETTINGS, **limits}.items())


def is_read(sql: str) -> bool:
    """Whether a statement begins like one that reads; what is written further in, the read-only transaction refuses.

    >>> is_read("/* a */ (SELECT 1)"), is_read("PREPARE p AS SELECT 1"), is_read("COPY t TO '/tmp/x'")
    (True, False, False)
    """
    lead = _LEAD.match(sql)
    return bool(_FORM.match(sql, lead.end() if lead else 0))
