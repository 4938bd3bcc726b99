"""DuckDB's PIVOT and UNPIVOT: which outputs they give.

In: the relation they turn, and the clause. Out: the turned relation. Never: values in headers: a sensitive column
that would become column names is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from sqlglot import exp

from dbgraph_nb.redact.expressions import control, taint_of, value_of
from dbgraph_nb.redact.scope import Env, Frame, Seat, Walk
from dbgraph_nb.redact.stars import is_certain, matching
from dbgraph_nb.redact.values import Output, Relation, Value, flat, join, refusal, union

_MOST_COLUMNS = 5000


def pivoted(relation: Relation, node: exp.Expr, env: Env, walk: Walk) -> Relation:
    """``relation`` after a PIVOT or UNPIVOT clause."""
    if relation.unordered:
        raise refusal("several tables have this name and their columns differ, so a PIVOT has no known order")
    frame = Frame([Seat((relation.table,) if relation.table else (), relation)], list(relation.outputs))
    inner = env.inside(frame)
    outputs = (_unpivot if node.args.get("unpivot") else _pivot)(relation, node, inner, walk)
    return Relation(tuple(outputs), rows=relation.rows)


def _unpivot(relation: Relation, node: exp.Expr, env: Env, walk: Walk) -> list[Output]:
    """The other columns, then the name column, then the value columns, which mix all that is unpivoted."""
    fields = node.args.get("fields") or ()
    into = node.args.get("into")
    if fields:  # FROM t UNPIVOT (v FOR k IN (a, b))
        columns = [column for field in fields for column in field.expressions]
        keys = [field.this.name for field in fields]
        values = [value.name for expression in node.expressions for value in _names(expression)]
    else:
        columns = node.expressions
        keys = [into.this.name if into else "name"]
        values = [value.name for expression in into.expressions for value in _names(expression)] if into else ["value"]
    turned = [output for column in columns for output in _unpivoted(column, env, walk)]
    _check_names(relation, [output.name or "" for output in turned])
    taint = flat(union(output.value.taint for output in turned))
    names = {output.name for output in turned}
    rest = [output for output in relation.outputs if output.star or output.name not in names]
    return [
        *rest,
        *(Output(key.lower(), Value(), shown=key) for key in keys),
        *(Output(value.lower(), Value(taint), shown=value) for value in values),
    ]


def _check_names(relation: Relation, names: Sequence[str]) -> None:
    """Which columns are turned, and so where the others stand, must be certain."""
    outputs = relation.outputs
    if any(output.star for output in outputs):
        return  # their positions are not known anyway
    if relation.taint and not all(is_certain(outputs, name) for name in names):
        raise refusal("which columns PIVOT takes cannot be told")


def _names(node: exp.Expr) -> list[exp.Expr]:
    inner = node.this if isinstance(node, exp.Paren) else node
    return inner.expressions if isinstance(inner, exp.Tuple) else [inner]


def _unpivoted(node: exp.Expr, env: Env, walk: Walk) -> list[Output]:
    """The columns that one entry of ON names."""
    if isinstance(node, (exp.Alias, exp.PivotAlias, exp.Paren)):
        return _unpivoted(node.this, env, walk)
    if isinstance(node, exp.Tuple):
        return [output for part in node.expressions for output in _unpivoted(part, env, walk)]
    if isinstance(node, (exp.Star, exp.Columns)):
        found = matching(node, env, walk)
        if found is None:
            raise refusal("which columns are unpivoted cannot be told")
        return found
    if isinstance(node, exp.Column):
        return [Output(node.name.lower(), value_of(node, env, walk))]
    raise refusal("an expression is unpivoted")


def _pivot(relation: Relation, node: exp.Expr, env: Env, walk: Walk) -> list[Output]:
    """The grouped columns, then one column for each value and aggregate."""
    fields = node.args.get("fields") or ()
    on = list(fields) or node.expressions
    aggregates: list[exp.Expr] = list(node.expressions if fields else node.args.get("using") or ())
    control([part.this if isinstance(part, exp.In) else part for part in on], env, walk, "PIVOT … ON")
    listed = [_listed(part) for part in on]
    heads = union(taint_of(part, env, walk) for part, count in zip(on, listed, strict=True) if count is None)
    if heads:
        label = min(source.label for source in heads)
        raise refusal(f"PIVOT would make column names of the values of {label}; list the values with IN (…)")
    values = [value_of(aggregate, env, walk) for aggregate in aggregates] or [Value()]
    outputs = _grouped(relation, node, [*on, *aggregates], env, walk)
    if all(count is not None for count in listed):
        number = prod(count or 0 for count in listed)
        if number * len(values) > _MOST_COLUMNS:
            raise refusal("PIVOT gives too many columns")
        return [*outputs, *(Output(None, value) for _ in range(number) for value in values)]
    return [*outputs, Output(None, join(values), star="any")]


def _listed(node: exp.Expr) -> int | None:
    """How many values an entry of ON lists; None where the data decides."""
    values = node.expressions if isinstance(node, exp.In) else ()
    plain = all(isinstance(v, (exp.Literal, exp.Neg, exp.Boolean, exp.Null, exp.PivotAlias, exp.Alias)) for v in values)
    return len(values) if values and plain else None


def _grouped(relation: Relation, node: exp.Expr, used: Sequence[exp.Expr], env: Env, walk: Walk) -> list[Output]:
    group = node.args.get("group")
    if group is not None:
        control(group.expressions, env, walk, "GROUP BY")
        outputs = []
        for part in group.expressions:
            name = part.name.lower() if isinstance(part, exp.Column) else None
            outputs.append(Output(name, value_of(part, env, walk), shown=part.name if name else None))
        return outputs
    if any(column.find(exp.Star, exp.Columns) for column in used if not isinstance(column, (exp.Count, exp.Alias))):
        raise refusal("which columns PIVOT groups by cannot be told")
    names = {column.name.lower() for part in used for column in part.find_all(exp.Column)}
    _check_names(relation, sorted(names))
    rest = [output for output in relation.outputs if output.star or output.name not in names]
    for output in rest:
        walk.control(flat(output.value.taint), "the grouping of PIVOT")
    return rest
