"""Queries: from a SELECT, a set operation or VALUES to the relation it gives.

In: a parsed query and the scope around it. Out: its columns in order with their taint. Never: fewer sources than a
column can have: set operations unite by position, recursion runs until nothing is added, and every clause that
decides which rows are shown is read too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from dbgraph_nb.redact.expressions import control, taint_of, value_of
from dbgraph_nb.redact.metadata import describe, inner_description, show, summarize
from dbgraph_nb.redact.pivots import pivoted
from dbgraph_nb.redact.scope import Env, Frame, Seat, Walk
from dbgraph_nb.redact.setops import combine
from dbgraph_nb.redact.sources import bring, bring_join, check_args
from dbgraph_nb.redact.stars import outputs_of, own
from dbgraph_nb.redact.values import Output, Relation, Value, credentials, flat, guesses, join, refusal, union
from dbgraph_nb.redact.withs import with_names

_SELECT_ARGS = frozenset([
    "with_", "expressions", "from_", "joins", "laterals", "where", "group", "having", "qualify", "windows",
    "distinct", "order", "limit", "offset", "sample", "locks", "hint", "operation_modifiers", "pivots",
])  # fmt: skip
_SET_ARGS = frozenset([
    "with_", "this", "expression", "distinct", "by_name", "order", "limit", "offset", "locks",
])  # fmt: skip
_SUBQUERY_ARGS = frozenset([
    "with_", "this", "alias", "order", "limit", "offset", "sample", "pivots", "joins", "laterals", "locks",
])  # fmt: skip
_VALUES_NAMES = {"duckdb": "col{0}", "mysql": "column_{0}", "mariadb": ""}
_LISTS = ("grouping_sets", "rollup", "cube")


def query(node: exp.Expr, env: Env, walk: Walk) -> Relation:
    """The relation that a query, or a part of FROM taken as one, gives."""
    walk.spend()
    if isinstance(node, exp.Select):
        return _select(node, env, walk)
    if isinstance(node, exp.SetOperation):
        return _set_operation(node, env, walk)
    if isinstance(node, exp.Subquery):
        check_args(node, _SUBQUERY_ARGS)
        env = with_names(node.args.get("with_"), env, walk)
        return _ordered(node, query(node.this, env, walk), env, walk)
    if isinstance(node, exp.Values):
        return _values(node, env, walk)
    if isinstance(node, exp.Pivot):
        env = with_names(node.args.get("with_"), env, walk)
        return pivoted(query(node.this, env, walk), node, env, walk)
    if isinstance(node, exp.Summarize):
        return summarize(query(node.this, env, walk))
    if isinstance(node, exp.Describe):
        found = describe(node, lambda inner: query(inner, env, walk), walk)
        return inner_description(walk) if node.parent is not None and walk.dialect == "duckdb" else found
    if isinstance(node, exp.Show):
        return show(node)
    if isinstance(node, exp.Table):
        frame = Frame()
        bring(node, frame, env, walk)
        return Relation(tuple(frame.shape), rows=frame.rows, unordered=any(s.relation.unordered for s in frame.seats))
    raise refusal("the statement is not a read")


def _select(node: exp.Expr, env: Env, walk: Walk) -> Relation:
    check_args(node, _SELECT_ARGS)
    env = with_names(node.args.get("with_"), env, walk)
    frame = Frame()
    inner = env.inside(frame)
    from_ = node.args.get("from_")
    if from_ is not None:
        bring(from_.this, frame, env, walk)
    for part in node.args.get("joins") or ():
        bring_join(part, frame, env, walk)
    for part in node.args.get("laterals") or ():
        bring(part, frame, env, walk)
    if node.args.get("pivots"):
        raise refusal("a pivoted query cannot be traced")
    outputs: list[Output] = []
    items = []  # for each output the item it came from
    for item in node.expressions:
        found = outputs_of(item, inner, walk)
        outputs += found
        items += [item] * len(found)
        if isinstance(item, exp.Alias) and found:
            frame.aliases.setdefault(item.alias.lower(), []).append(join([output.value for output in found]))
    _clauses(node, outputs, items, inner, walk)
    if walk.dialect == "sqlite":
        outputs = _beside_extreme(outputs, items, inner, walk)
    rows = frame.rows
    if rows:
        outputs = [replace(o, value=Value(flat(o.value.taint) | rows, type=o.value.type)) for o in outputs]
    return Relation(tuple(outputs), rows=rows)


def _beside_extreme(outputs: list[Output], items: Sequence[exp.Expr], env: Env, walk: Walk) -> list[Output]:
    """SQLite takes a bare column beside max(x) from the row that holds the maximum: it tells who that is."""
    extremes = [part for item in items for part in own(item) if _is_extreme(part)]
    taint = credentials(union(flat(taint_of(part, env, walk)) for part in extremes))
    if not taint:
        return outputs
    beside = []
    for output, item in zip(outputs, items, strict=True):
        if not any(isinstance(part, exp.AggFunc) for part in own(item)) and not isinstance(item, exp.Literal):
            output = replace(output, value=Value(flat(output.value.taint) | taint, type=output.value.type))
        beside.append(output)
    return beside


def _is_extreme(node: exp.Expr) -> bool:
    """An aggregate max(x) or min(x); not max(x, y), and not over a window."""
    return isinstance(node, (exp.Max, exp.Min)) and not node.expressions and not isinstance(node.parent, exp.Window)


def _clauses(node: exp.Expr, outputs: Sequence[Output], items: Sequence[exp.Expr], env: Env, walk: Walk) -> None:
    """Every clause that decides which rows there are, how they are grouped, and their order."""
    args = node.args
    for key, place in (("where", "WHERE"), ("having", "HAVING"), ("qualify", "QUALIFY")):
        clause = args.get(key)
        if clause is not None:
            control([clause.this], env, walk, place)
            if key != "where":  # some engines look at the outputs first here
                walk.control(flat(union(o.value.taint for o in _named_in(clause.this, outputs))), place)
    for window in args.get("windows") or ():
        control([*(window.args.get("partition_by") or ()), window.args.get("order")], env, walk, "a window")
    distinct = args.get("distinct")
    if distinct is not None:
        control([distinct.args.get("on"), *distinct.expressions], env, walk, "DISTINCT ON")
        walk.control(guesses(union(output.value.taint for output in outputs)), "DISTINCT, which compares values")
    group = args.get("group")
    if group is not None:
        _group(group, outputs, items, env, walk)
    _order(args.get("order"), outputs, env, walk)
    _limits(node, env, walk)


def _group(group: exp.Expr, outputs: Sequence[Output], items: Sequence[exp.Expr], env: Env, walk: Walk) -> None:
    if group.args.get("all"):
        for output, item in zip(outputs, items, strict=True):
            if not any(isinstance(part, exp.AggFunc) for part in own(item)):
                walk.control(flat(output.value.taint), "GROUP BY ALL")
    parts = list(group.expressions)
    for key in _LISTS:
        parts += [part for part in group.args.get(key) or () if isinstance(part, exp.Expr)]
    for part in parts:
        by_position = _at_position(part, outputs)
        if by_position is not None:
            walk.control(flat(by_position.value.taint), "GROUP BY")
            continue
        control([part], env, walk, "GROUP BY")
        for value in env.frame.aliases.get(part.name.lower(), ()) if isinstance(part, exp.Column) else ():
            walk.control(flat(value.taint), "GROUP BY")


def _order(order: exp.Expr | None, outputs: Sequence[Output], env: Env, walk: Walk) -> None:
    for entry in order.expressions if order is not None else ():
        key = entry.this if isinstance(entry, exp.Ordered) else entry
        by_position = _at_position(key, outputs)
        if by_position is not None:
            named = [by_position]
        elif isinstance(key, exp.Var) and key.name.upper() == "ALL":
            named = list(outputs)
        else:
            named = _named_in(key, outputs)
            # A name alone is an output. In an expression engines look at sources or outputs first, so both readings
            # count; and the parser drops the plus of "+x", which makes it one.
            if not (named and isinstance(key, exp.Column) and not walk.plus):
                control([key], env, walk, "ORDER BY")
        walk.control(flat(union(output.value.taint for output in named)), "ORDER BY")


def _named_in(node: exp.Expr, outputs: Sequence[Output]) -> list[Output]:
    """The outputs whose names stand in an expression."""
    names = {part.name.lower() for part in own(node) if isinstance(part, exp.Column) and not part.table}
    return [output for output in outputs if output.name in names]


def _at_position(node: exp.Expr, outputs: Sequence[Output]) -> Output | None:
    """The output that ``ORDER BY 2`` means."""
    if not (isinstance(node, exp.Literal) and not node.is_string and node.name.isdecimal()):
        return None
    position = int(node.name)
    if any(output.star for output in outputs[:position]):
        return Output(None, Value(union(flat(output.value.taint) for output in outputs)))
    return outputs[position - 1] if 1 <= position <= len(outputs) else None


def _limits(node: exp.Expr, env: Env, walk: Walk) -> None:
    for key in ("limit", "offset", "sample"):
        clause = node.args.get(key)
        if clause is not None:
            control([part for part in clause.args.values() if isinstance(part, exp.Expr)], env, walk, key.upper())


def _ordered(node: exp.Expr, relation: Relation, env: Env, walk: Walk) -> Relation:
    """The ORDER BY and LIMIT of a set operation or of parentheses see only the outputs."""
    frame = Frame([Seat((), relation)], list(relation.outputs))
    _order(node.args.get("order"), relation.outputs, env.inside(frame), walk)
    _limits(node, env.inside(frame), walk)
    return relation


def _set_operation(node: exp.Expr, env: Env, walk: Walk) -> Relation:
    """The arms from the left; a loop, so that a long UNION needs no deep stack."""
    operations: list[exp.Expr] = []
    current: exp.Expr = node
    while isinstance(current, exp.SetOperation):
        check_args(current, _SET_ARGS)
        if operations and current.args.get("with_"):
            raise refusal("WITH inside a set operation needs parentheses")
        env = with_names(current.args.get("with_"), env, walk)
        operations.append(current)
        current = current.this
    relation = query(current, env, walk)
    for operation in reversed(operations):
        relation = combine(operation, relation, query(operation.expression, env, walk), walk)
        relation = _ordered(operation, relation, env, walk)
    return relation


def _values(node: exp.Expr, env: Env, walk: Walk) -> Relation:
    """Literal rows; a column has what any row puts there."""
    rows = []
    for row in node.expressions:
        parts = row.expressions if isinstance(row, exp.Tuple) else [row.this if isinstance(row, exp.Paren) else row]
        if len(parts) == 1 and isinstance(parts[0], exp.Anonymous) and parts[0].name.upper() == "ROW":
            parts = parts[0].expressions
        rows.append([value_of(part, env, walk) for part in parts])
    if len({len(row) for row in rows}) > 1:
        raise refusal("the rows of VALUES differ in length")
    pattern = _VALUES_NAMES.get(walk.dialect, "column{1}")
    outputs = []
    for position, column in enumerate(zip(*rows, strict=True)):
        value = Value(flat(join(list(column)).taint))
        outputs.append(Output(pattern.format(position, position + 1) or None, value))
    relation = Relation(tuple(outputs))
    return _ordered(node, relation, env, walk)
