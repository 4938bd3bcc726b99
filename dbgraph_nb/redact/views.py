"""Views: what their bodies say about their columns.

In: a view's name and its SQL as the catalog has it (the query, or the whole CREATE VIEW). Out: its relation. Never:
a view taken for a table: a body that cannot be read stops the proof.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from dbgraph_nb.errors import RedactionRefused
from dbgraph_nb.redact.parsing import parse_one
from dbgraph_nb.redact.scope import Env, Parts, Walk
from dbgraph_nb.redact.values import Output, Relation, refusal, union


def view_relation(parts: Parts, body: str, walk: Walk) -> Relation:
    """The columns of a view with all that they may tell.

    A view may be read several times and by other views; each is traced once."""
    name = ".".join(parts)
    if name in walk.views:
        found = walk.views[name]
        if found is None:
            raise refusal(f"the view {name} reads itself")
        return found
    walk.views[name] = None
    plus, walk.plus = walk.plus, "+" in body
    walk.inside_views += 1
    try:
        relation = _trace(parts, body, walk)
    except RedactionRefused as error:
        del walk.views[name]
        raise refusal(f"the view {name} cannot be traced: {error.message}") from None
    finally:
        walk.plus = plus
        walk.inside_views -= 1
    walk.views[name] = relation
    return relation


def _trace(parts: Parts, body: str, walk: Walk) -> Relation:
    tree = parse_one(body, walk.dialect, walk.known.is_relevant)
    columns: list[str] = []
    if isinstance(tree, exp.Create):
        if isinstance(tree.this, exp.Schema):
            columns = [column.name for column in tree.this.expressions]
        tree = tree.expression
    if not isinstance(tree, (exp.Query, exp.Values)):
        raise refusal("its body is no query")
    relation = walk.query(tree, Env())
    outputs = relation.outputs
    declared = walk.known.table(parts)
    if not columns and declared is not None and len(declared.outputs) == len(outputs):
        columns = [output.shown or output.name or "" for output in declared.outputs]
    if columns:
        if len(columns) != len(outputs) or any(output.star for output in outputs):
            raise refusal("the number of its columns is not known")
        outputs = tuple(_named(output, column) for output, column in zip(outputs, columns, strict=True))
    listed = [output.name or "" for output in outputs]
    return replace(relation, table=parts[-1], outputs=tuple(_declared(o, parts, listed, walk) for o in outputs))


def _named(output: Output, column: str) -> Output:
    return replace(output, name=column.lower() or output.name, shown=column or output.shown)


def _declared(output: Output, parts: Parts, columns: list[str], walk: Walk) -> Output:
    """The view's own column may be sensitive too, by its name or comment."""
    if not output.name:
        return output
    own = frozenset(walk.known.sources(parts, output.name, columns))
    value = replace(output.value, taint=union([output.value.taint, own]))
    return replace(output, value=value)
