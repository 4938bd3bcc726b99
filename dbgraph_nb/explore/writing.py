"""A statement that writes to the scratch database: from the rules to the text that runs.

In: the statement that the gate let pass, the relations that are known, the engine. Out: its rows. Never: a rule of its
own (they are in ``redact.writes``), or a table that is sensitive before it is known to be.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dbgraph_nb import gate
from dbgraph_nb.engines.duckdb_files import DuckdbFiles, wrapped
from dbgraph_nb.explore import exporting
from dbgraph_nb.explore.mounted import Relations
from dbgraph_nb.explore.scratch import Scratch
from dbgraph_nb.gate.scan import scan_text
from dbgraph_nb.model import AllowedQuery, RawRows, RedactionPlan, SensitivePolicy
from dbgraph_nb.redact import writes

WRITING: Final = frozenset({"insert", "update", "delete", "merge", "truncate", "create", "alter", "drop"})
_QUERY: Final = frozenset({"select", "with", "values", "from", "pivot", "unpivot", "summarize", "describe", "show"})


def run(
    engine: DuckdbFiles,
    own: Scratch,
    known: Relations,
    allowed: AllowedQuery,
    bound: Mapping[str, Any],
    mounts: frozenset[str],
    *,
    show_sensitive: bool,
    **more: Any,
) -> RawRows:
    """Checks a writing statement and runs it.

    Args:
        mounts: names that mean files.
        more: ``fetch``, ``timeout``, ``progress`` of the engine.

    Raises:
        BadArgument, RedactionRefused: see ``writes.judge``.
        QueryFailed, QueryTimeout: from the engine.
    """
    start, end = _query_span(allowed.sql)
    verdict = writes.judge(
        allowed,
        writes.Known(
            schema=known.schema,
            sensitive=known.sensitive(SensitivePolicy()),
            secret=known.secret(SensitivePolicy()),
            views=known.scratch_views,
            mounts=frozenset(map(writes.fold, mounts)),
            query=allowed.sql[start:end],
            tail=bool(allowed.sql[end:].strip(" \t\r\n;")),
            show_sensitive=show_sensitive,
        ),
    )
    if verdict.how == "shown":
        own.shown.add(verdict.table)  # before it runs: an interrupt must not come in between
    if verdict.how == "redacted":
        assert verdict.plan is not None
        allowed = _redacted(engine, known, allowed, bound, verdict.plan, start, end)
    raw = engine.run(allowed, bound, **more)
    if verdict.makes and verdict.how != "shown":
        own.shown.discard(verdict.table)
    return raw


def _redacted(
    engine: DuckdbFiles,
    known: Relations,
    allowed: AllowedQuery,
    bound: Mapping[str, Any],
    plan: RedactionPlan,
    start: int,
    end: int,
) -> AllowedQuery:
    """The statement with its query inside of one that hides what the plan says."""
    query = gate.check(allowed.sql[start:end], dialect="duckdb", relations=known.names)
    columns, types = engine.shape(query, {name: bound[name] for name in query.parameters})
    text = wrapped(query.sql, exporting.outputs(plan, columns, types, "scratch"))
    return gate.check(f"{allowed.sql[:start]}{text}", dialect="duckdb", relations=known.names, writes=True)


def _query_span(sql: str) -> tuple[int, int]:
    """Where the query inside the statement begins and ends: from the first word outside of brackets that begins one to
    RETURNING, ON CONFLICT or the end. Empty if there is none."""
    depth, start = 0, -1
    tokens = scan_text(sql, "duckdb").tokens
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        following = after.key if after is not None else ""
        if depth == 0 and start < 0 and (token.key in _QUERY or (token.text == "(" and following in _QUERY)):
            start = token.start
        if depth == 0 and start >= 0 and token.key == "returning":
            return start, token.start
        depth += {"(": 1, ")": -1}.get(token.text, 0)
    if start < 0:
        return 0, 0
    return start, tokens[-1].start if tokens[-1].text == ";" else len(sql)
