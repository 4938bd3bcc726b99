"""The walk through an expression: the union of all that its parts tell.

In: a sqlglot expression and the scope it stands in. Out: its taint, or its ``Value`` where the value may be taken
apart further. Never: a node that is left out: one without a meaning of its own gives the union of its parts. The
nodes with one register here (``fields.py``, ``clauses.py``); import ``expressions.py``, which has them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from sqlglot import exp

from dbgraph_nb.redact import dialects, paths
from dbgraph_nb.redact.scope import Env, Walk
from dbgraph_nb.redact.values import CLEAN, Source, Taint, Value, credentials, flat, mixed, union

ToValue = Callable[[exp.Expr, Env, Walk], Value]
ToTaint = Callable[[exp.Expr, Env, Walk], Taint]

# Nodes with a meaning of their own, by exact class.
VALUES: dict[type, ToValue] = {}
TAINTS: dict[type, ToTaint] = {}

QUERIES = (exp.Query, exp.Values, exp.Pivot, exp.Summarize, exp.Describe, exp.Show)
_NAMED_ONLY = (exp.DataType, exp.TableAlias, exp.JSONPath)
# Functions of one value that are NULL exactly where it is; of all values for an aggregate.
_STRICT = (exp.Upper, exp.Lower, exp.Length, exp.Trim, exp.MD5, exp.SHA, exp.Hex, exp.Reverse, exp.Max, exp.Min)
# What lists and documents are made of without a computation.
_STRUCTURE = (
    exp.Column, exp.Identifier, exp.Array, exp.Struct, exp.PropertyEQ, exp.Paren, exp.Cast, exp.TryCast, exp.DataType,
    exp.JSONPath, exp.JSONPathPart, exp.Literal, exp.Bracket, exp.Dot, exp.JSONArray, exp.JSONObject, exp.JSONKeyValue,
    exp.Tuple, exp.Boolean, exp.Null, exp.Star, exp.Unnest, exp.Explode, exp.List, exp.TableAlias, exp.JSONTable,
    exp.JSONSchema, exp.JSONColumnDef, exp.DataTypeParam, *paths.JSON_PARTS,
)  # fmt: skip


def gives_value(*kinds: type) -> Callable[[ToValue], ToValue]:
    """Registers what the value of such a node is; its taint is that of the whole value."""

    def register(handler: ToValue) -> ToValue:
        for kind in kinds:
            VALUES[kind] = handler
            TAINTS[kind] = lambda node, env, walk: flat(handler(node, env, walk).taint)
        return handler

    return register


def gives_taint(*kinds: type) -> Callable[[ToTaint], ToTaint]:
    """Registers what such a node tells."""

    def register(handler: ToTaint) -> ToTaint:
        TAINTS.update(dict.fromkeys(kinds, handler))
        return handler

    return register


def taint_of(node: exp.Expr, env: Env, walk: Walk) -> Taint:
    """Everything that the value of ``node`` may tell. A loop, so that a long chain of AND needs no deep stack."""
    found: set[Source] = set()
    todo: list[exp.Expr] = [node]
    while todo:
        current = todo.pop()
        walk.spend()
        unit = current.args.get("unit")
        if isinstance(unit, exp.Literal):
            found |= word(unit, env, walk)  # the parser makes texts of names here: date_trunc(password, …)
        special = TAINTS.get(type(current)) or (_query if isinstance(current, QUERIES) else None)
        if special is not None:
            found |= special(current, env, walk)
        elif not isinstance(current, _NAMED_ONLY):
            todo += children(current)
    return frozenset(found)


def value_of(node: exp.Expr, env: Env, walk: Walk) -> Value:
    """The value of ``node`` with what can still be taken out of it."""
    while isinstance(node, (exp.Paren, exp.Alias)):
        node = node.this
    handler = VALUES.get(type(node))
    if handler is not None:
        return handler(node, env, walk)
    return Value(mixed(taint_of(node, env, walk)), strict=_is_strict(node, env, walk))


def _is_strict(node: exp.Expr, env: Env, walk: Walk) -> bool:
    """Whether ``node`` is a function of one value alone that is NULL only where that value is."""
    parts = list(children(node))
    return isinstance(node, _STRICT) and len(parts) == 1 and value_of(parts[0], env, walk).shows_null


def control(nodes: Iterable[exp.Expr | None], env: Env, walk: Walk, place: str) -> None:
    """The expressions decide which rows are shown, how often or in which order."""
    for node in nodes:
        if node is not None:
            walk.control(_control_taint(node, env, walk), place)


def row_making(node: exp.Expr, env: Env, walk: Walk) -> None:
    """``node`` is, or unfolds into, rows. Their number must not depend on what was computed from a credential; the
    lists and documents of the statement or of a column itself may unfold."""
    if all(isinstance(part, _STRUCTURE) or _is_structural(part) for part in node.walk()):
        return
    taint = union(taint_of(part, env, walk) for part in children(node))
    if not isinstance(node, (exp.Anonymous, exp.ExplodingGenerateSeries)):  # those would come back here
        taint |= taint_of(node, env, walk)
    walk.control(credentials(taint), "the number of rows of a function")


def children(node: exp.Expr) -> Iterator[exp.Expr]:
    """The parts of a node that have values; an alias is only a name."""
    for key, part in node.args.items():
        if key == "alias" or part is None:
            continue
        for item in part if isinstance(part, list) else (part,):
            if isinstance(item, exp.Expr):
                yield item


def word(node: exp.Expr, env: Env, walk: Walk) -> Taint:
    """A bare word: a keyword, or a column that the parser took for one. It counts only if it is a column."""
    walk.spend()
    name = node.name.lower()
    seats = [seat for frame, _ in env.frames for seat in frame.seats]
    outputs = [output for seat in seats for output in seat.relation.outputs if output.name == name]
    return flat(union(output.value.taint for output in outputs))


def _control_taint(node: exp.Expr, env: Env, walk: Walk) -> Taint:
    """As ``taint_of``, but a test for NULL of a column itself tells nothing of its value."""
    found: set[Source] = set()
    todo = [node]
    while todo:
        current = todo.pop()
        if isinstance(current, (exp.And, exp.Or, exp.Not, exp.Paren, exp.Where, exp.Having, exp.Qualify)):
            todo += children(current)
        elif isinstance(current, exp.Is) and isinstance(current.expression, exp.Null):
            value = value_of(current.this, env, walk)
            found |= CLEAN if value.direct and not value.row else flat(value.taint)
        else:
            found |= taint_of(current, env, walk)
    return frozenset(found)


def _is_structural(node: exp.Expr) -> bool:
    names = dialects.DOCUMENT_FUNCTIONS | dialects.UNFOLDING
    if isinstance(node, exp.Anonymous):
        return node.name.lower() in names
    return isinstance(node, exp.Func) and node.sql_name().lower() in names


def _query(node: exp.Expr, env: Env, walk: Walk) -> Taint:
    """A query inside an expression: all of its columns."""
    return walk.query(node, env).value_taint()
