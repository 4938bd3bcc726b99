"""The statement as the rules see it: everything known before the verdict.

In: the scan, the form, the policy, and after parsing the tree. Out: small questions that several rules ask. Never: a
verdict.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dbgraph_nb.gate.forms import Form
from dbgraph_nb.gate.scan import Scan, Tok, fold
from dbgraph_nb.model import Dialect


@dataclass(frozen=True, slots=True)
class Policy:
    """What the caller allows: ``relations`` (folded name parts; None: any plain name), writing forms, and the
    folded names of functions that are opted in."""

    relations: frozenset[tuple[str, ...]] | None = None
    writes: bool = False
    functions: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Relation:
    """A name read as a relation: its ``parts`` as written (without quotes), its first token (None if the parser does
    not tell), and whether it is a plain name (not a text, a parameter or an expression)."""

    parts: tuple[str, ...]
    token: Tok | None
    plain: bool = True


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement: ``tokens`` without the closing semicolon; ``tree`` is None before parsing and for forms that are
    proven by their shape; ``nodes`` are those of the tree; ``relations`` are known once the tree is known to read."""

    scan: Scan
    tokens: tuple[Tok, ...]
    form: Form
    policy: Policy
    tree: Any = None
    nodes: tuple[Any, ...] = ()
    relations: tuple[Relation, ...] = ()

    @property
    def dialect(self) -> Dialect:
        return self.scan.dialect

    def key(self, index: int) -> str:
        """The folded word or operator at ``index``, "" elsewhere and outside."""
        return self.tokens[index].key if 0 <= index < len(self.tokens) else ""

    def index_at(self, offset: int) -> int | None:
        """The index of the token that starts at ``offset`` of the text."""
        index = bisect_left(self.tokens, offset, key=lambda token: token.start)
        return index if index < len(self.tokens) and self.tokens[index].start == offset else None

    def at(self, offset: int) -> Tok | None:
        """The token that starts at ``offset`` of the text."""
        index = self.index_at(offset)
        return None if index is None else self.tokens[index]

    def before_paren(self, token: Tok) -> bool:
        """Whether an opening parenthesis follows ``token``."""
        rest = self.scan.copy[token.end : token.end + 200].lstrip()
        return rest.startswith("(")


@dataclass(frozen=True, slots=True)
class Call:
    """A name directly before an opening parenthesis: ``index`` is its token, ``qualifier`` the folded name before a
    dot, or None."""

    name: str
    index: int
    qualifier: str | None


def name_of(token: Tok) -> str:
    """The name that a word or a quoted token means, as written, without its quotes.

    >>> name_of(Tok("quoted", '"a""b"', 0, 6))
    'a"b'
    """
    if token.kind != "quoted":
        return token.text
    quote = token.text[-1]
    inner = token.text[1:-1]
    return inner if quote == "]" else inner.replace(quote * 2, quote)


def calls(statement: Statement) -> Iterator[Call]:
    """Every name that stands directly before ``(``: calls, and keywords and column lists that look like them."""
    tokens = statement.tokens
    start = statement.form.body if statement.form.body is not None else statement.form.condition or 0
    for index in range(start, len(tokens) - 1):
        token = tokens[index]
        if token.kind not in ("word", "quoted") or tokens[index + 1].text != "(":
            continue
        qualifier = None
        if index >= 2 and tokens[index - 1].text == ".":
            before = tokens[index - 2]
            qualifier = fold(name_of(before)) if before.kind in ("word", "quoted") else ""
        yield Call(fold(name_of(token)), index, qualifier)
