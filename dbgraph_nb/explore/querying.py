"""The one way a statement reaches a database: gate → lineage → run → redact → frame.

In: a connection's name, SQL, parameters. Out: a ``ResultFrame``. Never: a value spliced into SQL, an execution that
the gate or the lineage has not passed.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbgraph_nb import gate, redact, workspace
from dbgraph_nb.catalog import source
from dbgraph_nb.engines import params as engine_params
from dbgraph_nb.engines.interruptible import check_timeout
from dbgraph_nb.errors import BadArgument, GateRefused, UnknownName
from dbgraph_nb.explore import context, tracing
from dbgraph_nb.explore.knowledge import Knowledge, dialect_of, read_knowledge
from dbgraph_nb.explore.structure import known_table, open_named
from dbgraph_nb.model import AllowedQuery, Connection, Dialect, RedactionPlan, SensitivePolicy
from dbgraph_nb.settings import Settings

if TYPE_CHECKING:
    from dbgraph_nb.result import ResultFrame

MOST_ROWS = 1000  # more than this is not read by a person; full=True is for programs


def sql(
    name: str,
    sql: str,
    params: Mapping[str, Any] | None = None,
    *,
    max_rows: int | None = None,
    full: bool = False,
    count: bool = False,
    timeout: float | None = None,
    to: str | None = None,
    show_sensitive: bool = False,
) -> ResultFrame:
    """Runs one read-only statement and returns its rows, sensitive columns redacted.

    Args:
        name: a connection.
        sql: one statement; ``:name`` marks a bound parameter.
        params: values of the parameters; further entries are ignored.
        max_rows: rows to return, 1 to 1,000 (default 200).
        full: return up to ``fetch_rows`` rows instead (setting, default 1,000,000).
        count: ask for the true number of rows even where the server has to count them.
        timeout: seconds (setting, default 30).
        to: write the whole result (up to ``fetch_rows`` rows) to this new file of the workspace, and return one row
            about it; endings as in ``duckdb_query``.
        show_sensitive: show sensitive values of this one statement; the result says so.

    Raises:
        BadArgument: an argument is not usable; nothing was opened.
        GateRefused: the statement is not an allowed read; nothing was executed.
        RedactionRefused: which outputs are sensitive cannot be proven; nothing was executed.
        QueryFailed, QueryTimeout, ConnectionFailed, CredentialMissing: from the engine.
    """
    at = context.settings()
    limit = rows_wanted(at, max_rows, full or to is not None)
    seconds = seconds_wanted(at, timeout)
    if to is not None:
        check_new(at, to)
    stored = context.connection(name, at)
    target, _ = context.locate(stored)
    knowledge = read_knowledge(at, stored)
    hide = context.policy(stored) is not None and not show_sensitive
    allowed = allow(sql, knowledge.dialect or target.dialect, knowledge, name, hide=hide)
    bound = bind(allowed, {} if params is None else params)
    frame = execute(
        at, stored, knowledge, allowed, bound, fetch=limit, count=count, timeout=seconds, show_sensitive=show_sensitive
    )
    if to is None:
        return frame
    from dbgraph_nb.explore import frame_file

    return frame_file.write(frame, at, to, timeout=seconds)


def check_new(at: Settings, path: str) -> None:
    """Raises before a statement runs if its result could not be written.

    Raises:
        PathRefused: see ``workspace.new_file``.
    """
    from dbgraph_nb.explore.exporting import WRITTEN

    with workspace.new_place(at.workspace or Path.cwd(), path, suffixes=frozenset(WRITTEN)):
        pass


def allow(sql: str, dialect: Dialect, knowledge: Knowledge, name: str, *, hide: bool = True) -> AllowedQuery:
    """The gate. While sensitive columns are hidden, an indexed database is read only where the index knows it.

    Raises:
        GateRefused: the statement is not an allowed read.
        UnknownName: it reads a table or view that the index does not know (code ``table-not-known``).
    """
    try:
        return gate.check(sql, dialect=dialect, relations=knowledge.relations if hide else None)
    except GateRefused as error:
        if error.rule != "relation-not-listed":
            raise
        refused = error
    near = knowledge.nearest_tables(refused.token or "")
    guess = f"Did you mean {' or '.join(near)}? " if near else ""
    raise UnknownName(
        f"The index of {name} knows no table or view {refused.token}.",
        code="table-not-known",
        hint=f"{guess}If it is new, refresh the index with %dbgraph index {name}; other databases need a connection.",
        line=refused.line,
        column=refused.column,
        token=refused.token,
    )


def execute(
    at: Settings,
    stored: Connection,
    knowledge: Knowledge,
    allowed: AllowedQuery,
    params: Mapping[str, Any],
    *,
    fetch: int,
    count: bool = False,
    timeout: float,
    show_sensitive: bool = False,
    bounded: bool = False,
) -> ResultFrame:
    """Lineage, run, redaction, frame: the steps after the gate, the same for every action.

    ``bounded``: the statement is ours and ends with LIMIT ``fetch`` + 1, so a cut means more rows, not how many.
    """
    from dbgraph_nb import result

    policy = None if show_sensitive else context.policy(stored)
    by_name = tracing.by_name(policy)
    plan = RedactionPlan() if policy is None else tracing.planned(allowed, knowledge, policy, stored.name)
    with closing(context.open_connection(stored, timeout=timeout)) as engine:
        if engine.dialect != allowed.dialect:  # a mysql:// URL led to a MariaDB that is not indexed yet
            allowed = gate.check(allowed.sql, dialect=engine.dialect)
        behind = bool(knowledge.version) and source.version(engine) not in ("", knowledge.version)
        raw = engine.run(allowed, params, fetch=fetch, count=count, timeout=timeout)
        server = engine.server
    clean = redact.apply(raw, plan, by_name=by_name)
    more = bounded and raw.truncated
    meta = result.ResultMeta(
        row_count=len(clean.rows) if more else raw.row_count,
        row_count_exact=raw.exact and not more,
        truncated=raw.truncated,
        redacted=clean.redacted,
        source=f"{stored.name} ({server.split(' ')[0]})",
        sql=allowed.sql,
        elapsed=raw.elapsed,
        warnings=(*_notes(policy, knowledge), *((_behind(stored.name),) if behind else ())),
    )
    return result.build(clean, meta)


def _behind(name: str) -> str:
    return f"the structure changed since it was indexed: %dbgraph index {name}"


def _notes(policy: SensitivePolicy | None, knowledge: Knowledge) -> tuple[str, ...]:
    """What each result must say of itself."""
    if policy is None:
        return ("sensitive values shown",)
    shown = tuple(f"{tier} values shown" for tier in ("credential", "identity") if not getattr(policy, tier))
    return shown if knowledge.indexed else (*shown, "not indexed: sensitive columns are known by name only")


def peek(name: str, table: str, *, max_rows: int | None = None, timeout: float | None = None) -> ResultFrame:
    """The first rows of a table or view, sensitive columns redacted.

    Args:
        table: its name in the index; the case need not be right.
        max_rows: rows, 1 to 1,000 (default 20).

    Raises:
        UnknownName: the index knows no table of that name (code ``unknown-table``).
        IndexUnavailable: there is no index yet.
    """
    from dbgraph_nb.catalog.find_sql import Selection, build

    at = context.settings()
    limit = rows_wanted(at, min(20, at.max_rows) if max_rows is None else max_rows, full=False)
    seconds = seconds_wanted(at, timeout)
    stored = context.connection(name, at)
    with open_named(at, name) as index:
        dialect = dialect_of(index)
        several = len({row.schema for row in index.objects()}) > 1
        selection = Selection(known_table(index, name, table), (), (), qualify=several)
        text, _ = build(selection, limit=limit + 1, dialect=dialect)
    knowledge = read_knowledge(at, stored)
    allowed = allow(text, dialect, knowledge, name)
    return execute(at, stored, knowledge, allowed, {}, fetch=limit, timeout=seconds, bounded=True)


def rows_wanted(at: Settings, max_rows: int | None, full: bool, what: str = "max_rows") -> int:
    """How many rows to fetch; ``what`` is the name of the argument.

    Raises:
        BadArgument: ``max_rows`` is not a whole number from 1 to 1,000 (code ``bad-max-rows``).
    """
    wanted = at.max_rows if max_rows is None else max_rows
    if isinstance(wanted, bool) or not isinstance(wanted, int) or not 1 <= wanted <= MOST_ROWS:
        raise BadArgument(
            f"{what} is {wanted!r}; it must be a whole number from 1 to {MOST_ROWS:,}.",
            code="bad-max-rows",
            hint="For a whole result use full=True, or -o VAR in a cell." if what == "max_rows" else None,
        )
    return at.fetch_rows if full else wanted


def seconds_wanted(at: Settings, timeout: float | None) -> float:
    """The timeout in seconds.

    Raises:
        BadArgument: it is not a number of seconds up to a day (code ``bad-timeout``).
    """
    return check_timeout(at.timeout if timeout is None else timeout)


def bind(allowed: AllowedQuery, params: Mapping[str, Any]) -> dict[str, Any]:
    """The values of exactly the parameters that the statement names; further ones are left out.

    Raises:
        BadArgument: ``params`` is no mapping (code ``bad-params``), one is missing (``missing-parameter``), or is no
            single value (``bad-parameter``).
    """
    if not isinstance(params, Mapping):
        raise BadArgument(
            f"params is a {type(params).__name__}; it must map names to values.",
            code="bad-params",
            hint='Write :name in the statement and params={"name": …}.',
        )
    bound: dict[str, Any] = {}
    for parameter in allowed.parameters:
        if parameter not in params:
            raise BadArgument(
                f"The statement uses :{parameter}, but no value is given for it.",
                code="missing-parameter",
                hint=f"Give --param {parameter}=…, params={{{parameter!r}: …}}, or a notebook variable of that name.",
            )
        bound[parameter] = params[parameter]
    # The engine binds; here it only says what is wrong, before anything is opened.
    engine_params.bind(allowed.sql, bound, allowed.dialect, allowed.parameters, allowed.places)
    return bound


def preview(frame: ResultFrame, max_rows: int | None = None) -> ResultFrame:
    """The first rows of a whole result, for showing: the counts stay those of the whole."""
    from dbgraph_nb import result

    shown = rows_wanted(context.settings(), max_rows, full=False)
    head = [frame.iloc[:shown, i] for i in range(frame.shape[1])]
    return result.from_series(list(frame.columns), head, min(shown, len(frame)), frame.meta)
