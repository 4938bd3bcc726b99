"""All rules of the gate, in the order in which they are asked.

In: a ``Statement``. Out: the first ``Refusal``, or None. Never: a rule that allows what another one refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from dbgraph_nb.gate.call_rules import (
    known_functions,
    known_table_functions,
    known_tree_functions,
    no_field_calls,
)
from dbgraph_nb.gate.refusal import Refusal
from dbgraph_nb.gate.relation_rules import listed_relations, plain_relations
from dbgraph_nb.gate.shape_rules import pragma_reads, show_reads
from dbgraph_nb.gate.statement import Statement
from dbgraph_nb.gate.token_rules import (
    no_cut_name,
    no_deep_case,
    no_inner_statement,
    no_into,
    no_long_chain,
    no_pragma_value,
    no_row_lock,
    no_sequence,
    no_setting_hint,
    no_text_relation,
    no_variable,
    own_operators,
)
from dbgraph_nb.gate.tree_rules import nested_metadata, reads_only

Rule = Callable[[Statement], Refusal | None]

# Asked before the text is parsed; they need no parser and do not trust it.
TOKEN_RULES: Final[tuple[Rule, ...]] = (
    no_cut_name,
    no_long_chain,
    no_deep_case,
    no_into,
    no_row_lock,
    no_inner_statement,
    no_text_relation,
    no_pragma_value,
    own_operators,
    no_variable,
    no_sequence,
    no_setting_hint,
    show_reads,
    pragma_reads,
)
# Asked of the tree as a whole.
NODE_RULES: Final[tuple[Rule, ...]] = (
    reads_only,
    nested_metadata,
)
# Asked of the names in a tree that is known to read.
NAME_RULES: Final[tuple[Rule, ...]] = (
    known_functions,
    no_field_calls,
    known_tree_functions,
    known_table_functions,
    plain_relations,
    listed_relations,
)
RULES: Final = TOKEN_RULES + NODE_RULES + NAME_RULES
