"""Single forms that sqlglot does not parse, each put into one that it does.

In: the parser's tokens. Out: tokens with the same operands and relations. Never: a token removed that could name a
relation or call a function.
"""

from __future__ import annotations

from typing import Final

from sqlglot import Token, TokenType

from dbgraph_nb.gate.parameters import parameter_colons
from dbgraph_nb.gate.repair_names import AFTER_NAME, BEFORE_NAME_OR_PAREN, like, without, word
from dbgraph_nb.gate.statement import Statement


def numbered_parameters(tokens: list[Token], _: Statement) -> list[Token]:
    """?2 is one parameter."""

    def found(tokens: list[Token], index: int) -> int:
        token, before = tokens[index], tokens[index - 1] if index else None
        numbered = (
            before is not None
            and before.token_type == TokenType.PLACEHOLDER
            and token.token_type == TokenType.NUMBER
            and token.start == before.end + 1
        )
        return int(numbered)

    return without(tokens, found)


def rows_examined(tokens: list[Token], _: Statement) -> list[Token]:
    """MariaDB: LIMIT … ROWS EXAMINED n."""

    def found(tokens: list[Token], index: int) -> int:
        if word(tokens, index) != "rows" or word(tokens, index + 1) != "examined":
            return 0
        return 3 if index + 2 < len(tokens) and tokens[index + 2].token_type == TokenType.NUMBER else 0

    return without(tokens, found)


def json_table_fallbacks(tokens: list[Token], statement: Statement) -> list[Token]:
    """JSON_TABLE columns: NULL | ERROR | DEFAULT 'x' ON EMPTY | ERROR."""
    if not any(word(tokens, index) == "json_table" for index in range(len(tokens))):
        return tokens

    def found(tokens: list[Token], index: int) -> int:
        first = word(tokens, index)
        if first == "default" and index + 1 < len(tokens) and tokens[index + 1].token_type == TokenType.STRING:
            length = 2
        elif first in ("null", "error"):
            length = 1
        else:
            return 0
        fits = word(tokens, index + length) == "on" and word(tokens, index + length + 1) in ("empty", "error")
        return length + 2 if fits and _in_columns(tokens[index], statement) else 0

    return without(tokens, found)


def _in_columns(token: Token, statement: Statement) -> bool:
    """Whether ``token`` stands directly in COLUMNS (…)."""
    index = statement.index_at(token.start)
    bracket = statement.scan.opening.get(index, 0) if index is not None else 0
    return statement.key(bracket - 1) == "columns"


def values_rows(tokens: list[Token], _: Statement) -> list[Token]:
    """MariaDB's VALUES (1), (2) is what sqlglot knows as VALUES ROW(1), ROW(2)."""
    if len(tokens) < 2 or word(tokens, 0) != "values" or tokens[1].token_type != TokenType.L_PAREN:
        return tokens
    fixed: list[Token] = []
    depth = 0
    for index, token in enumerate(tokens):
        if token.token_type == TokenType.L_PAREN:
            if depth == 0 and (index == 1 or tokens[index - 1].token_type == TokenType.COMMA):
                fixed.append(like(token, TokenType.ROW, "ROW"))
            depth += 1
        elif token.token_type == TokenType.R_PAREN:
            depth -= 1
        fixed.append(token)
    return fixed


def colon_parameters(tokens: list[Token], statement: Statement) -> list[Token]:
    """DuckDB's own sign is $name; :name is what we bind, and a colon means much else to the parser."""
    starts = {statement.scan.tokens[index].start for index in parameter_colons(statement.scan)}
    return [like(token, TokenType.PARAMETER, "$") if token.start in starts else token for token in tokens]


_LISTS: Final = frozenset({"tables", "databases", "schemas", "variables"})


def nested_show(tokens: list[Token], _: Statement) -> list[Token]:
    """DuckDB: (SHOW TABLES) reads the catalogue like a DESCRIBE of one of its views; (SHOW t) is DESCRIBE t."""
    fixed: list[Token] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        opened = index == 0 or tokens[index - 1].token_type == TokenType.L_PAREN
        if opened and token.token_type == TokenType.SHOW and index + 1 < len(tokens):
            fixed.append(like(token, TokenType.DESCRIBE, "DESCRIBE"))
            skip = 1 if word(tokens, index + 1) == "all" else 0
            if word(tokens, index + 1 + skip) in _LISTS:
                fixed.append(like(tokens[index + 1], TokenType.VAR, "duckdb_tables"))
                index += skip + 1
        else:
            fixed.append(token)
        index += 1
    return fixed


def apply(tokens: list[Token], _: Statement) -> list[Token]:
    """DuckDB: apply(…) is a function, not a kind of join."""
    for index, token in enumerate(tokens[:-1]):
        if word(tokens, index) == "apply" and tokens[index + 1].token_type == TokenType.L_PAREN:
            tokens[index] = like(token, TokenType.VAR, token.text)
    return tokens


def ordered_pivot(tokens: list[Token], statement: Statement) -> list[Token]:
    """DuckDB: PIVOT … ORDER BY … LIMIT … is SELECT * FROM (PIVOT …) ORDER BY … LIMIT …"""
    if statement.form.name not in ("pivot", "unpivot"):
        return tokens
    depth = 0
    for index, token in enumerate(tokens):
        depth += (token.text in "([{") - (token.text in ")]}") if len(token.text) == 1 else 0
        if depth == 0 and (token.token_type == TokenType.ORDER_BY or word(tokens, index) == "limit"):
            head = [
                like(tokens[0], TokenType.SELECT, "SELECT"),
                like(tokens[0], TokenType.STAR, "*"),
                like(tokens[0], TokenType.FROM, "FROM"),
                like(tokens[0], TokenType.L_PAREN, "("),
            ]
            return [*head, *tokens[:index], like(token, TokenType.R_PAREN, ")"), *tokens[index:]]
    return tokens


_BRACED: Final = frozenset({"d", "t", "ts"})


def braced_dates(tokens: list[Token], _: Statement) -> list[Token]:
    """MySQL: {d '2024-01-31'} is the text with a type."""
    fixed: list[Token] = []
    index = 0
    while index < len(tokens):
        run = tokens[index : index + 4]
        braced = len(run) == 4 and run[0].text == "{" and run[3].text == "}" and word(tokens, index + 1) in _BRACED
        if braced and run[2].token_type == TokenType.STRING:
            fixed.append(run[2])
            index += 4
            continue
        fixed.append(tokens[index])
        index += 1
    return fixed


def factorial(tokens: list[Token], _: Statement) -> list[Token]:
    """DuckDB: 4! between two signs; without the sign it has the same operand."""

    def found(tokens: list[Token], index: int) -> int:
        if not index or tokens[index].text != "!":
            return 0
        before, after = tokens[index - 1], word(tokens, index + 1)
        operand = before.token_type in (TokenType.NUMBER, TokenType.R_PAREN, TokenType.VAR, TokenType.IDENTIFIER)
        return int(operand and (after in AFTER_NAME or after in ("from", "as") or index + 1 == len(tokens)))

    return without(tokens, found)


def prefix_signs(tokens: list[Token], _: Statement) -> list[Token]:
    """PostgreSQL: @ x, |/ x and ||/ x have the operand x."""

    def found(tokens: list[Token], index: int) -> int:
        if index and word(tokens, index - 1) not in BEFORE_NAME_OR_PAREN:
            return 0
        signs = "".join(token.text for token in tokens[index : index + 2])
        if signs in ("|/", "||/"):
            return 2
        return int(tokens[index].text == "@" and index + 1 < len(tokens))

    return without(tokens, found)
