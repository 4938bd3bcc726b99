"""The read-only gate: the one place that decides whether a statement may run.

In: the user's SQL text, the dialect, and what the caller allows. Out: an ``AllowedQuery`` with the text unchanged, or
``GateRefused`` with rule, token, line, column and a hint. Never: an execution, a change of the text, or a statement let
through because it was not understood.

scan → form → token rules → parse (and both lexers agree) → tree rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, get_args

from sqlglot import exp

from dbgraph_nb.errors import BadArgument
from dbgraph_nb.gate.call_rules import refused_functions
from dbgraph_nb.gate.forms import Form, recognise
from dbgraph_nb.gate.parameters import named_parameters, parameter_places
from dbgraph_nb.gate.parse import parse_statement
from dbgraph_nb.gate.refusal import Refusal, Refused, as_error
from dbgraph_nb.gate.relation_rules import read_relations
from dbgraph_nb.gate.relations import all_relations
from dbgraph_nb.gate.rules import NAME_RULES, NODE_RULES, TOKEN_RULES
from dbgraph_nb.gate.scan import Scan, Tok, fold, scan_text
from dbgraph_nb.gate.statement import Policy, Statement
from dbgraph_nb.model import AllowedQuery, Dialect

__all__ = ["check"]

_DIALECTS: Final = get_args(Dialect)
_CACHED: Final = 128  # statements
_CACHED_LENGTH: Final = 4_000  # characters; a tree takes about 200 bytes for each


def check(
    sql: str,
    *,
    dialect: Dialect,
    relations: Iterable[str | tuple[str, ...]] | None = None,
    writes: bool = False,
    functions: Iterable[str] = (),
) -> AllowedQuery:
    """Prove that ``sql`` is one reading statement, or refuse it.

    Args:
        sql: the text, with or without a closing semicolon and comments.
        dialect: sqlite, mysql, mariadb, postgres or duckdb.
        relations: the names that may be read (``"t"``, ``"schema.t"`` or a tuple of parts; case does not matter);
            catalogue metadata stays readable. None: any plain name, never a path or a URL.
        writes: also allow INSERT, UPDATE, DELETE, MERGE and DDL on plain names.
        functions: names of further functions (``"f"`` or ``"schema.f"``) that the caller vouches for.

    Returns:
        The statement for an engine: ``sql`` byte for byte, the parsed tree (of the inner query for EXPLAIN, None for
        SHOW and PRAGMA), relations, parameters and form.

    Raises:
        GateRefused: the statement is not proven to be an allowed read; ``rule`` says why.
        BadArgument: the dialect is unknown, or ``sql`` is no text.

    >>> check("SELECT name FROM users WHERE id = :id", dialect="sqlite").relations
    (('users',),)
    """
    if dialect not in _DIALECTS:
        raise BadArgument(
            f"There is no dialect {dialect!r}.", code="unknown-dialect", hint=f"Use {', '.join(_DIALECTS)}."
        )
    if not isinstance(sql, str):
        raise BadArgument("The SQL is not a text.", code="sql-not-text")
    if not isinstance(functions, Iterable):
        raise BadArgument(f"functions is a {type(functions).__name__}; it must be names.", code="gate-argument")
    policy = Policy(_names(relations), writes, frozenset(fold(name) for name in functions))
    return (_seen if len(sql) <= _CACHED_LENGTH else _allowed)(sql, dialect, policy)


def _allowed(sql: str, dialect: Dialect, policy: Policy) -> AllowedQuery:
    try:
        statement = _checked(sql, dialect, policy)
    except Refused as refused:
        raise as_error(refused.refusal, sql, dialect) from None
    return AllowedQuery(
        sql,
        dialect,
        statement.tree or exp.Show(this=statement.form.name.upper()),
        read_relations(statement),
        named_parameters(statement.scan),
        statement.form.name,
        parameter_places(statement.scan),
    )


# A cell that is run again costs nothing. Refusals are not kept. The trees are shared, so nobody may change one.
_seen = lru_cache(maxsize=_CACHED)(_allowed)


def _names(relations: Iterable[str | tuple[str, ...]] | None) -> frozenset[tuple[str, ...]] | None:
    if relations is None:
        return None
    if isinstance(relations, frozenset):
        return _prepared(relations)  # a whole catalog, the same at each call
    if isinstance(relations, str):
        relations = (relations,)
    if not isinstance(relations, Iterable):
        raise BadArgument(
            f"relations is a {type(relations).__name__}; it must be names, or None.", code="gate-argument"
        )
    return _folded(relations)


@lru_cache(maxsize=8)
def _prepared(relations: frozenset[str | tuple[str, ...]]) -> frozenset[tuple[str, ...]]:
    return _folded(relations)


def _folded(relations: Iterable[str | tuple[str, ...]]) -> frozenset[tuple[str, ...]]:
    names: set[tuple[str, ...]] = set()
    for relation in relations:
        if isinstance(relation, str):
            names.add((fold(relation),))
            names.add(tuple(fold(part) for part in relation.split(".")))
        else:
            names.add(tuple(fold(part) for part in relation))
    return frozenset(names)


def _checked(sql: str, dialect: Dialect, policy: Policy) -> Statement:
    scanned = scan_text(sql, dialect)
    tokens = _one_statement(scanned)
    form = recognise(scanned, tokens, writes=policy.writes)
    if isinstance(form, Refusal):
        raise Refused(form)
    statement = Statement(scanned, tokens, form, policy)
    for rule in TOKEN_RULES:
        _stop(rule(statement))
    if form.body is not None:
        tree = _parsed(statement)
        statement = replace(statement, tree=tree, nodes=tuple(tree.walk()))
        statement = replace(statement, form=_by_root(form, statement))
    for rule in NODE_RULES:
        _stop(rule(statement))
    statement = replace(statement, relations=tuple(all_relations(statement)))
    for rule in NAME_RULES:
        _stop(rule(statement))
    return statement


def _parsed(statement: Statement) -> Any:
    try:
        return parse_statement(statement)
    except Refused as refused:
        # a function that is refused anyway is the better reason
        raise Refused(refused_functions(statement) or refused.refusal) from None


def _stop(refusal: Refusal | None) -> None:
    if refusal:
        raise Refused(refusal)


def _one_statement(scanned: Scan) -> tuple[Tok, ...]:
    tokens = scanned.tokens
    end = len(tokens)
    while end and tokens[end - 1].text == ";":
        end -= 1
    if not end:
        raise Refused(Refusal("empty-statement", "There is no statement here.", 0, 0, "Write a SELECT."))
    if tokens[0].text == "." and len(tokens) > 1 and tokens[1].kind == "word":
        message = "A dot command belongs to a command line shell and is not SQL."
        raise Refused(Refusal("dot-command", message, tokens[0].start, tokens[1].end, "Write SQL."))
    for index in range(end):
        if tokens[index].text == ";":
            token = tokens[min(index + 1, end - 1)]
            message = "There is more than one statement."
            raise Refused(Refusal("several-statements", message, token.start, token.end, "Run them one at a time."))
    return tokens[:end]


def _by_root(form: Form, statement: Statement) -> Form:
    """WITH … INSERT is named for what it does."""
    root = type(statement.tree).__name__.lower()
    writing = {"insert", "update", "delete", "merge"}
    return replace(form, name=root) if form.name == "select" and root in writing else form
