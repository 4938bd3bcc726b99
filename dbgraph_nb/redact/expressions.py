"""What an expression's value may tell: the union of all that its parts tell, minus what is proven.

In: a sqlglot expression and the scope it stands in. Out: its taint, its ``Value``, or a refusal. Never: fewer sources
than the parts have, but for three proofs: a pure count tells nothing of the values, a test for NULL of a column may
decide which rows are shown, and a key or field that is not the sensitive one. Nothing of the caller's tree is changed.
"""

from __future__ import annotations

from sqlglot import exp

from dbgraph_nb.redact import clauses, fields
from dbgraph_nb.redact.expression_core import TAINTS, VALUES, children, control, row_making, taint_of, value_of

__all__ = ["children", "control", "row_making", "taint_of", "value_of"]

# The walk knows the nodes with a meaning of their own because these two modules are imported.
assert VALUES[exp.Column] is fields.column
assert TAINTS[exp.Count] is clauses.count
