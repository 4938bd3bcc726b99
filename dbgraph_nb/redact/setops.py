"""UNION, INTERSECT, EXCEPT: columns unite by position (or by name), whatever the arms call them.

In: two relations. Out: one. Never: a dropped arm: the right side of EXCEPT gives no value, but it decides which
values stay, so it counts too.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from dbgraph_nb.redact.scope import Walk
from dbgraph_nb.redact.values import Output, Relation, Value, credentials, flat, guesses, join, refusal, union


def combine(node: exp.Expr, left: Relation, right: Relation, walk: Walk) -> Relation:
    """The relation of ``left`` and ``right`` under one set operation."""
    by_name = bool(node.args.get("by_name"))
    outputs = _by_name(left, right) if by_name else _by_position(left, right)
    rows = left.rows | right.rows
    compared = flat(union(output.value.taint for output in outputs))
    if not isinstance(node, exp.Union) or node.args.get("distinct"):
        walk.control(guesses(compared), f"{node.key.upper()}, which compares values")
    if not isinstance(node, exp.Union):
        # Which rows are left depends on a comparison, so each of their columns tells of it.
        rows |= credentials(compared)
        if rows:
            outputs = [replace(o, value=replace(o.value, taint=o.value.taint | rows)) for o in outputs]
    return Relation(tuple(outputs), rows=rows)


def _by_position(left: Relation, right: Relation) -> list[Output]:
    if left.unordered or right.unordered:
        raise refusal("a set operation over tables whose columns differ has no known order")
    both = [*left.outputs, *right.outputs]
    if any(output.star for output in both):
        if any(output.star == "names" or output.value.taint for output in both):
            raise refusal("a set operation unites columns by position, and those of one side are not in the index")
        return [Output(None, Value(), star="any")]
    if len(left.outputs) != len(right.outputs):
        raise refusal(f"the sides of a set operation have {len(left.outputs)} and {len(right.outputs)} columns")
    return [_united(a, b) for a, b in zip(left.outputs, right.outputs, strict=True)]


def _by_name(left: Relation, right: Relation) -> list[Output]:
    both = [*left.outputs, *right.outputs]
    if any(output.star or output.name is None or output.loose for output in both):
        if any(output.star == "names" or output.value.taint for output in both):
            raise refusal("UNION BY NAME needs names that are known")
        return [Output(None, Value(), star="any")]
    outputs: dict[str | None, Output] = {}
    for output in both:
        same = outputs.get(output.name)
        outputs[output.name] = _united(same, output) if same else output
    if len({o.name for o in left.outputs}) < len(left.outputs) or len({o.name for o in right.outputs}) < len(
        right.outputs
    ):
        raise refusal("UNION BY NAME with two columns of one name")
    return list(outputs.values())


def _united(left: Output, right: Output) -> Output:
    return replace(left, value=join([left.value, right.value]))
