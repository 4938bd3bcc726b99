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
from dbgraph_nb.redact.expressions import control, row_making, taint_of
from dbgraph_nb.redact.fields import named_keys
from dbgraph_nb.redact.joins import joined
from dbgraph_nb.redact.pivots import pivoted
from dbgraph_nb.redact.scope import Env, Frame, Parts, Seat, Walk
from dbgraph_nb.redact.values import CLEAN, Output, Relation, Value, credentials, flat, numbered, refusal, union
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
        relation = _of_arguments(node.expressions, inner, walk)
        names = ("unnest",)
    elif isinstance(node, exp.Subquery):
        check_args(node, _SUBQUERY_ARGS)
        relation = walk.query(node, inner)
    elif isinstance(node, (exp.Query, exp.Values, exp.Pivot)):
        relation = walk.query(node, inner)
    elif isinstance(node, exp.TableFromRows):
        relation = _of_arguments([node.this], inner, walk)
    else:
        raise refusal(f"{node.key} in FROM cannot be traced")
    numbers = walk.dialect in dialects.NUMBERS_NAMES
    names, relation = _aliased(node.args.get("alias"), names, numbered(relation) if numbers else relation)
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
        return (), _of_arguments([p.this if isinstance(p, exp.Table) else p for p in rows_from], env, walk)
    this = node.this
    if isinstance(this, (exp.Identifier, exp.Literal)):
        parts = tuple(node.args[key].name.lower() for key in ("catalog", "db", "this") if node.args.get(key))
        return parts, relation_named(parts, env, walk)
    if isinstance(this, exp.Func):
        return _function(this, env, walk)
    raise refusal("something in FROM is no table that can be traced")


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
    anonymous = isinstance(this, exp.Anonymous)
    name = (this.name if anonymous else this.sql_name()).lower()
    arguments: list[exp.Expr] = list(this.expressions) if anonymous else [this]
    if name in dialects.HIDDEN_READS:
        raise refusal(f"the table function {name} reads what its arguments do not show")
    if name in dialects.FROM_ARGUMENTS:
        if anonymous and name not in dialects.UNFOLDING:  # what it computes decides how many rows there are
            walk.control(credentials(union(taint_of(a, env, walk) for a in arguments)), "the rows of a function")
        relation = _of_arguments(arguments, env, walk)
        if name in ("json_each", "json_tree") and walk.dialect == "sqlite":
            value = relation.outputs[0].value
            relation = Relation(tuple(Output(column, value, shown=column) for column in dialects.JSON_EACH))
        return (name,), relation
    if name in dialects.FROM_CATALOG:
        return (name,), Relation((Output(None, Value(), star="any"),))
    if name in dialects.FROM_FILES:
        walk.unknown[name] = (name,)
        return (name,), Relation((Output(None, Value(), star="names"),), table=name)
    control(arguments if anonymous else [], env, walk, "a search")
    if walk.known.table((name,)) is not None or walk.known.view((name,)) is not None:
        return (name,), relation_named((name,), env, walk)  # SQLite: a virtual table, called with its arguments
    raise refusal(f"the table function {name} is not known to give only its arguments back")


def _lateral(node: exp.Expr, env: Env, walk: Walk) -> tuple[Parts, Relation]:
    this = node.this
    if isinstance(this, exp.Subquery):
        return (), walk.query(this, env)
    if isinstance(this, exp.Unnest):
        return ("unnest",), _of_arguments(this.expressions, env, walk)
    if isinstance(this, exp.Func):
        return _function(this, env, walk)
    raise refusal("LATERAL over something else than a query or a function cannot be traced")


def _of_arguments(nodes: Sequence[exp.Expr | None], env: Env, walk: Walk) -> Relation:
    """Columns of unknown number and name that tell what the arguments tell."""
    for node in nodes:
        if node is not None:
            row_making(node, env, walk)
    taint = union(flat(taint_of(node, env, walk)) for node in nodes if node is not None)
    taint |= named_keys([node for node in nodes if node is not None and _reads_documents(node)], walk)
    return Relation((Output(None, Value(taint or CLEAN), star="any"),))


def _reads_documents(node: exp.Expr) -> bool:
    """Whether a text in an argument of FROM may be a path: a bare literal beside others, or a table of a document."""
    return isinstance(node, exp.JSONTable) or (isinstance(node, exp.Literal) and node.name.startswith(("$", "/", "{")))


def _aliased(alias: exp.Expr | None, names: Parts, relation: Relation) -> tuple[Parts, Relation]:
    """The relation under its alias; ``AS t(a, b)`` renames columns from the left."""
    if not isinstance(alias, exp.TableAlias):
        return names, relation
    if alias.this is not None:
        names = (alias.this.name.lower(),)
    columns = [column.name for column in alias.args.get("columns") or ()]
    return names, renamed(relation, columns)


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
