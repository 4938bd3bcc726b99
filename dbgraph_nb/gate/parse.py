"""The parser's view of a statement, and the proof that it cut the text where the scanner did.

In: a ``Statement`` without a tree. Out: one sqlglot tree, made from a copy of the text in which comments and what is
outside the query are blank, so that offsets stay. Never: a tree of a text that the two lexers read differently, an
opaque ``Command``, or an exception of sqlglot.
"""

from __future__ import annotations

import logging
import threading
from functools import cache
from typing import Any, Final

from sqlglot import Token, TokenType, exp
from sqlglot.dialects.dialect import Dialect as Sqlglot
from sqlglot.errors import ErrorLevel, ParseError, SqlglotError

from dbgraph_nb.gate.refusal import Refusal, Refused
from dbgraph_nb.gate.repair import repair
from dbgraph_nb.gate.scan import Tok
from dbgraph_nb.gate.statement import Statement

_TEXTS: Final = frozenset(
    {
        TokenType.STRING,
        TokenType.NATIONAL_STRING,
        TokenType.BYTE_STRING,
        TokenType.RAW_STRING,
        TokenType.HEREDOC_STRING,
        TokenType.UNICODE_STRING,
    }
)
_CODED: Final = frozenset({TokenType.HEX_STRING, TokenType.BIT_STRING})  # of x'1F' and of 0x1F alike

# What sqlglot raises, meant or not, on a text that it does not know.
_PARSER_ERRORS: Final = (
    SqlglotError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NotImplementedError,
    TypeError,
    ValueError,
)

# The parser takes about one step a token, twice that in the worst of our cases; some nestings take 2 to the depth.
STEPS_PER_TOKEN: Final = 20
STEPS: Final = 20_000

_quiet = threading.local()


class _Silence(logging.Filter):
    """Drops sqlglot's warnings while the gate parses; other users of sqlglot keep theirs."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not getattr(_quiet, "on", False)


logging.getLogger("sqlglot").addFilter(_Silence())


@cache
def _bounded(parser_class: type[Any]) -> type[Any]:
    """``parser_class`` with a bound on its work: some nestings make it try every combination."""

    class Bounded(parser_class):  # type: ignore[misc]
        steps = 0

        def _advance(self, times: int = 1) -> None:
            self.steps -= 1
            if self.steps < 0:
                raise _TooMuchWork
            super()._advance(times)

    return Bounded


class _TooMuchWork(Exception):
    """The parser went back and forth too often."""


def parse_statement(statement: Statement) -> Any:
    """The sqlglot tree of the query in ``statement``.

    Raises:
        Refused: it cannot be parsed, or is read differently by scanner and parser.
    """
    body = statement.form.body or 0
    first, last = statement.tokens[body], statement.tokens[-1]
    copy = " " * first.start + statement.scan.copy[first.start : last.end]
    name = "mysql" if statement.dialect == "mariadb" else statement.dialect
    _quiet.on = True
    try:
        dialect = Sqlglot.get_or_raise(name)
        tokens = dialect.tokenize(copy)
        _agree(statement.tokens[body:], tokens)
        tokens = repair(tokens, statement)
        parser = _bounded(dialect.parser_class)(dialect=dialect, error_level=ErrorLevel.IMMEDIATE)
        parser.steps = STEPS_PER_TOKEN * len(tokens) + STEPS
        trees = [tree for tree in parser.parse(tokens, copy) if tree]
    except (RecursionError, _TooMuchWork):
        message = "The statement is nested deeper or more intricately than can be checked."
        raise Refused(Refusal("too-deep", message, first.start, first.end, "Name the inner parts with WITH.")) from None
    except _PARSER_ERRORS as error:
        raise Refused(_not_understood(statement, error)) from None
    finally:
        _quiet.on = False
    if len(trees) != 1 or isinstance(trees[0], exp.Command):
        raise Refused(_not_understood(statement, None))
    return trees[0]


def _agree(scanned: tuple[Tok, ...], parsed: list[Token]) -> None:
    """Both lexers must see the same texts and quoted names, and skip the same characters."""
    index, reached = 0, -1  # the first scanned token that is not yet covered; where the parser's last token ended
    for token in parsed:
        start, end = token.start, token.end + 1
        mine = scanned[index] if index < len(scanned) else None
        if mine is None or start < mine.start or (start > mine.start and start != reached):
            raise _differs(mine or scanned[-1])
        if mine.kind in ("string", "quoted"):
            _same(mine, token, start, end)
        elif token.token_type in _TEXTS or (token.token_type == TokenType.IDENTIFIER and mine.kind != "number"):
            raise _differs(mine)
        while index < len(scanned) and scanned[index].start < end:
            over = scanned[index]
            if over is not mine and over.kind in ("string", "quoted"):
                raise _differs(over)
            if over.end > end:
                break
            index += 1
        reached = end
    if index != len(scanned):
        raise _differs(scanned[index])


def _same(mine: Tok, token: Token, start: int, end: int) -> None:
    kinds = {TokenType.IDENTIFIER} if mine.kind == "quoted" else _TEXTS | _CODED
    if (start, end) == (mine.start, mine.end) and token.token_type in kinds:
        return
    if mine.text[0] in "xXbB":
        # DuckDB's x'AB' is a name and a text for the parser; no character is special inside it
        if (start, end) == (mine.start, mine.start + 1) and token.token_type == TokenType.VAR:
            return
        if (start, end) == (mine.start + 1, mine.end) and token.token_type in _TEXTS:
            return
    raise _differs(mine)


def _differs(token: Tok) -> Refused:
    message = "It is not certain where this text or comment ends."
    hint = "Write it with plain quotes, and without comments around it."
    return Refused(Refusal("reading-differs", message, token.start, token.end, hint))


_ADVICE: Final = {
    "!": "Write factorial(x), or NOT x.",
    "{": "Write DATE '…' or TIMESTAMP '…' for a date in braces.",
    "@": "Write abs(x) for @ x.",
    "|": "Write sqrt(x) for |/ x.",
}


def _not_understood(statement: Statement, error: Exception | None) -> Refusal:
    token = statement.tokens[statement.form.body or 0]
    if isinstance(error, ParseError) and error.errors:
        found = _token_at(statement, error.errors[0].get("line"), error.errors[0].get("col"))
        token = found or token
    index = statement.tokens.index(token)
    near = "".join(other.text for other in statement.tokens[max(0, index - 2) : index + 2] if other.kind == "op")
    hint = next((advice for sign, advice in _ADVICE.items() if sign in near), None)
    message = "The statement is not understood here, so it is not known to be a read."
    return Refusal("not-understood", message, token.start, token.end, hint or "Write this part in a plainer form.")


def _token_at(statement: Statement, line: int | None, column: int | None) -> Tok | None:
    """The token that ends at the parser's 1-based ``line`` and ``column``."""
    if not line or column is None:
        return None
    lines = statement.scan.copy.splitlines(keepends=True)
    offset = sum(len(text) for text in lines[: line - 1]) + column - 1
    return next((token for token in statement.tokens if token.start <= offset < token.end), None)
