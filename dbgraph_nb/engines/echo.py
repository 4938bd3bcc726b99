"""What is said about a failed statement: our own sentence, with a name in it only if the user typed that name.

In: the driver's message (searched, never repeated), the statement. Out: an error of ours. Never: a piece of the message
that is not in the statement itself, since it could be a value of a row.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from dbgraph_nb.errors import QueryFailed

_LONGEST = 80
_PLAIN = re.compile(r"[^'\"\s;]+")


class Told(NamedTuple):
    """One kind of failure. ``named`` is the sentence with a place for the name, the first group of ``pattern``."""

    code: str
    sentence: str
    hint: str | None = None
    named: str | None = None
    pattern: str | None = None


def tell(told: Told, text: str, sql: str) -> QueryFailed:
    """The error for ``told``; ``text`` is the driver's message, ``sql`` the user's statement."""
    found = re.search(told.pattern, text, re.IGNORECASE | re.DOTALL) if told.named and told.pattern else None
    piece = typed(found[1], sql) if found and found.groups() else None
    if piece is None or told.named is None:
        return QueryFailed(told.sentence, code=told.code, hint=told.hint)
    line, column = position(piece, sql)
    return QueryFailed(told.named.format(piece), code=told.code, hint=told.hint, line=line, column=column, token=piece)


def typed(piece: str | None, sql: str) -> str | None:
    """The piece if it is a short word of the statement; a word in quotes may be a literal and is not repeated.

    >>> typed("usr", "select * from usr"), typed("s3cret", "select * from users"), typed("'x", "select 'x")
    ('usr', None, None)
    """
    if not piece or len(piece) > _LONGEST:
        return None
    if f"`{piece}`" in sql or f"[{piece}]" in sql:
        return piece
    if not _PLAIN.fullmatch(piece):
        return None
    parts = [part for part in piece.casefold().split(".") if part]
    text = sql.casefold()
    return piece if parts and all(part in text for part in parts) else None


def position(piece: str | None, sql: str) -> tuple[int | None, int | None]:
    """Line and column (from 1) of a piece that occurs once in the statement, else (None, None).

    >>> position("frm", "select a\\n  frm t")
    (2, 3)
    """
    if not piece:
        return None, None
    whole = rf"(?<!\w){re.escape(piece)}(?!\w)" if piece.isidentifier() else re.escape(piece)
    found = [match.start() for match in re.finditer(whole, sql, re.IGNORECASE)]
    if len(found) != 1:
        return None, None
    before = sql[: found[0]]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
