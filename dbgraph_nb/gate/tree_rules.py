"""The rules about the tree as a whole: a query, made of nodes that are known to read.

In: a ``Statement`` with its tree. Out: a ``Refusal`` or None. Never: a node let through because it is unknown.
"""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from dbgraph_nb.gate.nodes import CHANGES, QUERIES, READS, WRITE_ROOTS, WRITES
from dbgraph_nb.gate.refusal import Refusal, at_token
from dbgraph_nb.gate.scan import Tok
from dbgraph_nb.gate.statement import Statement


def reads_only(statement: Statement) -> Refusal | None:
    """The tree is a query, and every node of it is of a kind that reads (with ``writes``: or writes plain tables)."""
    tree = statement.tree
    if tree is None:
        return None
    writes = statement.policy.writes and statement.form.name != "explain"
    first = statement.tokens[statement.form.body or 0]
    if type(tree).__name__ not in (QUERIES | WRITE_ROOTS if writes else QUERIES):
        return at_token("data-change", "This statement does more than read.", first, "Only reading statements can run.")
    known = WRITES if writes else READS
    for node in statement.nodes:
        name = type(node).__name__
        if isinstance(node, exp.CTE) and isinstance(node.this, (exp.Column, exp.Alias)):
            token = _token_of(node.this, statement) or first  # a lone word, which the parser takes for a column
            return at_token("unknown-construct", "A WITH entry is a query in brackets.", token)
        if name in known or isinstance(node, exp.Func):
            continue
        token = _token_of(node, statement) or first
        if name in CHANGES:
            hint = "Select the rows instead; nothing was executed."
            return at_token("data-change", "A part of this statement changes data.", token, hint)
        if name == "Into":
            return at_token("select-into", "INTO writes the rows to a table, a file or a variable.", token)
        if name == "Lock":
            return at_token("row-lock", "This locks the rows that it reads.", token, "Remove the locking clause.")
        message = f"A part of this statement ({name}) is not known to be a read."
        return at_token("unknown-construct", message, token, "Write this part in a plainer form.")
    return None


def _token_of(node: Any, statement: Statement) -> Tok | None:
    for part in node.walk():
        if "start" in part.meta and (token := statement.at(part.meta["start"])):
            return token
    return None


def nested_metadata(statement: Statement) -> Refusal | None:
    """DESCRIBE, SHOW and SUMMARIZE inside a query exist in DuckDB only."""
    if statement.tree is None or statement.dialect == "duckdb":
        return None
    for node in statement.nodes:
        if type(node).__name__ in ("Describe", "Summarize"):
            token = _token_of(node, statement) or statement.tokens[0]
            return at_token("unknown-construct", "This part is not known to be a read.", token)
    return None
