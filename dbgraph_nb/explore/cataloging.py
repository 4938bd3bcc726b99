"""The local index: build it, and say what is indexed.

In: a connection's name. Out: reports and small tables. Never: a statement to the database but while indexing.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from dbgraph_nb import connection_store
from dbgraph_nb.catalog import digest as digest_module
from dbgraph_nb.catalog.index import WriterName
from dbgraph_nb.engines.interruptible import check_timeout
from dbgraph_nb.errors import BadArgument, IndexUnavailable
from dbgraph_nb.explore import asking, building, context
from dbgraph_nb.jobs import Job
from dbgraph_nb.model import Connection, IndexReport
from dbgraph_nb.progress import Progress, guarded, silent
from dbgraph_nb.settings import Settings

if TYPE_CHECKING:
    from dbgraph_nb.result import ResultFrame

LEVELS = ("l1", "l2", "full")
WRITERS = ("auto", "numba", "python")


def index(
    name: str,
    level: str = "full",
    *,
    writer: WriterName = "auto",
    wait: bool = True,
    timeout: float = 300,
    progress: Progress = silent,
) -> IndexReport | Job[IndexReport]:
    """Builds or refreshes the index of a connection.

    Args:
        name: a connection.
        level: ``l1`` reads tables, columns, types and comments; ``l2`` adds keys, indexes, row estimates, the SQL of
            views and bounded enum samples; ``full`` is both. If the deeper reading fails, there is an l1 index that
            says why.
        writer: ``auto`` takes the Numba writer and falls back once with a warning, ``numba`` fails rather than slow
            down silently, ``python`` is the consistency reference.
        wait: False returns a ``Job`` at once.
        timeout: seconds for the whole run.
        progress: called with the share done and a message.

    Raises:
        BadArgument: an unknown level or writer, or a timeout that cannot be.
        UnknownName: there is no such connection.
        ConnectionFailed, CredentialMissing: the database cannot be reached.
        QueryTimeout: the run took too long; an earlier index is kept.
        IndexUnavailable: the index could not be written, or ``writer="numba"`` without Numba.
    """
    at = context.settings()
    _one_of("level", level, LEVELS)
    _one_of("writer", writer, WRITERS)
    if not callable(progress):
        raise BadArgument("progress must be a function of a share and a message.", code="bad-progress")
    timeout = check_timeout(timeout)
    stored = context.connection(name, at)
    jobs: list[Job[IndexReport]] = []

    def tell(fraction: float | None, message: str) -> None:
        for job in jobs:
            job.message = message
        progress(fraction, message)

    def work(stop: threading.Event) -> IndexReport:
        return building.build(at, stored, level, writer, guarded(tell, timeout=timeout, stop=stop), timeout)

    if wait:
        return work(threading.Event())
    context.credential(stored, context.locate(stored)[0], asking.current())  # asks here rather than from a thread
    jobs.append(Job(f"index {name}", work))
    return jobs[0]


def _one_of(what: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise BadArgument(f"{what} is {value!r}; it must be one of {', '.join(known)}.", code=f"bad-{what}")


def status(name: str | None = None) -> ResultFrame:
    """What is indexed: one row a connection, read from ``status.json`` alone.

    Columns: name, engine, database, level (none, l1, full), indexed_at (UTC), objects, columns, edges, writer and
    warnings. An index that cannot be used counts as none, and the warnings say why.

    Raises:
        UnknownName: there is no connection of that name.
    """
    from dbgraph_nb import result

    at = context.settings()
    chosen = [context.connection(name, at)] if name is not None else connection_store.all_connections(at.home)
    rows: list[tuple[object, ...]] = []
    for stored in chosen:
        found, why = status_of(at, stored)
        if found is None:
            unknown = (None, "none", None, None, None, None, None)
            rows.append((stored.name, context.dialect(stored), *unknown, why.message if why else ""))
            continue
        when = found.l2IndexedAt or found.l1IndexedAt
        database = Path(found.database).name if found.engine == "sqlite" else found.database
        counts = (found.objects, found.columns, found.edges)
        notes = "; ".join(found.warnings)
        rows.append((stored.name, found.engine, database, level_of(found), when, *counts, found.writer, notes))
    names = ("name", "engine", "database", "level", "indexed_at", "objects", "columns", "edges", "writer", "warnings")
    return result.from_records(names, rows, result.ResultMeta(len(rows), source="indexes"))


def status_of(at: Settings, stored: Connection) -> tuple[digest_module.Status | None, IndexUnavailable | None]:
    """What ``status.json`` of a connection says; or None, and why if there is one that cannot be used."""
    try:
        found = digest_module.read_status(context.status_path(at, stored.name))
    except IndexUnavailable as error:
        return None, error
    if found is not None and not context.belongs(at, stored):
        return None, context.of_another_database(stored.name)
    return found, None


def level_of(found: digest_module.Status | None) -> str:
    """How deep an index is: none, l1 or full."""
    if found is None:
        return "none"
    return "full" if found.l2IndexedAt else "l1"


def digest(name: str | None = None) -> str:
    """A short description of a database (about 2 KB), for a person or a prompt, read from ``status.json`` alone.

    Without a name: of all connections that have an index that can be used.

    Raises:
        UnknownName: there is no such connection.
        IndexUnavailable: it has no index yet, or one of another version or database.
    """
    at = context.settings()
    if name is None:
        found = [status_of(at, stored)[0] for stored in connection_store.all_connections(at.home)]
        return "\n\n".join(status.digest for status in found if status is not None)
    status, why = status_of(at, context.connection(name, at))
    if status is not None:
        return status.digest
    raise why or IndexUnavailable(
        f"{name} has no index yet.", code="index-missing", hint=f"Run %dbgraph index {name} to build it."
    )
