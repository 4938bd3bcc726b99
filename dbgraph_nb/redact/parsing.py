"""Text → one sqlglot tree, or a refusal.

In: SQL and a dialect. Out: one parsed statement. Never: a reading that differs from the engine's: forms that
sqlglot and an engine tokenize differently are refused before parsing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sqlglot import Token, TokenType, exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError

from dbgraph_nb.redact import dialects
from dbgraph_nb.redact.values import refusal

_QUOTED = {
    "mysql": r"'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.|\"\")*\"|`[^`]*`",
    "sqlite": r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|\[[^\]]*\]",
    "duckdb": r"[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\$(\w*)\$.*?\$\1\$",
    "postgres": r"[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\$(\w*)\$.*?\$\1\$",
}
# Comments outside of texts; some MySQL executes.
_COMMENT = r"/\*.*?\*/"
_LINE = {"mysql": r"--(?=[\s\x00-\x1f]|$)[^\n]*|#[^\n]*"}
_RESERVED = frozenset([
    "select", "from", "where", "as", "and", "or", "not", "on", "in", "by", "group", "order", "join", "left",
    "right", "inner", "union", "all", "case", "when", "then",
])  # fmt: skip
# Words that are keywords only after another: UNION BY NAME, SEARCH DEPTH FIRST BY x SET y.
_KEYWORDS = frozenset([("by", "name"), ("search", "depth"), ("search", "breadth")])
_FIRST = re.compile(r"(?:\s|;|\(|--[^\n]*\n|#[^\n]*\n|/\*.*?\*/)*([a-z]+)", re.I | re.S)
_READS = frozenset([
    "select", "with", "from", "values", "table", "pivot", "unpivot", "summarize", "describe", "desc", "show",
    "explain", "pragma", "create",
])  # fmt: skip


def parse_one(sql: str, dialect: str, relevant: Callable[[str], bool]) -> exp.Expr:
    """The one statement that ``sql`` holds.

    ``relevant`` says of a name that the parser must not have dropped it. Raises RedactionRefused when there is no
    statement or several, when it cannot be parsed, or may be read in two ways."""
    family = dialects.PARSER[dialect]
    _check_lexis(sql, family)
    first = first_word(sql)
    if first not in _READS:
        raise refusal("the statement is not a read")
    try:
        reader = Dialect.get_or_raise(family)
        tokens = reader.tokenize(sql)
        parsed = reader.parser().parse(tokens, sql)
    except (SqlglotError, RecursionError, ValueError, AttributeError, TypeError, IndexError, KeyError):
        raise refusal("the statement cannot be parsed, so where its outputs come from is not known") from None
    found = [tree for tree in parsed if tree is not None and not isinstance(tree, exp.Semicolon)]
    if len(found) != 1:
        raise refusal("one statement is needed" if found else "there is no statement")
    _check_complete(tokens, found[0], relevant, duckdb=family == "duckdb")
    return found[0]


def check_text(sql: str, tree: exp.Expr, dialect: str, relevant: Callable[[str], bool]) -> None:
    """The checks of ``parse_one`` for a tree that was parsed elsewhere from ``sql``."""
    family = dialects.PARSER[dialect]
    _check_lexis(sql, family)
    try:
        tokens = Dialect.get_or_raise(family).tokenize(sql)
    except SqlglotError:
        raise refusal("the statement cannot be parsed, so where its outputs come from is not known") from None
    _check_complete(tokens, tree, relevant, duckdb=family == "duckdb")


@dataclass(slots=True)
class _Inventory:
    """What stands in a tree: where its names came from, and how often names that lost their place."""

    places: set[int] = field(default_factory=set)
    unplaced: Counter[str] = field(default_factory=Counter)
    named: set[str] = field(default_factory=set)
    covering: Counter[str] = field(default_factory=Counter)  # references to columns without a name


def _inventory(tree: exp.Expr) -> _Inventory:
    found = _Inventory()
    for node in tree.walk():
        if isinstance(node, (exp.Identifier, exp.Var, exp.Literal, exp.Anonymous, exp.Parameter, exp.Placeholder)):
            start = node.meta.get("start") if node._meta else None
            if isinstance(start, int):
                found.places.add(start)
            else:
                found.unplaced[node.name.lower()] += 1
            if isinstance(node, exp.Identifier):
                found.named.add(node.name.lower())
        elif isinstance(node, exp.UnpivotColumns):
            found.unplaced.update(("name", "value"))  # INTO NAME k VALUE v
        elif isinstance(node, exp.PositionalColumn):
            found.covering["#"] += 1
        elif isinstance(node, exp.Columns):
            found.covering["columns"] += 1
    return found


def _check_complete(tokens: Sequence[Token], tree: exp.Expr, relevant: Callable[[str], bool], *, duckdb: bool) -> None:
    """Every name of the text must stand in the tree: for some functions the parser drops surplus arguments."""
    found = _inventory(tree)
    previous = ""
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        text, before = token.text.lower(), previous
        previous = text
        call = after is not None and after.token_type == TokenType.L_PAREN
        if duckdb and (token.token_type == TokenType.HASH or (call and text == "columns")):
            found.covering[text] -= 1
        if call or token.start in found.places or token.token_type in (TokenType.STRING, TokenType.NUMBER):
            continue
        if text in _RESERVED or (before, text) in _KEYWORDS:
            continue
        if found.unplaced[text] > 0:
            found.unplaced[text] -= 1
            continue
        is_name = token.token_type in (TokenType.VAR, TokenType.IDENTIFIER)
        if (is_name and text in found.named) or ((is_name or text.isidentifier()) and relevant(text)):
            raise refusal(f"the parser does not understand all of the statement: {text} is lost")
    if any(count < 0 for count in found.covering.values()):
        raise refusal("the parser does not understand all of the statement: a column reference is lost")


def first_word(sql: str) -> str:
    """The first keyword in lower case, comments skipped."""
    match = _FIRST.match(sql)
    return match[1].lower() if match else ""


def _check_lexis(sql: str, family: str) -> None:
    if "\x00" in sql:
        raise refusal("the statement holds a NUL character")
    if "/*" not in sql and '&"' not in sql:
        return
    skip = re.compile("|".join((_QUOTED[family], _LINE.get(family, r"--[^\n]*"), _COMMENT)), re.S)
    if family == "mysql" and any(match[0].startswith(("/*!", "/*M!")) for match in skip.finditer(sql)):
        raise refusal("a comment holds what MySQL or MariaDB may execute")
    if family == "postgres" and re.search(r"[uU]&\"", sql):
        raise refusal("an identifier with Unicode escapes cannot be traced")
