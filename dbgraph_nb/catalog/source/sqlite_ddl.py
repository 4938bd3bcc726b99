"""What a SQLite CREATE statement says beyond the pragmas: comments, the members of a check, what a generated column is
computed by, the module of a virtual table, the body of a view.

In: the text that sqlite_schema keeps. Out: comments of the table and of columns, literals of ``CHECK (c IN (…))``,
expressions. Never: an error; what is not understood is left out.

SQLite has no comments of its own, so people write them behind the column. A comment belongs to the column whose
definition ends (or goes on) on its line; behind the opening parenthesis it belongs to the table, and behind the AS
of a view to the view. A comment on a line of its own could be a heading and belongs to nobody.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from dbgraph_nb.catalog.source.sql_text import Token, check_members, tokens

_NOT_A_COLUMN = ("CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN")


@dataclass(slots=True)
class Ddl:
    """What was found; the keys are lower-cased names of columns."""

    comment: str | None = None
    comments: dict[str, str] = field(default_factory=dict)
    members: dict[str, tuple[str, ...]] = field(default_factory=dict)
    expressions: dict[str, str] = field(default_factory=dict)


def read_table(sql: str | None) -> Ddl:
    """The comments, checks and generating expressions of a CREATE TABLE statement.

    >>> ddl = read_table("CREATE TABLE t ( -- 表\\n a TEXT CHECK (a IN ('x', 'y')), -- 甲\\n b INT /* 乙 */)")
    >>> ddl.comment, ddl.comments, ddl.members
    ('表', {'a': '甲', 'b': '乙'}, {'a': ('x', 'y')})
    """
    ddl = Ddl()
    parts = tokens(sql or "")
    body = next((at for at, token in enumerate(parts) if token.is_mark("(")), None)
    if body is None or not parts[0].is_word("CREATE"):
        return ddl
    ddl.comment = _joined(_comments_behind(parts, body))
    for first, last in _definitions(parts, body):
        inner = [token for token in parts[first : last + 1] if token.kind != "comment"]
        if not inner:
            continue
        _read_checks(inner, ddl)
        if inner[0].is_word(*_NOT_A_COLUMN) or inner[0].kind not in ("word", "name", "string"):
            continue
        key = inner[0].value.lower()
        if expression := _expression(sql or "", inner):  # names equal but for case share a key: then both count
            ddl.expressions[key] = " ".join(filter(None, (ddl.expressions.get(key), expression)))
        if text := _joined(_comments_of(parts, first, last)):
            ddl.comments[key] = text
    return ddl


def read_view(sql: str | None) -> tuple[str | None, str | None]:
    """The comment and the body of a CREATE VIEW statement, each None if there is none.

    The body is a SELECT. A view with its own column names becomes a SELECT from a common table expression that
    carries them, so that the body alone says what the view gives.

    >>> read_view("CREATE VIEW v(x) AS -- all\\nSELECT a FROM t")
    ('all', 'WITH "v"("x") AS (SELECT a FROM t) SELECT * FROM "v"')
    """
    parts = tokens(sql or "")
    plain = [token for token in parts if token.kind != "comment"]
    start = next((at for at, token in enumerate(plain) if token.is_word("AS")), None)
    if sql is None or start is None or len(plain) < start + 2 or not plain[1].is_word("VIEW"):
        return None, None
    comment = _joined(_comments_behind(parts, parts.index(plain[start])))
    body = sql[plain[start + 1].start :].strip().removesuffix(";")
    opening = next((at for at, token in enumerate(plain[:start]) if token.is_mark("(")), None)
    if opening is not None:
        name = _quoted(plain[opening - 1].value)
        names = ", ".join(_quoted(t.value) for t in plain[opening + 1 : start] if t.kind != "mark")
        # the line break ends a comment at the end of the body
        ending = "\n" if parts[-1].kind == "comment" else ""
        body = f"WITH {name}({names}) AS ({body}{ending}) SELECT * FROM {name}"
    return comment, body


def module(sql: str | None) -> str:
    """The module of a CREATE VIRTUAL TABLE statement in lower case; "" for anything else.

    >>> module('CREATE VIRTUAL TABLE IF NOT EXISTS "using" USING FTS5vocab(f, row)')
    'fts5vocab'
    """
    parts = [token for token in tokens(sql or "") if token.kind != "comment"]
    if len(parts) < 2 or not parts[1].is_word("VIRTUAL"):
        return ""
    return next((after.value.lower() for token, after in itertools.pairwise(parts) if token.is_word("USING")), "")


def why_broken(sql: str | None, known: Iterable[str]) -> str:
    """A sentence on what a broken view or virtual table may lack, or nothing; ``known`` are the names that exist.

    >>> why_broken("CREATE VIEW v AS WITH c AS (SELECT 1) SELECT * FROM c JOIN gone JOIN t", ["T"])
    ' It reads from gone, which is not there.'
    >>> why_broken("CREATE VIRTUAL TABLE v USING vec0(a)", [])
    ' Its module is vec0.'
    """
    parts = [token for token in tokens(sql or "") if token.kind != "comment"]
    pairs = list(itertools.pairwise(parts))
    if len(parts) > 1 and parts[1].is_word("VIRTUAL"):
        return "".join(f" Its module is {after.value}." for token, after in pairs if token.is_word("USING"))
    names = {name.lower() for name in known}
    names |= {token.value.lower() for token, after in pairs if after.is_word("AS")}
    read = [after for token, after in pairs if token.is_word("FROM", "JOIN") and after.kind in ("word", "name")]
    gone = sorted({token.value for token in read if token.value.lower() not in names})
    return f" It reads from {', '.join(gone)}, which is not there." if gone else ""


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _definitions(parts: Sequence[Token], body: int) -> list[tuple[int, int]]:
    """First and last position of each definition between the commas of the body, the comma included."""
    found: list[tuple[int, int]] = []
    depth, first = 0, body + 1
    for at in range(body, len(parts)):
        token = parts[at]
        if token.is_mark("("):
            depth += 1
        elif token.is_mark(")"):
            depth -= 1
            if depth == 0:
                found.append((first, at - 1))
                break
        elif token.is_mark(",") and depth == 1:
            found.append((first, at))
            first = at + 1
    return found


def _comments_of(parts: Sequence[Token], first: int, last: int) -> list[str]:
    """Comments inside a definition, each on a line that a piece of it is on, and behind its comma."""
    start = next(at for at in range(first, last + 1) if parts[at].kind != "comment")
    found = [
        parts[at].value
        for at in range(first, last + 1)
        if parts[at].kind == "comment" and _is_beside(parts, at, start, first, last)
    ]
    if parts[last].is_mark(","):
        found += _comments_behind(parts, last)
    return found


def _is_beside(parts: Sequence[Token], at: int, start: int, first: int, last: int) -> bool:
    if at > start:  # behind a piece of the definition, on its line
        before = next(parts[back] for back in range(at - 1, first - 1, -1) if parts[back].kind != "comment")
        return _last_line(before) == parts[at].line
    # before the definition: /* … */ in front of the name, on its line
    return _last_line(parts[at]) == parts[start].line


def _comments_behind(parts: Sequence[Token], at: int) -> list[str]:
    """Comments after a token up to the end of its line; none if a definition follows them there."""
    found: list[str] = []
    for token in parts[at + 1 :]:
        if token.line != parts[at].line:
            break
        if token.kind != "comment":
            return []
        found.append(token.value)
    return found


def _last_line(token: Token) -> int:
    return token.line + token.value.count("\n")


def _expression(sql: str, inner: Sequence[Token]) -> str | None:
    """What stands in the parentheses behind the AS of a column's definition."""
    depth, start = 0, -1
    for at, token in enumerate(inner):
        if token.is_mark("("):
            if depth == 0 and inner[at - 1].is_word("AS"):
                start = token.start + 1
            depth += 1
        elif token.is_mark(")"):
            depth -= 1
            if depth == 0 and start >= 0:
                return sql[start : token.start].strip()
    return None


def _read_checks(inner: Sequence[Token], ddl: Ddl) -> None:
    """Adds the members of every ``CHECK (column IN (literals))`` in a definition."""
    for at, token in enumerate(inner[:-1]):
        if not token.is_word("CHECK") or not inner[at + 1].is_mark("("):
            continue
        depth, end = 0, at + 1
        while end < len(inner):
            depth += inner[end].is_mark("(") - inner[end].is_mark(")")
            if depth == 0:
                break
            end += 1
        if found := check_members(inner[at + 2 : end]):
            ddl.members[found[0].lower()] = found[1]


def _joined(comments: Sequence[str]) -> str | None:
    texts = []
    for comment in comments:
        text = comment[2:] if comment.startswith("--") else comment[2:].removesuffix("*/").lstrip("*")
        texts.append(" ".join(text.split()))
    return " ".join(filter(None, texts)) or None
