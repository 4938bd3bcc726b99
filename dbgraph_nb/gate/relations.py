"""Which relations a tree reads, with the scope of every WITH respected.

In: a tree and the tokens. Out: the relations, each with its token. Never: a CTE's name taken for a table outside the
CTE's scope, or a table for a CTE inside it: in doubt a name counts as a table.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from sqlglot import exp

from dbgraph_nb.gate.scan import Tok, fold
from dbgraph_nb.gate.statement import Relation, Statement, name_of

_READABLE: Final = (exp.Query, exp.Table, exp.Pivot, exp.Values)
# Dialects whose CTE names ignore case however they are quoted.
_CASELESS: Final = frozenset({"sqlite", "duckdb"})


_Scopes = dict[int, dict[str, int]]  # a WITH by its identity: its CTEs by key, each with its first position


def all_relations(statement: Statement) -> Iterator[Relation]:
    """The relations of the tree, or those that a metadata form names."""
    if statement.tree is not None:
        yield from _of_tree(statement)
    for start, end in statement.form.names:
        tokens = statement.tokens[start:end:2]
        plain = all(token.kind in ("word", "quoted") for token in tokens)
        yield Relation(tuple(name_of(token) for token in tokens), tokens[0], plain)


def _of_tree(statement: Statement) -> Iterator[Relation]:
    """Every relation of ``statement.tree`` that is no CTE and no table function."""
    scopes: _Scopes = {}
    for node in statement.nodes:
        if isinstance(node, exp.Table):
            yield from _table(node, statement, scopes)
        elif isinstance(node, exp.In) and statement.dialect == "sqlite":
            yield from _in_table(node, statement, scopes)
        elif isinstance(node, (exp.Summarize, exp.Describe)) and not isinstance(node.this, _READABLE):
            yield Relation((), _first_token(node, statement), plain=False)


def _table(node: Any, statement: Statement, scopes: _Scopes) -> Iterator[Relation]:
    this = node.this
    if this is None and node.args.get("rows_from"):
        return
    if isinstance(this, exp.Func):
        return
    parts = [part for part in (node.args.get("catalog"), node.args.get("db"), this) if part]
    while parts and isinstance(parts[-1], exp.Dot):
        last = parts.pop()
        parts += [last.this, last.expression]
    if not all(isinstance(part, exp.Identifier) for part in parts):
        yield Relation((), _first_token(node, statement), plain=False)
        return
    tokens = [statement.at(part.meta["start"]) if "start" in part.meta else None for part in parts]
    plain = all(token is not None and token.kind in ("word", "quoted") for token in tokens)
    if not (len(parts) == 1 and plain and _is_cte(node, parts[0], statement, scopes)):
        yield Relation(tuple(part.name for part in parts), tokens[0], plain)


def _in_table(node: Any, statement: Statement, scopes: _Scopes) -> Iterator[Relation]:
    """SQLite: x IN name reads the table of that name."""
    field = node.args.get("field")
    if isinstance(field, exp.Column):
        tokens = [statement.at(part.meta["start"]) if "start" in part.meta else None for part in field.parts]
        plain = all(token is not None and token.kind in ("word", "quoted") for token in tokens)
        if not (len(field.parts) == 1 and _is_cte(field, field.this, statement, scopes)):
            yield Relation(tuple(part.name for part in field.parts), tokens[0], plain)


def _first_token(node: Any, statement: Statement) -> Tok | None:
    for part in node.walk():
        if "start" in part.meta:
            return statement.at(part.meta["start"])
    return None


def _is_cte(node: Any, identifier: Any, statement: Statement, scopes: _Scopes) -> bool:
    """Whether the unqualified name ``identifier`` of ``node`` is a CTE where it stands."""
    name = _cte_key(identifier, statement)
    inside, outer = node, node.parent
    while outer is not None:
        with_ = outer.args.get("with_") or outer.args.get("with")
        if with_ is not None and with_ is not inside and name in _names(with_, statement, scopes):
            return True
        if isinstance(outer, exp.With) and _visible(outer, inside, name, statement, scopes):
            return True
        inside, outer = outer, outer.parent
    return False


def _visible(with_: Any, cte: Any, name: str, statement: Statement, scopes: _Scopes) -> bool:
    """Whether the body of ``cte`` sees a CTE ``name`` of its own list: earlier ones, and itself where it recurs.

    SQLite lets every one see every other."""
    position = _names(with_, statement, scopes).get(name)
    if position is None or statement.dialect == "sqlite":
        return position is not None
    own = int(cte.index or 0)
    return position < own or (position == own and bool(with_.args.get("recursive")))


def _names(with_: Any, statement: Statement, scopes: _Scopes) -> dict[str, int]:
    names = scopes.get(id(with_))
    if names is None:
        names = scopes[id(with_)] = {}
        for position, cte in enumerate(with_.expressions):
            names.setdefault(_cte_key(cte.args["alias"].this, statement), position)
    return names


def _cte_key(identifier: Any, statement: Statement) -> str:
    if statement.dialect in _CASELESS:
        return fold(identifier.name)
    if statement.dialect == "postgres" and not identifier.args.get("quoted"):
        return fold(identifier.name)
    return str(identifier.name)
