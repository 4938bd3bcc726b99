"""SQL over local files: mount → gate → lineage → run → redact → frame.

In: a statement, files of the workspace. Out: a ``ResultFrame``. Never: a file outside of the workspace, a change of
one, or a sensitive column that its name gives away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbgraph_nb import workspace
from dbgraph_nb.explore import context, exporting, querying, scratch, writing
from dbgraph_nb.explore import local_steps as steps
from dbgraph_nb.explore.exporting import WRITTEN, Form
from dbgraph_nb.explore.mounted import Relations
from dbgraph_nb.explore.scratch import Scratch
from dbgraph_nb.explore.writing import WRITING
from dbgraph_nb.localdata.mounts import Given
from dbgraph_nb.localdata.opening import Extra, Opened, opened
from dbgraph_nb.localdata.options import csv_options
from dbgraph_nb.model import AllowedQuery, RedactionPlan, SensitivePolicy
from dbgraph_nb.progress import Progress, silent

if TYPE_CHECKING:
    from dbgraph_nb.result import ResultFrame


@dataclass(frozen=True, slots=True)
class Answer:
    """What a statement over files gives: the rows to show, and the whole result in another form if it was asked for."""

    frame: ResultFrame
    table: Any = None


def duckdb_query(
    sql: str,
    files: Sequence[Given] = (),
    *,
    params: Mapping[str, Any] | None = None,
    max_rows: int | None = None,
    full: bool = False,
    read_only: bool = True,
    timeout: float | None = None,
    to: str | None = None,
    form: Form = "pandas",
    csv: Mapping[str, Any] | None = None,
    progress: Progress = silent,
    show_sensitive: bool = False,
) -> Any:
    """Runs one statement over files of the workspace, sensitive columns redacted.

    Args:
        sql: one statement; the files are ``f0``, ``f1`` … in their order. ``:name`` marks a bound parameter.
        files: paths or patterns in the workspace; ``name=path`` gives a second name. DataFrames are mounted too, with a
            second name as a pair ``("name", frame)``.
        params: values of the parameters.
        max_rows: rows to return, 1 to 1,000 (default 200); the true count is always told.
        full: return up to ``fetch_rows`` rows instead (setting, default 1,000,000).
        read_only: False also lets it make and change tables, in a private scratch database that lives as long as the
            process; later statements can read them. Files are never written.
        timeout: seconds (setting, default 30), for looking at the files and for the statement each.
        to: write the whole result to this new file of the workspace (``.parquet``, ``.csv``, ``.csv.gz``, ``.tsv``,
            ``.json``, ``.jsonl``, ``.ndjson``), and return one row about it.
        form: ``pandas``, or up to ``fetch_rows`` rows as a table of ``arrow`` or a ``polars`` DataFrame.
        csv: how CSV files are to be read where that is not found out: ``encoding``, ``delim``, ``quote``, ``header``,
            ``skip``, ``decimal``, ``ragged``, ``text``.
        progress: called with the share done and a message.
        show_sensitive: show sensitive values of this one statement; the result says so.

    Returns:
        A ``ResultFrame``; for another ``form`` a ``pyarrow.Table`` or a ``polars.DataFrame``.

    Raises:
        PathRefused: a path leads outside, or to something that is no file of a known kind; nothing was read.
        BadArgument: an argument is not usable.
        GateRefused: the statement is not an allowed read; nothing was executed.
        RedactionRefused: which outputs are sensitive cannot be proven; nothing was executed.
        QueryFailed, QueryTimeout: from the engine.
    """
    found = answer(
        sql, files, params=params, max_rows=max_rows, full=full, read_only=read_only, timeout=timeout, to=to, form=form,
        csv=csv, progress=progress, show_sensitive=show_sensitive,
    )  # fmt: skip
    return found.frame if form == "pandas" else found.table


def answer(
    sql: str,
    files: Sequence[Given],
    *,
    params: Mapping[str, Any] | None,
    max_rows: int | None,
    full: bool,
    read_only: bool,
    timeout: float | None,
    to: str | None,
    form: Form,
    csv: Mapping[str, Any] | None,
    progress: Progress,
    show_sensitive: bool,
) -> Answer:
    """As ``duckdb_query``; the rows to show beside the whole result."""
    at = context.settings()
    wish = _Wish(
        limit=querying.rows_wanted(at, max_rows, full and form == "pandas"),
        fetch=at.fetch_rows,
        seconds=querying.seconds_wanted(at, timeout),
        form=exporting.check_form(form),
        to=to,
        progress=progress,
        show=show_sensitive,
    )
    options = csv_options(csv)
    root = at.workspace or Path.cwd()
    with ExitStack() as stack:
        draft = None if to is None else stack.enter_context(workspace.new_file(root, to, suffixes=frozenset(WRITTEN)))
        writes = not read_only and draft is None and wish.form == "pandas"
        own = stack.enter_context(scratch.in_use(create=writes, timeout=wish.seconds))
        extra = _extra(own, draft, wish, write=writes)
        with opened(root, files, options, timeout=wish.seconds, extra=extra) as local:
            relations = steps.known(local, own)
            allowed = steps.allow(sql, relations, writes=writes)
            if allowed.form not in WRITING:  # what only reads is read like everything else
                allowed = steps.allow(sql, relations)
            if draft is not None or wish.form != "pandas":
                allowed = steps.allow(exporting.without_end(sql), relations)
            bound = querying.bind(allowed, {} if params is None else params)
            if allowed.form in WRITING and own is not None:
                return Answer(_write(local, own, relations, allowed, bound, wish))
            hidden = RedactionPlan() if show_sensitive else steps.trace(allowed, relations, SensitivePolicy())
            if draft is not None:
                return Answer(_to_file(local, allowed, bound, hidden, draft, wish))
            if wish.form != "pandas":
                return _to_table(local, allowed, bound, hidden, wish)
            raw = local.engine.run(allowed, bound, fetch=wish.limit, timeout=wish.seconds, progress=progress)
    # Outside, where a long statement has given its memory back: the first frame of a process loads pandas.
    return Answer(steps.shown(raw, hidden, local, allowed, sensitive=show_sensitive))


@dataclass(frozen=True, slots=True)
class _Wish:
    """What was asked for, checked."""

    limit: int
    fetch: int
    seconds: float
    form: Form
    to: str | None
    progress: Progress
    show: bool


def _extra(own: Scratch | None, draft: Path | None, wish: _Wish, *, write: bool) -> Extra | None:
    if own is None and draft is None and wish.form == "pandas":
        return None
    return Extra(
        paths=() if draft is None else (str(draft),),
        lossless=wish.form == "pandas",
        scratch="" if own is None else str(own.path),
        write=write,
    )


def _to_file(
    local: Opened, allowed: AllowedQuery, bound: Mapping[str, Any], plan: RedactionPlan, draft: Path, wish: _Wish
) -> ResultFrame:
    assert wish.to is not None
    exporting.check_query(allowed)
    rows, width, hidden = exporting.written(
        local.engine, allowed, bound, plan, draft, exporting.suffix_written(wish.to),
        timeout=wish.seconds, progress=wish.progress,
    )  # fmt: skip
    frame = exporting.receipt(wish.to, rows, width, draft.stat().st_size)
    frame._meta = replace(
        frame.meta,
        redacted=hidden,
        sql=allowed.sql,
        warnings=(*steps.said(local), *(("sensitive values written",) if wish.show else ())),
    )
    return frame


def _to_table(
    local: Opened, allowed: AllowedQuery, bound: Mapping[str, Any], plan: RedactionPlan, wish: _Wish
) -> Answer:
    exporting.check_query(allowed)
    columns, types = local.engine.shape(allowed, bound)
    table, raw = local.engine.table(
        allowed,
        bound,
        outputs=exporting.outputs(plan, columns, types, wish.form),
        types=types,
        fetch=wish.fetch,
        show=wish.limit,
        timeout=wish.seconds,
        progress=wish.progress,
    )
    return Answer(steps.shown(raw, plan, local, allowed, sensitive=wish.show), exporting.as_form(table, wish.form))


def _write(
    local: Opened, own: Scratch, known: Relations, allowed: AllowedQuery, bound: Mapping[str, Any], wish: _Wish
) -> ResultFrame:
    mounts = frozenset(name for mount in local.mounts for name in mount.names)
    raw = writing.run(
        local.engine,
        own,
        known,
        allowed,
        bound,
        mounts,
        show_sensitive=wish.show,
        fetch=wish.limit,
        timeout=wish.seconds,
        progress=wish.progress,
    )
    return steps.shown(raw, RedactionPlan(), local, allowed, sensitive=wish.show)
