"""SQL over local files: mount → gate → lineage → run → redact → frame.

In: a statement, files of the workspace. Out: a ``ResultFrame``. Never: a file outside of the workspace, a change of
one, or a sensitive column that its name gives away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbgraph_nb import gate, redact
from dbgraph_nb.engines.duckdb_files import DuckdbFiles
from dbgraph_nb.errors import GateRefused, RedactionRefused, UnknownName
from dbgraph_nb.explore import context, querying
from dbgraph_nb.localdata.formats import is_text_table, quoted_text, reader
from dbgraph_nb.localdata.mounts import Mount, mounted
from dbgraph_nb.model import AllowedQuery, RedactionPlan, SensitivePolicy, Sensitivity

if TYPE_CHECKING:
    from dbgraph_nb.result import ResultFrame

Schema = dict[str, dict[str, str]]

_COLUMNS = "SELECT view_name, column_name, data_type FROM (SELECT table_name AS view_name, column_name, data_type, " \
    "column_index FROM duckdb_columns() WHERE NOT internal) ORDER BY view_name, column_index"  # fmt: skip
_LOOKED_AT = 10_000  # rows in which digits that are no number are looked for
_NO_NUMBER = "^([+]|0[0-9])"


def duckdb_query(
    sql: str,
    files: Sequence[str] = (),
    *,
    params: Mapping[str, Any] | None = None,
    max_rows: int | None = None,
    full: bool = False,
    timeout: float | None = None,
    show_sensitive: bool = False,
) -> ResultFrame:
    """Runs one read-only statement over files of the workspace, sensitive columns redacted.

    Args:
        sql: one statement; the files are ``f0``, ``f1`` … in their order. ``:name`` marks a bound parameter.
        files: paths or patterns in the workspace; ``name=path`` gives a second name. CSV and TSV (also ``.gz``),
            Parquet, JSON, JSON lines.
        params: values of the parameters.
        max_rows: rows to return, 1 to 1,000 (default 200); the true count is always told.
        full: return up to ``fetch_rows`` rows instead (setting, default 1,000,000).
        timeout: seconds (setting, default 30).
        show_sensitive: show sensitive values of this one statement; the result says so.

    Raises:
        PathRefused: a path leads outside, or to something that is no file of a known kind; nothing was read.
        BadArgument: an argument is not usable.
        GateRefused: the statement is not an allowed read; nothing was executed.
        RedactionRefused: which outputs are sensitive cannot be proven; nothing was executed.
        QueryFailed, QueryTimeout: from the engine.
    """
    from dbgraph_nb import result

    at = context.settings()
    limit = querying.rows_wanted(at, max_rows, full)
    seconds = querying.seconds_wanted(at, timeout)
    policy = None if show_sensitive else SensitivePolicy()
    with mounted(at.workspace or Path.cwd(), files) as mounts, _engine(mounts) as engine:
        schema = _schema(engine)
        allowed = _allow(sql, mounts)
        bound = querying.bind(allowed, {} if params is None else params)
        plan = RedactionPlan() if policy is None else _plan(allowed, schema, policy)
        raw = engine.run(allowed, bound, fetch=limit, timeout=seconds)
        clean = redact.apply(raw, plan)
        meta = result.ResultMeta(
            row_count=raw.row_count,
            row_count_exact=raw.exact,
            truncated=raw.truncated,
            redacted=clean.redacted,
            source=", ".join(mount.shown for mount in mounts) or "DuckDB",
            sql=allowed.sql,
            elapsed=raw.elapsed,
            warnings=("sensitive values shown",) if policy is None else (),
        )
        return result.build(clean, meta)


def _engine(mounts: Sequence[Mount]) -> DuckdbFiles:
    """The files as views. Columns of a CSV whose digits are no numbers (leading zeros, a plus) stay text."""
    views, paths = [], []
    for mount in mounts:
        own = [file.engine_path for file in mount.files]
        # The engine compares real names, so it needs them on its list beside the descriptors' own.
        paths += [*own, *(str(file.path) for file in mount.files)]
        options: tuple[str, ...] = ()
        if is_text_table(mount.suffix):
            texts = _digits(mount.suffix, own, paths)
            options = (f"types = {{{', '.join(f'{quoted_text(name)}: VARCHAR' for name in texts)}}}",) if texts else ()
        call = reader(mount.suffix, own, options)
        views += [(name, f"SELECT * FROM {call}") for name in mount.names]
    return DuckdbFiles(views, paths)


def _digits(suffix: str, own: Sequence[str], paths: Sequence[str]) -> list[str]:
    """The columns that are numbers for DuckDB and hold texts such as 010 or +86 in the first rows."""
    typed = f"SELECT * FROM {reader(suffix, own)}"
    texts = f"SELECT * FROM {reader(suffix, own, ('all_varchar = true',))} LIMIT {_LOOKED_AT}"
    with DuckdbFiles([("typed", typed), ("texts", texts)], paths) as engine:
        numbers = [name for view, name, kind in engine.catalog(_COLUMNS) if view == "typed" and _is_number(kind)]
        if not numbers:
            return []
        names = ['"' + name.replace('"', '""') + '"' for name in numbers]
        asked = ", ".join(f"bool_or(regexp_matches({name}, '{_NO_NUMBER}'))" for name in names)
        (found,) = engine.catalog(f"SELECT {asked} FROM texts")
        return [name for name, is_text in zip(numbers, found, strict=True) if is_text]


def _is_number(kind: str) -> bool:
    return kind in ("BIGINT", "INTEGER", "DOUBLE", "HUGEINT") or kind.startswith("DECIMAL")


def _schema(engine: DuckdbFiles) -> Schema:
    schema: Schema = {}
    for view, column, kind in engine.catalog(_COLUMNS):
        schema.setdefault(view, {})[column] = kind
    return schema


def _allow(sql: str, mounts: Sequence[Mount]) -> AllowedQuery:
    names = frozenset(name for mount in mounts for name in mount.names)
    try:
        return gate.check(sql, dialect="duckdb", relations=names)
    except GateRefused as error:
        if error.rule != "relation-not-listed":
            raise
        refused = error
    listed = f"Mounted: {', '.join(sorted(names))}." if names else "Mount one with -f FILE; it is f0 then."
    raise UnknownName(
        f"No file is mounted as {refused.token}.",
        code="not-mounted",
        hint=listed,
        line=refused.line,
        column=refused.column,
        token=refused.token,
    )


def _plan(allowed: AllowedQuery, schema: Schema, policy: SensitivePolicy) -> RedactionPlan:
    sensitive: dict[tuple[str, str], Sensitivity] = {}
    for view, columns in schema.items():
        for column, kind in columns.items():
            why = redact.classify(column, type=kind)
            if why is not None and policy.hides(why.tier):
                sensitive[view, column] = why
            fields = redact.sensitive_fields(column, kind)
            sensitive |= {(view, path): found for path, found in fields if policy.hides(found.tier)}
    plan = redact.plan_tree(allowed.tree, sql=allowed.sql, dialect="duckdb", schema=schema, sensitive=sensitive)
    if plan.refused:
        raise RedactionRefused(
            f"Not run: {plan.refused.rstrip('.')}.",
            hint="Leave that column out, or show sensitive values for one statement with --show-sensitive.",
        )
    return plan
