"""The lexical scanner: it decides where strings, comments and statements end, without any parser.

In: a text and a dialect. Out: a ``Scan`` (tokens without space and comments, matching brackets, a copy of the text
with comments blanked, so that offsets stay). Never: a text of which the end of a string or comment is in doubt; such a
text is refused. Cost: linear in the length.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final, Literal

from dbgraph_nb.gate.lexis import LEXIS, Lexis
from dbgraph_nb.gate.refusal import Refusal, Refused
from dbgraph_nb.model import Dialect

MAX_LENGTH: Final = 100_000  # characters
MAX_DEPTH: Final = 60  # open brackets; deeper ones would end in the parser's recursion limit

Kind = Literal["word", "quoted", "string", "number", "param", "op"]

_CLOSES: Final = {")": "(", "]": "[", "}": "{"}
_NESTING = re.compile(r"/\*|\*/")
_ASCII_LOWER: Final = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
# letters whose upper or lower case is an ASCII letter: a name for the engine, a keyword for a careless reader
_LOOKALIKES: Final = frozenset("\u017f\u212a\u0131\u0130")


def fold(name: str) -> str:
    """``name`` with ASCII letters lowered, and no others: engines fold no more than that.

    >>> fold("ÄB_c")
    'Äb_c'
    """
    return name.translate(_ASCII_LOWER)


@dataclass(frozen=True, slots=True)
class Tok:
    """One token: ``text`` as written; ``key`` is the folded word, the operator, or "" for all others."""

    kind: Kind
    text: str
    start: int
    end: int
    key: str = ""


@dataclass(frozen=True, slots=True)
class Scan:
    """What the scanner found. ``closing`` maps the index of an opening bracket to that of its closing one;
    ``copy`` has the length of the text, with comments and wide spaces blanked."""

    sql: str
    dialect: Dialect
    tokens: tuple[Tok, ...]
    closing: dict[int, int]
    opening: dict[int, int]  # token index → index of the innermost open bracket around it
    comments: tuple[tuple[int, int], ...]
    copy: str


def scan_text(sql: str, dialect: Dialect) -> Scan:
    """Cut ``sql`` into tokens by the lexical rules of ``dialect``.

    Raises:
        Refused: the text is too long, nested too deep, not finished, or read differently by different engines.

    >>> [token.text for token in scan_text("SELECT 'a;b' -- c", "sqlite").tokens]
    ['SELECT', "'a;b'"]
    """
    if len(sql) > MAX_LENGTH:
        raise _refused("too-long", f"The statement is longer than {MAX_LENGTH:,} characters.", 0, 0)
    nul = sql.find("\0")
    if nul >= 0:
        raise _refused("nul-character", "The statement holds a NUL character.", nul, nul + 1, "Remove it.")
    tokens, comments, spaces = _tokens(sql, LEXIS[dialect])
    closing, opening = _brackets(tokens)
    return Scan(sql, dialect, tuple(tokens), closing, opening, tuple(comments), _blank(sql, comments + spaces))


def _refused(rule: str, message: str, start: int, end: int, hint: str | None = None) -> Refused:
    return Refused(Refusal(rule, message, start, end, hint))


def _tokens(sql: str, lexis: Lexis) -> tuple[list[Tok], list[tuple[int, int]], list[tuple[int, int]]]:
    tokens: list[Tok] = []
    comments: list[tuple[int, int]] = []
    spaces: list[tuple[int, int]] = []
    match = lexis.pattern.match
    position, size, escaped = 0, len(sql), False
    while position < size:
        found = match(sql, position)
        kind = found.lastgroup if found else None
        if found is None or kind is None:
            raise _odd(sql, position)
        start, end = position, found.end()
        text = found.group(kind)
        if kind == "space":
            if not text.isascii():
                spaces.append((start, end))
        elif kind in ("comment", "open_comment"):
            end = _comment_end(sql, start, end, kind, lexis)
            comments.append((start, end))
        else:
            if escaped and kind == "string" and text[0] == "'":
                raise _ambiguous(start, end, "a literal with escapes that goes on in a second literal")
            escaped = kind == "escaped"
            tokens.append(_token(sql, kind, text, start, end))
        position = end
    return tokens, comments, spaces


def _comment_end(sql: str, start: int, end: int, kind: str, lexis: Lexis) -> int:
    if lexis.executable_comments and re.match(r"/\*[mM]?!", sql[start : start + 4]):
        raise _refused(
            "executable-comment",
            "A comment that starts with /*! is executed by the server.",
            start,
            min(end, start + 4),
            "Write its content as plain SQL, or remove it.",
        )
    if kind == "comment":
        return end
    depth = 0
    if lexis.nested_comments:
        for found in _NESTING.finditer(sql, start):
            depth += 1 if found.group() == "/*" else -1
            if depth == 0:
                return found.end()
    raise _refused("unterminated", "The comment that starts here does not end.", start, end, "Close it with */.")


def _token(sql: str, kind: str, text: str, start: int, end: int) -> Tok:
    if kind == "word":
        if not text.isascii():
            _check_letters(sql, text, start)
        return Tok("word", text, start, end, fold(text))
    if kind == "op":
        if not text.isprintable():
            raise _odd(sql, start)
        return Tok("op", text, start, end, text)
    if kind in ("bytes", "escaped"):
        return Tok("string", text, start, end)
    if kind == "ambiguous":
        raise _ambiguous(start, end, "this")
    if kind == "bad_number":
        raise _refused(
            "malformed-number", "A number runs into letters or dots.", start, end, "Put a space between them."
        )
    if kind == "open_quote":
        raise _refused("unterminated", "The quote that starts here does not end.", start, end, "Close it.")
    assert kind in ("quoted", "string", "number", "param")
    return Tok(kind, text, start, end)  # type: ignore[arg-type]


def _ambiguous(start: int, end: int, what: str) -> Refused:
    message = f"Versions or settings of the engine read {what} in different ways."
    return _refused("ambiguous-text", message, start, end, "Write it with plain quotes and spaces.")


def _odd(sql: str, position: int) -> Refused:
    name = unicodedata.name(sql[position], f"U+{ord(sql[position]):04X}")
    hint = "Type it again as a plain space or letter, or quote the name that holds it."
    return _refused("odd-character", f"The character {name} is not allowed here.", position, position + 1, hint)


def _check_letters(sql: str, text: str, start: int) -> None:
    for offset, char in enumerate(text):
        if char in _LOOKALIKES or (
            char > "\x7f" and unicodedata.category(char) in ("Zs", "Zl", "Zp", "Cc", "Cf", "Cs")
        ):
            raise _odd(sql, start + offset)


def _brackets(tokens: list[Tok]) -> tuple[dict[int, int], dict[int, int]]:
    closing: dict[int, int] = {}
    opening: dict[int, int] = {}
    stack: list[int] = []
    for index, token in enumerate(tokens):
        if stack:
            opening[index] = stack[-1]
        if token.kind != "op":
            continue
        if token.text in "([{":
            stack.append(index)
            if len(stack) > MAX_DEPTH:
                message = f"The statement is nested deeper than {MAX_DEPTH} brackets."
                raise _refused("too-deep", message, token.start, token.end, "Name the inner parts with WITH.")
        elif token.text in _CLOSES:
            if not stack or tokens[stack[-1]].text != _CLOSES[token.text]:
                raise _refused("unbalanced", "This bracket closes nothing.", token.start, token.end)
            closing[stack.pop()] = index
    if stack:
        token = tokens[stack[-1]]
        raise _refused("unbalanced", "This bracket is never closed.", token.start, token.end)
    return closing, opening


def _blank(sql: str, spans: list[tuple[int, int]]) -> str:
    if not spans:
        return sql
    parts, position = [], 0
    for start, end in sorted(spans):
        parts.append(sql[position:start])
        parts.append("".join("\n" if char == "\n" else " " for char in sql[start:end]))
        position = end
    parts.append(sql[position:])
    return "".join(parts)
