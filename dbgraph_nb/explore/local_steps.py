"""The steps of every action over files: what is known of the mounts, gate, lineage, redaction.

In: opened mounts, a statement. Out: what the next step takes. Never: a step that is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dbgraph_nb import gate, redact
from dbgraph_nb.engines.duckdb_files import SCRATCH
from dbgraph_nb.errors import BadArgument, GateRefused, RedactionRefused, UnknownName
from dbgraph_nb.explore import literals
from dbgraph_nb.explore.mounted import Relations, relations
from dbgraph_nb.explore.scratch import Scratch
from dbgraph_nb.localdata.opening import Opened
from dbgraph_nb.model import AllowedQuery, RawRows, RedactionPlan, SensitivePolicy

if TYPE_CHECKING:
    from dbgraph_nb.result import ResultFrame


def known(local: Opened, own: Scratch | None) -> Relations:
    """What may be read; a name means a file or a table, never both.

    Raises:
        BadArgument: a mount has the name of a table of the scratch database (code ``mount-name-taken``).
    """
    found = relations(local, None if own is None else own.shown)
    tables = {relation.lower() for where, relation, *_ in local.columns if where == SCRATCH}
    for mount in local.mounts:
        for name in mount.names:
            if name.lower() in tables:
                raise BadArgument(
                    f"{name} is a table of the scratch database.", code="mount-name-taken", hint="Use another name."
                )
    return found


def shown(raw: RawRows, plan: RedactionPlan, local: Opened, allowed: AllowedQuery, *, sensitive: bool) -> ResultFrame:
    """The rows after redaction, with what is known of them; ``sensitive`` says that nothing was hidden."""
    from dbgraph_nb import result

    clean = redact.apply(raw, plan)
    meta = result.ResultMeta(
        row_count=raw.row_count,
        row_count_exact=raw.exact,
        truncated=raw.truncated,
        redacted=clean.redacted,
        source=", ".join(mount.shown for mount in local.mounts) or "DuckDB",
        sql=allowed.sql,
        elapsed=raw.elapsed,
        warnings=(*said(local), *(("sensitive values shown",) if sensitive else ())),
    )
    return result.build(clean, meta)


def said(local: Opened) -> tuple[str, ...]:
    """What the doctor found, a text for each mount."""
    return tuple(
        f"{mount.names[-1]}: {'; '.join(said)}"
        for mount, said in zip(local.mounts, local.findings, strict=True)
        if said
    )


def allow(sql: str, known: Relations, *, writes: bool = False) -> AllowedQuery:
    """The gate.

    Raises:
        GateRefused: the statement is not an allowed read (or, with ``writes``, write).
        UnknownName: it reads something that is not mounted (code ``not-mounted``).
    """
    try:
        return gate.check(sql, dialect="duckdb", relations=known.names, writes=writes)
    except GateRefused as error:
        if error.rule != "relation-not-listed":
            raise
        refused = error
    listed = f"Mounted: {known.listed()}." if known.names else "Mount one with -f FILE; it is f0 then."
    raise UnknownName(
        f"There is no file, and no table, {refused.token}.",
        code="not-mounted",
        hint=listed,
        line=refused.line,
        column=refused.column,
        token=refused.token,
    )


def trace(allowed: AllowedQuery, known: Relations, policy: SensitivePolicy) -> RedactionPlan:
    """The lineage.

    Raises:
        RedactionRefused: which outputs are sensitive cannot be proven.
    """
    sensitive = known.sensitive(policy) | literals.columns("duckdb")
    plan = redact.plan_tree(
        allowed.tree,
        sql=allowed.sql,
        dialect="duckdb",
        schema=known.schema,
        sensitive=sensitive,
        views=known.scratch_views,
    )
    if plan.refused:
        raise RedactionRefused(
            f"Not run: {plan.refused.rstrip('.')}.",
            hint="Leave that column out, or show sensitive values for one statement with --show-sensitive.",
        )
    return plan
