"""The bodies of views without the values that they compare sensitive columns with.

In: SQL bodies of views, a test for sensitive names. Out: the bodies, with '' in the place of such a literal. Never: a
body with a literal in it that could not be parsed, or a changed path into a JSON document.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp

UNPARSED = "Its definition is not kept: it may compare a sensitive column with a literal, and could not be parsed."

_DIALECTS = {"mariadb": "mysql"}
_NAME = re.compile(r"[^\W\d][\w$]*")
_LITERAL = re.compile(r"""['"]|(?<![\w$])\d""")
_PATH = re.compile(r"\$([.\[].*)?", re.DOTALL)


def without_values(
    bodies: Mapping[str, str], engine: str, is_sensitive: Callable[[str], bool], known: frozenset[str] = frozenset()
) -> dict[str, str | None]:
    """Each body as it may be stored, by its view; None for one that may hold a value and could not be parsed.

    A name that a view gives to what it makes of a sensitive column is sensitive too, in all of them. ``is_sensitive``
    is asked for case-folded names; ``known`` are the case-folded names of columns: on SQLite, "quoted" text is a
    string where no column has that name.

    >>> without_values({"v": "SELECT id FROM u WHERE pin = '42' AND state = 'on'"}, "sqlite", lambda n: n == "pin")
    {'v': "SELECT id FROM u WHERE pin = '' AND state = 'on'"}
    """
    found: dict[str, str | None] = dict(bodies)
    given: set[str] = set()  # names that views give to sensitive things
    trees: dict[str, exp.Expr | None] = {}

    def is_hidden(name: str) -> bool:
        return name.casefold() in given or is_sensitive(name.casefold())

    changed = True
    while changed:  # until no view gives another name
        before = len(given)
        for view, body in bodies.items():
            if view not in trees and any(map(is_hidden, _words(body))):
                trees[view] = _parsed(body, engine)
            if (tree := trees.get(view)) is not None:
                given |= _given(tree, is_hidden)
        changed = len(given) > before
    for view, parsed in trees.items():
        body = bodies[view]
        if parsed is not None:
            found[view] = _blanked(body, parsed, engine, is_hidden, known | given)
        elif _LITERAL.search(body):
            found[view] = None
    return found


def _words(body: str) -> Iterator[str]:
    """What may be a name in a body, quoted or not; in its strings too, since that needs no parser."""
    yield from dict.fromkeys(_NAME.findall(body))
    for quoted in re.finditer(r'"([^"]+)"|`([^`]+)`|\[([^\]]+)\]', body):
        yield next(filter(None, quoted.groups()))


def _parsed(body: str, engine: str) -> exp.Expr | None:
    import sqlglot
    from sqlglot.errors import SqlglotError

    try:
        trees = sqlglot.parse(body, read=_DIALECTS.get(engine, engine))
    except (SqlglotError, RecursionError, ValueError):
        return None
    tree = trees[0] if len(trees) == 1 else None
    return tree if tree is not None and tree.key in ("select", "union", "except", "intersect", "subquery") else None


def _starts(tree: exp.Expr, is_hidden: Callable[[str], bool]) -> Iterator[exp.Expr]:
    """The columns, and the keys of JSON paths, that have sensitive names."""
    from sqlglot import exp

    for node in tree.find_all(exp.Column, exp.JSONPathKey):
        name = node.name if isinstance(node, exp.Column) else str(node.this)
        if is_hidden(name):
            yield node


def _given(tree: exp.Expr, is_hidden: Callable[[str], bool]) -> set[str]:
    """The names that a body gives to what is made of sensitive columns."""
    from sqlglot import exp

    found: set[str] = set()
    starts = list(_starts(tree, is_hidden))
    for start in starts:
        node: exp.Expr | None = start
        while node is not None and not isinstance(node, exp.Where | exp.Having | exp.Join | exp.Order | exp.Group):
            if isinstance(node, exp.Alias):
                found.add(node.alias.casefold())
            parent = node.parent
            if isinstance(parent, exp.Select) and node.arg_key == "expressions":
                found |= _of_branches(parent, node)
            node = parent
    if starts:  # WITH v(x, y) AS (…), (SELECT …) AS t(x, y): which is which does not matter much
        found |= {name.name.casefold() for alias in tree.find_all(exp.TableAlias) for name in alias.columns}
    return found


def _of_branches(select: exp.Expr, item: exp.Expr) -> set[str]:
    """The names that the branches of a UNION give to the place of ``item``."""
    from sqlglot import exp

    place = select.expressions.index(item)
    top: exp.Expr = select
    while isinstance(top.parent, exp.SetOperation):
        top = top.parent
    if top is select:
        return set()
    branches = [branch for branch in top.find_all(exp.Select) if place < len(branch.expressions)]
    return {name.casefold() for branch in branches if (name := branch.expressions[place].alias_or_name)}


def _predicate(start: exp.Expr) -> exp.Expr:
    """The whole condition or expression that a column is a part of: up to AND, OR or a clause. A column that a
    subquery returns is a part of what the subquery is compared with."""
    from sqlglot import exp

    node = top = start
    clauses = (exp.Connector, exp.From, exp.Join, exp.CTE, exp.With, exp.Where, exp.Having, exp.Group, exp.Order)
    while (parent := node.parent) is not None:
        if isinstance(parent, exp.Select):
            if node.arg_key != "expressions":
                break
        elif isinstance(parent, clauses):
            break
        elif not isinstance(parent, exp.Subquery | exp.SetOperation):
            top = parent
        node = parent
    return top


def _values(tree: exp.Expr, is_hidden: Callable[[str], bool], known: frozenset[str]) -> list[exp.Expr]:
    """The literals to leave out, each once."""
    from sqlglot import exp

    found: dict[int, exp.Expr] = {}
    kinds = (exp.Literal, exp.HexString, exp.BitString, exp.National, exp.RawString, exp.ByteString, exp.UnicodeString)
    for start in _starts(tree, is_hidden):
        for node in _predicate(start).find_all(*kinds, exp.Column):
            if isinstance(node, exp.Column):
                quoted = isinstance(node.this, exp.Identifier) and node.this.quoted and not node.table
                if not quoted or node.name.casefold() in known or is_hidden(node.name):
                    continue
            elif _is_path(node) or node.find_ancestor(exp.DataType, exp.Limit, exp.Offset):
                continue
            found[id(node)] = node
    return list(found.values())


def _is_path(node: exp.Expr) -> bool:
    """Whether a literal is a path that a JSON function is given."""
    from sqlglot import exp

    owner = node.find_ancestor(exp.Func)
    if owner is None or not isinstance(node, exp.Literal) or not node.is_string:
        return False
    name = owner.name if isinstance(owner, exp.Anonymous) else type(owner).__name__
    return name.lower().startswith("json") and _PATH.fullmatch(node.name) is not None


def _blanked(body: str, tree: exp.Expr, engine: str, is_hidden: Callable[[str], bool], known: frozenset[str]) -> str:
    """The body without those literals. It stays as it was written elsewhere, where the parser tells their places."""
    from sqlglot import exp

    values = _values(tree, is_hidden, known if engine == "sqlite" else frozenset(_all_names(tree)))
    if not values:
        return body
    spans = [_span(node) for node in values]
    if all(spans):
        text = body
        for start, end in sorted(filter(None, spans), reverse=True):
            text = f"{text[:start]}''{text[end:]}"
        again = _parsed(text, engine)
        if again is not None and all(node.name == "" for node in _values(again, is_hidden, known)):
            return text
    for node in values:
        node.replace(exp.Literal.string(""))
    return tree.sql(dialect=_DIALECTS.get(engine, engine))


def _all_names(tree: exp.Expr) -> Iterator[str]:
    from sqlglot import exp

    return (node.name.casefold() for node in tree.find_all(exp.Column))


def _span(node: exp.Expr) -> tuple[int, int] | None:
    from sqlglot import exp

    start, end = node.meta.get("start"), node.meta.get("end")
    if not isinstance(node, exp.Literal) or start is None or end is None:
        return None
    return start, end + 1
