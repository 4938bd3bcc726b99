"""What ``*`` gives after a join: USING and NATURAL merge columns, and each engine puts them elsewhere.

In: the join and its two sides. Out: the new shape. Never: a position that an engine may see otherwise; there every
output of the star has the taint of all. (Checked against SQLite 3.40, DuckDB 2.0, PostgreSQL 15, MariaDB 10.11.)
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from dbgraph_nb.redact.scope import Frame, Walk
from dbgraph_nb.redact.values import Output, Value, flat, join, refusal, union


def joined(node: exp.Expr, left: Frame, right: Frame, walk: Walk) -> list[Output]:
    """The shape of ``left`` joined with ``right``."""
    kind = str(node.args.get("kind") or "").upper()
    natural = str(node.args.get("method") or "").upper() == "NATURAL"
    names = _common(left, right) if natural else [name.name.lower() for name in node.args.get("using") or ()]
    if _made_up(names, natural, left, right):
        if flat(union(output.value.taint for output in [*left.shape, *right.shape])):
            raise refusal("which columns the join merges cannot be told")
        return [Output(None, Value(), star="any")]  # nothing sensitive, and of an unknown number
    merged = {}
    for name in names:
        found = [output for output in [*left.shape, *right.shape] if output.name == name]
        value = join([output.value for output in found]) if found else _by_name(name, walk)
        walk.control(flat(value.taint), "a join over this column")
        merged[name] = Output(name, value, shown=found[0].shown if found else None)
    if kind in ("SEMI", "ANTI"):
        return left.shape
    if not merged:
        return [*left.shape, *right.shape]
    rest = _without(right.shape, names)
    if walk.dialect in ("sqlite", "duckdb"):
        return [output if output.loose else merged.get(output.name or "", output) for output in left.shape] + rest
    first, second = _without(left.shape, names), rest
    from_right = str(node.args.get("side") or "").upper() == "RIGHT"
    if from_right and walk.dialect == "mariadb":
        left, first, second = right, second, first  # there it is a LEFT JOIN from the other side
    shape = [*(merged[name] for name in _order(names, left, walk)), *first, *second]
    return _uncertain(shape) if from_right and walk.dialect == "mysql" else shape


def _made_up(names: list[str], natural: bool, left: Frame, right: Frame) -> bool:
    """Whether the columns that a join merges depend on names that engines make up."""
    both = [*left.shape, *right.shape]
    if natural:
        return any(output.loose or (output.name is None and not output.star) for output in both)
    for name in names:
        for side in (left.shape, right.shape):
            found = [output for output in side if output.name == name]
            if any(o.loose for o in found) or (not found and not any(o.star for o in side)):
                return True
    return False


def _common(left: Frame, right: Frame) -> list[str]:
    for frame in (left, right):
        if any(output.star for output in frame.shape):
            if flat(union(output.value.taint for output in [*left.shape, *right.shape])):
                raise refusal("NATURAL JOIN with a table whose columns are not in the index")
            return []
    names = {output.name for output in right.shape}
    return [output.name for output in left.shape if output.name and output.name in names]


def _order(names: list[str], left: Frame, walk: Walk) -> list[str]:
    """MySQL keeps the order of the left table, the standard the order of USING."""
    if walk.dialect not in ("mysql", "mariadb"):
        return names
    first = [output.name for output in left.shape]
    return sorted(names, key=lambda name: first.index(name) if name in first else len(first))


def _by_name(name: str, walk: Walk) -> Value:
    return Value(frozenset(walk.known.named((), name)), direct=True)


def _without(outputs: list[Output], names: list[str]) -> list[Output]:
    return [output for output in outputs if output.name not in names or output.loose]


def _uncertain(outputs: list[Output]) -> list[Output]:
    """Columns whose order was not seen on this engine: the taint of all for each."""
    taint = flat(union(output.value.taint for output in outputs))
    if not taint:
        return outputs
    return [replace(output, value=Value(taint), shown=None) for output in outputs]
