"""Parts of expressions that are more than a value: counts, FILTER, windows, EXISTS, lambdas, variables.

In: such a node. Out: what it tells. Never: a credential that decides which rows count, or in which order; that is
refused. A pure count is the one thing that tells nothing of the values.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from dbgraph_nb.redact.expression_core import (
    QUERIES,
    children,
    control,
    gives_taint,
    row_making,
    taint_of,
    value_of,
    word,
)
from dbgraph_nb.redact.scope import Env, Walk
from dbgraph_nb.redact.values import CLEAN, Taint, credentials, flat, refusal, union

gives_taint(exp.Identifier, exp.Var)(word)


@gives_taint(exp.Exists)
def exists(node: exp.Expr, env: Env, walk: Walk) -> Taint:
    """Whether there are rows; the columns of the subquery are not looked at."""
    inner = node.this.this if isinstance(node.this, exp.Subquery) and not node.this.args.get("alias") else node.this
    if not isinstance(inner, QUERIES):  # EXISTS over a list
        return union(taint_of(part, env, walk) for part in children(node))
    return walk.query(node.this, env).rows


@gives_taint(exp.In)
def in_list(node: exp.Expr, env: Env, walk: Walk) -> Taint:
    """``x IN (…)``; SQLite's ``x IN t`` reads the table t."""
    field = node.args.get("field")
    found = [taint_of(part, env, walk) for part in children(node) if part is not field]
    if isinstance(field, exp.Column) and walk.dialect == "sqlite":
        parts = tuple(field.args[key].name.lower() for key in ("catalog", "db", "table", "this") if field.args.get(key))
        table = exp.Table(this=exp.to_identifier(parts[-1]), db=exp.to_identifier(parts[-2]) if parts[1:] else None)
        found.append(walk.query(table, env).value_taint())
    elif field is not None:
        found.append(taint_of(field, env, walk))
    return union(found)


@gives_taint(exp.Match)
def match(node: exp.Expr, env: Env, walk: Walk) -> Taint:
    """SQLite's full-text search; its left side is often the name of the table, which may not be in the index."""
    left = node.this
    name = left.name.lower() if isinstance(left, exp.Column) else ""
    tables = [seat.relation for seat in env.frame.seats if seat.names[-1:] == (name,)]
    unknown = any(output.star == "names" for table in tables for output in table.outputs)
    return taint_of(node.expression, env, walk) | (CLEAN if unknown else taint_of(left, env, walk))


@gives_taint(exp.Count, exp.CountIf, exp.ApproxDistinct)
def count(node: exp.Expr, env: Env, walk: Walk) -> Taint:
    """A pure count of a column tells nothing of its values; a count of a comparison would."""
    found = [env.frame.rows]
    for argument in children(node):
        for part in argument.expressions if isinstance(argument, exp.Distinct) else [argument]:
            if isinstance(part, exp.Star) or (isinstance(part, exp.Column) and isinstance(part.this, exp.Star)):
                continue
            value = value_of(part, env, walk)
            if not value.direct or isinstance(node, exp.CountIf):
                found.append(credentials(flat(value.taint)))
    return union(found)


@gives_taint(exp.Filter)
def filtered(node: exp.Expr, env: Env, walk: Walk) -> Taint:
    """``aggregate FILTER (WHERE …)``."""
    control([node.expression], env, walk, "FILTER")
    return taint_of(node.this, env, walk)


@gives_taint(exp.Window)
def window(node: exp.Expr, env: Env, walk: Walk) -> Taint:
    """``function OVER (PARTITION BY … ORDER BY …)``."""
    keys = [*(node.args.get("partition_by") or ()), node.args.get("order"), node.args.get("spec")]
    control(keys, env, walk, "a window")
    return taint_of(node.this, env, walk)


@gives_taint(exp.WithinGroup)
def within_group(node: exp.Expr, env: Env, walk: Walk) -> Taint:
    """``percentile_cont(…) WITHIN GROUP (ORDER BY x)``: the answer is one of the ordered values."""
    keys = list(children(node.expression))
    control(keys, env, walk, "WITHIN GROUP")
    return taint_of(node.this, env, walk) | union(taint_of(key, env, walk) for key in keys)


@gives_taint(exp.Order)
def ordered(node: exp.Expr, env: Env, walk: Walk) -> Taint:
    """ORDER BY inside an aggregate."""
    control(node.expressions, env, walk, "ORDER BY")
    return taint_of(node.this, env, walk) if node.this is not None else CLEAN


@gives_taint(exp.Lambda, exp.Comprehension)
def function_of_variables(node: exp.Expr, env: Env, walk: Walk) -> Taint:
    """A lambda, a list comprehension: its variables take what the list has, and the list is read too."""
    variables = node.expressions
    if isinstance(node, exp.Comprehension):
        variables = [node.expression, node.args.get("position")]
    names = frozenset(variable.name.lower() for variable in variables if variable is not None)
    inner = replace(env, names=env.names | names)
    return union(taint_of(part, inner, walk) for part in children(node) if part not in variables)


@gives_taint(exp.PropertyEQ, exp.Kwarg)
def named(node: exp.Expr, env: Env, walk: Walk) -> Taint:
    """``key := value``: the left side is a name, or a session variable, which would carry values onward."""
    if isinstance(node.this, (exp.Parameter, exp.SessionParameter)):
        raise refusal("a session variable is set")
    key = CLEAN if isinstance(node.this, exp.Identifier) else taint_of(node.this, env, walk)
    return union((key, taint_of(node.expression, env, walk)))


@gives_taint(exp.Parameter)
def parameter(node: exp.Expr, env: Env, walk: Walk) -> Taint:
    """``@x``: in MySQL a variable that an earlier statement may have filled."""
    if walk.dialect in ("mysql", "mariadb"):
        raise refusal(f"the session variable @{node.name} may hold what an earlier statement read")
    return CLEAN


@gives_taint(exp.Explode, exp.Unnest, exp.ExplodingGenerateSeries)
def rows(node: exp.Expr, env: Env, walk: Walk) -> Taint:
    """UNNEST and PostgreSQL's generate_series make rows, wherever they stand."""
    unfolded = node.expressions if isinstance(node, exp.Unnest) else [node.this]
    for part in [node] if isinstance(node, exp.ExplodingGenerateSeries) else unfolded:
        row_making(part, env, walk)
    return union(taint_of(part, env, walk) for part in children(node))


@gives_taint(exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Create, exp.Drop, exp.Command, exp.Into)
def not_a_read(node: exp.Expr, env: Env, walk: Walk) -> Taint:
    """A statement that changes something, wherever it stands."""
    raise refusal("the statement is not a read")
