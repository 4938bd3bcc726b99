"""Reading the catalog of a live database: one file per dialect behind one protocol.

In: an open engine, a level. Out: a ``Snapshot``, sorted, the same for the same database. Never: a statement that
writes, a scan of a whole table, a value of a sensitive column, or an end to the reading because of one bad object.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from dbgraph_nb.catalog.source.assemble import settled, snapshot, with_details
from dbgraph_nb.catalog.source.enum_sample import sample, with_samples
from dbgraph_nb.catalog.source.reading import Budget, CatalogEngine, DialectSource, Meter, Reading
from dbgraph_nb.errors import BadArgument, QueryFailed
from dbgraph_nb.model import Column, Level, Snapshot
from dbgraph_nb.progress import Progress, silent

__all__ = ["Budget", "CatalogEngine", "DialectSource", "read", "version"]


def read(
    engine: CatalogEngine,
    level: Level,
    *,
    is_sensitive: Callable[[str, Column], bool],
    progress: Progress = silent,
    budget: Budget | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Snapshot:
    """Reads tables, views and columns; at level ``l2`` keys, indexes, row estimates, view bodies and enum samples too.

    Args:
        engine: an open engine; only its ``catalog`` is called.
        level: ``l1`` or ``l2``. Comments and declared enum members cost nothing and are read at both.
        is_sensitive: asked with a table's name and a column before anything of its values is read; a sensitive
            column has no sample, and no declared members either.
        progress: called with the share done and a message; what it raises ends the reading and passes through.
        budget: bounds of the optional statements of ``l2``; when it is used up the rest is left out with a warning.
        clock: seconds; for tests.

    Raises:
        BadArgument: an unknown level (``bad-level``), a dialect without a source (``no-source``), or a connection that
            names no database (``no-database``).
        QueryFailed: the list of tables or of columns itself could not be read.
        ConnectionFailed: the server has gone.
    """
    if level not in ("l1", "l2"):
        raise BadArgument(f"level is {level!r}; it must be l1 or l2.", code="bad-level")
    source = _source(engine)
    meter = Meter(budget or Budget(), clock)
    reading = Reading(engine, level, is_sensitive, progress, meter)

    reading.progress(0.0, "reading tables and columns")
    reading.version = version(engine)  # before the tables: a change while they are read is found later
    database = source.database(reading)
    objects = settled(reading, source.objects(reading))
    if level == "l1":
        return snapshot(reading, database, objects)
    reading.progress(0.2, "reading keys and indexes")
    details = source.details(reading, objects)
    objects, keys, indexes = with_details(reading, objects, details)
    reading.progress(0.4, "sampling values")
    samples = sample(reading, source, objects, keys)
    objects = with_samples(objects, samples)
    return snapshot(reading, database, objects, keys, indexes)


def version(engine: CatalogEngine) -> str:
    """What the engine says of its schema now: differs from ``Snapshot.catalog_version`` when the schema has changed.

    One statement on SQLite (``PRAGMA schema_version``), none on MySQL and MariaDB, which have no such thing: "". So it
    is where SQLite does not answer.

    Raises:
        BadArgument: a dialect without a source (``no-source``).
        ConnectionFailed: the server has gone.
    """
    try:
        return _source(engine).version(engine)
    except QueryFailed:
        return ""


def _source(engine: CatalogEngine) -> DialectSource:
    if engine.dialect == "sqlite":
        from dbgraph_nb.catalog.source.sqlite import SqliteSource

        return SqliteSource()
    if engine.dialect in ("mysql", "mariadb"):
        from dbgraph_nb.catalog.source.mysql import MysqlSource

        return MysqlSource()
    if engine.dialect == "postgres":
        from dbgraph_nb.catalog.source.postgres import PostgresSource

        return PostgresSource()
    if engine.dialect == "duckdb":
        from dbgraph_nb.catalog.source.duckdb import DuckdbSource

        return DuckdbSource()
    raise BadArgument(
        f"The catalog of a {engine.dialect} database cannot be read.",
        code="no-source",
        hint="Use a SQLite, MySQL, MariaDB, PostgreSQL or DuckDB database.",
    )
