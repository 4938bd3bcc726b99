"""One run of indexing: open, read, write; what fails half-way leaves what can be kept.

In: a stored connection, a level. Out: index, status and note in the connection's folder, and a report. Never: a
usable index that is replaced before what replaces it is whole, or a sampled value of a column that the policy adds.
"""

from __future__ import annotations

import datetime as dt
import time
import warnings
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import cast

from dbgraph_nb import redact, text
from dbgraph_nb.catalog import digest, source, store
from dbgraph_nb.catalog import index as index_module
from dbgraph_nb.catalog.index import WriterName
from dbgraph_nb.errors import Cancelled, DbgraphError, IndexUnavailable
from dbgraph_nb.explore import context, policies
from dbgraph_nb.model import Column, Connection, Dialect, IndexReport, Level, Sensitivity, Snapshot
from dbgraph_nb.progress import Progress
from dbgraph_nb.settings import Settings, private_folder


def build(
    at: Settings, stored: Connection, level: str, writer: WriterName, progress: Progress, timeout: float
) -> IndexReport:
    """Reads and writes. A usable index is replaced once, by the best that could be read; without one, l1 is written
    as soon as it is read, so that there is an index whatever happens after."""
    text.use_numba_cache(at.numba_cache)
    private_folder(context.index_path(at, stored.name).parent)
    usable, note = _state(at, stored)
    overrides = policies.overrides(stored)
    now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    started = time.monotonic()

    def is_sensitive(table: str, column: Column) -> bool:
        key = (table.casefold(), column.name.casefold())
        if key in overrides:
            return overrides[key] is not None
        ask = _classify_in(engine.dialect)
        return ask(column.name, comment=column.comment, type=column.type) is not None

    def read(wanted: Level, low: float, high: float) -> Snapshot:
        part = _part(progress, low, high)
        found = source.read(engine, wanted, is_sensitive=is_sensitive, progress=part)
        return replace(found, warnings=(*found.warnings, *policies.strangers(stored, found)))

    def write(snapshot: Snapshot, low: float, high: float) -> IndexReport:
        part = _part(progress, low, high)
        return _write(at, stored, snapshot, overrides, writer=writer, now=now, progress=part)

    progress(0.0, "connecting")
    with closing(context.open_connection(stored, timeout=timeout)) as engine:
        names = read("l1", 0.0, 0.2)
        if level == "l1" or not usable:
            report = write(names, 0.2, 1.0 if level == "l1" else 0.3)
        if level != "l1":
            report = _deepen(stored.name, names, read, write)
    notes = (note, *report.warnings) if note else report.warnings
    return replace(report, seconds=time.monotonic() - started, warnings=notes)


def _write(
    at: Settings,
    stored: Connection,
    snapshot: Snapshot,
    overrides: dict[tuple[str, str], Sensitivity | None],
    *,
    writer: WriterName,
    now: str,
    progress: Progress,
) -> IndexReport:
    """The index, then of which database it is, then its status."""
    path = context.index_path(at, stored.name)
    report = index_module.build(
        snapshot,
        path,
        now=now,
        name=stored.name,
        writer=writer,
        classify=_classify_in(cast(Dialect, snapshot.engine)),
        overrides=overrides,
        progress=progress,
    )
    context.note_database(at, stored)
    with store.open_index(path, name=stored.name) as built:
        status = digest.status_of(built, warnings=report.warnings)
    digest.write_status(context.status_path(at, stored.name), status)
    return report


def _state(at: Settings, stored: Connection) -> tuple[bool, str]:
    """Whether there is an index that answers now; if there is one that does not, why."""
    try:
        store.open_index(context.index_path(at, stored.name), name=stored.name).close()
    except IndexUnavailable as error:
        return False, "" if error.code == "index-missing" else f"{error.message} It was built anew."
    if not context.belongs(at, stored):
        return False, f"{context.of_another_database(stored.name).message} It was built anew."
    return True, ""


def _deepen(
    name: str,
    names: Snapshot,
    read: Callable[[Level, float, float], Snapshot],
    write: Callable[[Snapshot, float, float], IndexReport],
) -> IndexReport:
    """Reads level l2 and writes it; where that fails l1 is kept, and the report, ``status`` and a warning say why."""
    try:
        deeper = read("l2", 0.3, 0.7)
    except DbgraphError as error:
        if isinstance(error, Cancelled) or error.code == "work-timeout":
            raise
        note = f"Only names and types are indexed; reading keys, indexes and samples failed: {error.message}"
    else:
        return write(deeper, 0.7, 1.0)
    report = write(replace(names, warnings=(*names.warnings, note)), 0.7, 1.0)
    warnings.warn(f"{name}: {note}", stacklevel=5)
    return report


def _part(progress: Progress, low: float, high: float) -> Progress:
    """A listener for a part of the work: its 0 to 1 are ``low`` to ``high`` of the whole."""

    def report(fraction: float | None, message: str) -> None:
        progress(None if fraction is None else low + (high - low) * fraction, message)

    return report


def _classify_in(dialect: Dialect) -> Callable[..., Sensitivity | None]:
    """What is sensitive in a database of this kind: SQLite's types bind nothing, so there they rule nothing out."""
    return partial(redact.classify, dialect=dialect)
