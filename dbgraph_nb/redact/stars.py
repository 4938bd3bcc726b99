"""The select list: which outputs one item gives, in order, and what each may tell.

In: an item and the scope of its SELECT. Out: one ``Output``, or several for a star. Never: a wrong position: where the
number or the order of the columns cannot be told and a sensitive one is among them, the proof stops.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlglot import exp

from dbgraph_nb.redact import dialects
from dbgraph_nb.redact.expressions import value_of
from dbgraph_nb.redact.scope import Env, Walk, resolve, star_seats
from dbgraph_nb.redact.values import Output, Value, flat, refusal, union

_PATTERNS = (exp.Like, exp.ILike, exp.Glob, exp.SimilarTo, exp.RegexpLike)
# Patterns that Python and RE2 read alike.
_COMMON_PATTERN = re.compile(r"[\w .^$|()*+?-]*$")
_LIKELY = frozenset({"likely", "unlikely", "likelihood"})
_LONGEST_NAME = 63  # bytes; PostgreSQL cuts longer ones


def outputs_of(item: exp.Expr, env: Env, walk: Walk) -> list[Output]:
    """The outputs of one item of a select list."""
    inner = item.this if isinstance(item, exp.Alias) else item
    if isinstance(inner, exp.Star):
        return _modified(inner, _shape(env), env, walk)
    if isinstance(inner, exp.Column) and isinstance(inner.this, exp.Star):
        return _modified(inner.this, _qualified(inner, env, walk), env, walk)
    if isinstance(inner, exp.Dot) and isinstance(inner.expression, exp.Star):
        return [_unfolded(value_of(inner.this, env, walk))]
    pattern = inner.this if isinstance(inner, exp.Not) else inner
    if isinstance(pattern, _PATTERNS) and isinstance(_star_in(pattern), exp.Star):
        return [_some_of(env)]
    columns = [node for node in own(item) if isinstance(node, exp.Columns) and not node.args.get("unpack")]
    if columns:
        return _per_column(item, columns, env, walk)
    value = value_of(inner, env, walk)
    if isinstance(inner, exp.Explode) and walk.dialect == "duckdb" and _may_unfold(inner, env, walk):
        return [_unfolded(value)]
    name = name_of(item, walk.dialect)
    plain = isinstance(item, (exp.Alias, exp.Column))
    return [Output(name, value, shown=_shown(item, walk.dialect), loose=name is not None and not plain)]


def name_of(item: exp.Expr, dialect: str) -> str | None:
    """The name that outer queries call the column by, or None where the engine makes one up."""
    if isinstance(item, exp.Alias):
        return item.alias.lower() or None
    if isinstance(item, exp.Column):
        return item.name.lower()
    if isinstance(item, exp.Dot) and isinstance(item.expression, exp.Identifier):
        return item.expression.name.lower()
    wrapped = isinstance(item, exp.Paren)
    if dialect == "sqlite":  # SQLite looks through these for a column's name
        named = isinstance(item, exp.Anonymous) and item.name.lower() in _LIKELY and bool(item.expressions)
        if named:
            return name_of(item.expressions[0], dialect)
        wrapped = wrapped or isinstance(item, exp.Collate)
    return name_of(item.this, dialect) if wrapped else None


def own(item: exp.Expr) -> Iterator[exp.Expr]:
    """The nodes of an expression without those of its subqueries."""
    return item.walk(prune=lambda node: isinstance(node, exp.Query))


def is_certain(outputs: Sequence[Output], name: str) -> bool:
    """Whether ``name`` means one column of these and no other, under any name that an engine may give them."""
    same = [output for output in outputs if output.name == name]
    return len(same) == 1 and not same[0].loose


def matching(node: exp.Expr, env: Env, walk: Walk) -> list[Output] | None:
    """The columns that ``COLUMNS(…)`` or a star means, or None where that cannot be told."""
    what = node.this if isinstance(node, exp.Columns) else node
    found: list[Output] | None = None
    if isinstance(what, exp.Star):
        found = _modified(what, _shape(env), env, walk)
    elif isinstance(what, exp.Column) and isinstance(what.this, exp.Star):
        found = _modified(what.this, _qualified(what, env, walk), env, walk)
    elif isinstance(what, exp.Literal) and what.is_string:
        found = _by_pattern(what.name, _shape(env))
    elif isinstance(what, exp.Array) and all(isinstance(e, exp.Literal) for e in what.expressions):
        wanted = {e.name.lower() for e in what.expressions}
        shape = _shape(env)
        found = None if any(output.loose for output in shape) else [o for o in shape if o.name in wanted]
    return None if found is None or any(output.star for output in found) else found


def _shape(env: Env) -> list[Output]:
    frame = env.frame
    if any(seat.relation.unordered for seat in frame.seats):
        raise refusal("several tables have this name and their columns differ, so a * has no known order")
    return frame.shape


def _qualified(node: exp.Expr, env: Env, walk: Walk) -> Sequence[Output]:
    parts, seats = star_seats(node, env)
    if len(seats) == 1:
        if seats[0].relation.unordered:
            raise refusal("several tables have this name and their columns differ, so a * has no known order")
        return seats[0].relation.outputs
    if seats:
        raise refusal(f"{'.'.join(parts)}.* may mean several tables")
    return [_unfolded(resolve(env, parts, walk))]


def _modified(star: exp.Expr, outputs: Sequence[Output], env: Env, walk: Walk) -> list[Output]:
    """``* EXCLUDE (…) REPLACE (…) RENAME (…)``."""
    found = list(outputs)
    changes = [(key, node) for key in ("except_", "replace", "rename") for node in star.args.get(key) or ()]
    unknown = any(output.star for output in found)
    values = {}
    for key, node in changes:
        name = (node.alias if key == "replace" else (node.this if key == "rename" else node).name).lower()
        if key == "replace":
            values[name] = value_of(node.this, env, walk)
        if unknown and (values.get(name, Value()).taint or (key == "rename" and walk.known.named((), name))):
            raise refusal(f"{name} is replaced or renamed in a table whose columns are not in the index")
        if not unknown and not is_certain(found, name):
            # Two columns of one name, or one that the engine named: what is left, and where, differs.
            return [_any_of([*found, *(Output(None, value) for value in values.values())])]
        if key == "except_":
            found = [output for output in found if output.name != name]
        elif key == "replace":
            found = [replace(output, value=values[name]) if output.name == name else output for output in found]
        else:
            found = [replace(o, name=node.alias.lower(), shown=node.alias) if o.name == name else o for o in found]
    return [_any_of(found)] if star.args.get("ilike") else found


def _per_column(item: exp.Expr, nodes: Sequence[exp.Expr], env: Env, walk: Walk) -> list[Output]:
    """``f(COLUMNS(…))`` once for each column that matches."""
    lists = [matching(node, env, walk) for node in nodes]
    first = lists[0]
    if first is None and isinstance(item, exp.Columns) and _only_names(_shape(env)):
        return [Output(None, Value(), star="names")]  # the headers are the names of the columns
    if first is None or any(other != first for other in lists[1:]):
        return [_some_of(env)]
    bare = isinstance(item, exp.Columns)
    alias = item.alias.lower() if isinstance(item, exp.Alias) and "\\" not in item.alias else None
    outputs = []
    for output in first:
        env.frame.current = output.value
        try:
            value = value_of(item, env, walk)
        finally:
            env.frame.current = None
        outputs.append(Output(alias or output.name, value, shown=output.shown if bare else None))
    return outputs


def _only_names(outputs: Sequence[Output]) -> bool:
    return any(output.star == "names" for output in outputs) and not any(output.value.taint for output in outputs)


def _by_pattern(pattern: str, outputs: list[Output]) -> list[Output] | None:
    if not _COMMON_PATTERN.match(pattern) or any(output.shown is None for output in outputs):
        return None
    try:
        exact, loose = re.compile(pattern), re.compile(pattern, re.IGNORECASE)
    except re.error:
        return None
    found = [output for output in outputs if exact.search(output.shown or "")]
    return found if found == [output for output in outputs if loose.search(output.shown or "")] else None


def _some_of(env: Env) -> Output:
    return _any_of(_shape(env))


def _any_of(outputs: Sequence[Output]) -> Output:
    """Some of these columns, which ones cannot be told."""
    taint = flat(union(output.value.taint for output in outputs))
    if taint or any(output.star == "names" for output in outputs):
        raise refusal("which columns a pattern picks cannot be told, and sensitive ones may be among them")
    return Output(None, Value(), star="any")


def _unfolded(value: Value) -> Output:
    """The fields of a row or struct as columns: their number is not known."""
    return Output(None, Value(flat(value.taint)), star="any")


def _may_unfold(node: exp.Expr, env: Env, walk: Walk) -> bool:
    """Whether UNNEST may get a struct, which gives a column per field, and not a list."""
    value = value_of(node.this, env, walk)
    kind = value.type or ""
    return value.row or bool(node.expressions) or (kind.startswith("struct") and not kind.endswith("]"))


def _star_in(node: exp.Expr) -> exp.Expr:
    """The star that a pattern filters: ``* LIKE 'a%'``, ``t.* LIKE 'a%'``."""
    this: exp.Expr = node.this
    return this.this if isinstance(this, exp.Column) else this


def _shown(item: exp.Expr, dialect: str) -> str | None:
    """The name in the result's header, where every version of the engine gives the same."""
    if isinstance(item, exp.Alias):
        name = item.alias
    elif isinstance(item, exp.Column) and isinstance(item.this, exp.Identifier):
        name = item.name
        if name.lower() in dialects.NILADIC or name.lower() in dialects.rowids(dialect):
            return None
        if dialect == "sqlite" and item.this.args.get("quoted"):
            return None  # an unknown quoted name is a text there, and its header has the quotes
    else:
        return None
    return name if name and len(name.encode()) <= _LONGEST_NAME else None
