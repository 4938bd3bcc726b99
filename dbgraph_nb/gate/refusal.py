"""A refusal while it is still a value: what a rule returns, before ``check`` raises it.

In: a rule's name, one sentence, a position. Out: ``Refusal``; ``Refused`` carries it out of the scanner and the parser.
Never: more of the text than one token, and no text literal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dbgraph_nb.errors import GateRefused
from dbgraph_nb.model import Dialect

if TYPE_CHECKING:
    from dbgraph_nb.gate.scan import Tok

_LONGEST_TOKEN: Final = 40
_LITERAL_NAME: Final = "a text literal"  # shown in its place: it may hold a secret
_LITERAL: Final = re.compile(r"(?:[a-zA-Z]|[uU]&)?'|\$")

# Every rule that can refuse, with what it stands for; the error code is ``gate-`` and the name.
RULE_NAMES: Final = {
    "ambiguous-text": "a lexical form that versions or settings of the engine read in different ways",
    "data-change": "a statement, or a part of one, that writes",
    "dot-command": "a command of a command line shell",
    "empty-statement": "nothing but space and comments",
    "executable-comment": "a comment that MySQL or MariaDB executes",
    "explain": "EXPLAIN of anything but a reading query",
    "file-relation": "a file, URL, text or parameter in the place of a table",
    "function": "a function of a class that is always refused",
    "hint": "an optimizer hint that changes a setting or quotes a name",
    "malformed-number": "a number that runs into letters or dots",
    "not-understood": "a text that the parser does not understand",
    "nul-character": "a NUL character",
    "odd-character": "an invisible or misleading character outside of texts and comments",
    "pragma": "a PRAGMA that is not in the list of reading ones",
    "reading-differs": "a text that scanner and parser cut differently",
    "relation": "a relation of the engine that shows more than tables and metadata",
    "relation-not-listed": "a relation that is not in the list of those that may be read",
    "row-lock": "a clause that locks rows",
    "select-into": "INTO a file, a table or a variable",
    "sequence": "an expression that advances a sequence",
    "session-variable": "an assignment to a session variable",
    "several-statements": "more than one statement",
    "show": "a SHOW that is not in the list of reading ones",
    "statement-form": "a kind of statement that is not in the list of reading ones",
    "table-function": "a function that may not stand for a table",
    "too-deep": "deeper nesting than can be checked",
    "too-long": "a longer text than can be checked",
    "unbalanced": "a bracket without its partner",
    "unknown-construct": "a part of the tree that is not known to be a read",
    "unknown-function": "a function that is not in the reviewed lists and not opted in",
    "unterminated": "a quote or a comment that does not end",
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a statement may not run. ``start`` and ``end`` are 0-based offsets in the text, ``end`` excluded."""

    rule: str
    message: str
    start: int = 0
    end: int = 0
    hint: str | None = None


def at_token(rule: str, message: str, token: Tok, hint: str | None = None) -> Refusal:
    """A refusal at ``token``."""
    return Refusal(rule, message, token.start, token.end, hint)


class Refused(Exception):
    """Stops the scanner or the parser; ``check`` turns it into ``GateRefused``."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.rule)
        self.refusal = refusal


def as_error(refusal: Refusal, sql: str, dialect: Dialect) -> GateRefused:
    """The refusal as the public error, with a 1-based line and column and the offending token.

    >>> as_error(Refusal("row-lock", "This takes row locks.", 10, 13), "SELECT 1\\n FOR UPDATE", "postgres").line
    2
    """
    before = sql[: refusal.start]
    line = before.count("\n") + 1
    column = refusal.start - (before.rfind("\n") + 1) + 1
    token = sql[refusal.start : refusal.end] or None
    if token and len(token) > _LONGEST_TOKEN:
        token = token[: _LONGEST_TOKEN - 1] + "…"
    if token and (_LITERAL.match(token) or (token[0] == '"' and dialect in ("mysql", "mariadb"))):
        token = _LITERAL_NAME
    return GateRefused(refusal.message, rule=refusal.rule, hint=refusal.hint, line=line, column=column, token=token)
