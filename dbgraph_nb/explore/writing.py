"""A statement that writes to the scratch database, before it runs.

In: the statement that the gate let pass, the relations that are known. Out: ``Effect``. Never: a rule of its own; they
are in ``redact.writes``.
"""

from __future__ import annotations

from typing import Final

from dbgraph_nb.explore.mounted import Relations
from dbgraph_nb.gate.scan import scan_text
from dbgraph_nb.model import AllowedQuery, SensitivePolicy
from dbgraph_nb.redact import writes
from dbgraph_nb.redact.writes import Effect

WRITING: Final = frozenset({"insert", "update", "delete", "merge", "truncate", "create", "alter", "drop"})
_QUERY: Final = frozenset({"select", "with", "values", "from", "pivot", "unpivot", "summarize", "describe", "show"})


def effect(allowed: AllowedQuery, known: Relations, mounts: frozenset[str], *, show_sensitive: bool) -> Effect:
    """Checks a writing statement: see ``redact.writes.effect``."""
    return writes.effect(
        allowed,
        writes.Known(
            schema=known.schema,
            sensitive=known.sensitive(SensitivePolicy()),
            views=known.scratch_views,
            mounts=mounts,
            query=_query_text(allowed.sql),
            show_sensitive=show_sensitive,
        ),
    )


def _query_text(sql: str) -> str:
    """The query inside the statement: from the first word outside of brackets that begins one to RETURNING or ON."""
    depth, start, end = 0, 0, len(sql)
    tokens = scan_text(sql, "duckdb").tokens
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        following = after.key if after is not None else ""
        if depth == 0 and not start and (token.key in _QUERY or (token.text == "(" and following in _QUERY)):
            start = token.start
        if depth == 0 and start and (token.key == "returning" or (token.key, following) == ("on", "conflict")):
            end = token.start
            break
        depth += {"(": 1, ")": -1}.get(token.text, 0)
    return sql[start:end]
