"""Words and numbers that sqlglot takes for something else: a verb that is a column, 0x1F, x'1F'.

In: the parser's tokens and the scanner's. Out: the tokens with those changed. Never: a verb made a name where an engine
could begin a statement.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sqlglot import Token, TokenType

from dbgraph_nb.gate.forms import WRITING_FORMS
from dbgraph_nb.gate.scan import fold
from dbgraph_nb.gate.statement import Statement
from dbgraph_nb.gate.words import STRUCTURE


def word(tokens: list[Token], index: int) -> str:
    if not 0 <= index < len(tokens) or tokens[index].token_type in (TokenType.IDENTIFIER, TokenType.STRING):
        return ""
    return fold(tokens[index].text)


def like(token: Token, token_type: TokenType, text: str) -> Token:
    """A new token at the place of ``token``."""
    return Token(token_type, text, token.line, token.col, token.start, token.end)


_BEFORE_NAME: Final = frozenset(
    [
        ",",
        ".",
        "select",
        "distinct",
        "all",
        "by",
        "where",
        "and",
        "or",
        "not",
        "on",
        "when",
        "then",
        "else",
        "case",
        "=",
        "<",
        ">",
        "+",
        "-",
        "*",
        "/",
        "%",
        "between",
    ]
)
BEFORE_NAME_OR_PAREN: Final = _BEFORE_NAME | {"(", "["}
AFTER_NAME: Final = frozenset(
    [",", ")", "]", ".", "=", "<", ">", "+", "-", "*", "/", "%", "::", "||", "<>", "!=", "<=", ">="]
)
_AFTER_NAME_WORDS: Final = frozenset(
    [
        "from",
        "as",
        "is",
        "in",
        "and",
        "or",
        "not",
        "like",
        "between",
        "asc",
        "desc",
        "nulls",
        "then",
        "else",
        "end",
        "when",
    ]
)


def plain_names(tokens: list[Token], statement: Statement) -> list[Token]:
    """A verb between commas or operators is a column: no engine can begin a statement there.

    Directly after an opening parenthesis one could, so there the next token must be a sign, not a word."""
    if statement.form.name in WRITING_FORMS:
        return tokens  # MERGE … THEN DELETE
    fixed = tokens
    for index, token in enumerate(tokens):
        if token.token_type in (TokenType.VAR, TokenType.IDENTIFIER, TokenType.STRING, TokenType.NUMBER):
            continue
        text = fold(token.text)
        if not text.isidentifier() or text in STRUCTURE or index == 0:
            continue
        before, after = word(tokens, index - 1), word(tokens, index + 1)
        last = index + 1 == len(tokens)
        by_sign = before in BEFORE_NAME_OR_PAREN and (after in AFTER_NAME or last)
        if by_sign or (before in _BEFORE_NAME and after in _AFTER_NAME_WORDS):
            if fixed is tokens:
                fixed = list(tokens)
            fixed[index] = like(token, TokenType.VAR, statement.scan.sql[token.start : token.end + 1])
    return fixed


def whole_numbers(tokens: list[Token], statement: Statement) -> list[Token]:
    """0x1F and x'1F' are one token for the engine where sqlglot sees a prefix and a rest."""
    fixed: list[Token] = []
    for token in tokens:
        if fixed and token.start == fixed[-1].end + 1:
            before = fixed[-1]
            mine = statement.at(before.start)
            if mine and mine.end == token.end + 1 and mine.start == before.start and mine.kind in ("number", "string"):
                kind = TokenType.NUMBER if mine.kind == "number" else TokenType.STRING
                fixed[-1] = Token(kind, token.text, before.line, before.col, before.start, token.end)
                if kind == TokenType.NUMBER:
                    fixed[-1].text = "0"  # its value is of no interest here
                continue
        fixed.append(token)
    return fixed


def without(tokens: list[Token], found: Callable[[list[Token], int], int]) -> list[Token]:
    """``tokens`` without the runs whose length ``found`` tells."""
    fixed: list[Token] = []
    index = 0
    while index < len(tokens):
        length = found(tokens, index)
        if not length:
            fixed.append(tokens[index])
        index += length or 1
    return fixed
