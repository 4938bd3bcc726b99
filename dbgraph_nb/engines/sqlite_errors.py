"""SQLite's errors in one sentence each, without its own text, which can hold a value of a row.

In: an exception of ``sqlite3``, the statement, the file. Out: an error of ours. Never: a piece of the message that the
user did not type.
"""

from __future__ import annotations

import re
import sqlite3

from dbgraph_nb.engines.echo import Told, tell
from dbgraph_nb.errors import BadArgument, ConnectionFailed, DbgraphError, QueryFailed

_LOOK = "Look at the tables with %dbgraph schema; if the database changed, refresh the index with %dbgraph index."
# The first pattern that is found in SQLite's text decides.
_RULES = (
    Told(
        code="no-such-table",
        sentence="A table does not exist.",
        hint=_LOOK,
        named="There is no table {}.",
        pattern=r"no such table: (?:main\.)?(.+)",
    ),
    Told(
        code="no-such-column",
        sentence="A column does not exist.",
        hint=_LOOK,
        named="There is no column {}.",
        pattern=r"no such column: (.+)",
    ),
    Told(
        code="ambiguous-column",
        sentence="A column is in more than one of the tables.",
        hint="Write table.column.",
        named="The column {} is in more than one of the tables.",
        pattern=r"ambiguous column name: (.+)",
    ),
    Told(
        code="no-such-function",
        sentence="A function does not exist.",
        named="SQLite has no function {}.",
        pattern=r"no such function: (.+)",
    ),
    Told(
        code="not-allowed",
        sentence="A function is not allowed here.",
        hint="Only SQLite's own functions that read can be used.",
        named="The function {} is not allowed here.",
        pattern=r"not authorized to use function: (.+)",
    ),
    Told(
        code="bad-match",
        sentence="The text of a full-text search (MATCH) cannot be read.",
        hint="Put each word into double quotes: MATCH '\"word\"'.",
        pattern=r"fts5|malformed MATCH|unterminated string|unknown special query|in the requested context",
    ),
    Told(
        code="syntax-error",
        sentence="SQLite does not understand the statement.",
        named="SQLite does not understand the statement near {}.",
        pattern=r'near "(.*)": syntax error',
    ),
    Told(
        code="syntax-error",
        sentence="A quote is not closed, or the statement ends too early.",
        pattern=r"incomplete input|unrecognized token",
    ),
    Told(
        code="wrong-arguments",
        sentence="A function gets the wrong number of arguments.",
        named="The function {} gets the wrong number of arguments.",
        pattern=r"wrong number of arguments to function (.+)\(\)",
    ),
    Told(
        code="misplaced-function",
        sentence="A function cannot be used in that place.",
        named="The function {} cannot be used in that place.",
        pattern=r"misuse of (?:aliased )?(?:aggregate|window)(?: function)?\W*(\w+)",
    ),
    Told(
        code="no-such-module",
        sentence="A table needs a SQLite module that is not there.",
        pattern=r"no such module|vtable constructor failed",
    ),
    Told(
        code="bad-collation",
        sentence="A collation is needed that is not there.",
        pattern=r"no such collation",
    ),
    Told(code="bad-json", sentence="A JSON text or a JSON path cannot be read.", pattern=r"JSON"),
    Told(
        code="value-out-of-range",
        sentence="A sum of whole numbers does not fit into 64 bits.",
        pattern=r"integer overflow",
    ),
    Told(
        code="column-count",
        sentence="Two parts of the statement have different numbers of columns.",
        pattern=r"number of result columns|sub-select returns|same number of terms|\d+ values for \d+ columns",
    ),
    Told(
        code="column-count",
        sentence="A number in ORDER BY or GROUP BY is not that of an output column.",
        pattern=r"BY term out of range",
    ),
    Told(
        code="too-complex",
        sentence="The statement or a value is too large.",
        pattern=r"too many|too large|too big|too complex|overflow|at most \d+ tables|out of memory",
    ),
    Told(
        code="not-one-statement",
        sentence="Only one statement can be run at a time.",
        hint="Remove the extra semicolon, and what follows it.",
        pattern=r"one statement at a time",
    ),
    Told(code="syntax-error", sentence="The statement holds a NUL character.", pattern=r"null character"),
    Told(
        code="not-allowed",
        sentence="The statement does something else than reading, and the connection can only read.",
        pattern=r"not authorized|authorization denied|is prohibited|may not be modified|readonly database",
    ),
)
_CHECK_PATH = "Check the path and its permissions."
_FILE_ERRORS = {
    sqlite3.SQLITE_BUSY: Told(
        code="database-locked", sentence="is locked by another program", hint="Try again when its write is done."
    ),
    sqlite3.SQLITE_NOTADB: Told(
        code="not-a-database", sentence="is not a SQLite database, or it is encrypted", hint="Check the path."
    ),
    sqlite3.SQLITE_CORRUPT: Told(
        code="database-corrupt", sentence="is damaged", hint="Check it with PRAGMA integrity_check, or restore it."
    ),
    sqlite3.SQLITE_CANTOPEN: Told(code="file-not-readable", sentence="cannot be opened", hint=_CHECK_PATH),
    sqlite3.SQLITE_PERM: Told(code="file-not-readable", sentence="cannot be opened", hint=_CHECK_PATH),
    sqlite3.SQLITE_IOERR: Told(
        code="file-not-readable", sentence="cannot be read", hint="The disk or the network drive reports an error."
    ),
    sqlite3.SQLITE_FULL: Told(
        code="disk-full", sentence="needs more temporary space than the disk has", hint="Ask for less at once."
    ),
}
_FILE_ERRORS[sqlite3.SQLITE_LOCKED] = _FILE_ERRORS[sqlite3.SQLITE_BUSY]


def translate(error: Exception, sql: str, path: str) -> DbgraphError:
    """Our error for one of ``sqlite3``; ``sql`` is the user's statement."""
    text = str(error)
    extended = getattr(error, "sqlite_errorcode", None) or 0
    told = _FILE_ERRORS.get(extended & 0xFF)
    if told is not None:
        return ConnectionFailed(f"The file {path} {told.sentence}.", code=told.code, hint=told.hint)
    if extended & 0xFF == sqlite3.SQLITE_READONLY and extended != sqlite3.SQLITE_READONLY:
        return ConnectionFailed(
            f"The file {path} has changes beside it (-wal or -journal) that cannot be read there.",
            code="file-needs-recovery",
            hint="Copy all its files to a folder you may write to, or let the program that wrote it close it.",
        )
    if "binding" in text:
        return BadArgument("A parameter of the statement has no value.", code="missing-parameter", hint="Use :name.")
    for rule in _RULES:
        if re.search(rule.pattern or "", text, re.IGNORECASE | re.DOTALL):
            return tell(rule, text, sql)
    name = getattr(error, "sqlite_errorname", None) or type(error).__name__
    return QueryFailed(f"SQLite could not run the statement ({name}).", code="engine-error")


def missing_file(path: str) -> ConnectionFailed:
    """The file is gone, or was never there."""
    return ConnectionFailed(
        f"There is no file {path}.", code="file-missing", hint="Check the path; it is never created here."
    )
