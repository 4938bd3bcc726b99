"""FROM: which relations a statement reads, under which names, and what ``*`` over them gives.

In: the items of FROM and JOIN. Out: seats in a ``Frame`` and its shape. Never: a relation whose columns are guessed;
a table that the index does not know keeps unknown columns, whose names decide, and a function in FROM that is not
known to give only its arguments back is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from dbgraph_nb.redact import dialects
from dbgraph_nb.redact.expressions import control
from dbgraph_nb.redact.from_functions import function_relation, name_and_arguments, of_arguments
from dbgraph_nb.redact.joins import joined
from dbgraph_nb.redact.pivots import pivoted
from dbgraph_nb.redact.scope import Env, Frame, Parts, Seat, Walk
from dbgraph_nb.redact.values import Output, Relation, Value, numbered, refusal
from dbgraph_nb.redact.views import view_relation

_TABLE_ARGS = frozenset(
    [
        "this",
        "alias",
        "db",
        "catalog",
        "joins",
        "laterals",
        "pivots",
        "hints",
        "ordinality",
        "only",
        "partition",
        "rows_from",
        "sample",
        "indexed",
        "when",
        "version",
        "system_time",
    ]
)
_SUBQUERY_ARGS = frozenset(
    ["this", "alias", "with_", "joins", "laterals", "pivots", "order", "limit", "offset", "sample"]
)


def bring(node: exp.Expr, frame: Frame, env: Env, walk: Walk) -> None:
    """Adds what one item of FROM gives, with the joins that hang on it, to ``frame``."""
    seats, outputs = _item(node, frame, env, walk)
    frame.seats += seats
    frame.shape += outputs
    for join in node.args.get("joins") or ():
        bring_join(join, frame, env, walk)
    for lateral in node.args.get("laterals") or ():
        bring(lateral, frame, env, walk)


def bring_join(node: exp.Expr, frame: Frame, env: Env, walk: Walk) -> None:
    """Adds the right side of a join, and reads its condition."""
    check_args(node, frozenset(["this", "on", "side", "kind", "using", "method", "hint", "pivots"]))
    if node.args.get("pivots"):
        raise refusal("a pivoted join cannot be traced")
    right = Frame()
    seats, outputs = _item(node.this, frame, env, walk)
    right.seats += seats
    right.shape += outputs
    for inner in node.this.args.get("joins") or ():
        bring_join(inner, right, env.inside(frame, optional=True), walk)
    frame.shape = joined(node, frame, right, walk)
    frame.seats += right.seats
    control([node.args.get("on")], env.inside(frame), walk, "a join condition")


def check_args(node: exp.Expr, known: frozenset[str]) -> None:
    """Raises RedactionRefused for a clause that lineage does not know."""
    for key, value in node.args.items():
        if value and key not in known:
            raise refusal(f"the clause {key.strip('_').upper()} cannot be traced")


def _item(node: exp.Expr, frame: Frame, env: Env, walk: Walk) -> tuple[list[Seat], Sequence[Output]]:
    inner = env.inside(frame, optional=True)  # LATERAL, or a dialect where it is implied
    if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table):
        return _group(node, inner, walk)
    names: Parts = ()
    if isinstance(node, exp.Table):
        check_args(node, _TABLE_ARGS)
        names, relation = _table(node, inner, walk)
    elif isinstance(node, exp.Lateral):
        names, relation = _lateral(node, inner, walk)
    elif isinstance(node, exp.Unnest):
        relation = of_arguments(node.expressions, inner, walk)
        names = ("unnest",)
    elif isinstance(node, exp.Subquery):
        check_args(node, _SUBQUERY_ARGS)
        relation = walk.query(node, inner)
    elif isinstance(node, (exp.Query, exp.Values, exp.Pivot)):
        relation = walk.query(node, inner)
    elif isinstance(node, exp.TableFromRows):
        relation = of_arguments([node.this], inner, walk)
    else:
        raise refusal(f"{node.key} in FROM cannot be traced")
    numbers = walk.dialect in dialects.NUMBERS_NAMES
    names, relation = _aliased(node.args.get("alias"), names, numbered(relation) if numbers else relation)
    relation = _defined(node, relation, walk)
    relation = numbered(relation) if numbers else relation  # the alias may name two columns alike
    for pivot in node.args.get("pivots") or ():
        relation = pivoted(relation, pivot, inner, walk)
        names, relation = _aliased(pivot.args.get("alias"), names, relation)
    control(_sample(node), inner, walk, "a sample")
    return [Seat(names, relation)], relation.outputs


def _group(node: exp.Expr, env: Env, walk: Walk) -> tuple[list[Seat], Sequence[Output]]:
    """``(a JOIN b …)``: its tables stay visible unless the group has an alias."""
    inside = Frame()
    bring(node.this, inside, env, walk)
    alias = node.args.get("alias")
    if alias is None:
        if node.args.get("pivots"):
            raise refusal("a pivoted join cannot be traced")
        return inside.seats, inside.shape
    names, relation = _aliased(alias, (), Relation(tuple(inside.shape), rows=inside.rows))
    # SQLite also keeps the inner names.
    return [Seat(names, relation), *inside.seats], relation.outputs


def _sample(node: exp.Expr) -> list[exp.Expr]:
    sample = node.args.get("sample")
    return [] if sample is None else [v for v in sample.args.values() if isinstance(v, exp.Expr)]


def _table(node: exp.Expr, env: Env, walk: Walk) -> tuple[Parts, Relation]:
    rows_from = node.args.get("rows_from")
    if rows_from:
        relation = of_arguments([p.this if isinstance(p, exp.Table) else p for p in rows_from], env, walk)
        keys = [column.name.lower() for part in rows_from for column in part.find_all(exp.ColumnDef)]
        taint = relation.taint.union(*(walk.known.named((), key) for key in keys))
        return (), replace(relation, outputs=(replace(relation.outputs[0], value=Value(taint)),))
    this = node.this
    if isinstance(this, (exp.Identifier, exp.Literal)):
        parts = tuple(node.args[key].name.lower() for key in ("catalog", "db", "this") if node.args.get(key))
        _check_case(this.name, parts, env)
        return parts, relation_named(parts, env, walk)
    if isinstance(this, exp.Func):
        return _with_ordinality(node, *_function(this, env, walk))
    raise refusal("something in FROM is no table that can be traced")


def _check_case(written: str, parts: Parts, env: Env) -> None:
    """Refuses a name that is a WITH name in another case: engines differ in which of them they take for the same."""
    entry = getattr(env.ctes.get(parts[0]), "__self__", None) if len(parts) == 1 else None
    if entry is not None and not entry.is_called(written):
        raise refusal(f"{written} differs from a WITH name only in case, so which relation is read is not known")


def relation_named(parts: Parts, env: Env, walk: Walk) -> Relation:
    """A WITH name, a view, a table of the index, or an unknown table, whose column names decide."""
    if len(parts) == 1 and parts[0] in env.ctes:
        return env.ctes[parts[0]]()
    if dialects.holds_values(walk.dialect, parts):
        raise refusal(f"{'.'.join(parts)} holds values or statements of other tables and users")
    view = walk.known.view(parts)
    if view is not None:
        return view_relation(*view, walk)
    known = walk.known.table(parts)
    if known is not None:
        return known
    if parts == ("dual",):
        return Relation(())
    if walk.inside_views and not dialects.is_catalog(parts):
        raise refusal(f"it reads {'.'.join(parts)}, which is not in the index")
    walk.unknown[".".join(parts)] = parts
    return Relation((Output(None, Value(), star="names"),), table=".".join(parts))


def _function(this: exp.Func, env: Env, walk: Walk) -> tuple[Parts, Relation]:
    found = function_relation(this, env, walk)
    if found is not None:
        return found
    name, arguments = name_and_arguments(this)
    control(arguments if isinstance(this, exp.Anonymous) else [], env, walk, "a search")
    if walk.known.table((name,)) is not None or walk.known.view((name,)) is not None:
        return (name,), relation_named((name,), env, walk)  # SQLite: a virtual table, called with its arguments
    raise refusal(f"the table function {name} is not known to give only its arguments back")


def _with_ordinality(node: exp.Expr, name: Parts, relation: Relation) -> tuple[Parts, Relation]:
    if not node.args.get("ordinality") or any(output.star for output in relation.outputs):
        return name, relation
    return name, replace(relation, outputs=(*relation.outputs, Output("ordinality", Value(), shown="ordinality")))


def _lateral(node: exp.Expr, env: Env, walk: Walk) -> tuple[Parts, Relation]:
    this = node.this
    if isinstance(this, exp.Subquery):
        return (), walk.query(this, env)
    if isinstance(this, exp.Unnest):
        return ("unnest",), of_arguments(this.expressions, env, walk)
    if isinstance(this, exp.Func):
        return _with_ordinality(node, *_function(this, env, walk))
    raise refusal("LATERAL over something else than a query or a function cannot be traced")


def _aliased(alias: exp.Expr | None, names: Parts, relation: Relation) -> tuple[Parts, Relation]:
    """The relation under its alias; ``AS t(a, b)`` renames columns from the left."""
    if not isinstance(alias, exp.TableAlias):
        return names, relation
    if alias.this is not None:
        names = (alias.this.name.lower(),)
    columns = [column.name for column in alias.args.get("columns") or ()]
    return names, renamed(relation, columns)


def _defined(node: exp.Expr, relation: Relation, walk: Walk) -> Relation:
    """``jsonb_to_record(doc) AS t(password text)``: the names are keys of the document, so they decide."""
    alias = node.args.get("alias")
    columns = alias.args.get("columns") or () if isinstance(alias, exp.TableAlias) else ()
    if not any(isinstance(column, exp.ColumnDef) for column in columns):
        return relation
    outputs = [
        replace(output, value=_with_key(output.value, output.name or "", walk)) if not output.star else output
        for output in relation.outputs
    ]
    # The list is complete, unless a number of the row follows.
    numbered_rows = node.args.get("ordinality") or node.args.get("rows_from")
    return replace(relation, outputs=tuple(o for o in outputs if numbered_rows or not o.star))


def _with_key(value: Value, key: str, walk: Walk) -> Value:
    return replace(value, taint=value.taint | frozenset(walk.known.named((), key)))


def renamed(relation: Relation, columns: Sequence[str]) -> Relation:
    """The relation with its first columns renamed, by position."""
    if not columns:
        return relation
    outputs = list(relation.outputs)
    if outputs and outputs[0].star == "any" and len(outputs) == 1:
        value = outputs[0].value
        return replace(relation, outputs=(*(Output(c.lower(), value, shown=c) for c in columns), outputs[0]))
    if relation.unordered or any(output.star for output in outputs):
        raise refusal("columns are renamed by position in a table whose columns are not in the index")
    if len(columns) > len(outputs):
        raise refusal(f"{len(columns)} column names are given to {len(outputs)} columns")
    new = [replace(o, name=c.lower(), shown=c, loose=False) for o, c in zip(outputs, columns, strict=False)]
    return replace(relation, outputs=(*new, *outputs[len(columns) :]))
