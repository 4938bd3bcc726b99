"""Functions in FROM: the columns that they give.

In: the call. Out: its relation: what its arguments tell, the columns of the type that it fills, or unknown columns
whose names decide. Never: a function that reads tables, SQL or files given as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from dbgraph_nb.redact import dialects
from dbgraph_nb.redact.expressions import row_making, taint_of
from dbgraph_nb.redact.fields import named_keys
from dbgraph_nb.redact.scope import Env, Parts, Walk
from dbgraph_nb.redact.values import CLEAN, Output, Relation, Value, credentials, flat, refusal, union


def name_and_arguments(this: exp.Func) -> tuple[str, list[exp.Expr]]:
    """The lower-case name; a function that the parser has a class for is its own argument."""
    if isinstance(this, exp.Anonymous):
        return this.name.lower(), list(this.expressions)
    return this.sql_name().lower(), [this]


def function_relation(this: exp.Func, env: Env, walk: Walk) -> tuple[Parts, Relation] | None:
    """What a function in FROM gives, under its name; None if nothing is known of it.

    Raises:
        RedactionRefused: it reads what its arguments do not show.
    """
    name, arguments = name_and_arguments(this)
    anonymous = isinstance(this, exp.Anonymous)
    if name in dialects.HIDDEN_READS:
        raise refusal(f"the table function {name} reads what its arguments do not show")
    if name in dialects.FROM_ARGUMENTS:
        if anonymous and name not in dialects.UNFOLDING:  # what it computes decides how many rows there are
            walk.control(credentials(union(taint_of(a, env, walk) for a in arguments)), "the rows of a function")
        relation = of_arguments(arguments, env, walk)
        if name in dialects.POPULATES and arguments:
            return (name,), _populated(arguments[0], relation, walk)
        if name in dialects.KEYS_AND_VALUES:
            relation = _keys_and_values(name, this, relation.outputs[0].value, walk)
        return (name,), relation
    if name in dialects.FROM_CATALOG or name in dialects.FROM_FILES:
        walk.unknown[name] = (name,)
        return (name,), Relation((Output(None, Value(), star="names"),), table=name)
    return None


def _keys_and_values(name: str, this: exp.Func, value: Value, walk: Walk) -> Relation:
    """``json_each(doc)``: what a text of the statement names may be the key of the value that is shown, since
    ``WHERE key = 'password'`` picks a part of the document as a path does."""
    keyed = Value(value.taint | named_keys([this.root()], walk))
    if walk.dialect not in ("sqlite", "duckdb", "postgres"):
        return Relation((Output(None, keyed, star="any"),))
    columns = ("key", "value") if walk.dialect == "postgres" else dialects.JSON_EACH
    shown = [Output(c, keyed if c in ("value", "atom") else value, shown=c) for c in columns]
    return Relation(tuple(shown))


def _populated(base: exp.Expr, relation: Relation, walk: Walk) -> Relation:
    """``jsonb_populate_record(NULL::users, doc)``: the columns of the type; without a known one names decide."""
    taint = relation.outputs[0].value.taint
    kind = base.to.args.get("kind") if isinstance(base, exp.Cast) else None
    parts = tuple(kind.sql().replace('"', "").lower().split(".")) if isinstance(kind, exp.Expr) else ()
    known = walk.known.table(parts) if parts else None
    if known is None:
        if taint:
            raise refusal("a row is filled from a document, and the columns of its type are not in the index")
        walk.unknown[".".join(parts) or "record"] = parts or ("record",)
        return Relation((Output(None, Value(), star="names"),))
    outputs = [replace(o, value=Value(o.value.taint | taint, type=o.value.type)) for o in known.outputs]
    return Relation(tuple(outputs))


def of_arguments(nodes: Sequence[exp.Expr | None], env: Env, walk: Walk) -> Relation:
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
