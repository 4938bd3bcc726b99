"""Every problem a user can meet, as one family of exceptions.

In: what is wrong, where (line, column, token) and what to do. Out: one plain line, in a notebook and in a
terminal. Never: a secret, a value of a row, or a driver's raw text that has not been scrubbed.
"""

from __future__ import annotations

_LONGEST = 1000  # characters of a message: what was given may be a megabyte


def _one_line(text: str) -> str:
    line = " ".join(text[: 4 * _LONGEST].split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


class DbgraphError(Exception):
    """The root of all errors of this package.

    Attributes:
        code: short kebab-case name of the problem, stable across releases (listed in docs/errors.md).
        message: one plain sentence that says what is wrong.
        hint: what to do about it, or None.
        line, column: 1-based position in the text that was given, or None.
        token: the offending piece of that text, or None.

    >>> print(DbgraphError("No such table: usr.", code="unknown-table", hint="Did you mean users?"))
    No such table: usr. Did you mean users?
    """

    default_code = "error"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        hint: str | None = None,
        line: int | None = None,
        column: int | None = None,
        token: str | None = None,
    ) -> None:
        self.code = code or self.default_code
        self.message = _one_line(message)
        self.hint = _one_line(hint) if hint else None
        self.line = line
        self.column = column
        self.token = token
        super().__init__(str(self))

    def __str__(self) -> str:
        where = f" (line {self.line}, column {self.column})" if self.line and self.column else ""
        text = self.message
        if where:
            end = text[-1] if text.endswith((".", "?", "!")) else ""
            text = text.removesuffix(end) + where + end
        return f"{text} {self.hint}" if self.hint else text

    def _render_traceback_(self) -> list[str]:
        """One line instead of a traceback; IPython saves it as a real ``error`` output."""
        return [f"{type(self).__name__}: {self}"]


class BadArgument(DbgraphError, ValueError):
    """An argument of a public function or a magic's option is not usable; raised before anything is opened."""

    default_code = "bad-argument"


class UnknownName(DbgraphError, LookupError):
    """A connection, table, column or variable of that name does not exist."""

    default_code = "unknown-name"


class ConnectionFailed(DbgraphError, ConnectionError):
    """The database could not be reached or refused us."""

    default_code = "connection-failed"


class PathRefused(DbgraphError, PermissionError):
    """A path leads out of the workspace, or to something that is no readable file of a known kind."""

    default_code = "path-refused"


class CredentialMissing(DbgraphError):
    """The credential reference leads to no credential, and nobody can be asked."""

    default_code = "credential-missing"


class GateRefused(DbgraphError, PermissionError):
    """The statement is not an allowed read; nothing was executed. ``rule`` names the rule that refused."""

    default_code = "gate-refused"

    def __init__(self, message: str, *, rule: str, **where: object) -> None:
        self.rule = rule
        super().__init__(message, code=str(where.pop("code", f"gate-{rule}")), **where)  # type: ignore[arg-type]


class RedactionRefused(DbgraphError, PermissionError):
    """It cannot be proven which outputs hold sensitive values, or the query is an oracle for one."""

    default_code = "redaction-refused"


class QueryFailed(DbgraphError, RuntimeError):
    """The engine rejected or aborted the statement."""

    default_code = "query-failed"


class QueryTimeout(QueryFailed, TimeoutError):
    """The statement ran longer than its timeout and was stopped."""

    default_code = "query-timeout"


class IndexUnavailable(DbgraphError):
    """The index of a connection is missing, unreadable, or could not be written."""

    default_code = "index-missing"


class MissingPackage(DbgraphError, ImportError):
    """An optional package is not installed."""

    default_code = "missing-package"


class Cancelled(DbgraphError):
    """The work was cancelled by its owner; what was there before is kept."""

    default_code = "cancelled"
