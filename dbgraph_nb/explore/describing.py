"""What is in a file before a query: columns, types, sample rows, size, and what was guessed about it.

In: a file, or the name of a mounted one or of a table of the scratch database. Out: ``FileSchema``. Never: a sensitive
value in the sample, a full scan of a large file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbgraph_nb import gate
from dbgraph_nb.errors import BadArgument, RedactionRefused, UnknownName
from dbgraph_nb.explore import context, local_steps, querying, scratch
from dbgraph_nb.explore.mounted import Pairs, Relations
from dbgraph_nb.localdata import measure
from dbgraph_nb.localdata.formats import quoted_name
from dbgraph_nb.localdata.mounts import Given
from dbgraph_nb.localdata.opening import Extra, Opened, opened
from dbgraph_nb.localdata.options import csv_options
from dbgraph_nb.model import SensitivePolicy

if TYPE_CHECKING:
    from dbgraph_nb.result import FileSchema, ResultFrame

MOST_SAMPLE_ROWS = 50


def duckdb_schema(
    target: Given,
    *,
    files: Sequence[Given] = (),
    sample_rows: int = 5,
    csv: Mapping[str, Any] | None = None,
    timeout: float | None = None,
) -> FileSchema:
    """Describes a file of the workspace, or a mounted name.

    Args:
        target: a path or pattern, a frame, or a name: of a mount (``f0``, ``sales``, ``f0.table`` of a database file)
            or of a table of the scratch database.
        files: mounts, as for ``duckdb_query``, when the target is a name.
        sample_rows: rows of the sample, 0 to 50.
        csv, timeout: as for ``duckdb_query``.

    Returns:
        The columns with their types, whether NULL is possible, why they are sensitive; sample rows, redacted; the
        number of rows, exact or about; bytes; and what was guessed.

    Raises:
        PathRefused, QueryFailed, QueryTimeout: as ``duckdb_query``.
        BadArgument: ``sample_rows`` is not from 0 to 50 (code ``bad-sample-rows``).
        UnknownName: nothing is mounted under that name (code ``not-mounted``).
    """
    at = context.settings()
    if isinstance(sample_rows, bool) or not isinstance(sample_rows, int) or not 0 <= sample_rows <= MOST_SAMPLE_ROWS:
        raise BadArgument(
            f"sample_rows must be a whole number from 0 to {MOST_SAMPLE_ROWS}.",
            code="bad-sample-rows",
            hint="For more rows use a query.",
        )
    seconds = querying.seconds_wanted(at, timeout)
    with ExitStack() as stack:
        own = stack.enter_context(scratch.in_use(create=False, timeout=seconds))
        extra = None if own is None else Extra(scratch=str(own.path))
        named = isinstance(target, str) and (bool(files) or target.isidentifier())
        mounted = list(files) if named else [target]
        root = at.workspace or Path.cwd()
        options = csv_options(csv)
        with opened(root, mounted, options, timeout=seconds, extra=extra) as found:
            known = local_steps.known(found, own)
            name = str(target) if named else "f0"
            if len(inside := _inside(known, name)) > 1:
                return _database(found, known, name, inside)
            return _described(found, known, _relation(known, name), sample_rows, seconds)


def _inside(known: Relations, name: str) -> list[str]:
    """The tables of a mounted database file, unless the name means one."""
    if any(relation.casefold() == name.casefold() for relation in known.schema):
        return []
    return [relation for relation in known.schema if relation.casefold().startswith(f"{name.casefold()}.")]


def _database(found: Opened, known: Relations, name: str, inside: Sequence[str]) -> FileSchema:
    """All columns of all tables; a sample is of one table."""
    from dbgraph_nb import result

    sensitive = known.sensitive(SensitivePolicy(contact=True))
    position = _mount_of(found, f"{name}.")
    mount = found.mounts[position or 0]
    listed = [
        (relation.partition(".")[2], column, kind, _why(sensitive, relation, column))
        for relation in inside
        for column, kind in known.schema[relation].items()
    ]
    meta = result.ResultMeta(row_count=len(listed), source=mount.shown)
    columns = result.from_records(["table", "column", "type", "sensitive"], listed, meta)
    return result.FileSchema(mount.shown, columns, None, None, False, measure.bytes_of(mount))


def _relation(known: Relations, name: str) -> str:
    """The relation of that name, as it is spelled; of a database file the only table."""
    inside = [relation for relation in known.schema if relation.casefold().startswith(f"{name.casefold()}.")]
    for relation in (*known.schema, *inside):
        if relation.casefold() == name.casefold() or relation in inside:
            return relation
    listed = known.listed()
    raise UnknownName(
        f"Nothing is mounted as {name[:60]}.",
        code="not-mounted",
        hint=f"There are {listed}." if listed else "Name a file, or mount it with -f FILE.",
    )


def _described(found: Opened, known: Relations, relation: str, sample_rows: int, seconds: float) -> FileSchema:
    from dbgraph_nb import result

    position = _mount_of(found, relation)
    mount = None if position is None else found.mounts[position]
    sensitive = known.sensitive(SensitivePolicy(contact=True))
    columns = known.schema[relation]
    size = None if mount is None else measure.bytes_of(mount)
    if relation in known.views or relation in known.scratch_views:  # how many there are may tell what is in them
        rows, exact = _counted(found, known, relation, seconds), True
    else:
        rows, exact = measure.rows(found.engine, mount, relation, _sql(relation), found.tables.get(position or 0))
    never_null = measure.never_null(found.engine, mount, relation)
    listed = [
        (name, kind, "no" if name in never_null else "yes", _why(sensitive, relation, name))
        for name, kind in columns.items()
    ]
    meta = result.ResultMeta(row_count=len(listed), source=mount.shown if mount else relation)
    return result.FileSchema(
        target=mount.shown if mount is not None else relation,
        columns=result.from_records(["column", "type", "null", "sensitive"], listed, meta),
        sample=_sample(found, known, relation, sample_rows, seconds),
        rows=rows,
        rows_exact=exact,
        size=size,
        findings=() if position is None else found.findings[position],
    )


def _counted(found: Opened, known: Relations, relation: str, seconds: float) -> int | None:
    """The rows of a view, if their number tells nothing sensitive."""
    allowed = gate.check(f"SELECT count(*) AS n FROM {_sql(relation)}", dialect="duckdb", relations=known.names)
    try:
        plan = local_steps.trace(allowed, known, SensitivePolicy())
    except RedactionRefused:
        return None
    if plan.columns:
        return None
    return int(found.engine.run(allowed, {}, fetch=1, timeout=seconds).rows[0][0])


def _mount_of(found: Opened, relation: str) -> int | None:
    first = relation.partition(".")[0].casefold()
    for number, mount in enumerate(found.mounts):
        if first in (name.casefold() for name in mount.names):
            return number
    return None


def _sql(relation: str) -> str:
    return ".".join(map(quoted_name, relation.split(".", 1)))


def _why(sensitive: Pairs, relation: str, column: str) -> str:
    tiers = {why.tier for (of, name), why in sensitive.items() if of == relation and name.partition(".")[0] == column}
    return next((tier for tier in ("credential", "identity", "contact") if tier in tiers), "")


def _sample(found: Opened, known: Relations, relation: str, rows: int, seconds: float) -> ResultFrame | None:
    if not rows:
        return None
    allowed = gate.check(f"SELECT * FROM {_sql(relation)} LIMIT {rows}", dialect="duckdb", relations=known.names)
    plan = local_steps.trace(allowed, known, SensitivePolicy())
    raw = found.engine.run(allowed, {}, fetch=rows, timeout=seconds)
    return local_steps.shown(raw, plan, found, allowed, sensitive=False)
