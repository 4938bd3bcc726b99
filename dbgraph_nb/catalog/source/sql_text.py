"""Pieces of SQL as an engine hands them back: types, defaults, checks, CREATE statements.

In: a text that the engine itself wrote or accepted. Out: tokens, and the values of literals. Never: a guess; what is
not a plain literal stays text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

TokenKind = Literal["word", "name", "string", "comment", "mark"]

# SQLite takes every character beyond ASCII as a letter; so does MySQL for all that its identifiers allow.
_PATTERN = r"""
    (?P<space>[ \t\r\n\f\v]+)
  | (?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))
  | (?P<string>'(?:[^'%s]|''%s)*')
  | (?P<name>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])
  | (?P<word>[A-Za-z0-9_$\u0080-\U0010ffff]+)
  | (?P<mark>.)
"""
_PLAIN = re.compile(_PATTERN % ("", ""), re.VERBOSE | re.DOTALL)
_BACKSLASH = re.compile(_PATTERN % (r"\\", r"|\\."), re.VERBOSE | re.DOTALL)
_ESCAPED = re.compile(r"\\(.)|''", re.DOTALL)
_ESCAPES = {"0": "\0", "n": "\n", "r": "\r", "t": "\t", "b": "\b", "Z": "\x1a"}


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of SQL. ``value`` is without quotes and escapes; ``start`` counts characters, ``line`` from 0."""

    kind: TokenKind
    value: str
    start: int
    line: int

    def is_word(self, *words: str) -> bool:
        """Whether this is one of the given keywords, in any case and without quotes."""
        return self.kind == "word" and self.value.upper() in words

    def is_mark(self, mark: str) -> bool:
        """Whether this is the given punctuation."""
        return self.kind == "mark" and self.value == mark


def tokens(sql: str, *, backslash: bool = False) -> list[Token]:
    r"""The tokens of ``sql``; ``backslash`` is MySQL's rule for string literals.

    >>> [t.value for t in tokens("a IN ('it''s', \"b c\") -- x")]
    ['a', 'IN', '(', "it's", ',', 'b c', ')', '-- x']
    """
    found: list[Token] = []
    line = 0
    for match in (_BACKSLASH if backslash else _PLAIN).finditer(sql):
        text, kind = match[0], match.lastgroup
        if kind in ("word", "mark", "comment"):
            found.append(Token(kind, text, match.start(), line))  # type: ignore[arg-type]
        elif kind == "string":
            found.append(Token("string", _unquoted(text, backslash), match.start(), line))
        elif kind == "name":
            inner = text[1:-1] if text[0] == "[" else text[1:-1].replace(text[0] * 2, text[0])
            found.append(Token("name", inner, match.start(), line))
        line += text.count("\n")
    return found


def _unquoted(text: str, backslash: bool) -> str:
    if not backslash:
        return text[1:-1].replace("''", "'")
    return _ESCAPED.sub(lambda m: "'" if m[1] is None else _ESCAPES.get(m[1], m[1]), text[1:-1])


def members(column_type: str) -> tuple[str, ...] | None:
    r"""The members of a MySQL ``enum(…)`` or ``set(…)`` type, in their order; None for any other type.

    >>> members("enum('a,b','it''s','enum(',')','','int')")
    ('a,b', "it's", 'enum(', ')', '', 'int')
    """
    if not column_type.lower().startswith(("enum(", "set(")):
        return None
    parts = tokens(column_type, backslash=True)
    return tuple(part.value for part in parts if part.kind == "string")


def check_members(parts: Sequence[Token]) -> tuple[str, tuple[str, ...]] | None:
    """The column and the literals of a check that is nothing but ``column IN (literal, …)``; else None.

    >>> check_members(tokens("`st` in ('a', 'b')"))
    ('st', ('a', 'b'))
    >>> check_members(tokens("st in ('a', 'b') or st > 'x'")) is None
    True
    """
    if len(parts) < 5 or not parts[1].is_word("IN") or not parts[2].is_mark("(") or not parts[-1].is_mark(")"):
        return None
    if parts[0].kind not in ("word", "name"):
        return None
    literals: list[str] = []
    sign = ""
    expected = "literal"
    for token in parts[3:-1]:
        if expected == "comma":
            if not token.is_mark(","):
                return None
            expected = "literal"
        elif token.is_mark("-") and not sign:
            sign = "-"
        elif (token.kind == "string" and not sign) or (token.kind == "word" and token.value.isdecimal()):
            literals.append(sign + token.value)
            sign, expected = "", "comma"
        else:
            return None
    return (parts[0].value, tuple(literals)) if expected == "comma" else None


def plain_default(text: str | None, *, backslash: bool = False) -> str | None:
    """A default that the engine wrote as SQL: a string literal without its quotes, NULL as None, else as it stands.

    >>> plain_default("'it''s'"), plain_default("NULL"), plain_default("'NULL'"), plain_default("current_timestamp()")
    ("it's", None, 'NULL', 'current_timestamp()')
    """
    if text is None or text == "NULL":
        return None
    parts = tokens(text, backslash=backslash)
    if len(parts) == 1:
        if parts[0].is_word("NULL"):
            return None
        if parts[0].kind == "string" or (parts[0].kind == "name" and text.lstrip().startswith('"')):
            return parts[0].value
    return text


def without_schema(sql: str, schema: str) -> str:
    """A MySQL view body with its own database's name taken off: "`shop`.`users`" becomes "`users`".

    Nothing is changed where the name also stands alone (a table alias of the same name): then ``shop.id`` could be
    either.

    >>> without_schema("select `s`.`t`.`a` AS `a` from `s`.`t` where `s`.`t`.`a` <> '`s`.'", "s")
    "select `t`.`a` AS `a` from `t` where `t`.`a` <> '`s`.'"
    """
    parts = tokens(sql, backslash=True)
    cuts: list[tuple[int, int]] = []
    for position, token in enumerate(parts):
        if token.kind != "name" or token.value != schema or (position and parts[position - 1].is_mark(".")):
            continue
        if position + 2 >= len(parts) or not parts[position + 1].is_mark("."):
            return sql
        cuts.append((token.start, parts[position + 2].start))
    for start, end in reversed(cuts):
        sql = sql[:start] + sql[end:]
    return sql
